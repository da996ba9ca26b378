"""What the mutation tests share: a project to break, a warm process, the unbroken result."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from matrix.conftest import pytest_collection_modifyitems, pytest_configure, shared
from matrix.renderings import Trees
from matrix.training import copy_of

from .everything import MUTANTS
from .laboratory import Laboratory, Outcome, once
from .mutant import HOME

__all__ = ["pytest_collection_modifyitems", "pytest_configure", "shared"]


TOLD = "told"  # the name of a test's property that the summary prints


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project that mutants live in. Read only: copy what is to be broken."""
    (tree,) = Trees(tmp_path_factory.mktemp("template"), [HOME]).values()
    return tree


@pytest.fixture(scope="session")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    """A warm process of this worker's own."""
    if sys.platform == "win32":
        pytest.skip("needs fork")
    laboratory = Laboratory(tmp_path_factory.mktemp("laboratory"))
    yield laboratory
    laboratory.close()


@pytest.fixture(scope="session")
def unbroken(
    laboratory: Laboratory, home: Path, shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Outcome:
    """How the tests that mutants name end where nothing is broken; tried once."""
    tests = sorted({mutant.test for mutant in MUTANTS})

    def try_out() -> dict[str, object]:
        tree = copy_of(home, tmp_path_factory.mktemp("unbroken"))
        return asdict(laboratory.try_out(tree, tests, "unbroken"))

    return Outcome(**once(shared / "unbroken", "home", try_out))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the random changes have shown."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, ()):
            for name, value in report.user_properties:
                if name == TOLD:
                    terminalreporter.write_line(str(value))
