"""A step is a function of the seed and its number; an epoch's data of the seed and its own."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from toy.augment import Augmentation
from toy.base import distributed
from toy.base.errors import DataError, FlagError, UserError
from toy.data.info import compute_info
from toy.data.loader import batches
from toy.data.reader import Reader
from toy.engine.trainer import ModelWithLoss, Progress, Trainer, update_ema
from toy.optim import PEAK
from toy.task import Task, sample_order
from toys import STEPS, Toy, at_pass, do_steps, make_trainer, write_data

pytestmark = pytest.mark.usefixtures("process_group")
AMPS = ["off", "bf16", "fp16"]
NAN, INF = float("nan"), float("inf")


def weights_of(trainer: Trainer) -> torch.Tensor:
    """All parameters, those of the task among them, in one vector."""
    parameters = trainer.module.parameters()
    return torch.cat([distributed.full(p.detach()).flatten() for p in parameters])


def gradient_of(trainer: Trainer) -> torch.Tensor:
    """The gradient of all parameters in one vector."""
    gradients = [p.grad for p in trainer.module.parameters() if p.grad is not None]
    return torch.cat([distributed.full(gradient).flatten() for gradient in gradients])


def set_scale(trainer: Trainer, scale: float) -> None:
    """What fp16 multiplies the loss by."""
    trainer.scaler.load_state_dict(trainer.scaler.state_dict() | {"scale": scale})


@pytest.mark.parametrize("seed", [0, 1])
def test_the_initial_weights_follow_from_the_seed_alone(toy_data: Path, seed: int) -> None:
    trainer = make_trainer(toy_data, seed=seed)
    first = weights_of(trainer)
    head = distributed.full(trainer.model.head.weight.detach())
    assert head.abs().max() > 0.5, "those of torch's own initialization are smaller"
    torch.rand(3)
    assert torch.equal(weights_of(make_trainer(toy_data, seed=seed)), first)
    assert not torch.equal(weights_of(make_trainer(toy_data, seed=seed + 1)), first)


def drawn_in_step(trainer: Trainer, step: int) -> torch.Tensor:
    """Do optimizer step `step` (from 0); returns what dropout would draw in its middle."""
    trainer.progress.step = step
    drawn: list[torch.Tensor] = []
    with at_pass(1, lambda: drawn.append(torch.rand(8))):
        do_steps(trainer, 1)
    return drawn[0]


def test_a_step_draws_the_same_whatever_was_drawn_before(toy_data: Path) -> None:
    trainer = make_trainer(toy_data)
    first = drawn_in_step(trainer, 4)
    torch.rand(100)
    assert torch.equal(drawn_in_step(trainer, 4), first)


def test_each_step_and_each_seed_has_draws_of_its_own(toy_data: Path) -> None:
    one, other = make_trainer(toy_data, seed=0), make_trainer(toy_data, seed=1)
    drawn = [drawn_in_step(trainer, step) for trainer in (one, other) for step in (0, 1, 6)]
    assert len({tuple(numbers.tolist()) for numbers in drawn}) == len(drawn)


def test_each_step_has_the_rate_of_its_number_in_each_group_also_after_a_resume(
    toy_data: Path,
) -> None:
    trainer = make_trainer(toy_data, epochs=3)
    rates: list[list[float]] = []

    def note() -> None:
        rates.append([group["lr"] for group in trainer.optimizer.param_groups])

    for step in range(18):
        if step == 8:
            trainer = make_trainer(toy_data, trainer.state_dict(), epochs=3)
        with at_pass(1, note):
            do_steps(trainer, 1)
    expected = [PEAK * (1 - step / 19) for step in range(18)]
    assert [of_step[0] for of_step in rates] == pytest.approx(expected, rel=1e-12)
    halves = [rate / 2 for rate in expected]  # the toy gives its head half the rate
    assert [of_step[1] for of_step in rates] == pytest.approx(halves, rel=1e-12)


@pytest.mark.parametrize("accumulate", [1, 3])
def test_a_step_takes_as_many_passes_as_the_flag_says(toy_data: Path, accumulate: int) -> None:
    trainer = make_trainer(toy_data, accumulate=accumulate)
    with at_pass(0, lambda: None) as passes:
        do_steps(trainer, 1)
    assert [len(inputs) for inputs in passes] == ([8] if accumulate == 1 else [3, 3, 2])


def float64(trainer: Trainer) -> Trainer:
    """Without rounding, and with no batch norm or dropout that treats each pass by itself."""
    trainer.module.double().eval()
    return trainer


def plain(trainer: Trainer) -> ModelWithLoss:
    """The model and the task with the weights of now, as plain PyTorch has them."""
    module = ModelWithLoss(Toy(), Task(trainer.config, trainer.info)).double().eval()
    module.load_state_dict(distributed.full(trainer.module.state_dict()))
    return module


def reference_gradient(trainer: Trainer, batch: Any) -> torch.Tensor:
    """The gradient of the mean loss over the whole batch, by plain autograd."""
    module = plain(trainer)
    loss = module.task.loss(module.model(batch.inputs), batch.targets.double())
    gradients = torch.autograd.grad(loss / len(batch.targets), list(module.parameters()))
    return torch.cat([gradient.flatten() for gradient in gradients])


@pytest.mark.parametrize("accumulate", [1, 2, 3, 8])
def test_the_gradient_is_that_of_the_mean_loss_however_the_batch_is_split(
    toy_data: Path, accumulate: int
) -> None:
    trainer = float64(make_trainer(toy_data, accumulate=accumulate, clip_norm=0.0))
    batch = next(trainer.batches())
    expected = reference_gradient(trainer, batch)
    trainer.step(batch._replace(targets=batch.targets.double()))
    found = gradient_of(trainer)
    assert found.dtype == torch.float64 and len(found) == 84
    assert torch.allclose(found, expected, rtol=0, atol=1e-12 * expected.abs().max())


def test_a_gradient_does_not_carry_over_to_the_next_step(toy_data: Path) -> None:
    trainer = float64(make_trainer(toy_data, clip_norm=0.0))
    batch = next(trainer.batches())
    batch = batch._replace(targets=batch.targets.double())
    trainer.step(batch)
    expected = reference_gradient(trainer, batch)
    trainer.step(batch)
    assert torch.allclose(gradient_of(trainer), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("clip_norm", [0.0, 0.01])
def test_the_gradient_is_clipped_as_the_flag_says(toy_data: Path, clip_norm: float) -> None:
    trainer = make_trainer(toy_data, clip_norm=clip_norm)
    do_steps(trainer, 1)
    before = trainer.sums.sums["grad_norm"].item()
    assert before > 0.1, "there is nothing to clip"
    assert gradient_of(trainer).norm().item() == pytest.approx(clip_norm or before, rel=1e-3)


@pytest.mark.parametrize("accumulate", [1, 3])
def test_a_step_sums_over_all_its_passes(toy_data: Path, accumulate: int) -> None:
    trainer = float64(make_trainer(toy_data, accumulate=accumulate))
    batch = next(trainer.batches())
    with torch.no_grad():
        module, targets = plain(trainer), batch.targets.double()
        outputs = module.model(batch.inputs)
        expected = module.task.sums(outputs, targets)
        expected["loss"] = module.task.loss(outputs, targets)
    trainer.step(batch._replace(targets=targets))
    assert trainer.sums.samples == 8
    assert trainer.sums.sums.keys() - expected.keys() == {"grad_norm", "grad_steps"}
    for name, value in expected.items():
        assert torch.allclose(trainer.sums.sums[name], value.double()), name
    assert trainer.loss.item() == pytest.approx(expected["loss"].item(), rel=1e-6)
    assert trainer.read() == pytest.approx(expected["loss"].item() / 8, rel=1e-6)


def test_a_step_with_the_scaler_of_fp16_has_the_gradient_of_one_without(toy_data: Path) -> None:
    found = []
    for amp in ("off", "fp16"):
        trainer = float64(make_trainer(toy_data, amp=amp, clip_norm=0.1))  # autocast leaves it
        batch = next(trainer.batches())
        trainer.step(batch._replace(targets=batch.targets.double()))
        found.append(gradient_of(trainer))
    assert torch.allclose(found[0], found[1], rtol=1e-6, atol=1e-9)
    assert found[0].norm().item() == pytest.approx(0.1, rel=1e-3)


def test_an_overflow_leaves_the_weights_alone_halves_the_scale_and_is_no_error(
    toy_data: Path,
) -> None:
    trainer = make_trainer(toy_data, amp="fp16", ema_decay=0.5)
    set_scale(trainer, 256.0)
    do_steps(trainer, 1)
    before, norm = weights_of(trainer), trainer.sums.sums["grad_norm"].item()
    set_scale(trainer, 2.0**127)
    do_steps(trainer, 1)
    assert torch.equal(weights_of(trainer), before)
    assert trainer.scaler.get_scale() == 2.0**126
    trainer.read()
    assert trainer.progress.step == 2
    assert trainer.sums.sums["grad_steps"] == 1 and trainer.sums.sums["grad_norm"] == norm
    set_scale(trainer, 256.0)
    do_steps(trainer, 1)
    assert not torch.equal(weights_of(trainer), before), "it never goes on"


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("amp", AMPS)
def test_the_model_runs_in_the_precision_of_the_flag_and_the_loss_in_float32(
    toy_data: Path, amp: str, training: bool
) -> None:
    trainer = make_trainer(toy_data, amp=amp)
    seen: list[torch.dtype] = []
    trainer.model.first.register_forward_hook(lambda _, __, output: seen.append(output.dtype))
    loss = trainer.task.loss

    def look(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        seen.extend([outputs.dtype, (outputs @ outputs.T).dtype])
        return loss(outputs, targets)

    trainer.task.loss = look
    if training:
        do_steps(trainer, 1)
    else:
        trainer.evaluate()
    half = {"off": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[amp]
    assert seen[:3] == [half, torch.float32, torch.float32]


def seen(trainer: Trainer, epoch: int, step: int) -> list[list[int]]:
    """The batches that are left of an epoch after `step` optimizer steps in all."""
    trainer.progress.epoch, trainer.progress.step = epoch, step
    return [batch.indices.tolist() for batch in trainer.batches()]


def test_each_epoch_has_its_order_and_continues_where_its_steps_ended(toy_data: Path) -> None:
    trainer = make_trainer(toy_data)
    orders = [seen(trainer, epoch, STEPS * epoch) for epoch in (0, 1)]
    assert orders[0] != orders[1]
    for epoch, order in enumerate(orders):
        flat = sample_order(trainer.config, trainer.train_data, epoch).tolist()
        assert order == [flat[8 * step : 8 * step + 8] for step in range(STEPS)]
        assert sorted(index for batch in order for index in batch) == list(range(48))
        assert seen(trainer, epoch, STEPS * epoch + 4) == order[4:]


def test_inputs_are_augmented_in_training_and_never_in_evaluation(toy_data: Path) -> None:
    trainer = make_trainer(toy_data, seed=3)
    for split, loader in (("train", trainer.train_loader), ("val", trainer.val_loader)):
        reader = Reader(toy_data / split)
        for inputs, targets, numbers in batches(loader, trainer.device):
            indices = numbers.numpy()
            stored = reader.read(indices)
            expected = stored
            if split == "train":
                augment = Augmentation(trainer.config, trainer.info)
                expected, _ = augment(stored, reader.targets[indices], indices, 0)
                assert not np.array_equal(expected, stored)
            assert np.array_equal(inputs, expected), split
            assert np.array_equal(targets, reader.targets[indices])


def test_the_info_is_that_of_the_training_data(toy_data: Path) -> None:
    assert make_trainer(toy_data).info == compute_info(Reader(toy_data / "train"), [48, 48])


@pytest.mark.parametrize("ema_decay", [0.0, 0.5])
def test_evaluation_in_between_changes_no_bit(toy_data: Path, ema_decay: float) -> None:
    one, other = (make_trainer(toy_data, ema_decay=ema_decay) for _ in range(2))
    for step in range(3):
        do_steps(one, 1)
        other.evaluate()
        do_steps(other, 1)
        other.evaluate()
        assert torch.equal(weights_of(one), weights_of(other)), f"after step {step}"


def test_the_average_follows_the_weights_of_every_step(toy_data: Path) -> None:
    trainer = make_trainer(toy_data, ema_decay=0.75)
    expected = weights_of(trainer)
    for _ in range(3):
        do_steps(trainer, 1)
        expected = expected.lerp(weights_of(trainer), 0.25)
    assert trainer.ema is not None
    found = torch.cat([distributed.full(p).flatten() for p in trainer.ema.parameters()])
    assert torch.equal(found, expected)


def test_there_is_no_average_without_its_flag(toy_data: Path) -> None:
    trainer = make_trainer(toy_data)
    assert trainer.ema is None
    assert trainer.state_dict()["ema"] is None


class Tied(nn.Module):
    """A weight that two layers share, a batch norm, and a weight of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(3, 3), nn.Linear(3, 3)
        self.two.weight = self.one.weight
        self.norm = nn.BatchNorm1d(3)


