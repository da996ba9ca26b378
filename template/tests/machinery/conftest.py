"""Fixtures of the tests of the machinery. They run the package `toy`: see toys.py."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from toys import CPU, INHERITED, TOY, only_rank, train_here, write_data


def pytest_unconfigure() -> None:
    if not INHERITED:
        shutil.rmtree(TOY, ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    """Pin what CPU bits depend on, before any fixture of a module trains."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def same_draws() -> None:
    """Let a test draw the same numbers each time, whichever tests ran before it."""
    torch.default_generator.manual_seed(0)  # torch.manual_seed spends 1 ms on unused devices


@pytest.fixture(scope="module")
def process_group() -> Iterator[torch.device]:
    """What a trainer needs; the CPU."""
    with only_rank():
        yield CPU


@pytest.fixture(scope="session")
def toy_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data for the toy: 48 samples to train on, 15 to validate."""
    return write_data(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="session")
def finished_run(toy_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run of the toy that was never interrupted."""
    folder = tmp_path_factory.mktemp("runs") / "finished"
    assert train_here(toy_data, folder) == 0
    return folder
