"""Metrics are exact, and measuring changes nothing."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from toy.base.errors import UserError
from toy.config import Config
from toy.data.loader import BatchDataset, EvalSampler, make_loader
from toy.data.reader import Reader
from toy.engine.metrics import MetricSums, eval_mode
from toy.engine.trainer import ModelWithLoss, evaluate
from toy.task import Task
from toys import CPU, SETTINGS

pytestmark = pytest.mark.usefixtures("process_group")


class Kept(nn.Module):
    """A model with all that could go wrong: dropout, a batch norm, a tensor that is kept."""

    scale: torch.Tensor | None = None

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.norm = nn.BatchNorm1d(6)
        self.dropout = nn.Dropout(0.5)
        self.head = nn.Linear(6, 2)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        if self.scale is None:  # made when first needed, as position tables often are
            self.scale = torch.full((), 1 / 100)
        self.graph_is_built = torch.is_grad_enabled()
        return self.head(self.dropout(self.norm(inputs.float() * self.scale)))


@pytest.fixture
def reader(toy_data: Path) -> Reader:
    return Reader(toy_data / "val")


@pytest.fixture
def module() -> ModelWithLoss:
    """In training mode, where the toy's loss has a further part."""
    return ModelWithLoss(Kept(), Task(Config(), None)).train()


def measure(
    module: ModelWithLoss,
    reader: Reader,
    batch_size: int = 4,
    stop: Callable[[], bool] = lambda: False,
    amp: str = "off",
) -> dict[str, float]:
    loader = make_loader(
        BatchDataset(reader), EvalSampler(len(reader), batch_size), workers=0, device=CPU
    )
    config = Config(**SETTINGS | {"amp": amp})
    return evaluate(module, loader, config, CPU, stop)


@pytest.mark.parametrize(("amp", "tolerance"), [("off", 1e-6), ("bf16", 0.02), ("fp16", 0.01)])
@pytest.mark.parametrize("batch_size", [1, 4, 15])
def test_metrics_weigh_each_sample_the_same(
    reader: Reader, module: ModelWithLoss, batch_size: int, amp: str, tolerance: float
) -> None:
    targets = torch.from_numpy(reader.targets)
    inputs = torch.from_numpy(reader.read(np.arange(len(reader))))
    with torch.no_grad():
        outputs = module.model.eval()(inputs)
    distances = (outputs - targets).abs()
    assert measure(module.train(), reader, batch_size, amp=amp) == pytest.approx(
        {
            "loss": (outputs - targets).square().sum(dim=1).mean().item(),
            "distance": distances.mean().item(),
            "worst": distances.mean(dim=0).max().item(),
            "median": distances.sum(dim=1).median().item(),
        },
        rel=tolerance,
    )


def test_the_loss_is_that_of_evaluation_and_the_task_trains_on(
    reader: Reader, module: ModelWithLoss
) -> None:
    found = measure(module, reader)
    assert module.task.training and module.model.training
    module.task.eval()
    assert measure(module, reader) == found


def test_the_metrics_are_computed_in_evaluation_mode(reader: Reader, module: ModelWithLoss) -> None:
    modes: list[bool] = []
    metrics = module.task.metrics

    def look(sums: dict[str, torch.Tensor], samples: int) -> dict[str, float]:
        modes.append(module.task.training)
        return metrics(sums, samples)

    module.task.metrics = look
    measure(module, reader)
    assert modes == [False]


def test_each_module_gets_its_own_mode_back() -> None:
    model, other = Kept().train(), nn.Dropout().eval()
    model.norm.eval()  # frozen on purpose
    with eval_mode(model, other):
        assert not any(module.training for module in model.modules())
    assert model.training and model.dropout.training and not model.norm.training
    assert not other.training
    with pytest.raises(ValueError, match="in between"), eval_mode(model):
        raise ValueError("in between")
    assert model.training and not model.norm.training


def test_evaluation_leaves_weights_buffers_gradients_and_generators_alone(
    reader: Reader, module: ModelWithLoss
) -> None:
    before = {name: value.clone() for name, value in module.state_dict().items()}
    drawn = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    measure(module, reader)
    assert all(torch.equal(before[name], value) for name, value in module.state_dict().items())
    assert all(parameter.grad is None for parameter in module.parameters())
    assert not module.model.graph_is_built
    assert torch.equal(torch.get_rng_state(), drawn[0])
    assert (random.getstate(), np.random.get_state()[1].tolist()) == drawn[1:]
    kept = module.model.scale
    assert kept is not None and not kept.is_inference(), "no training can use it"


def test_an_evaluation_that_is_to_stop_gives_nothing(reader: Reader, module: ModelWithLoss) -> None:
    asked = iter([False, False, True])
    assert measure(module, reader, stop=lambda: next(asked)) == {}
    assert next(asked, None) is None, "it went on"
    assert module.training


def test_a_best_that_is_no_metric_is_an_error_that_names_the_metrics(
    reader: Reader, module: ModelWithLoss
) -> None:
    module.task.best = "distances"
    with pytest.raises(UserError, match="'distances', not one of loss, distance, worst, median"):
        measure(module, reader)


def test_sums_are_exact_however_many_batches_they_have() -> None:
    sums = MetricSums(CPU)
    for value in (2.0**24, 1.0, 1.0):
        sums.add({"loss": torch.tensor(value)}, 1)
    assert sums.sums["loss"].item() == 2**24 + 2, "they were added in single precision"
    assert sums.samples == 3


def test_sums_are_added_by_name_and_what_is_named_all_is_kept_whole() -> None:
    sums = MetricSums(CPU)
    for first, second in ((1.0, 2.0), (3.0, 4.0)):
        pair = torch.tensor([first, second], requires_grad=True)
        sums.add({"each": pair, "all_scores": pair, "count": pair.sum()}, 2)
    assert sums.sums["each"].tolist() == [4.0, 6.0]
    assert sums.sums["all_scores"].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert sums.sums["count"].tolist() == 10.0
    assert not any(value.requires_grad for value in sums.sums.values()), "a graph is kept alive"


def test_sums_that_were_saved_are_continued() -> None:
    sums, again = MetricSums(CPU), MetricSums(CPU)
    batch = {"loss": torch.tensor(0.1), "all_scores": torch.tensor([0.5, 0.25])}
    sums.add(batch, 2)
    (saved,) = sums.by_rank()
    again.load(saved)
    for one in (sums, again):
        one.add(batch, 2)
    assert again.samples == sums.samples == 4
    for name, value in sums.sums.items():
        assert torch.equal(again.sums[name], value), name
    again.load(saved)  # of another rank
    assert again.samples == 6 and again.sums["loss"].item() == pytest.approx(0.3)
