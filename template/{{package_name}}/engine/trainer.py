"""A run in memory: model, data, optimizer and position; one optimizer step; one evaluation."""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from ..augment import Augmentation
from ..base import cli, distributed
from ..base.errors import CheckpointError, UserError
from ..base.seeds import Stream, mix, seed_everything
from ..config import Config
from ..data import loader
from ..data.info import compute_info, open_split
from ..data.reader import Reader
from ..model import build_model, initialize
from ..optim import build_optimizer, ema_decay, learning_rate
from ..task import Sums, Task, check_targets, sample_order
from . import checkpoint
from .metrics import MetricSums, eval_mode


@dataclass
class Progress:
    """How far a run is. Its position in the data follows from the step."""

    step: int = 0  # optimizer steps done
    epoch: int = 0  # epochs done, evaluation included
    best: float = math.nan  # best value so far of the metric that Task.best names
    best_epoch: int = 0


class ModelWithLoss(nn.Module):
    """The model and its task, whose loss may have parameters: what is optimized and averaged."""

    def __init__(self, model: nn.Module, task: Task) -> None:
        super().__init__()
        self.model, self.task = model, task

    def forward(self, inputs: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, Sums]:
        """The summed loss of a batch, (), and what the metrics need, the loss included."""
        outputs = to_float32(self.model(inputs))
        # a sum over a batch needs the precision of float32
        with torch.autocast(inputs.device.type, enabled=False):
            loss = self.task.loss(outputs, targets)
            with torch.no_grad():
                return loss, {"loss": loss.detach()} | self.task.sums(outputs, targets)


