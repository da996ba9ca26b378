"""`verify` finds the promises of the toy kept, and names a difference where there is one."""

import json
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from toy.augment import Augmentation
from toy.base.errors import FlagError, UserError
from toy.config import Config
from toy.engine import checkpoint, trainer
from toy.task import Task
from toy.verify import __main__ as verify
from toy.verify.__main__ import CHECKS, OF_STEPS, Check, Verdict, judge
from toy.verify.runs import compare_runs
from toy.verify.setup import BrokenPromise, CannotJudge, Setup
from toys import SETTINGS, Toy, call, run

pytestmark = pytest.mark.usefixtures("process_group")


@pytest.fixture
def setup(toy_data: Path, tmp_path: Path) -> Setup:
    return Setup(tmp_path, Config(data_dir=toy_data, **SETTINGS))


@pytest.mark.parametrize("amp", ["off", "fp16"])
@pytest.mark.parametrize("check", OF_STEPS, ids=lambda check: check.__name__)
def test_the_promises_about_steps_hold(
    toy_data: Path, tmp_path: Path, check: Check, amp: str
) -> None:
    setup = Setup(tmp_path, Config(data_dir=toy_data, **SETTINGS | {"amp": amp}))
    verdict = judge(check, setup, quiet=True)
    assert verdict.holds, verdict.seen


def found_by(name: str, setup: Setup) -> Verdict:
    return judge(CHECKS[name], setup, quiet=True)


