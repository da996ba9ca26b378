"""Each loss is that of torch or of its paper, summed over samples; scores become probabilities."""

import math

import pytest
import torch
import torch.nn.functional as F

from toy.base.errors import FlagError
from toy.base.facts import Facts
from toy.toolbox.losses import Criterion, class_weights, focal

COUNTS = (10, 30, 5, 15)
WEIGHTS = torch.tensor([1.5, 0.5, 3.0, 1.0], dtype=torch.float64)  # 60 / (4 * count)
LOSSES = ("cross-entropy", "focal", "binary", "mse", "huber")
FACTS = Facts(["a", "b", "c", "d"], (6,), "int16", 60, [0.0], [1.0], "", {"counts": COUNTS})


def criterion(loss: str, gamma: float = 2.0, weighted: bool = False) -> Criterion:
    return Criterion(loss, gamma, weighted, FACTS)


def draw(samples: int = 20) -> tuple[torch.Tensor, torch.Tensor]:
    """Outputs (B, 4) float64 and targets (B,)."""
    generator = torch.Generator().manual_seed(0)
    outputs = 3 * torch.randn(samples, 4, generator=generator, dtype=torch.float64)
    return outputs, torch.randint(0, 4, (samples,), generator=generator)


def by_sample(loss: str, outputs: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """The losses (B,) towards shares (B, 4), by torch's functions or by a formula."""
    if loss == "cross-entropy":
        return F.cross_entropy(outputs, wanted, reduction="none")
    if loss == "focal":
        p = outputs.exp() / outputs.exp().sum(dim=1, keepdim=True)
        return -(wanted * (1 - p).square() * p.log()).sum(dim=1)
    terms = {
        "binary": F.binary_cross_entropy_with_logits,
        "mse": F.mse_loss,
        "huber": F.huber_loss,
    }[loss](outputs, wanted, reduction="none")
    return terms.sum(dim=1)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_loss_is_the_sum_over_samples_of_the_reference(loss: str, training: bool) -> None:
    outputs, targets = draw()
    expected = by_sample(loss, outputs, F.one_hot(targets, 4).double()).sum()
    found = criterion(loss).train(training)(outputs, targets, 0.0)
    assert found.shape == () and found.item() == pytest.approx(expected.item(), rel=1e-12)


def test_plain_losses_are_those_of_torch_to_the_bit() -> None:
    outputs, targets = draw()
    wanted = F.one_hot(targets, 4).double()
    for loss, expected in (
        ("binary", F.binary_cross_entropy_with_logits(outputs, wanted, reduction="sum")),
        ("mse", F.mse_loss(outputs, wanted, reduction="sum")),
        ("huber", F.huber_loss(outputs, wanted, reduction="sum")),
    ):
        assert torch.equal(criterion(loss)(outputs, targets, 0.0), expected)


@pytest.mark.parametrize("loss", LOSSES)
def test_smoothing_spreads_a_share_of_the_target_evenly(loss: str) -> None:
    outputs, targets = draw()
    wanted = 0.7 * F.one_hot(targets, 4).double() + 0.3 / 4
    found = criterion(loss)(outputs, targets, 0.3)
    assert found.item() == pytest.approx(by_sample(loss, outputs, wanted).sum().item(), rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_shares_of_one_class_are_the_number_of_the_class(loss: str, weighted: bool) -> None:
    outputs, targets = draw()
    shares, of = F.one_hot(targets, 4).float(), criterion(loss, weighted=weighted)
    assert torch.equal(of(outputs, shares, 0.1), of(outputs, targets, 0.1))


@pytest.mark.parametrize("loss", ["cross-entropy", "focal", "binary"])
def test_a_mixed_target_costs_the_mean_of_both(loss: str) -> None:
    outputs, first = draw()
    second = (first + 1) % 4
    shares = 0.25 * F.one_hot(first, 4) + 0.75 * F.one_hot(second, 4)
    of = criterion(loss)
    expected = 0.25 * of(outputs, first, 0.0) + 0.75 * of(outputs, second, 0.0)
    assert of(outputs, shares, 0.0).item() == pytest.approx(expected.item(), rel=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_focal_without_a_gamma_is_cross_entropy(smoothing: float, weighted: bool) -> None:
    outputs, targets = draw()
    zero, plain = criterion("focal", 0.0, weighted), criterion("cross-entropy", 2.0, weighted)
    expected = plain(outputs, targets, smoothing).item()
    assert zero(outputs, targets, smoothing).item() == pytest.approx(expected, rel=1e-12)


def test_focal_by_hand() -> None:
    # two classes at odds of 3 to 1: 0.75 and 0.25
    outputs = torch.tensor([[math.log(3.0), 0.0]], dtype=torch.float64)
    for gamma, number, expected in (
        (2.0, 0, -(0.25**2) * math.log(0.75)),
        (2.0, 1, -(0.75**2) * math.log(0.25)),
        (0.5, 0, -(0.25**0.5) * math.log(0.75)),
    ):
        shares = F.one_hot(torch.tensor([number]), 2).double()
        assert focal(outputs, shares, gamma, None).item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_loss_and_gradient_are_finite_at_extreme_scores(loss: str, gamma: float) -> None:
    sides = [[a, b, -b, 0.0] for a in (-1e4, 0.0, 1e4) for b in (-1e4, 1e4)]
    outputs = torch.tensor(sides, requires_grad=True)
    for number in range(4):
        of = criterion(loss, gamma, weighted=True)
        found = of(outputs, torch.full((len(sides),), number), 0.1)
        (gradient,) = torch.autograd.grad(found, outputs)
        assert found.isfinite() and gradient.isfinite().all()


def test_the_gradient_of_focal_is_that_of_its_formula() -> None:
    outputs, targets = draw(2)
    shares = F.one_hot(targets, 4).double()
    outputs.requires_grad_()
    assert torch.autograd.gradcheck(lambda x: focal(x, shares, 1.5, WEIGHTS), outputs)


def test_weights_are_inverse_to_the_samples_and_their_mean_is_one() -> None:
    assert torch.equal(class_weights(COUNTS), WEIGHTS.float())
    for counts in (COUNTS, (1, 1), (7, 0, 3), (1000, 1)):
        weights = class_weights(counts)
        assert (weights * torch.tensor(counts)).sum().item() == pytest.approx(sum(counts))
        totals = [w * n for w, n in zip(weights.tolist(), counts, strict=True) if n]
        assert totals == pytest.approx([totals[0]] * len(totals))
    assert class_weights((7, 0, 3))[1] == 0


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_weighted_cross_entropy_is_that_of_torch(smoothing: float) -> None:
    outputs, targets = draw()
    shares = outputs.flip(0).softmax(dim=1)
    for wanted in (targets, shares):
        expected = F.cross_entropy(
            outputs, wanted, WEIGHTS, reduction="sum", label_smoothing=smoothing
        )
        found = criterion("cross-entropy", weighted=True)(outputs, wanted, smoothing)
        assert found.item() == pytest.approx(expected.item(), rel=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_sample_counts_with_the_weight_of_its_class_in_training_alone(loss: str) -> None:
    outputs, targets = draw()
    each = by_sample(loss, outputs, F.one_hot(targets, 4).double())
    of = criterion(loss, weighted=True)
    expected = (each * WEIGHTS[targets]).sum().item()
    assert of.train()(outputs, targets, 0.0).item() == pytest.approx(expected, rel=1e-12)
    assert of.eval()(outputs, targets, 0.0).item() == pytest.approx(each.sum().item(), rel=1e-12)


@pytest.mark.parametrize("loss", ["binary", "mse", "huber"])
def test_a_mixed_or_smoothed_sample_has_the_mean_weight_of_its_shares(loss: str) -> None:
    outputs, targets = draw()
    shares = 0.25 * F.one_hot(targets, 4).double() + 0.75 * F.one_hot((targets + 1) % 4, 4)
    weights = 0.25 * WEIGHTS[targets] + 0.75 * WEIGHTS[(targets + 1) % 4]
    expected = (by_sample(loss, outputs, 0.8 * shares + 0.2 / 4) * weights).sum().item()
    found = criterion(loss, weighted=True)(outputs, shares, 0.2)
    assert found.item() == pytest.approx(expected, rel=1e-12)


def test_targets_that_were_not_counted_have_no_weights() -> None:
    with pytest.raises(FlagError, match="--class-weights needs targets that are class numbers"):
        Criterion("mse", 2.0, True, FACTS._replace(targets={}))


@pytest.mark.parametrize("loss", LOSSES)
def test_scores_become_probabilities_whose_largest_is_that_of_the_scores(loss: str) -> None:
    outputs, _ = draw(100)
    outputs = torch.cat([outputs, -outputs.abs() - 0.1, torch.zeros(1, 4)]).float()
    found = criterion(loss).activate(outputs)
    assert found.shape == outputs.shape and ((found >= 0) & (found <= 1)).all()
    assert torch.equal(found.argmax(dim=1), outputs.argmax(dim=1))
    if loss != "binary":
        assert torch.allclose(found.sum(dim=1), torch.ones(len(outputs)))


def test_what_the_scores_mean_under_each_loss() -> None:
    outputs = torch.tensor([[-1.0, 0.5, 1.5, 0.0], [-1.0, -2.0, -3.0, 0.0]])
    for loss in ("cross-entropy", "focal"):
        assert torch.equal(criterion(loss).activate(outputs), outputs.softmax(dim=1))
    assert torch.equal(criterion("binary").activate(outputs), outputs.sigmoid())
    for loss in ("mse", "huber"):
        found = criterion(loss).activate(outputs)
        assert found[0].tolist() == pytest.approx([0, 0.25, 0.75, 0])
        assert torch.equal(found[1], outputs[1].softmax(dim=0))  # none says yes