class Trainer:
    """A run in memory: new, or continued by `load_state_dict`."""

    def __init__(self, config: Config, device: torch.device) -> None:
        self.config, self.device = config, device
        size = None if config.image_size is None else (config.image_size, config.image_size)
        self.train_data: Any = Reader(config.data_dir / "train", size)
        self.val_data: Any = open_split(config.data_dir / "val", self.train_data)
        counts = check_targets(self.train_data, self.val_data)
        if config.max_samples:
            self.train_data = loader.Subset(self.train_data, config.max_samples)
            self.val_data = loader.Subset(self.val_data, config.max_samples)
        self.info = compute_info(self.train_data, counts)
        self.sampler = loader.TrainSampler(
            len(self.train_data), config.batch_size, partial(sample_order, config, self.train_data)
        )
        self.steps_per_epoch = len(self.sampler)
        augment = Augmentation(config, self.info)
        self.train_loader = self._loader(self.train_data, self.sampler, augment)
        order = loader.EvalSampler(len(self.val_data), config.batch_size)
        self.val_loader = self._loader(self.val_data, order)
        seed_everything(mix(config.seed, Stream.WEIGHTS))
        module = ModelWithLoss(build_model(config, self.info), Task(config, self.info))
        initialize(module.model, config)  # a checkpoint overwrites it
        last = config.total_steps(self.steps_per_epoch)
        ema = copy.deepcopy(module) if ema_decay(config, last, self.steps_per_epoch) < 1 else None
        self.module = distributed.place(module, device)
        self.ema = ema and distributed.place(ema, device)
        self.model, self.task = self.module.model, self.module.task
        self.parts = {"model": self.model, "task": self.task}
        if self.ema is not None:
            self.parts |= {"ema": self.ema.model, "ema_task": self.ema.task}
        self.optimizer = build_optimizer(config, self.module)
        for group in self.optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        # torch's own no-op where mixed precision is off
        self.scaler = torch.amp.GradScaler(device.type, enabled=config.amp == "fp16")
        self.example = example_batch(self.train_data)
        self.wrapped = distributed.wrap(self.module, device, self.example)
        if config.compile:
            self.module.compile()
        self.progress, self.sums = Progress(), MetricSums(device)
        self.loss = torch.zeros((), device=device)  # of the newest step, summed on this rank
        self.first_bad = torch.zeros_like(self.loss, dtype=torch.int64)  # step that was not finite

    def _loader(self, data: Any, sampler: Any, augment: Augmentation | None = None) -> Any:
        workers, seed = self.config.num_workers, self.config.seed
        dataset = loader.BatchDataset(data, augment, cache=self.config.cache)
        return loader.make_loader(dataset, sampler, workers=workers, device=self.device, seed=seed)

    def done(self) -> bool:
        """Whether all epochs or --max-steps are done, or --patience has run out."""
        progress, patience = self.progress, self.config.patience
        if patience and progress.epoch - progress.best_epoch >= patience:
            return True
        at_end = progress.step >= self.config.total_steps(self.steps_per_epoch)
        return at_end and progress.epoch * self.steps_per_epoch >= progress.step

    def batches(self) -> Iterator[loader.Batch]:
        """What is left of the current epoch."""
        epoch, step = self.progress.epoch, self.progress.step
        self.sampler.set_position(epoch, step - epoch * self.steps_per_epoch)
        return loader.batches(self.train_loader, self.device)

    def lr(self, group: dict[str, Any]) -> float:
        """The learning rate of a parameter group in the next step."""
        step, per_epoch = self.progress.step, self.steps_per_epoch
        return learning_rate(self.config, step, per_epoch, group["initial_lr"])

    def step(self, batch: loader.Batch) -> None:
        """Do one optimizer step. The gradient is that of the mean loss over the whole batch."""
        config, progress = self.config, self.progress
        # one rank's seed is not another's, or their dropout would be the same
        seed = mix(config.seed, Stream.DROPOUT, progress.step)
        torch.manual_seed(mix(seed, distributed.RANK) if distributed.RANK else seed)
        for group in self.optimizer.param_groups:
            group["lr"] = self.lr(group)
        inputs, targets = (part.tensor_split(config.accumulate) for part in batch[:2])
        self.optimizer.zero_grad()
        self.loss = torch.zeros((), device=self.device)
        for number, part in enumerate(zip(inputs, targets, strict=True), 1):
            with distributed.no_sync(self.wrapped, number < config.accumulate):
                with autocast(config, self.device):
                    loss, sums = self.wrapped(*part)  # summed over the samples
                # DDP averages over the ranks
                share = loss * (distributed.WORLD_SIZE / config.batch_size)
                self.scaler.scale(share).backward()
            with torch.no_grad():
                self.sums.add(sums, len(part[1]))
                self.loss += loss
        self.scaler.unscale_(self.optimizer)
        parameters = [p for group in self.optimizer.param_groups for p in group["params"]]
        norm = distributed.full(nn.utils.clip_grad_norm_(parameters, config.clip_norm or math.inf))
        self.scaler.step(self.optimizer)
        self.scaler.update()
        progress.step += 1
        finite = norm.isfinite()
        self.sums.add({"grad_norm": norm.where(finite, 0.0), "grad_steps": finite})
        # an overflow under fp16 is no error: the scaler has skipped the step
        bad = ~(self.loss.isfinite() & (finite | self.scaler.is_enabled()))
        self.first_bad = torch.where(bad & (self.first_bad == 0), progress.step, self.first_bad)
        decay = ema_decay(config, progress.step, self.steps_per_epoch)
        if self.ema is not None and decay < 1:
            update_ema(self.ema, self.module, decay)

    def read(self) -> float:
        """The mean loss of the newest step, over all ranks; waits for the device.

        Raises UserError, on every rank, if a loss or gradient so far was not finite.
        """
        ranks = distributed.all_gather((self.first_bad.item(), self.loss.item()))
        if bad := [step for step, _ in ranks if step]:
            raise UserError(
                f"the loss or gradient of step {min(bad)} is not finite; the checkpoints are from "
                "before it: try a lower --lr, more --warmup-epochs or --clip-norm"
            )
        return sum(loss for _, loss in ranks) / self.config.batch_size

    @torch.no_grad()
    def evaluate(self, stop: Callable[[], bool] = lambda: False) -> dict[str, float]:
        """The metrics on the validation data, of the averaged weights if there are any.

        Empty if `stop` has become true.
        """
        module = self.module if self.ema is None else self.ema
        distributed.broadcast_buffers(module)
        return evaluate(module, self.val_loader, self.config, self.device, stop)

    def complete_epoch(self, value: float) -> None:
        """Count an epoch with this value of the metric that Task.best names."""
        progress, higher = self.progress, self.task.higher_is_better
        progress.epoch += 1
        better = value > progress.best if higher else value < progress.best
        if better or math.isnan(progress.best):
            progress.best, progress.best_epoch = value, progress.epoch

    def state_dict(self) -> checkpoint.State:
        """All that a resume needs, as plain containers, tensors and numbers."""
        distributed.broadcast_buffers(self.module)
        return {
            **dict.fromkeys(("model", "task", "ema", "ema_task")),
            **{name: distributed.full(part.state_dict()) for name, part in self.parts.items()},
            "optimizer": self.optimizer.state_dict(),
            "scaler": self.scaler.state_dict(),
            "progress": asdict(self.progress),
            "sums": self.sums.by_rank(),
            "config": cli.to_dict(self.config),
            "dataset": cli.to_dict(self.info),
        }

    def load_state_dict(self, state: checkpoint.State) -> None:
        """The inverse of `state_dict`; raises CheckpointError if it does not fit."""
        try:
            for name, part in self.parts.items():
                checkpoint.load_weights(part, state[name])
            checkpoint.load_optimizer(self.optimizer, state["optimizer"])
            self.scaler.load_state_dict(state["scaler"])
            self.progress = Progress(**state["progress"])
            # the sums of an unfinished epoch, also on another number of ranks
            for saved in state["sums"][distributed.RANK :: distributed.WORLD_SIZE]:
                self.sums.load(saved)
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"the run does not fit this code: {error}") from error

    def load_initial(self, path: Path) -> str:
        """Start from the weights of a file; returns a line that says which of them fit."""
        if self.ema is not None:
            checkpoint.load_initial(self.ema.model, path)
        return checkpoint.load_initial(self.model, path)

    def close(self) -> None:
        """End the data workers."""
        loader.close(self.train_loader)
        loader.close(self.val_loader)