def test_the_average_moves_each_weight_once_by_one_minus_the_decay_and_copies_counts() -> None:
    module, ema = Tied(), Tied()
    with torch.no_grad():
        for average, value in zip(ema.parameters(), module.parameters(), strict=True):
            average.fill_(0.0)
            value.fill_(4.0)
        module.norm.running_mean.fill_(8.0)
        module.norm.num_batches_tracked.fill_(7)
    update_ema(ema, module, 0.75)
    assert {value.item() for p in ema.parameters() for value in p.flatten()} == {1.0}
    assert ema.norm.running_mean.tolist() == [2.0] * 3
    assert ema.norm.num_batches_tracked == 7
    assert ema.two.weight is ema.one.weight


def test_what_is_measured_is_the_average_where_there_is_one(toy_data: Path) -> None:
    plain, averaged = make_trainer(toy_data), make_trainer(toy_data, ema_decay=0.99)
    for trainer in (plain, averaged):
        do_steps(trainer, 6)
    assert torch.equal(weights_of(plain), weights_of(averaged))
    assert plain.evaluate() != averaged.evaluate()
    assert averaged.ema is not None
    averaged.ema.load_state_dict(averaged.module.state_dict())
    assert plain.evaluate() == averaged.evaluate()


@pytest.mark.parametrize(
    ("higher_is_better", "values", "bests"),
    [
        (True, (0.0, 0.5, 0.25, 0.5, 0.75, 0.7), ((0.0, 1), (0.5, 2), (0.75, 5))),
        (False, (9.0, 3.0, 4.0, 3.0, -1.0, 2.0), ((9.0, 1), (3.0, 2), (-1.0, 5))),
        (False, (NAN, 3.0, NAN, 3.0, 2.0, NAN), ((NAN, 1), (3.0, 2), (2.0, 5))),
    ],
)
def test_the_best_epoch_is_the_first_with_the_best_value(
    toy_data: Path,
    higher_is_better: bool,
    values: tuple[float, ...],
    bests: tuple[tuple[float, int], ...],
) -> None:
    trainer, found = make_trainer(toy_data), []
    trainer.task.higher_is_better = higher_is_better
    for value in values:
        trainer.complete_epoch(value)
        found.append((trainer.progress.best, trainer.progress.best_epoch))
    expected = [bests[0], *[bests[1]] * 3, *[bests[2]] * 2]
    assert str(found) == str(expected)  # in which a NaN is as good as another
    assert trainer.progress.epoch == 6


