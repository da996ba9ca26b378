"""Your targets: `Reader.targets` in `data/storage.py`. This file is yours to change."""

import pickle
from pathlib import Path

import numpy as np
from drawn import CLASSES, TRAIN

from myproj import augment, task
from myproj.data import source
from myproj.data.storage import Reader, split_path


def test_a_target_is_the_mask_of_its_image(image_data: Path) -> None:
    reader = Reader(split_path(image_data, "train"))
    assert (len(reader), len(reader.targets), reader.classes) == (TRAIN, TRAIN, CLASSES)
    indices = np.array([7, 0, 7, TRAIN - 1])
    masks, red = reader.targets[indices], reader.read(indices)[..., 0]
    assert masks.dtype == np.uint8 and masks.shape == (4, 12, 12)
    drawn = np.where(red >= 200, 1, np.where(red < 100, 2, 0))
    drawn[:, -1] = 255
    assert np.array_equal(masks, drawn)


def test_masks_stay_on_the_disk_and_may_be_changed_where_they_were_read(image_data: Path) -> None:
    reader, indices = Reader(split_path(image_data, "train")), np.arange(5)
    assert not isinstance(reader.targets, np.ndarray)
    before = reader.targets[indices].copy()
    reader.targets[indices][:] = 9
    copy = pickle.loads(pickle.dumps(reader))
    for one in (reader, copy):
        assert np.array_equal(one.targets[indices], before)
    assert reader.targets[indices[:0]].shape == (0, 12, 12)
    assert len(pickle.dumps(reader)) < TRAIN * 12 * 12


def test_masks_are_made_to_fit_as_their_images_are(image_data: Path) -> None:
    path, indices = split_path(image_data, "val"), np.arange(15)
    reader = Reader(path, (4, 2))  # a third of the middle 6 of 12 columns
    masks = reader.targets[indices]
    assert masks.shape == reader.read(indices).shape[:3] == (15, 4, 2)
    assert np.array_equal(masks, Reader(path).targets[indices][:, 1::3, 4:9:3])


def test_all_files_mean_the_same_value_by_pixels_that_do_not_count() -> None:
    assert augment.IGNORED == task.IGNORED == source.IGNORED == 255
