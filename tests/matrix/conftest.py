"""What all tests of the matrix share: the renderings, and where workers leave their records."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from . import renderings, training
from .answers import EXTRA_SETS


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder per session, the same for all of pytest-xdist's workers."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The rendered project of each set, by the set's name. Read only: copy what is to be run."""
    return renderings.Trees(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def extra_trees(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The rendered projects with extras, by the set's name. Read only as well."""
    return renderings.Trees(tmp_path_factory.mktemp("template"), EXTRA_SETS)


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small source tree to prepare data from; each of pytest's workers draws the same one."""
    return training.draw_images(tmp_path_factory.mktemp("images"))


@pytest.fixture(scope="session")
def receipts(shared: Path) -> Path:
    """A folder that collects what each set of the smoke matrix ran and found."""
    folder = shared / "receipts"
    folder.mkdir(exist_ok=True)
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that look at the others' receipts at the end."""
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "last: runs after all other tests")
