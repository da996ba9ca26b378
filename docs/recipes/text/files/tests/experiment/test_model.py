"""Your model: the texts it takes, its settings, its start. This file is yours to change."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from myproj import model as layers
from myproj.base.facts import Facts
from myproj.config import Config
from myproj.model import build_model, initialize, pool, trim

FACTS = Facts(["a", "b", "c"], (40,), "uint8", 16, [60.0] * 40, [50.0] * 40, "", {})


def build(classes: int = 7, *, seed: int = 0, **settings: float) -> nn.Module:
    """A small model, as a new run has it."""
    facts = FACTS._replace(classes=[str(n) for n in range(classes)])
    config = Config(**{"width": 8, "blocks": 1} | settings)
    torch.manual_seed(seed)
    model = build_model(config, facts)
    initialize(model, config)
    return model


def busy(**settings: float) -> nn.Module:
    """A model in evaluation mode whose blocks do something: at first each is its shortcut."""
    model = build(**settings).eval()
    for block in model.blocks:
        nn.init.normal_(block.shrink.weight)
    return model


def draw_texts(*lengths: int, room: int = 40) -> torch.Tensor:
    """Texts of these lengths, with padding up to `room`."""
    generator = torch.Generator().manual_seed(1)
    texts = torch.randint(1, 256, (len(lengths), room), generator=generator, dtype=torch.uint8)
    return texts * (torch.arange(room) < torch.tensor(lengths)[:, None])


def test_texts_of_any_length_become_scores() -> None:
    for room in (1, 5, 40, 300):
        assert build()(draw_texts(room, 1, room=room)).shape == (2, 7)


@pytest.mark.parametrize("blocks", [1, 3])
def test_what_is_said_of_a_text_does_not_depend_on_padding(blocks: int) -> None:
    model = busy(blocks=blocks)
    for length in (1, 3, 20):
        alone = model(draw_texts(length)[:, :length])
        for others in ([], [length], [29, 7], [40]):
            found = model(draw_texts(length, *others))
            assert torch.allclose(found[:1], alone, rtol=1e-4, atol=1e-5), (length, others)
        padded = F.pad(draw_texts(length), (0, 100))
        assert torch.allclose(model(padded), alone, rtol=1e-4, atol=1e-5)


def test_padding_has_no_gradient() -> None:
    model = busy()
    model(draw_texts(3, 20)).square().sum().backward()
    assert not model.embedding.weight.grad[0].any()
    assert model.embedding.weight.grad.any()


def test_bytes_near_each_other_are_seen_together() -> None:
    model = busy()
    one, other = (torch.tensor([[*text.encode()]], dtype=torch.uint8) for text in ("abc", "cba"))
    assert not torch.allclose(model(one), model(other))


def test_no_time_is_spent_on_what_is_padding_in_all_texts() -> None:
    assert trim(draw_texts(3, 17, 0)).shape == (3, 17)
    assert torch.equal(trim(draw_texts(40, 2)), draw_texts(40, 2))
    assert trim(draw_texts(0, 0)).shape == (2, 1)
    seen: list[int] = []
    model = build()
    model.stem.register_forward_hook(lambda _, inputs, found: seen.append(found.shape[2]))
    model(draw_texts(3, 9))
    assert seen == [9]


def test_a_text_of_padding_alone_has_scores_and_gradients() -> None:
    model = build()
    scores = model(draw_texts(0, 5))
    scores.sum().backward()
    assert scores.isfinite().all()
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_the_mean_and_the_largest_are_those_of_the_text() -> None:
    x = torch.randn(2, 6, 3)
    there = torch.tensor([[1, 1, 1, 1, 0, 0], [1, 0, 0, 0, 0, 0]], dtype=torch.bool).unsqueeze(2)
    found = pool(x, there)
    for row, length in ((0, 4), (1, 1)):
        text = x[row, :length]
        assert torch.allclose(found[row], torch.cat([text.mean(dim=0), text.amax(dim=0)]))


def test_a_fresh_block_passes_its_input_on() -> None:
    block, x = build().blocks[0], torch.rand(2, 6, 8)
    assert torch.equal(block(x, torch.ones(2, 6, 1)), x)


def test_features_are_dropped_in_training_as_the_flag_says() -> None:
    texts = draw_texts(4, 9)
    for dropout in (0.0, 0.5):
        model = build(dropout=dropout)
        assert model(texts).equal(model(texts)) == (dropout == 0.0)
        model.eval()
        assert model(texts).equal(model(texts))


def test_the_weights_follow_from_the_seed() -> None:
    def weights(seed: int) -> torch.Tensor:
        return torch.cat([p.flatten() for p in build(seed=seed).parameters()])

    assert torch.equal(weights(0), weights(0))
    assert not torch.equal(weights(0), weights(1))


def test_one_batch_can_be_learnt_by_heart() -> None:
    model = build(classes=4, width=16)
    texts, targets = draw_texts(*range(5, 21)), torch.arange(16) % 4
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(60):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(texts), targets)
        loss.backward()
        optimizer.step()
    assert loss < 0.05


def check_drop_path(data_dir: Path) -> None:
    model = busy(blocks=3, drop_path=0.3)
    assert [block.drop for block in model.blocks] == pytest.approx([0.1, 0.2, 0.3])
    texts = draw_texts(*[9] * 16)
    assert torch.equal(model(texts), model(texts))
    torch.manual_seed(0)
    once, again = model.train()(texts), model(texts)
    assert not torch.allclose(once, again)


def check_width(data_dir: Path) -> None:
    for width in (4, 6):
        assert build(width=width).head.in_features == 2 * width


def check_blocks(data_dir: Path) -> None:
    for blocks in (1, 2, 3):
        found = [m for m in build(blocks=blocks).modules() if isinstance(m, layers.Block)]
        assert len(found) == blocks


def check_dropout(data_dir: Path) -> None:
    shares: list[float] = []

    def look(_: torch.nn.Module, inputs: tuple[torch.Tensor], kept: torch.Tensor) -> None:
        shares.append((kept[inputs[0] != 0] == 0).double().mean().item())

    model = build(dropout=0.6, width=50)
    model.dropout.register_forward_hook(look)
    for training in (True, False):
        model.train(training)(draw_texts(*[9] * 16))
    assert abs(shares[0] - 0.6) < 0.05  # of 1,600 features: four standard deviations
    assert shares[1] == 0
