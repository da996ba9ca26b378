"""Masks stay with their images."""

from collections.abc import Callable

import numpy as np

from myproj.augment import Augmentation
from myproj.engine.trainer import Trainer
from myproj.task import IGNORED


def test_a_mask_moves_with_its_image(new_trainer: Callable[..., Trainer]) -> None:
    trainer = new_trainer(random_flip=True)
    masks = np.random.default_rng(0).integers(1, 4, (50, 24, 24), dtype=np.uint8)
    images = np.repeat(masks[..., None], 3, axis=3)
    augment = Augmentation(trainer.config, trainer.info)
    moved, targets = augment(images, masks.copy(), np.arange(50), 0)
    counted = targets != IGNORED
    assert (moved[..., 0] == np.where(counted, targets, 0)).all()
    assert 0 < counted.mean() < 1 and (targets != masks).any(axis=(1, 2)).mean() > 0.5