@pytest.mark.parametrize(
    ("settings", "step", "epoch", "best_epoch", "done"),
    [
        ({}, 11, 1, 1, False),
        ({}, 12, 1, 1, False),  # the last epoch is not evaluated yet
        ({}, 12, 2, 1, True),
        ({"max_steps": 8}, 7, 1, 1, False),
        ({"max_steps": 8}, 8, 1, 1, False),
        ({"max_steps": 8}, 8, 2, 1, True),
        ({"max_steps": 100}, 12, 2, 1, True),
        ({"epochs": 9, "patience": 2}, 18, 3, 2, False),
        ({"epochs": 9, "patience": 2}, 24, 4, 2, True),
        ({"epochs": 9}, 24, 4, 2, False),
    ],
)
def test_a_run_is_done_at_its_last_step_or_when_its_patience_ends(
    toy_data: Path, settings: dict[str, Any], step: int, epoch: int, best_epoch: int, done: bool
) -> None:
    trainer = make_trainer(toy_data, **settings)
    trainer.progress = Progress(step=step, epoch=epoch, best_epoch=best_epoch)
    assert trainer.done() == done


@pytest.mark.parametrize("amp", ["off", "bf16", "fp16"])
@pytest.mark.parametrize("place", ["loss", "gradient"])
def test_the_first_step_that_was_not_finite_is_named(toy_data: Path, amp: str, place: str) -> None:
    trainer = make_trainer(toy_data, amp=amp)
    set_scale(trainer, 1.0)
    do_steps(trainer, 2)
    trainer.read()

    def spoil(module: nn.Module, inputs: Any, outputs: torch.Tensor) -> torch.Tensor:
        if place == "loss":
            return outputs * INF
        outputs.register_hook(lambda gradient: gradient * INF)
        return outputs

    trainer.model.register_forward_hook(spoil)
    do_steps(trainer, 2)
    if place == "gradient" and amp == "fp16":  # whose scaler skips such steps
        trainer.read()
        assert trainer.sums.sums["grad_steps"] == 2
        return
    with pytest.raises(UserError, match="step 3 is not finite") as error:
        trainer.read()
    assert "--lr" in str(error.value)


