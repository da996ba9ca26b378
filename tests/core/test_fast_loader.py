"""The extra fast-loader: threads and caches give the batches that processes give, to the bit."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from .conftest import FORMATS, Project
from .test_readers import fill

CPU = torch.device("cpu")
FLAGS = ("--epochs=2", "--batch-size=8", "--device=cpu", "--random-flip", "--ema-decay=0.9")

New = Callable[..., Project]


@pytest.fixture(scope="module")
def with_threads(new_project: New) -> Project:
    return new_project("with_threads", extras=["fast-loader"])


@pytest.fixture(scope="module")
def data(folder_project: Project, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(folder_project, source, tmp_path_factory.mktemp("data") / "data")


class Slow:
    """Six samples, of which an earlier one takes longer; counts who reads at the same time."""

    shape, dtype, targets = (1,), np.dtype("uint8"), np.arange(6)

    def __init__(self, fails: BaseException | None = None) -> None:
        self.fails, self.barrier, self.read_so_far = fails, threading.Barrier(2, timeout=10), 0

    def __len__(self) -> int:
        return 6

    def read(self, indices: np.ndarray, fit: Any = None) -> np.ndarray:
        self.read_so_far += 1
        if self.fails is not None and indices[0] == 3:
            raise self.fails
        self.barrier.wait()  # passes only if two threads are here
        return indices[:, None].astype(np.uint8)


def loader_of(project: Project, data: Any, workers: int, **settings: Any) -> Any:
    loader = project.module("data.loader")
    requests = [(0, np.array([index])) for index in range(6)]
    dataset = loader.BatchDataset(data, **settings)
    return loader.make_loader(dataset, requests, workers=workers, device=CPU)


def test_threads_read_at_the_same_time_and_give_the_batches_in_order(with_threads: Project) -> None:
    loader = loader_of(with_threads, Slow(), 2)
    batches = with_threads.module("data.loader").batches(loader, CPU)
    assert [batch.inputs.item() for batch in batches] == list(range(6))


@pytest.mark.parametrize("kind", ["DataError", "ValueError"])
def test_an_error_reaches_the_loop(with_threads: Project, kind: str) -> None:
    errors = with_threads.module("base.errors")
    error = getattr(errors, kind, ValueError)("image 3 is broken")
    data = Slow(error)
    data.barrier = threading.Barrier(1)
    with pytest.raises(type(error), match="image 3 is broken"):
        list(loader_of(with_threads, data, 2))


def test_a_loop_that_is_left_reads_no_further_and_leaves_no_thread(with_threads: Project) -> None:
    data, before = Slow(), threading.active_count()
    data.barrier = threading.Barrier(1, lambda: time.sleep(0.3))
    batches = iter(loader_of(with_threads, data, 1))
    next(batches)
    batches.close()
    assert data.read_so_far <= 2, "what was begun"
    assert threading.active_count() == before


@pytest.mark.parametrize("cache", ["memory", "device"])
def test_a_cache_reads_each_sample_once(with_threads: Project, cache: str) -> None:
    data = Slow()
    data.barrier = threading.Barrier(1)
    loader = loader_of(with_threads, data, 2, cache=cache)
    for _ in range(2):
        assert [batch.inputs.item() for batch in loader] == list(range(6))
    assert data.read_so_far == 1


def test_shifts_on_the_device_are_those_of_a_worker(with_threads: Project) -> None:
    augment, config = with_threads.module("augment"), with_threads.module("config")
    info = with_threads.module("data.info").DatasetInfo([], [], (), "", 0, [], [], "")
    augmentation = augment.Augmentation(config.Config(random_flip=True, seed=3), info)
    images = np.random.default_rng(0).integers(1, 256, (64, 17, 25, 3), dtype=np.uint8)
    indices = np.arange(100, 164)
    found = augmentation.on_device(torch.from_numpy(images.copy()), indices, 1)
    expected, _ = augmentation(images.copy(), np.zeros(64), indices, 1)
    assert (expected == 0).any() and not np.array_equal(expected, images)
    np.testing.assert_array_equal(found, expected)


@pytest.fixture(scope="module")
def by_processes(
    folder_project: Project, data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The run of a project without the extra."""
    run_dir = tmp_path_factory.mktemp("runs") / "processes"
    flags = ("--data-dir", data, "--run-dir", run_dir, "--num-workers=0")
    done = folder_project.run("train", *FLAGS, *flags)
    assert done.returncode == 0, done.stderr
    return run_dir


@pytest.mark.parametrize(
    "flags", [("--num-workers=3",), ("--cache", "memory"), ("--cache", "device")], ids=str
)
def test_a_run_has_the_bits_of_one_with_processes(
    flags: tuple[str, ...], with_threads: Project, by_processes: Path, data: Path, tmp_path: Path
) -> None:
    done = with_threads.run("train", *FLAGS, "--data-dir", data, "--run-dir", tmp_path, *flags)
    assert done.returncode == 0, done.stderr
    one, other = (
        torch.load(folder / "checkpoints" / "last.pt", weights_only=True)
        for folder in (tmp_path, by_processes)
    )
    for part in ("model", "ema"):
        for name, tensor in one[part].items():
            assert torch.equal(tensor, other[part][name]), name


@pytest.mark.parametrize("data_format", FORMATS)
def test_every_format_can_be_read_by_threads(
    data_format: str,
    new_project: New,
    project_of: Callable[..., Project],
    source: Path,
    tmp_path: Path,
) -> None:
    project = new_project(f"{data_format}_threads", extras=["fast-loader"], data_format=data_format)
    folder = fill(project_of(data_format), source, tmp_path / "data")
    loader = project.module("data.loader")
    data = project.module("data.reader").Reader(folder / "train")
    requests = [(0, np.arange(first, first + 6)) for first in (0, 6, 12, 18)] * 10
    made = loader.make_loader(loader.BatchDataset(data), requests, workers=4, device=CPU)
    expected = torch.from_numpy(data.read(np.arange(24))).split(6)
    for number, batch in enumerate(loader.batches(made, CPU)):
        assert torch.equal(batch.inputs, expected[number % 4])


def test_what_a_cache_excludes_is_refused_by_name(new_project: New, data: Path) -> None:
    project = new_project("with_both", extras=["fast-loader", "augmentations"])
    for flag, cache in (("--color=0.4", "device"), ("--resized-crop=0.5", "memory")):
        done = project.run("train", *FLAGS, "--data-dir", data, flag, "--cache", cache)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert flag.partition("=")[0] in done.stderr and f"--cache {cache}" in done.stderr
