"""Promises about single steps and evaluations, compared with plain autograd in float64."""

import copy

import numpy as np
import torch

from ..base import distributed
from ..data.loader import BatchDataset, EvalSampler, make_loader
from ..engine.trainer import ModelWithLoss, evaluate
from .parts import read
from .setup import CPU, BrokenPromise, CannotJudge, Setup

SAMPLES = 11  # in a batch: a prime number, so that no split of it is even
TOLERANCE = 1e-9  # relative, in float64


def accumulates(setup: Setup) -> str:
    """However a batch is split into passes, the step is that of the mean loss over all of it."""
    errors = [gradient_error(setup, passes) for passes in (1, 2, 3)]
    if not max(errors) < TOLERANCE:
        raise BrokenPromise(f"{SAMPLES} samples in 1, 2 and 3 passes: relative errors {errors}")
    return f"{SAMPLES} samples in 1, 2 and 3 passes: within {max(errors):.0e} of plain autograd"


def gradient_error(setup: Setup, accumulate: int) -> float:
    """How far a step is from plain autograd on its batch, relative to the largest gradient.

    In eval mode: a batch norm in training makes the samples of a pass depend on each other.
    """
    trainer = setup.trainer(batch_size=SAMPLES, accumulate=accumulate, clip_norm=0.0)
    reference = setup.module(trainer).double().eval()
    trainer.module.double().eval()
    batch = next(trainer.batches())
    if batch.targets.is_floating_point():
        batch = batch._replace(targets=batch.targets.double())
    loss, _ = reference(batch.inputs, batch.targets)
    check_sum(reference, batch.inputs, batch.targets, loss)
    (loss / SAMPLES).backward()
    trainer.step(batch)
    worst = largest = 0.0
    for parameter, known in zip(trainer.module.parameters(), reference.parameters(), strict=True):
        if (parameter.grad is None) != (known.grad is None):
            return float("inf")
        if known.grad is None:
            continue
        gradient = distributed.full(parameter.grad)
        if gradient is not None:  # under FSDP, rank 0 alone gets it
            worst = max(worst, (gradient - known.grad).abs().max().item())
            largest = max(largest, known.grad.abs().max().item())
    return worst / largest if largest else 0.0


def check_sum(
    module: ModelWithLoss, inputs: torch.Tensor, targets: torch.Tensor, loss: torch.Tensor
) -> None:
    """The loss of a batch must be the sum of its samples' losses."""
    with torch.no_grad():
        parts = zip(inputs.split(1), targets.split(1), strict=True)
        total = torch.stack([module(*part)[0] for part in parts]).sum()
    if torch.allclose(loss, total, rtol=1e-9):
        return
    if torch.allclose(loss * len(targets), total, rtol=1e-9):
        raise BrokenPromise("Task.loss gives the mean over the samples: it must give their sum")
    raise CannotJudge(
        "the loss of a batch is not the sum of its samples' losses, so it depends on --accumulate "
        "and on the number of processes"
    )


def counts(setup: Setup) -> str:
    """Evaluation counts each sample once, however it is batched, and changes nothing."""
    trainer = setup.trainer()
    module, data = trainer.module, trainer.train_data
    before, total = copy.deepcopy(distributed.full(module.state_dict())), len(data)
    found, seen = [], list[int]()
    handle = module.register_forward_pre_hook(lambda _, inputs: seen.append(len(inputs[1])))
    drawn = torch.get_rng_state()
    for batch_size in (5, 8, total):
        loader = make_loader(
            BatchDataset(data), EvalSampler(total, batch_size), workers=0, device=CPU
        )
        found.append(evaluate(module, loader, trainer.config, CPU))
        if sum(seen) != total:
            raise BrokenPromise(f"of {total} samples, {sum(seen)} were counted")
        seen.clear()
    handle.remove()
    if not torch.equal(torch.get_rng_state(), drawn):
        raise BrokenPromise("evaluation draws random numbers, so it would change the training")
    for name, value in found[0].items():
        values = [metrics[name] for metrics in found]
        if max(values) - min(values) > 0.01 * abs(value) + 1e-6:  # rounding is less
            raise BrokenPromise(f"batches of 5, 8 and {total} give {name} {values}")
    after = distributed.full(module.state_dict())
    changed = [name for name, value in after.items() if not value.equal(before[name])]
    if changed:
        raise BrokenPromise(f"evaluation changed {', '.join(changed[:3])}")
    if not (trainer.model.training and trainer.task.training):
        raise BrokenPromise("evaluation left the model or the task in eval mode")
    if any(parameter.grad is not None for parameter in module.parameters()):
        raise BrokenPromise("evaluation left gradients behind")
    return f"batches of 5, 8 and {total}: the same {total} samples, nothing changed"


def learns(setup: Setup) -> str:
    """One batch can be overfit: forward, backward, step and update fit together."""
    trainer = setup.trainer(max_samples=8, epochs=120, ema_decay=0.0)
    batch = read(BatchDataset(trainer.train_data), 0, np.arange(8))
    trainer.task.eval()  # without what only makes the loss of training harder
    losses: list[float] = []
    for step in range(120):
        trainer.step(batch)
        losses.append(trainer.loss.item() / 8)
        if losses[-1] < 0.2 * losses[0]:
            return f"{step + 1} steps on 8 samples: loss {losses[0]:.2f} to {losses[-1]:.4f}"
    seen = f"120 steps on 8 samples took the loss from {losses[0]:.4g} to {losses[-1]:.4g}"
    if losses[-1] < 0.8 * losses[0]:
        raise CannotJudge(f"{seen}, too slowly to tell")
    raise BrokenPromise(seen)