def test_a_loss_that_is_not_finite_is_noticed_in_the_step_that_had_it(tmp_path: Path) -> None:
    folder = write_data(tmp_path)
    with np.load(folder / "train.npz") as arrays:
        inputs, targets = arrays["inputs"], arrays["targets"]
    targets[7] = np.inf
    np.savez(folder / "train.npz", inputs=inputs, targets=targets)
    trainer = make_trainer(folder)
    order = sample_order(trainer.config, trainer.train_data, 0).tolist()
    step = order.index(7) // 8 + 1
    do_steps(trainer, STEPS)
    with pytest.raises(UserError, match=f"step {step} is not finite"):
        trainer.read()


def test_the_norm_is_the_mean_over_the_steps_of_the_epoch(toy_data: Path) -> None:
    trainer, norms = make_trainer(toy_data, clip_norm=0.01), list[float]()
    for _ in range(3):
        before = float(trainer.sums.sums.get("grad_norm", 0.0))
        do_steps(trainer, 1)
        norms.append(trainer.sums.sums["grad_norm"].item() - before)
    again = make_trainer(toy_data, read_state(trainer), clip_norm=0.01)
    found = again.sums.compute(again.task)["grad_norm"]
    assert found == pytest.approx(sum(norms) / 3) and found > 0.01, "before clipping"