def test_a_check_that_fails_is_a_broken_promise(
    setup: Setup, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(_: Setup) -> str:
        """Never fails."""
        raise RuntimeError("edited too far")

    verdict = judge(check, setup)
    assert (verdict.holds, verdict.seen) == (False, "RuntimeError: edited too far")
    assert capsys.readouterr().out.startswith("BROKEN check ")


def test_what_cannot_be_judged_is_neither_kept_nor_broken(setup: Setup) -> None:
    def check(_: Setup) -> str:
        """Cannot know."""
        raise CannotJudge("mixed inputs")

    verdict = judge(check, setup, quiet=True)
    assert (verdict.holds, verdict.seen) == (None, "mixed inputs")


def test_a_small_run_has_the_settings_of_the_large_one(toy_data: Path, tmp_path: Path) -> None:
    settings = SETTINGS | {"seed": 3, "clip_norm": 0.5, "epochs": 90, "max_steps": 10}
    setup = Setup(tmp_path, Config(data_dir=toy_data, **settings))
    line = setup.train(tmp_path / "run", num_workers=2)
    saved = json.loads(Path(line[line.index("--config") + 1]).read_text())
    assert (saved["seed"], saved["clip_norm"], saved["data_dir"]) == (3, 0.5, str(toy_data))
    assert (saved["epochs"], saved["max_steps"], saved["num_workers"]) == (3, None, 2)
    assert saved["max_samples"] == 44 and saved["ema_decay"] == 0.9


def test_a_run_is_the_same_as_itself_until_a_bit_differs(tmp_path: Path) -> None:
    weights = {"head.weight": torch.arange(6.0), "head.bias": torch.tensor([0.1, torch.nan])}
    other = weights | {"head.bias": torch.nextafter(weights["head.bias"], torch.tensor(1.0))}
    runs = {"one": weights, "same": weights, "other": other}
    for name, model in runs.items():
        folder = tmp_path / name / "checkpoints"
        folder.mkdir(parents=True)
        speed = '"samples_per_second": ' + str(len(name))
        (tmp_path / name / "metrics.jsonl").write_text(f'{{"loss": 1.0, {speed}}}\n')
        config = {"num_workers": len(name), "seed": 0}
        state = dict.fromkeys(checkpoint.KEYS) | {"model": model, "config": config}
        checkpoint.save(folder, state, best=True)
    one, same, other_run = (tmp_path / name for name in runs)
    compare_runs(one, same, "two runs")
    with pytest.raises(BrokenPromise, match=r"two runs differ: last\.pt in /model/head\.bias"):
        compare_runs(one, other_run, "two runs")
    (same / "metrics.jsonl").write_text('{"loss": 1.5}\n')
    with pytest.raises(BrokenPromise, match=r"metrics\.jsonl has"):
        compare_runs(one, same, "two runs")


Loss = Callable[[Task, torch.Tensor, torch.Tensor], torch.Tensor]


def squares(task: Task, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return (outputs + task.offset - targets).square()


def pairs(task: Task, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """A loss of pairs of samples, as of a triplet loss."""
    return squares(task, outputs, targets).sum() + (outputs @ outputs.T).sum()


@pytest.mark.parametrize(
    ("loss", "holds", "seen"),
    [
        (lambda *given: squares(*given).mean(dim=1).sum(), True, "within"),
        (lambda *given: squares(*given).sum(dim=1).mean(), False, "it must give their sum"),
        (pairs, None, "is not the sum of its samples' losses"),
    ],
)
def test_a_loss_that_is_no_sum_is_noticed(
    setup: Setup, monkeypatch: pytest.MonkeyPatch, loss: Loss, holds: bool | None, seen: str
) -> None:
    monkeypatch.setattr(Task, "loss", loss)
    verdict = found_by("accumulates", setup)
    assert verdict.holds is holds and seen in verdict.seen


def test_a_step_that_forgets_a_pass_is_noticed(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = torch.Tensor.tensor_split
    monkeypatch.setattr(
        torch.Tensor, "tensor_split", lambda whole, parts: split(whole, parts)[: max(1, parts - 1)]
    )
    verdict = found_by("accumulates", setup)
    assert verdict.holds is False and "relative errors" in verdict.seen


def test_an_augmentation_that_draws_from_a_global_generator_is_noticed(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shake(
        _: Augmentation, inputs: np.ndarray, targets: np.ndarray, *__: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        return inputs + np.random.randint(9, size=inputs.shape).astype(inputs.dtype), targets

    monkeypatch.setattr(Augmentation, "__call__", shake)
    verdict = found_by("reads", setup)
    assert verdict.holds is False and "global generator" in verdict.seen


class Idle(Toy):
    """Has a parameter that changes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.idle = nn.Parameter(torch.ones(2))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return super().forward(inputs) + 0 * self.idle


def test_a_parameter_that_no_gradient_reaches_is_named(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "build_model", lambda *_: Idle())
    verdict = found_by("reaches", setup)
    assert verdict.holds is False and "no gradient reaches model.idle" in verdict.seen


def test_an_evaluation_that_changes_something_is_noticed(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward = Toy.forward

    def count(model: Toy, inputs: torch.Tensor) -> torch.Tensor:
        model.norm.running_mean += 1
        return forward(model, inputs)

    monkeypatch.setattr(Toy, "forward", count)
    verdict = found_by("counts", setup)
    assert verdict.holds is False


def test_an_average_that_moves_tied_weights_twice_is_noticed(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    @torch.no_grad()
    def by_name(ema: nn.Module, module: nn.Module, decay: float) -> None:
        for _ in range(2):
            for average, value in zip(ema.parameters(), module.parameters(), strict=True):
                average.lerp_(value, 1 - decay)

    monkeypatch.setattr(trainer, "update_ema", by_name)
    verdict = found_by("averages", setup)
    assert verdict.holds is False and "is not 0.75 of the old" in verdict.seen


def test_a_state_that_lacks_something_is_noticed(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forget(optimizer: torch.optim.Optimizer, state: checkpoint.State) -> None:
        pass

    monkeypatch.setattr(checkpoint, "load_optimizer", forget)
    verdict = found_by("restores", setup)
    assert verdict.holds is False and "saved after step 1, step 3 differs in /" in verdict.seen


def registers(setup: Setup, place: str, value_for: Callable[[nn.Module], object]) -> Verdict:
    """What is found of a model of which the attribute at a place has another value."""
    module = setup.module(setup.trainer())
    *owners, name = place.split(".")
    setattr(reduce(getattr, owners, module.model), name, value_for(module.model))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Setup, "module", lambda *_: module)
        return found_by("registers", setup)


LOOSE = "a tensor that nobody trains (use nn.Parameter or nn.ParameterList)"
HIDDEN = "modules that nobody trains (use nn.ModuleList or nn.ModuleDict, or freeze them)"
MISSPELLED = "torch has no such attribute (use requires_grad)"


@pytest.mark.parametrize(
    ("place", "value", "fault"),
    [
        ("scale", torch.ones(8, requires_grad=True), LOOSE),
        ("norm.scales", {"a": nn.Parameter(torch.ones(8))}, LOOSE),
        ("norm.running_mean", torch.ones(8, requires_grad=True), LOOSE),
        ("stages", [nn.Linear(2, 2), nn.Linear(2, 2)], HIDDEN),
        ("norm.stages", {"a": (nn.Linear(2, 2),)}, HIDDEN),
        ("norm.momentum", 0.99, "0.99 is the weight of the new batch (0.1 is usual)"),
        ("norm.momentum", 0.5, "0.5 is the weight of the new batch (0.1 is usual)"),
        ("head.bias.require_grad", False, MISSPELLED),
        ("head.bias.requires_gradient", False, MISSPELLED),
    ],
)
def test_what_a_model_does_not_register_or_torch_not_read_is_named(
    setup: Setup, place: str, value: object, fault: str
) -> None:
    verdict = registers(setup, place, lambda _: value)
    assert (verdict.holds, verdict.seen) == (False, f"{place}: {fault}")


@pytest.mark.parametrize(
    ("place", "value_for"),
    [
        ("stages", lambda model: [model.first, {"last": model.head}]),
        ("tied", lambda model: [model.head.weight]),
        ("teacher", lambda _: [nn.Linear(2, 2).requires_grad_(False)]),
        ("activations", lambda _: {"relu": nn.ReLU()}),
        ("doubled", lambda model: 2 * model.head.weight),
        ("scales", lambda _: nn.ParameterList([torch.ones(8)])),
        ("memory", lambda _: nn.utils.parametrizations.weight_norm(nn.LSTM(2, 2), "weight_hh_l0")),
        ("norm.momentum", lambda _: None),
        ("norm", lambda _: nn.BatchNorm1d(8, momentum=1.0, track_running_stats=False)),
        ("head.bias.grad_scale", lambda _: 0.1),
    ],
)
def test_what_is_registered_elsewhere_frozen_or_computed_is_no_fault(
    setup: Setup, place: str, value_for: Callable[[nn.Module], object]
) -> None:
    verdict = registers(setup, place, value_for)
    assert verdict.holds, verdict.seen


def test_several_processes_and_unknown_checks_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(FlagError, match="--only nothing: the checks are repeats, "):
        verify.VerifyConfig(only=("nothing",))
    monkeypatch.setenv("WORLD_SIZE", "2")  # as torchrun does
    with pytest.raises(UserError, match="run it without torchrun"):
        call(verify, "--device", "cpu")


@pytest.mark.slow
def test_the_command_judges_the_run_that_its_flags_ask_for(toy_data: Path) -> None:
    asked = ("--data-dir", toy_data, "--device", "cpu", "--num-workers", "1", "--json")
    certificate = json.loads(run("verify", *asked).splitlines()[-1])
    assert certificate["holds"]
    held = {found["check"] for found in certificate["checks"] if found["holds"]}
    assert held == set(CHECKS)
    assert certificate["environment"]["packages"]["torch"]


@pytest.mark.slow
def test_the_command_refuses_what_train_refuses_and_data_that_is_not_there() -> None:
    assert "--batch-size must be at least 1" in run("verify", "--batch-size", "0", exits=2)
    assert "nowhere" in run("verify", "--data-dir", "nowhere", exits=2)
