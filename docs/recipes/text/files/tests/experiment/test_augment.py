"""The augmentation of training texts. These tests are yours to change with `augment.py`."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import CPU

from myproj.augment import HIDDEN, Augmentation
from myproj.base.errors import FlagError
from myproj.base.facts import Facts
from myproj.config import Config
from myproj.data.dataset import BatchDataset
from myproj.data.loader import batches, make_loader
from myproj.data.samplers import TrainSampler
from myproj.data.storage import Reader, split_path

FACTS = Facts(["a", "b", "c"], (60,), "uint8", 48, [0.0] * 60, [1.0] * 60, "", {})
TEXT = np.array([*range(65, 105), *[0] * 20], np.uint8)  # 40 bytes and 20 of padding


def change(indices: np.ndarray, epoch: int = 0, **settings: Any) -> np.ndarray:
    """The same text as training sees it, under these numbers in the data."""
    how = Augmentation(Config(**{"hide": 0.25} | settings), FACTS)
    texts = np.repeat(TEXT[None], len(indices), axis=0)
    how.apply(texts, indices, how.draw(indices, epoch, TEXT.shape))
    return texts


def test_augmentation_differs_between_seeds_epochs_and_samples() -> None:
    cases = [change(np.arange(50), epoch, seed=seed) for seed in (0, 1) for epoch in (0, 1)]
    for number, one in enumerate(cases):
        assert len({text.tobytes() for text in one}) > 45
        assert all(not np.array_equal(one, other) for other in cases[:number])


def test_augmentation_does_not_depend_on_the_rest_of_the_batch() -> None:
    together = change(np.arange(20), 3)
    for part in (np.array([7]), np.array([19, 3, 8])):
        assert np.array_equal(change(part, 3), together[part])


def test_a_share_of_the_bytes_is_hidden_and_padding_stays() -> None:
    texts = change(np.arange(1000))
    assert set(np.unique(texts)) == {*TEXT.tolist(), HIDDEN}
    hidden = texts == HIDDEN
    assert np.array_equal(texts[~hidden], np.repeat(TEXT[None], 1000, axis=0)[~hidden])
    assert abs(hidden[:, :40].mean() - 0.25) < 0.01  # of 40,000: four standard deviations
    assert not texts[:, 40:].any()


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_a_device_hides_what_a_worker_hides(share: float) -> None:
    how = Augmentation(Config(hide=share), FACTS)
    texts, targets = np.repeat(TEXT[None], 9, axis=0), np.arange(9)
    hidden = how.draw(targets, 0, TEXT.shape)
    tensors = (torch.from_numpy(array.copy()) for array in (texts, targets, hidden))
    found, classes = how.apply_on_device(*tensors)
    how.apply(texts, targets, hidden)
    assert found.dtype == torch.uint8 and np.array_equal(found.numpy(), texts)
    assert classes.tolist() == targets.tolist() == list(range(9))


def test_workers_do_not_change_what_texts_look_like(image_data: Path) -> None:
    reader = Reader(split_path(image_data, "train"))
    dataset = BatchDataset(reader, Augmentation(Config(hide=0.2), FACTS))
    found = []
    for workers in (0, 1, 2):
        sampler = TrainSampler(len(reader), 8, seed=0)
        loader = make_loader(dataset, sampler, seed=0, workers=workers)
        found.append(torch.cat([batch.inputs for batch in batches(loader, CPU)]))
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


def test_a_batch_as_a_whole_stays_as_it_is() -> None:
    texts, targets = torch.arange(24).reshape(2, 12), torch.arange(2)
    found = Augmentation(Config(), FACTS).mix_batch(texts, targets)
    assert torch.equal(found[0], texts) and torch.equal(found[1], targets)


def check_hide(data_dir: Path) -> None:
    assert np.array_equal(change(np.arange(5), hide=0.0), np.repeat(TEXT[None], 5, axis=0))
    assert 0 < (change(np.arange(50), hide=0.1) == HIDDEN).mean() < 0.1


def refused(**settings: float) -> None:
    with pytest.raises(FlagError, match="--mixup, --cutmix, --erasing and --color are for images"):
        Augmentation(Config(**settings), FACTS)


def check_mixup(data_dir: Path) -> None:
    refused(mixup=0.4)


def check_cutmix(data_dir: Path) -> None:
    refused(cutmix=1.0)


def check_erasing(data_dir: Path) -> None:
    refused(erasing=0.5)


def check_color(data_dir: Path) -> None:
    refused(color=0.4)


def test_tar_files_which_hold_images_are_refused() -> None:
    with pytest.raises(FlagError, match="--shards reads images alone"):
        Augmentation(Config(shards=True), FACTS)
