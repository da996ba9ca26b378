"""Go back to a past step of a run, and do it again with the same bits.

Nothing was recorded for it: the order of the samples, the augmentation and the dropout follow from
the seed and the step; the weights before it from the nearest checkpoint, or from the seed, too.
What `train.py` itself changes between two steps is not done again.
"""

import dataclasses
import hashlib
import math
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ..base import distributed
from ..base.cli import from_dict
from ..base.errors import CheckpointError, FlagError
from ..config import Config
from ..engine import checkpoint, run
from ..engine.metrics import MetricSums
from ..engine.trainer import Trainer

CHECKPOINTS = ("last.pt", "previous.pt", "best.pt")


def read_checkpoints(run_dir: Path) -> dict[str, checkpoint.State]:
    """The checkpoints of a run that can be read, by name."""
    states = {}
    for name in CHECKPOINTS:
        try:
            state = checkpoint.load(run_dir / "checkpoints" / name)
            distributed.check_parts(run_dir / "checkpoints" / name, state)
            states[name] = state
        except CheckpointError:  # another one serves
            continue
    return states


def settings_of(run_dir: Path, step: int, **changes: Any) -> Config:
    """The settings that a step was done with, and these changed.

    A resume may have changed some: the first checkpoint after the step knows those of before.
    """
    settings = run.read_json(run_dir / "config.json")
    if not settings:
        raise CheckpointError(f"{run_dir} holds no run: it has no config.json")
    later = [s for s in read_checkpoints(run_dir).values() if s["progress"]["step"] >= step]
    if later:
        first = min(later, key=lambda state: state["progress"]["step"])
        settings |= {"epochs": first["config"]["epochs"]}
    given = {name: value for name, value in changes.items() if value is not None}
    return dataclasses.replace(from_dict(Config, settings), run_dir=run_dir, **given)


def go_before(
    config: Config, device: torch.device, run_dir: Path, step: int
) -> tuple[Trainer, str]:
    """The run where optimizer step `step` (from 1) begins, and from where it went there."""
    trainer, start = Trainer(config, device), "the initial weights"
    last = config.total_steps(trainer.steps_per_epoch)
    if step > last:
        raise FlagError(f"--step {step}: {run_dir} has {last} steps in all")
    states = read_checkpoints(run_dir)
    for state in states.values():
        same_epochs = dataclasses.replace(config, epochs=state["config"]["epochs"])
        run.check_resumable(state, same_epochs, trainer.info)
        if len(state["sums"]) != distributed.WORLD_SIZE:
            raise FlagError(
                f"{run_dir} was trained by {len(state['sums'])} processes, and another number "
                "gives other bits: start as many by torchrun"
            )
    usable = {n: s for n, s in states.items() if s["progress"]["step"] < step}
    if usable:
        name = max(usable, key=lambda name: usable[name]["progress"]["step"])
        trainer.load_state_dict(usable[name])
        start = f"checkpoints/{name}, after step {trainer.progress.step}"
    elif config.init_from:
        trainer.load_initial(config.init_from)
    progress, steps = trainer.progress, trainer.steps_per_epoch
    while progress.step < step - 1:
        progress.epoch = progress.step // steps
        for batch in trainer.batches():
            trainer.step(batch)
            if progress.step == step - 1:
                break
    # the checkpoint may be from after the last step of an epoch that was not evaluated yet
    progress.epoch = progress.step // steps
    return trainer, start


def do_step(trainer: Trainer) -> dict[str, Any]:
    """Do the next step; returns what it saw and measured, on every rank."""
    trainer.sums = MetricSums(trainer.device)
    batch, outputs = next(trainer.batches()), list[str]()  # whose values are not finite

    def look(name: str, module: nn.Module, _: Any, output: Any) -> None:
        if isinstance(output, torch.Tensor) and not output.isfinite().all():
            outputs.append(f"{name} ({type(module).__name__})")

    named = [(name, module) for name, module in trainer.model.named_modules() if name]
    handles = [module.register_forward_hook(partial(look, name)) for name, module in named]
    trainer.step(batch)
    for handle in handles:
        handle.remove()
    progress = trainer.progress
    ranks = distributed.all_gather((batch.indices.tolist(), outputs[:1]))
    indices = sorted(index for rank, _ in ranks for index in rank)
    first = [name for _, rank in ranks for name in rank]
    metrics = trainer.sums.compute(trainer.task)
    norm = metrics.pop("grad_norm", math.nan)
    weights, digest = trainer.state_dict()["model"], hashlib.sha256()
    for tensor in weights.values():
        digest.update(b"" if tensor is None else tensor.cpu().contiguous().numpy().tobytes())
    return {
        "step": progress.step,
        "epoch": progress.epoch + 1,
        "lr": trainer.optimizer.param_groups[0]["lr"],
        "metrics": {name: number(value) for name, value in metrics.items()},
        "gradient_norm": number(norm),
        "clip_norm": trainer.config.clip_norm,
        "first_not_finite": first[0] if first else None,
        "samples": {index: trainer.train_data.where(index) for index in indices},
        "gradient_norms": {  # after clipping
            name: number(distributed.full(parameter.grad.norm()).item())
            for name, parameter in trainer.module.named_parameters()
            if parameter.grad is not None
        },
        "weights_sha256": digest.hexdigest(),
    }


def number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)  # JSON has no NaN


def compare(trainer: Trainer, run_dir: Path) -> dict[str, bool]:
    """For each checkpoint made right after the step: whether its weights have the same bits."""
    own, same = trainer.state_dict()["model"], {}
    for name, state in read_checkpoints(run_dir).items():
        if state["progress"]["step"] == trainer.progress.step:
            pairs = ((own[n], weights) for n, weights in state["model"].items())
            same[name] = all(a is None or torch.equal(a.cpu(), b) for a, b in pairs)
    return same


def describe(found: dict[str, Any]) -> str:
    """The page for people."""
    measured = " · ".join(f"{name} {value}" for name, value in found["metrics"].items())
    lines = [
        f"step {found['step']} of epoch {found['epoch']}, again from {found['from']}",
        f"{measured} · lr {found['lr']:.3e} · "
        f"gradient norm {found['gradient_norm']} (clipped at {found['clip_norm']})",
    ]
    if found["first_not_finite"]:
        lines.append(f"the first output that is not finite: {found['first_not_finite']}")
    for name, same in found["same_bits_as"].items():
        word = "has the same bits" if same else "has OTHER bits: torch, hardware or code changed"
        lines.append(f"checkpoints/{name}, made after this step, {word}")
    lines += [f"weights after it: sha256 {found['weights_sha256']}", "", "samples"]
    lines += [f"  {index:>8}  {place}" for index, place in found["samples"].items()]
    lines += ["", "norms of the gradients, after clipping"]
    lines += [f"  {norm:>22}  {name}" for name, norm in found["gradient_norms"].items()]
    return "\n".join(lines)
