"""Images of two samples, boxes of noise and other colors are what their papers say."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from toy.base.errors import FlagError
from toy.toolbox import mixing
from toy.toolbox.settings import Regularization

TARGETS = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])


def images(channels: int = 3, side: int = 16) -> torch.Tensor:
    """Eight images of one value each, by their number."""
    values = torch.arange(8, dtype=torch.uint8)[:, None, None, None] * 30 + 10
    return values.expand(8, side, side, channels).contiguous()


def changed(seed: int = 0, **settings: float) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(seed)
    return mixing.change(images(), TARGETS, Regularization(**settings), 3)


def test_mixup_is_the_sum_of_two_images_and_of_their_classes() -> None:
    torch.manual_seed(3)
    mixed, targets = mixing.mix_up(images(), TARGETS, 3, 0.7)
    torch.manual_seed(3)
    order = torch.randperm(8)
    for i, j in enumerate(order.tolist()):
        wanted = torch.zeros(3)
        wanted[TARGETS[i]] += 0.7
        wanted[TARGETS[j]] += 0.3
        assert torch.allclose(targets[i], wanted)
        assert torch.allclose(mixed[i], 0.7 * images()[i].float() + 0.3 * images()[j].float())


@pytest.mark.parametrize("mix", [mixing.mix_up, mixing.cut_mix])
def test_real_numbers_are_mixed_as_they_are_and_masks_refused(mix: Callable[..., Any]) -> None:
    numbers = torch.arange(16.0).reshape(8, 2)
    torch.manual_seed(3)
    _, shares = mix(images(), TARGETS, 3, 0.7)
    torch.manual_seed(3)
    order = torch.randperm(8)
    torch.manual_seed(3)
    _, targets = mix(images(), numbers, 3, 0.7)
    other = next(i for i in range(8) if TARGETS[i] != TARGETS[order[i]])
    share = shares[other, TARGETS[other]]  # what an image kept of its own
    assert 0 < share < 1
    assert torch.allclose(targets, share * numbers + (1 - share) * numbers[order])
    with pytest.raises(FlagError, match="class numbers or real numbers"):
        mix(images(), torch.zeros(8, 16, 16, dtype=torch.int64), 3, 0.7)


def test_the_share_of_a_class_is_that_of_its_pixels_in_cutmix() -> None:
    for seed in range(40):
        torch.manual_seed(seed)
        share = 0.05 + 0.9 * seed / 40
        mixed, targets = mixing.cut_mix(images(side=12), TARGETS, 3, share)
        assert mixed.dtype == torch.uint8
        for i, row in enumerate(mixed):
            values, counts = row[..., 0].unique(return_counts=True)
            wanted = torch.zeros(3)
            for value, count in zip(values.tolist(), counts.tolist(), strict=True):
                wanted[TARGETS[(value - 10) // 30]] += count / 144
            assert torch.allclose(targets[i], wanted, atol=1e-6)
            own = float((row[..., 0] == images()[i, 0, 0, 0]).double().mean())
            assert own >= share - 0.15  # the box is cut off at the edges, and rounded


def test_the_share_follows_its_beta_distribution() -> None:
    torch.manual_seed(0)
    for alpha in (0.2, 1.0, 5.0):
        drawn = torch.tensor([mixing.drawn_share(alpha) for _ in range(4000)])
        assert abs(float(drawn.mean()) - 0.5) < 0.03
        assert float(drawn.var()) == pytest.approx(1 / (4 * (2 * alpha + 1)), rel=0.1)


def test_of_two_ways_to_mix_each_has_half_of_the_batches() -> None:
    uint8 = [changed(seed, mixup=1.0, cutmix=1.0)[0].dtype == torch.uint8 for seed in range(200)]
    assert 70 < sum(uint8) < 130


def test_a_box_of_noise_has_the_size_and_place_that_it_should() -> None:
    torch.manual_seed(0)
    plain = torch.zeros(4000, 20, 24, 1)  # whose noise is almost never 0
    box = (mixing.erase(plain, 0.25) != 0)[..., 0]
    hit = box.any(dim=(1, 2))
    assert abs(float(hit.double().mean()) - 0.25) < 0.03
    rows, columns = box[hit].any(dim=2), box[hit].any(dim=1)
    area = rows.sum(1) * columns.sum(1) / (20 * 24)
    assert float(area.min()) > 0.01 and float(area.max()) < 0.36
    assert float(area.mean()) == pytest.approx(0.175, abs=0.02)
    for lines, length in ((rows, 20), (columns, 24)):
        assert bool(lines.any(dim=0).all())  # any place, as often on one side as on the other
        middles = (lines * torch.arange(length)).sum(1) / lines.sum(1)
        assert float(middles.mean()) == pytest.approx((length - 1) / 2, abs=0.4)
    filled = box[hit].sum(dim=(1, 2)) / (rows.sum(1) * columns.sum(1))
    assert float(filled.mean()) > 0.98


@pytest.mark.parametrize("channels", [1, 3])
def test_colors_keep_within_their_bounds(channels: int) -> None:
    torch.manual_seed(0)
    noise = torch.randint(0, 256, (500, 6, 6, channels)).float()
    found = mixing.vary_color(noise, 0.4)
    assert found.shape == noise.shape and 0 <= float(found.min()) <= float(found.max()) <= 255
    flat = torch.full((500, 4, 4, channels), 100.0)  # of which brightness alone changes
    ratio = mixing.vary_color(flat, 0.4)[:, 0, 0, 0] / 100
    assert 0.6 <= float(ratio.min()) < 0.65 and 1.35 < float(ratio.max()) <= 1.4001
    spread = mixing.around(flat + torch.tensor([[-10.0]]), flat, torch.tensor(0.5))
    assert torch.allclose(spread, flat - 5)


def test_gray_is_what_people_see() -> None:
    pixel = torch.tensor([100.0, 50.0, 200.0]).view(1, 1, 1, 3)
    assert mixing.gray(pixel).item() == pytest.approx(0.299 * 100 + 0.587 * 50 + 0.114 * 200)


def test_a_seed_gives_the_same_changes_and_another_one_others() -> None:
    settings = {"mixup": 0.4, "cutmix": 1.0, "erasing": 0.5, "color": 0.3}
    one, again, other = (changed(seed, **settings) for seed in (1, 1, 2))
    assert all(torch.equal(a, b) for a, b in zip(one, again, strict=True))
    assert not torch.equal(one[0].float(), other[0].float())


def test_what_is_off_changes_and_draws_nothing() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    found, targets = mixing.change(images(), TARGETS, Regularization(), 3)
    assert torch.equal(found, images()) and torch.equal(targets, TARGETS)
    assert torch.equal(torch.get_rng_state(), before)


def test_shares_make_one() -> None:
    for seed in range(20):
        _, targets = changed(seed, mixup=0.3, cutmix=0.7)
        assert math.isclose(float(targets.sum()), 8, rel_tol=1e-5)
