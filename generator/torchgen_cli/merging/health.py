"""Whether a project's files compile and pytest can collect its tests; writes no caches."""

import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SECONDS = 120
NO_PYTEST = "torchgen: no pytest"
COLLECT = f"""
import os, sys
del sys.path[0]  # the current folder
try:
    import pytest
except ImportError:
    sys.exit("{NO_PYTEST}")
try:
    import torch
except ImportError:
    pass  # pytest will report it
folder = sys.stdin.read()
os.chdir(folder)
sys.path.insert(0, folder)
options = ["-q", "-o", "addopts=", "-p", "no:cacheprovider", "--color=no"]
sys.exit(pytest.main(["--collect-only", *options]))
"""


@dataclass(frozen=True)
class Health:
    """The result of the checks."""

    errors: list[str]
    """`file:line: message` for each file that does not compile."""
    tests: int | None
    """How many tests pytest collects; None if it was not run, or failed."""
    note: str
    """Why there is no number of tests; empty if there is one."""


def compiled(folder: Path, files: list[str]) -> list[str]:
    """The errors in those files that are Python."""
    errors = []
    for name in files:
        if not name.endswith(".py"):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile((folder / name).read_bytes(), name, "exec", dont_inherit=True)
        except SyntaxError as error:
            errors.append(f"{name}:{error.lineno}: {error.msg}")
        except ValueError as error:  # a null byte
            errors.append(f"{name}: {error}")
    return errors


@contextmanager
def collector(project: Path) -> Iterator[Callable[[Path], tuple[int | None, str]]]:
    """A function that returns how many tests pytest collects in a folder, or an error message.

    The project's Python starts at once, so that it loads pytest and torch (a second) while the
    merge is made.
    """
    python = _python_of(project)
    process = subprocess.Popen(
        [python, "-B", "-c", COLLECT],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )

    def collected(folder: Path) -> tuple[int | None, str]:
        try:
            output, _ = process.communicate(os.fspath(folder), timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None, f"pytest took more than {SECONDS} s to collect the tests"
        return _result(python, process.returncode, output)

    try:
        yield collected
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe and not pipe.closed:
                with suppress(OSError):
                    pipe.close()


def _result(python: str, code: int, output: str) -> tuple[int | None, str]:
    """The number of tests in pytest's output, or the reason why there is none."""
    if NO_PYTEST in output:
        return (
            None,
            f"{python} has no pytest, so it was not checked that the tests can be collected",
        )
    found = re.search(r"^(\d+) tests? collected", output, flags=re.MULTILINE)
    if code == 0 and found:
        return int(found[1]), ""
    if code == 5:
        return 0, ""
    reasons = re.findall(r"^E +(.+)$", output, flags=re.MULTILINE) or output.split("\n")[-2:-1]
    return None, f"pytest cannot collect the tests: {reasons[0] if reasons else f'exit {code}'}"


def _python_of(project: Path) -> str:
    """The Python of the project's `.venv` or `venv`, else the active one, else torchgen's."""
    active = [os.environ.get("VIRTUAL_ENV"), os.environ.get("CONDA_PREFIX")]
    candidates = [project / ".venv", project / "venv", *(Path(path) for path in active if path)]
    for folder in candidates:
        for program in ("bin/python", "Scripts/python.exe", "python.exe"):
            if (folder / program).is_file():
                return str(folder / program)
    return sys.executable
