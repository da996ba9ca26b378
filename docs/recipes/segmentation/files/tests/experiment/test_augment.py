"""The augmentation of training images and masks. These tests are yours, with `augment.py`."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import CPU

from myproj import augment
from myproj.augment import Augmentation, shift
from myproj.base.errors import FlagError
from myproj.base.facts import Facts
from myproj.config import Config
from myproj.data.dataset import BatchDataset
from myproj.data.loader import batches, make_loader
from myproj.data.samplers import TrainSampler
from myproj.data.storage import Reader, split_path

IMAGES = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (16, 8, 8, 3), dtype=np.uint8))
FACTS = Facts(["a", "b", "c"], (12, 12, 3), "uint8", 48, [127.0] * 3, [60.0] * 3, "", {})


def change(images: np.ndarray, indices: np.ndarray, epoch: int = 0, **settings: Any) -> np.ndarray:
    """The images as training sees them, under these numbers in the data."""
    how = Augmentation(Config(**settings), FACTS)
    images, masks = images.copy(), np.zeros(images.shape[:3], np.uint8)
    how.apply(images, masks, how.draw(indices, epoch, images.shape[1:]))
    return images


def augmented(seed: int, epoch: int, indices: np.ndarray) -> np.ndarray:
    """The same image of noise under each of the numbers, augmented."""
    image = np.random.default_rng(0).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    images = np.repeat(image[None], len(indices), axis=0)
    return change(images, indices, epoch, seed=seed, random_flip=True)


def test_augmentation_differs_between_seeds_epochs_and_samples() -> None:
    cases = [augmented(seed, epoch, np.arange(50)) for seed in (0, 1) for epoch in (0, 1)]
    for number, one in enumerate(cases):
        assert len({image.tobytes() for image in one}) > 25
        assert all(not np.array_equal(one, other) for other in cases[:number])


def test_augmentation_does_not_depend_on_the_rest_of_the_batch() -> None:
    together = augmented(0, 3, np.arange(20))
    for part in (np.array([7]), np.array([19, 3, 8])):
        assert np.array_equal(augmented(0, 3, part), together[part])


def test_without_its_flag_nothing_is_changed() -> None:
    images = np.arange(4 * 16 * 16 * 3, dtype=np.uint32).astype(np.uint8).reshape(4, 16, 16, 3)
    kept = change(images, np.arange(4), random_crop=False, random_flip=False)
    assert np.array_equal(kept, images)


@pytest.mark.parametrize(("down", "right"), [(0, 0), (2, -1), (-2, 1), (1, 2), (-1, -2)])
def test_a_shift_is_padding_and_cropping(down: int, right: int) -> None:
    image = np.arange(1, 61, dtype=np.uint8).reshape(4, 5, 3)
    for pixels, border in ((image, 0), (image[..., 0].copy(), 255)):
        sides = [(2, 2), (2, 2), (0, 0)][: pixels.ndim]
        padded = np.pad(pixels, sides, constant_values=border)
        expected = padded[2 - down : 6 - down, 2 - right : 7 - right]
        shift(pixels, down, right, border)
        assert np.array_equal(pixels, expected)


@pytest.mark.parametrize("cached", [1, 4, 1000])  # images
@pytest.mark.parametrize("channels", [1, 3])
def test_a_device_moves_all_at_once_as_a_worker_does_one_by_one(
    channels: int, cached: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = np.random.default_rng(0).integers(1, 256, (70, 5, 7, channels), dtype=np.uint8)
    monkeypatch.setattr(augment, "CACHED", cached * images[0].nbytes)
    every = [(down, right, m) for down in range(-2, 3) for right in range(-3, 4) for m in (0, 1)]
    masks = np.random.default_rng(1).integers(0, 256, (70, 5, 7), dtype=np.uint8)
    moves, how = np.array(every), Augmentation(Config(), FACTS)
    tensors = (torch.from_numpy(array.copy()) for array in (images, masks, moves))
    at_once, masks_at_once = how.apply_on_device(*tensors)
    how.apply(images, masks, moves)
    assert at_once.dtype == masks_at_once.dtype == torch.uint8
    assert np.array_equal(at_once.numpy(), images)
    assert np.array_equal(masks_at_once.numpy(), masks)


@pytest.mark.parametrize("on_device", [False, True])
def test_a_mask_moves_as_its_image_does_and_does_not_count_where_that_is_gone(
    on_device: bool,
) -> None:
    masks = np.random.default_rng(0).integers(1, 9, (200, 24, 17), dtype=np.uint8)
    images = np.repeat(masks[..., None], 3, axis=3)
    how = Augmentation(Config(random_flip=True), FACTS)
    moves = how.draw(np.arange(200), 0, images.shape[1:])
    before = masks.copy()
    if on_device:
        tensors = (torch.from_numpy(array) for array in (images, masks, moves))
        images, masks = (tensor.numpy() for tensor in how.apply_on_device(*tensors))
    else:
        how.apply(images, masks, moves)
    assert np.array_equal(np.where(masks == 255, 0, masks), images[..., 0])
    assert 0 < (masks == 255).mean() < 0.3 and not np.array_equal(masks, before)
    for (down, right, _), mask in zip(moves.tolist(), masks, strict=True):
        assert (mask == 255).sum() == 24 * 17 - (24 - abs(down)) * (17 - abs(right))


def test_shifts_reach_an_eighth_both_ways_and_flips_are_even() -> None:
    images = np.zeros((4000, 32, 16, 1), np.uint8)  # an eighth is four rows, or two columns
    images[:, 8, 7] = 255
    shifted = change(images, np.arange(4000), random_crop=True, random_flip=False)
    for axis, place, reach in ((1, 8, 4), (2, 7, 2)):
        found = shifted[..., 0].argmax(axis=axis).max(axis=1) - place
        counts = np.bincount(found + reach, minlength=2 * reach + 1)
        even = 4000 / (2 * reach + 1)
        assert len(counts) == 2 * reach + 1 and (abs(counts - even) < 120).all()  # 4 deviations
    images[:] = 0
    images[:, :, 0] = 255
    mirrored = change(images, np.arange(4000), random_crop=False, random_flip=True)
    assert abs(int((mirrored[:, 0, 15] == 255).sum()) - 2000) < 150


def test_workers_do_not_change_what_images_look_like(image_data: Path) -> None:
    reader = Reader(split_path(image_data, "train"))
    dataset = BatchDataset(reader, Augmentation(Config(random_flip=True), FACTS))
    found: list[torch.Tensor] = []
    masks: list[torch.Tensor] = []
    for workers in (0, 1, 2):
        sampler = TrainSampler(len(reader), 8, seed=0)
        loader = make_loader(dataset, sampler, seed=0, workers=workers)
        kept = [(batch.inputs.clone(), batch.targets) for batch in batches(loader, CPU)]
        found.append(torch.cat([inputs for inputs, _ in kept]))
        masks.append(torch.cat([targets for _, targets in kept]))
    for each in (found, masks):
        assert torch.equal(each[0], each[1])
        assert torch.equal(each[0], each[2])


def test_a_batch_as_a_whole_stays_as_it_is() -> None:
    images, masks = torch.arange(24).reshape(2, 2, 2, 3), torch.arange(8).reshape(2, 2, 2)
    found = Augmentation(Config(), FACTS).mix_batch(images, masks)
    assert torch.equal(found[0], images) and torch.equal(found[1], masks)


def mixed(**settings: Any) -> torch.Tensor:
    """The images of a batch that was changed as a whole; masks stay as they are."""
    torch.manual_seed(0)
    masks = IMAGES[..., 0] % 3
    images, found = Augmentation(Config(**settings), FACTS).mix_batch(IMAGES, masks)
    assert torch.equal(found, masks)
    return images


def check_mixup(data_dir: Path) -> None:
    with pytest.raises(FlagError, match="--mixup and --cutmix need targets that are class numbers"):
        mixed(mixup=0.4)


def check_cutmix(data_dir: Path) -> None:
    with pytest.raises(FlagError, match="--mixup and --cutmix need targets that are class numbers"):
        mixed(cutmix=1.0)


def check_erasing(data_dir: Path) -> None:
    for probability in (0.0, 1.0):
        changed = (mixed(erasing=probability) != IMAGES).any(dim=-1).double().mean(dim=(1, 2))
        assert bool((changed > 0).all() if probability else (changed == 0).all())
        assert float(changed.max()) < 0.5


def check_color(data_dir: Path) -> None:
    images = mixed(color=0.4)
    assert images.dtype == torch.float32 and 0 <= float(images.min()) <= float(images.max()) <= 255
    assert not torch.allclose(images, IMAGES.float())


def drawn(**settings: Any) -> np.ndarray:
    how = Augmentation(Config(**{"random_crop": False, "random_flip": False} | settings), FACTS)
    return how.draw(np.arange(100), 0, (16, 16, 3))


def check_random_crop(data_dir: Path) -> None:
    assert not drawn().any()
    moves = drawn(random_crop=True)
    assert set(moves[:, 0]) == set(moves[:, 1]) == {-2, -1, 0, 1, 2}
    assert not moves[:, 2].any()


def check_random_flip(data_dir: Path) -> None:
    moves = drawn(random_flip=True)
    assert set(moves[:, 2]) == {0, 1}
    assert not moves[:, :2].any()