def example_batch(data: Any) -> distributed.Example:
    """The first two samples, or the only one twice: inputs (2, ...) and targets (2, ...)."""
    first = np.arange(2) % len(data)
    return torch.from_numpy(data.read(first)), torch.from_numpy(data.targets[first])


def autocast(config: Config, device: torch.device) -> torch.autocast:
    """The precision of the forward pass."""
    dtype = torch.float16 if config.amp == "fp16" else torch.bfloat16
    return torch.autocast(device.type, dtype, enabled=config.amp != "off")


def to_float32(outputs: Any) -> Any:
    """What a model gave under autocast, a tensor or a tuple of them, in full precision."""
    if isinstance(outputs, tuple):
        return tuple(to_float32(output) for output in outputs)
    half = isinstance(outputs, torch.Tensor) and outputs.dtype in (torch.bfloat16, torch.float16)
    return outputs.float() if half else outputs


@torch.no_grad()
def evaluate(
    module: ModelWithLoss,
    batches: Any,
    config: Config,
    device: torch.device,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, float]:
    """The metrics over all samples, each counted once; empty if stopped. Needs an EvalSampler."""
    sums, left = MetricSums(device), len(batches.sampler.indices)
    with eval_mode(module):
        for batch in loader.batches(batches, device):
            if stop():
                return {}
            with autocast(config, device):
                _, more = module(batch.inputs, batch.targets)
            if left > 0:  # other ranks may have a batch more
                sums.add(more, len(batch.targets))
            left -= len(batch.targets)
        return sums.compute(module.task)


@torch.no_grad()
def update_ema(ema: nn.Module, module: nn.Module, decay: float) -> None:
    """Move the average towards the weights; integer buffers are copied."""
    # tied weights come once here, where a state_dict has them twice
    averages = [*ema.parameters(), *ema.buffers()]
    for average, value in zip(averages, [*module.parameters(), *module.buffers()], strict=True):
        if average.is_floating_point():
            average.lerp_(value, 1.0 - decay)
        else:
            average.copy_(value)
