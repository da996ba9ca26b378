"""Runs tests of rendered projects, and does once what several of pytest's workers need."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matrix.commands import environment

Record = dict[str, Any]

WARM = Path(__file__).with_name("warm.py")
TIMEOUT = 600  # seconds for one run of pytest
WAIT = 700  # seconds for what another of pytest's workers is at


@dataclass
class Outcome:
    """How a run of pytest ended: a record for each phase of each test, and what it printed."""

    code: int | None
    records: list[Record]
    printed: str

    def failures(self, test: str) -> list[Record]:
        """What failed, in any phase of the tests that `test` names."""
        return [r for r in self.records if r["outcome"] == "failed" and names(test, r["test"])]

    def passed(self, test: str) -> bool:
        """Whether the tests that `test` names ran, all of them well."""
        calls = [r for r in self.records if r["when"] == "call" and names(test, r["test"])]
        return any(r["outcome"] == "passed" for r in calls) and not self.failures(test)


def names(test: str, node: str) -> bool:
    """Whether FILE::NAME, perhaps with a parameter in brackets, means this node."""
    return node == f"tests/{test}" or node.startswith(f"tests/{test}[")


class Laboratory:
    """A warm process, and a folder for what is tried in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.environment = environment(folder / "home")
        self.process = subprocess.Popen(
            [sys.executable, WARM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env=self.environment,
        )
        self.read()

    def read(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        return line if line == "ready" else json.loads(line)

    def try_out(self, tree: Path, tests: list[str], name: str) -> Outcome:
        """Run some tests of a project, slow ones too."""
        return self.run_pytest(tree, ["-m", "", *(f"tests/{test}" for test in tests)], name)

    def run_pytest(
        self, tree: Path, arguments: list[str], name: str, timeout: float = TIMEOUT
    ) -> Outcome:
        """Run pytest in a project."""
        report, output = self.folder / f"{name}.jsonl", self.folder / f"{name}.txt"
        report.write_text("")
        job = {
            "folder": str(tree),
            "arguments": [
                *("-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:timeout"),
                *("-m", ""),  # slow tests too
                f"--basetemp={self.folder / name}",
                *arguments,
            ],
            "environment": self.environment,
            "report": str(report),
            "output": str(output),
            "timeout": timeout,
        }
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        code = self.read()
        records = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
        return Outcome(code, records, output.read_text(encoding="utf-8", errors="replace"))

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def once(folder: Path, name: str, do: Callable[[], Any]) -> Any:
    """What `do` gives, as JSON keeps it: done by whichever of pytest's workers comes first."""
    folder.mkdir(exist_ok=True)
    result = folder / f"{name}.json"
    try:
        (folder / f"{name}.begun").touch(exist_ok=False)
    except FileExistsError:
        late = time.monotonic() + WAIT
        while not result.exists():
            if time.monotonic() > late:
                raise TimeoutError(f"no {result} after {WAIT} s") from None
            time.sleep(0.05)
    else:
        partial = folder / f"{name}.partial"
        partial.write_text(json.dumps(do()), encoding="utf-8")
        partial.rename(result)
    return json.loads(result.read_text(encoding="utf-8"))
