"""Your model: the shapes it takes, its settings, its start. This file is yours to change."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from myproj import model as layers
from myproj.base.facts import Facts
from myproj.config import Config
from myproj.model import build_model, initialize

FACTS = Facts(["a", "b", "c"], (8, 8, 3), "uint8", 16, [127.0] * 3, [60.0] * 3, "", {})


def build(
    shape: tuple[int, ...] = (8, 8, 3), classes: int = 7, *, seed: int = 0, **settings: float
) -> nn.Module:
    """A small model, as a new run has it."""
    channels = {"mean": [100.0] * shape[2], "std": [50.0] * shape[2]}
    facts = FACTS._replace(classes=[str(n) for n in range(classes)], shape=shape, **channels)
    config = Config(**{"width": 4, "blocks": 1} | settings)
    torch.manual_seed(seed)
    model = build_model(config, facts)
    initialize(model, config)
    return model


def draw_images(samples: int, shape: tuple[int, ...] = (8, 8, 3)) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randint(0, 256, (samples, *shape), generator=generator, dtype=torch.uint8)


@pytest.mark.parametrize("shape", [(8, 8, 3), (28, 28, 1), (33, 50, 3), (17, 1, 3), (224, 160, 3)])
def test_each_pixel_of_images_of_any_shape_has_scores(shape: tuple[int, int, int]) -> None:
    assert build(shape)(draw_images(2, shape)).shape == (2, 7, *shape[:2])


@pytest.mark.parametrize(
    ("side", "sizes"),
    [(16, [16]), (17, [17, 9]), (48, [48, 24, 12]), (500, [500, 250, 125, 63, 32])],
)
def test_the_smallest_of_at_most_five_sizes_has_up_to_16_pixels_of_a_side(
    side: int, sizes: list[int]
) -> None:
    seen: list[tuple[int, ...]] = []
    model = build((side, side, 3))
    for stage in [*model.down, *model.up]:
        stage.register_forward_hook(lambda _, inputs, found: seen.append(tuple(found.shape)))
    model(draw_images(1, (side, side, 3)))
    down = [(1, 4 * 2**level, size, size) for level, size in enumerate(sizes)]
    assert seen == down + down[-2::-1]


def test_a_pixel_far_away_has_its_say() -> None:
    model = build((64, 64, 3), blocks=1).eval()
    for block in model.modules():
        if isinstance(block, layers.Block):  # at first a block is its shortcut
            nn.init.ones_(block.norm2.weight)
    images = draw_images(1, (64, 64, 3))
    before = model(images)
    images[0, 0, 0] = 255 - images[0, 0, 0]
    reach = (model(images) != before).any(dim=1)[0].nonzero().max(dim=0).values
    assert reach.min() > 20  # where eleven convolutions without smaller sizes would reach 11


def test_the_way_up_adds_what_the_way_down_has_seen() -> None:
    model, images = build((48, 48, 3)), draw_images(1, (48, 48, 3))
    before = model.eval()(images)
    model.down[1].register_forward_hook(lambda _, inputs, found: 0 * found)  # all below the first
    after = model(images)
    assert not torch.equal(after, before) and after.std() > 0


def test_each_channel_is_normalised_by_its_own_numbers_and_stays_in_its_place() -> None:
    images = draw_images(2, (4, 5, 3))
    mean, std = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]
    normalized = layers.Normalize(mean, std)(images)
    for channel in range(3):
        expected = (images[..., channel].float() - mean[channel]) / std[channel]
        assert torch.equal(normalized[:, channel], expected)


def test_the_model_normalises_by_the_facts_of_the_data() -> None:
    model = build()
    seen: list[torch.Tensor] = []
    first = next(module for module in model.modules() if isinstance(module, nn.Conv2d))
    first.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    images = draw_images(2)
    model(images)
    assert torch.allclose(seen[0], (images.permute(0, 3, 1, 2).float() - 100) / 50)


def test_convolutions_before_a_norm_have_no_bias() -> None:
    model = build((48, 48, 3), blocks=2)
    biased = [m for m in model.modules() if isinstance(m, nn.Conv2d) and m.bias is not None]
    assert biased == [model.head]


def test_a_fresh_block_passes_its_input_on() -> None:
    block = next(m for m in build(blocks=2).modules() if isinstance(m, layers.Block))
    x = torch.rand(2, 4, 8, 8)
    assert torch.equal(block(x), x)


def test_width_and_blocks_are_those_of_the_flags() -> None:
    for blocks, width in ((1, 4), (2, 4), (2, 8)):
        model = build((48, 48, 3), blocks=blocks, width=width)
        assert sum(isinstance(module, layers.Block) for module in model.modules()) == 5 * blocks
        assert next(model.parameters()).shape[0] == width


def test_features_are_dropped_in_training_as_the_flag_says() -> None:
    images = draw_images(4)
    for dropout in (0.0, 0.5):
        model = build(dropout=dropout)
        assert model(images).equal(model(images)) == (dropout == 0.0)
        model.eval()
        assert model(images).equal(model(images))


def test_a_new_convolution_keeps_the_scale_of_its_gradients() -> None:
    """As He et al. (2015) derive it: a variance of 2 over the outputs that each input reaches."""
    for module in build((48, 48, 3), width=32).modules():
        if isinstance(module, nn.Conv2d):
            fan_out = module.weight[:, 0].numel()
            wanted = (2 / fan_out) ** 0.5
            assert float(module.weight.detach().std()) == pytest.approx(wanted, rel=0.15)


def test_the_weights_follow_from_the_seed() -> None:
    def weights(seed: int) -> torch.Tensor:
        return torch.cat([p.flatten() for p in build(seed=seed).parameters()])

    assert torch.equal(weights(0), weights(0))
    assert not torch.equal(weights(0), weights(1))


def test_one_batch_can_be_learnt_by_heart() -> None:
    model = build(classes=4, width=8)
    images = draw_images(4)
    targets = (images[..., 0] // 64).long()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    losses = []
    for _ in range(100):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]


def check_drop_path(data_dir: Path) -> None:
    model = build((17, 17, 3), blocks=2, drop_path=0.3)
    blocks = [module for module in model.modules() if isinstance(module, layers.Block)]
    assert [block.drop for block in blocks] == pytest.approx([0.05, 0.1, 0.15, 0.2, 0.25, 0.3])
    with torch.no_grad():
        for block in blocks:
            nn.init.ones_(block.norm2.weight)  # at first a block is its shortcut
        images = draw_images(16, (17, 17, 3))
        assert torch.equal(model.eval()(images), model(images))
        torch.manual_seed(0)
        once, again = model.train()(images), model(images)
    assert not torch.allclose(once, again)


def check_width(data_dir: Path) -> None:
    for width in (4, 6):
        head = build((48, 48, 3), width=width).head
        assert (head.in_channels, head.out_channels) == (width, 7)


def check_blocks(data_dir: Path) -> None:
    models = [build((17, 17, 3), blocks=blocks) for blocks in (1, 2, 3)]
    assert [[len(stage) for stage in model.down] for model in models] == [[1, 1], [2, 2], [3, 3]]
    assert [len(model.up[0].blocks) for model in models] == [1, 2, 3]


def check_dropout(data_dir: Path) -> None:
    shares: list[float] = []

    def look(_: torch.nn.Module, inputs: tuple[torch.Tensor], kept: torch.Tensor) -> None:
        shares.append((kept[inputs[0] != 0] == 0).double().mean().item())

    model = build(dropout=0.6, width=4)
    model.dropout.register_forward_hook(look)
    for training in (True, False):
        model.train(training)(draw_images(16))
    assert abs(shares[0] - 0.6) < 0.05  # of some 2,000 features: four standard deviations
    assert shares[1] == 0
