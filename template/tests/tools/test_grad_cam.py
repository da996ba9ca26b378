"""Grad-CAM is the class activation map where that exists, and names what it cannot explain."""

from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import CPU
from torch import nn

from toy.base.errors import FlagError, UserError
from toy.tools.grad_cam import CamConfig, draw, heat_maps, main, number_of
from toy.tools.pictures import write


class Pooled(nn.Module):
    """Feature maps of images (B, H, W, 3), their mean, a linear layer: what CAM was made for."""

    def __init__(self) -> None:
        super().__init__()
        self.maps = nn.Conv2d(3, 6, 3, stride=2, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(1)  # whose output has no more than a pixel
        self.head = nn.Linear(6, 4)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        maps = self.maps(images.permute(0, 3, 1, 2).float() / 255)
        return self.head(self.pool(maps).flatten(1))


def cam(model: Pooled, images: torch.Tensor, chosen: torch.Tensor) -> np.ndarray:
    """The map of Zhou et al., Learning Deep Features for Discriminative Localization, 2015."""
    with torch.no_grad():
        maps = model.maps(images.permute(0, 3, 1, 2).float() / 255)
        heat = torch.einsum("bc,bchw->bhw", model.head.weight[chosen], maps).relu()
    heat = nn.functional.interpolate(heat[:, None], images.shape[1:3], mode="bilinear")[:, 0]
    return (heat / heat.amax((1, 2), keepdim=True).clamp(min=1e-12)).numpy()


@pytest.fixture
def images() -> torch.Tensor:
    return torch.randint(0, 256, (5, 12, 10, 3), dtype=torch.uint8)


def test_it_is_the_class_activation_map_of_the_class_asked_for(images: torch.Tensor) -> None:
    torch.manual_seed(0)
    model = Pooled()
    highest = model.eval()(images).argmax(1)
    found = heat_maps(model.train(), images, None, None)
    assert found.shape == (5, 12, 10) and found.max() == 1 and found.min() >= 0
    assert np.allclose(found, cam(model, images, highest), atol=1e-4)
    for number in range(4):
        found = heat_maps(model, images, "maps", number)
        assert np.allclose(found, cam(model, images, torch.full((5,), number)), atol=1e-4)


def test_the_map_is_that_of_the_model_in_evaluation_mode(images: torch.Tensor) -> None:
    model = Pooled()
    model.pool = nn.Sequential(nn.Dropout(0.999), model.pool)
    wanted = cam(model, images, torch.ones(5, dtype=torch.long))
    assert wanted.max() == 1, "a map that says something"
    assert np.allclose(heat_maps(model.train(), images, "maps", 1), wanted, atol=1e-4)


def test_a_mask_is_explained_by_the_mean_over_its_pixels(images: torch.Tensor) -> None:
    class Masks(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = nn.Conv2d(3, 6, 1), nn.Conv2d(6, 4, 1)

        def forward(self, images: torch.Tensor) -> torch.Tensor:
            return self.head(self.body(images.permute(0, 3, 1, 2).float() / 255))

    model = Masks()
    found = heat_maps(model, images, "body", 2)
    with torch.no_grad():
        maps = model.body(images.permute(0, 3, 1, 2).float() / 255)
    heat = torch.einsum("c,bchw->bhw", model.head.weight[2, :, 0, 0], maps).relu().detach()
    wanted = heat / heat.amax((1, 2), keepdim=True).clamp(min=1e-12)
    assert np.allclose(found, wanted.numpy(), atol=1e-4)


def test_what_cannot_be_explained_is_refused(
    images: torch.Tensor, finished_run: Path, tmp_path: Path
) -> None:
    with pytest.raises(FlagError, match="head has no feature maps"):
        heat_maps(Pooled(), images, "head", None)
    with pytest.raises(FlagError, match="--of 4: the model has outputs 0 to 3"):
        heat_maps(Pooled(), images, None, 4)
    assert [number_of(word, ["ant", "3"]) for word in (None, "3", "7")] == [None, 1, 7]
    with pytest.raises(FlagError, match="--of bee: there is no such class"):
        number_of("bee", ["ant"])
    with pytest.raises(UserError, match="no images"):
        main(CamConfig(finished_run, (tmp_path,), device=str(CPU)))


def test_each_image_has_a_panel_and_a_heat_map_below_it(
    images: torch.Tensor, tmp_path: Path
) -> None:
    figure = draw(images.numpy(), np.random.default_rng(0).random((5, 12, 10)), list("abcde"))
    shown = [axes for axes in figure.axes if axes.images]
    assert [axes.get_title() for axes in shown] == [*"abcde", *[""] * 5]
    assert [len(axes.images) for axes in shown] == [1] * 5 + [2] * 5
    write(figure, tmp_path / "new" / "a.svg")
    assert (tmp_path / "new" / "a.svg").stat().st_size
