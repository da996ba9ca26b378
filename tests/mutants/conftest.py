"""What the mutation tests share: projects to break, a warm process, the unbroken results."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from matrix.answers import Answers, name_of
from matrix.conftest import pytest_collection_modifyitems, pytest_configure, shared
from matrix.renderings import render_all

from .everything import MUTANTS
from .laboratory import Laboratory, Outcome, once
from .mutant import HOMES

__all__ = ["pytest_collection_modifyitems", "pytest_configure", "shared"]

Unbroken = Callable[[Answers], Outcome]


@pytest.fixture(scope="session")
def homes(shared: Path) -> dict[str, Path]:
    """The rendered project of each home, by its name. Read only: copy what is to be broken."""
    return render_all(shared / "homes", HOMES)


@pytest.fixture(scope="session")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    """A warm process of this worker's own."""
    if sys.platform == "win32":
        pytest.skip("needs fork")
    laboratory = Laboratory(tmp_path_factory.mktemp("laboratory"))
    yield laboratory
    laboratory.close()


@pytest.fixture(scope="session")
def unbroken(laboratory: Laboratory, homes: dict[str, Path], shared: Path) -> Unbroken:
    """How the tests that mutants name end in a home that nobody has broken; tried once."""

    def outcome(home: Answers) -> Outcome:
        name = name_of(home)
        tests = sorted({mutant.test for mutant in MUTANTS if mutant.home == home})

        def try_out() -> dict[str, object]:
            return asdict(laboratory.try_out(homes[name], tests, name))

        return Outcome(**once(shared / "unbroken", name, try_out))

    return outcome
