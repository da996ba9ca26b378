"""The masks that `predict` writes. This file is yours to change with `predict.py`."""

from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import CPU, SETTINGS, train_as
from PIL import Image

from myproj import train
from myproj.base.errors import FlagError, UserError
from myproj.config import Config
from myproj.data.images import read
from myproj.data.source import fit_mask, read_mask
from myproj.engine.trained import load_trained
from myproj.predict import PredictConfig, main, palette, places_for, unfitted, write_mask

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def trained_run(image_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run of your package."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    assert train_as(Config(data_dir=image_data, run_dir=folder, **SETTINGS), train.main) == 0
    return folder


@pytest.mark.parametrize("size", [(12, 12), (24, 24), (40, 70), (91, 33)])
def test_a_mask_has_the_size_of_its_image_and_the_most_likely_class_of_each_pixel(
    size: tuple[int, int], trained_run: Path, tmp_path: Path
) -> None:
    image = tmp_path / "1.png"
    Image.fromarray(RNG.integers(0, 256, (*size, 3), dtype=np.uint8)).save(image)
    assert main(PredictConfig(trained_run, (image,), tmp_path / "masks", device="cpu")) == 0
    found = read_mask(tmp_path / "masks/1.png")
    assert found.shape == size
    seen = read(image, np.empty((12, 12, 3), np.uint8))
    trained = load_trained(trained_run, CPU)
    with torch.no_grad():
        scores = trained.model.eval()(torch.from_numpy(seen[None]))[0].numpy()
    assert np.array_equal(fit_mask(found, 12, 12), scores.argmax(axis=0))


@pytest.mark.parametrize("size", [(8, 6), (24, 18), (40, 19), (9, 31), (100, 6)])
def test_a_mask_is_put_back_where_the_model_saw_the_image(size: tuple[int, int]) -> None:
    mask = RNG.integers(0, 200, (8, 6), dtype=np.uint8)
    whole = unfitted(mask, *size)
    assert whole.shape == size and whole.dtype == np.uint8
    assert np.array_equal(fit_mask(whole, 8, 6), mask)
    inside = np.flatnonzero((whole != 255).any(axis=1)), np.flatnonzero((whole != 255).any(axis=0))
    kept = min(size[0] / 8, size[1] / 6)  # pixels of the image for one of the mask
    for places, length, seen in zip(inside, size, (8, 6), strict=True):
        assert abs(len(places) - seen * kept) <= 1  # in the middle, and all in between
        assert places[-1] - places[0] + 1 == len(places)
        assert abs(places[0] - (length - 1 - places[-1])) <= 1


def test_a_mask_shows_its_classes_in_colors(tmp_path: Path) -> None:
    values = np.arange(256, dtype=np.uint8).reshape(16, 16)
    write_mask(tmp_path / "a/b/1.png", values)
    assert np.array_equal(read_mask(tmp_path / "a/b/1.png"), values)
    colors = np.asarray(Image.open(tmp_path / "a/b/1.png").convert("RGB")).reshape(256, 3)
    assert colors.ravel().tolist() == palette()
    assert colors[0].tolist() == [0, 0, 0] and colors[255].tolist() == [255, 255, 255]
    first = colors[:12].astype(int)
    assert min(abs(a - b).sum() for n, a in enumerate(first) for b in first[:n]) > 60
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"1\.png cannot be written: "):
        write_mask(tmp_path / "file/1.png", values)


def test_no_mask_replaces_an_image_or_another_mask(tmp_path: Path) -> None:
    images = [tmp_path / name for name in ("a/1.jpg", "a/2.png", "b/3.png")]
    masks = [tmp_path / "masks" / name for name in ("1.png", "2.png", "3.png")]
    assert places_for(images, tmp_path / "masks") == masks
    assert places_for(images[:1] * 2, tmp_path / "masks") == masks[:1] * 2
    with pytest.raises(FlagError, match=r"2\.png is one of the images: choose another --output"):
        places_for(images, tmp_path / "a/../a")
    with pytest.raises(FlagError, match=r"a.1\.jpg and .*b.1\.png would both become .*1\.png"):
        places_for([images[0], tmp_path / "b/1.png"], tmp_path / "masks")