def read_state(trainer: Trainer) -> Any:
    """The state as `train` saves it."""
    trainer.read()
    return trainer.state_dict()


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"batch_size": 3, "accumulate": 3}, None, ""),
        ({"batch_size": 48}, None, ""),
        ({"batch_size": 49}, DataError, "48 training samples"),
        ({"max_samples": 7}, DataError, "7 training samples"),
        ({"data_dir": Path("nowhere")}, DataError, "nowhere"),
    ],
)
def test_data_that_does_not_make_a_batch_is_refused(
    toy_data: Path, settings: dict[str, Any], error: type[UserError] | None, message: str
) -> None:
    data = settings.pop("data_dir", toy_data)
    if error is None:
        make_trainer(data, **settings)
        return
    with pytest.raises(error, match=message):
        make_trainer(data, **settings)


def test_a_batch_that_is_too_small_for_its_processes_is_refused(
    toy_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributed, "WORLD_SIZE", 3)
    with pytest.raises(FlagError, match=r"size must be at least 9 \(--accumulate .*, not 8"):
        make_trainer(toy_data, accumulate=3)


def test_max_samples_limits_both_splits(toy_data: Path) -> None:
    trainer = make_trainer(toy_data, max_samples=20)
    assert (len(trainer.train_data), len(trainer.val_data)) == (20, 15)
    assert (trainer.steps_per_epoch, trainer.info.samples) == (2, 20)
    assert len(make_trainer(toy_data, max_samples=10).val_data) == 10


def test_the_module_gives_the_summed_loss_and_what_the_metrics_need(toy_data: Path) -> None:
    trainer = make_trainer(toy_data)
    assert isinstance(trainer.module, ModelWithLoss)
    batch = next(trainer.batches())
    loss, sums = trainer.module.eval()(batch.inputs, batch.targets)
    assert loss.requires_grad and loss.shape == ()
    assert not any(value.requires_grad for value in sums.values())
    assert sums["loss"] == loss
    parts = zip(batch.inputs.split(3), batch.targets.split(3), strict=True)
    assert loss.item() == pytest.approx(sum(trainer.module(*part)[0].item() for part in parts))
