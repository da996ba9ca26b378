"""A plugin for the pytest of a project: writes down how each test ended, and what ended it."""

import json
import re
from collections.abc import Generator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

# a process that broke down like this was not beaten by an assertion
BROKEN_DOWN = re.compile(r"\b(SyntaxError|ImportError|ModuleNotFoundError|NameError)\b")


class Reporter:
    """Appends a line of JSON for each phase of each test."""

    def __init__(self, path: Path, tests: Path) -> None:
        """Write to `path`; assertions of the files in `tests` are the project's own."""
        self.path, self.tests = path, tests

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        record = {"test": item.nodeid, "when": call.when, "outcome": report.outcome}
        if report.failed and call.excinfo is not None:
            record |= self.describe(call.excinfo.value)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        return report

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A test file that cannot even be read."""
        if report.failed:
            record = {"test": report.nodeid, "when": "collect", "outcome": "failed"}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record | {"error": str(report.longrepr)[-1000:]}) + "\n")

    def describe(self, error: BaseException) -> dict[str, Any]:
        """What an error is, and whether an assertion of the project's tests has raised it."""
        text = str(error)
        asserted = isinstance(error, pytest.fail.Exception) or (
            isinstance(error, AssertionError) and self.is_own(error.__traceback__)
        )
        return {
            "error": f"{type(error).__name__}: {text[:1000]}",
            "asserted": asserted and not BROKEN_DOWN.search(text),
        }

    def is_own(self, traceback: TracebackType | None) -> bool:
        """Whether the line that raised is the tests', pytest's or numpy.testing's for them."""
        if traceback is None:
            return False
        while traceback.tb_next is not None:
            traceback = traceback.tb_next
        path = Path(traceback.tb_frame.f_code.co_filename)
        return path.is_relative_to(self.tests) or not {"_pytest", "testing"}.isdisjoint(path.parts)
