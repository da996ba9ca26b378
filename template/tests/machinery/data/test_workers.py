"""Processes that load data: what they send, what they draw, how they end."""

import multiprocessing
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from batches import epochs, same
from toy.augment import Augmentation
from toy.base import distributed
from toy.base.signals import STOP
from toy.config import Config
from toy.data import loader as loading
from toy.data.loader import BatchDataset, EvalSampler, batches, close, make_loader
from toy.data.reader import Reader
from toys import CPU

pytestmark = pytest.mark.skipif(
    not hasattr(loading, "start_worker"), reason="this project loads data in threads"
)


@pytest.fixture
def reader(toy_data: Path) -> Reader:
    return Reader(toy_data / "train")


def test_batches_of_workers_are_those_of_one_process(reader: Reader) -> None:
    dataset = BatchDataset(reader, Augmentation(Config(), None))
    assert same(epochs(dataset, 0), epochs(dataset, 2))


class Dying(Reader):
    """A reader whose process is killed, as for want of memory."""

    def read(self, indices: np.ndarray, fit: Any = None) -> np.ndarray:
        os._exit(1)


def test_a_worker_that_dies_is_told_by_its_number(toy_data: Path) -> None:
    with pytest.raises(RuntimeError, match="DataLoader worker"):
        epochs(BatchDataset(Dying(toy_data / "train")), 1)


def test_workers_end_when_the_loader_is_closed(reader: Reader) -> None:
    loader = make_loader(BatchDataset(reader), EvalSampler(48, 4), workers=2, device=CPU)
    next(batches(loader, CPU))
    workers = list(loader._iterator._workers)
    assert all(worker.is_alive() for worker in workers)
    began = time.monotonic()
    close(loader)
    assert not any(worker.is_alive() for worker in workers)
    assert time.monotonic() - began < 10
    close(loader)


class Signaled(Reader):
    """A reader whose process gets each signal that stops a run, as from a scheduler."""

    def read(self, indices: np.ndarray, fit: Any = None) -> np.ndarray:
        for number in STOP:
            os.kill(os.getpid(), number)
        return super().read(indices, fit)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_worker_ignores_the_signals_that_stop_a_run(toy_data: Path, reader: Reader) -> None:
    assert same(
        epochs(BatchDataset(Signaled(toy_data / "train")), 1), epochs(BatchDataset(reader), 0)
    )


@pytest.mark.skipif(
    multiprocessing.get_start_method() != "fork", reason="a function in a test is not pickled"
)
def test_a_signal_before_a_worker_begins_does_not_kill_it(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = loading.start_worker

    def signaled(worker: int, **settings: int) -> None:
        for number in STOP:
            os.kill(os.getpid(), number)
        begin(worker, **settings)

    monkeypatch.setattr(loading, "start_worker", signaled)
    assert same(epochs(BatchDataset(reader), 1), epochs(BatchDataset(reader), 0))
    assert not set(STOP) & signal.pthread_sigmask(signal.SIG_BLOCK, []), "the main one hears them"


def test_a_worker_whose_parent_is_gone_before_it_begins_ends() -> None:
    seeds = {"seed": 0, "parent": 0}  # of another process than the one that starts it
    worker = multiprocessing.Process(target=loading.start_worker, args=(0,), kwargs=seeds)
    worker.start()
    worker.join(60)
    assert worker.exitcode == 1


class Drawing(Reader):
    """A reader that draws from the global generators, as an edited one may."""

    def read(self, indices: np.ndarray, fit: Any = None) -> np.ndarray:
        numbers = [random.randrange(30_000) for _ in indices]
        one, other = (
            np.random.randint(0, 30_000, len(indices)),
            torch.randint(30_000, (len(indices),)),
        )
        return np.stack([numbers, one, other.numpy()], axis=1).astype(np.int16)


@pytest.fixture
def draw(toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that gives what the two workers of a rank draw, for each batch."""

    def drawn(rank: int) -> list[np.ndarray]:
        monkeypatch.setattr(distributed, "RANK", rank)
        monkeypatch.setattr(distributed, "shard", lambda indices: indices)
        return [
            batch.inputs.numpy() for batch in epochs(BatchDataset(Drawing(toy_data / "train")), 2)
        ]

    return drawn


def test_what_workers_draw_differs_between_workers_epochs_and_ranks(draw: Any) -> None:
    found = [*draw(0), *draw(1)]
    for column in range(3):
        assert len({inputs[:, column].tobytes() for inputs in found}) == len(found) == 24
