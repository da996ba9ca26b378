"""What the mutation tests share: a project to break, a warm process, the unbroken result."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from matrix.answers import name_of
from matrix.conftest import pytest_collection_modifyitems, pytest_configure, shared
from matrix.renderings import Trees
from matrix.training import copy_of

from .everything import MUTANTS
from .laboratory import Laboratory, Outcome, once
from .mutant import HOME, HOMES

__all__ = ["pytest_collection_modifyitems", "pytest_configure", "shared"]


TOLD = "told"  # the name of a test's property that the summary prints


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The projects that mutants live in. Read only: copy what is to be broken."""
    return Trees(tmp_path_factory.mktemp("template"), [*HOMES.values()])


@pytest.fixture(scope="session")
def home(homes: Mapping[str, Path]) -> Path:
    """The project of one process."""
    return homes[name_of(HOME)]


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
    laboratory: Laboratory,
    homes: Mapping[str, Path],
    shared: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], Outcome]:
    """A function: how the tests that mutants of a project name end where nothing is broken."""

    def of(name: str) -> Outcome:
        tests = sorted({mutant.test for mutant in MUTANTS if name_of(mutant.home) == name})

        def try_out() -> dict[str, object]:
            tree = copy_of(homes[name], tmp_path_factory.mktemp("unbroken"))
            return asdict(laboratory.try_out(tree, tests, f"unbroken-{name}"))

        return Outcome(**once(shared / "unbroken", name, try_out))

    return of


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the random changes have shown."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, ()):
            for name, value in report.user_properties:
                if name == TOLD:
                    terminalreporter.write_line(str(value))
