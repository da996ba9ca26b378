"""Promises about what a run is made of: parameters, the optimizer's groups, inputs."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import numpy as np
import torch
from torch import nn

from ..augment import Augmentation
from ..base import distributed
from ..base.seeds import seed_everything
from ..data.loader import Batch, BatchDataset, batches, make_loader
from ..engine.trainer import Trainer
from ..optim import ema_decay
from .runs import differences
from .setup import CPU, BrokenPromise, Setup

# what torch itself keeps with a module; the last is a copy that its recurrent ones renew
OF_TORCH = vars(nn.Module()).keys() | {"_flat_weights"}
BatchNorm = nn.modules.batchnorm._BatchNorm


def registers(setup: Setup) -> str:
    """All that is to be trained is a part of the model; no momentum is inverted."""
    module = setup.module(setup.trainer())
    found: dict[str, list[str]] = {}
    for place, fault in dict.fromkeys([*unregistered(module), *misread(module)]):
        found.setdefault(fault, []).append(place.removeprefix("model.").lstrip("."))
    if found:
        said = [f"{', '.join(places[:3])}: {fault}" for fault, places in found.items()]
        raise BrokenPromise("; ".join(said))
    return f"{len(list(module.parameters()))} parameters, and nothing to train beside them"


def unregistered(module: nn.Module) -> Iterator[tuple[str, str]]:
    """Attributes with what is to be trained but no part of the model, and the remedy."""
    own = {id(parameter) for parameter in module.parameters()}
    for name, part in module.named_modules():
        for key, value in [*vars(part).items(), *part.named_buffers(recurse=False)]:
            if key in OF_TORCH:
                continue
            for tensor, fault in tensors_in(value):
                # one that is no leaf was computed, as by a parametrization
                if tensor.requires_grad and tensor.is_leaf and id(tensor) not in own:
                    yield f"{name}.{key}", fault


def tensors_in(value: object, depth: int = 2) -> Iterator[tuple[torch.Tensor, str]]:
    """The tensors in an attribute, and what is wrong with it if the model lacks them."""
    if isinstance(value, torch.Tensor):
        yield value, "a tensor that nobody trains (use nn.Parameter or nn.ParameterList)"
    elif isinstance(value, nn.Module):
        remedy = "use nn.ModuleList or nn.ModuleDict, or freeze them"
        yield from ((p, f"modules that nobody trains ({remedy})") for p in value.parameters())
    elif depth and isinstance(value, dict | list | tuple | set | frozenset):
        for item in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(item, depth - 1)


def misread(module: nn.Module) -> Iterator[tuple[str, str]]:
    """Attributes that torch takes for something else, or not at all, and the remedy."""
    for name, part in module.named_modules():
        tracks = isinstance(part, BatchNorm) and part.track_running_stats
        if tracks and part.momentum is not None and part.momentum >= 0.5:
            fault = f"{part.momentum} is the weight of the new batch (0.1 is usual)"
            yield f"{name}.momentum", fault
    for name, parameter in module.named_parameters():
        for key in get_close_matches("requires_grad", vars(parameter), cutoff=0.8):
            yield f"{name}.{key}", "torch has no such attribute (use requires_grad)"


def groups(setup: Setup) -> str:
    """The optimizer holds each trainable parameter once; no bias, norm or vector decays."""
    trainer = setup.trainer()
    names = {parameter: name for name, parameter in trainer.module.named_parameters()}
    groups = trainer.optimizer.param_groups
    held = [parameter for group in groups for parameter in group["params"]]
    missing = [n for p, n in names.items() if p.requires_grad and not any(p is h for h in held)]
    if missing:
        raise BrokenPromise(f"the optimizer lacks {', '.join(missing[:3])}")
    twice = [name for p, name in names.items() if sum(p is h for h in held) > 1]
    if twice:
        raise BrokenPromise(f"the optimizer holds {', '.join(twice[:3])} more than once")
    if len(held) != sum(p.requires_grad for p in names):
        raise BrokenPromise("the optimizer holds tensors that are frozen or not part of the model")
    decayed = [p for group in groups if group.get("weight_decay") for p in group["params"]]
    wrong = [names[p] for p in decayed if p.ndim <= 1]
    if wrong:
        raise BrokenPromise(f"these vectors decay: {', '.join(wrong[:3])}")
    return f"{len(held)} tensors, each once; {len(decayed)} decay, no vector among them"


def reaches(setup: Setup) -> str:
    """A gradient reaches each trainable parameter, and steps change no other."""
    trainer = setup.trainer()
    module, reached = trainer.module, set[str]()
    before = full_parameters(module)
    for _ in range(3):  # behind a weight that starts at zero, gradients come with the second step
        trainer.step(next(trainer.batches()))
        for name, p in module.named_parameters():
            if p.grad is not None and distributed.full(p.grad.norm()).item() != 0:
                reached.add(name)
    trained = [name for name, p in module.named_parameters() if p.requires_grad]
    if missed := [name for name in trained if name not in reached]:
        raise BrokenPromise(f"in 3 steps no gradient reaches {', '.join(missed[:3])}")
    after = full_parameters(module)
    changed = [name for name in before if not torch.equal(before[name], after[name])]
    if not changed:
        raise BrokenPromise("3 steps changed no parameter")
    if frozen := [name for name in changed if name not in trained]:
        raise BrokenPromise(f"3 steps changed {', '.join(frozen[:3])}, which is frozen")
    return f"in 3 steps gradients reached all {len(trained)} trainable tensors"


def reads(setup: Setup) -> str:
    """Training sees each sample as it is stored but for the augmentation, which repeats itself."""
    trainer = setup.trainer()
    augment = Augmentation(trainer.config, trainer.info)
    plain = BatchDataset(trainer.train_data)
    augmented = BatchDataset(trainer.train_data, augment)
    seen: list[int] = []
    for epoch, indices in trainer.sampler:
        seen += indices.tolist()
        inputs, targets, _ = read(plain, epoch, indices)
        for number, index in enumerate(indices):
            alone = read(plain, epoch, indices[number : number + 1])
            if not (alone[0][0].equal(inputs[number]) and alone[1][0].equal(targets[number])):
                where = trainer.train_data.where(int(index))
                raise BrokenPromise(f"{where} is read differently alone and in a batch")
        first = read(augmented, epoch, indices)
        seed_everything(len(seen))
        again = read(augmented, epoch, indices)
        if not (first[0].equal(again[0]) and first[1].equal(again[1])):
            raise BrokenPromise(
                "augmentation draws from a global generator, so a resume cannot repeat it: draw "
                "from base.seeds.uniform, by (seed, epoch, index)"
            )
    return f"{len(seen)} samples, alone and in batches; augmented twice: the same numbers"


def read(dataset: BatchDataset, epoch: int, indices: np.ndarray) -> Batch:
    """These samples as a batch."""
    request: Any = [(epoch, indices)]
    return next(batches(make_loader(dataset, request, workers=0, device=CPU), CPU))


def averages(setup: Setup) -> str:
    """The average of --ema-decay moves each weight once, by one minus the decay."""
    trainer = setup.trainer(ema_decay=0.75)
    assert trainer.ema is not None
    old = full_parameters(trainer.ema)
    trainer.step(next(trainer.batches()))
    decay = ema_decay(trainer.config, 1, trainer.steps_per_epoch)
    new, average = full_parameters(trainer.module), full_parameters(trainer.ema)
    for name, value in average.items():
        expected = old[name].lerp(new[name], 1 - decay) if decay < 1 else old[name]
        if not torch.allclose(value, expected, rtol=1e-5, atol=1e-7):
            raise BrokenPromise(f"the average of {name} is not {decay} of the old and the new rest")
    return f"{len(average)} tensors moved by {1 - decay:g} of the way, tied ones once"


def full_parameters(module: nn.Module) -> dict[str, torch.Tensor]:
    """Copies of the parameters by name, each once."""
    return {
        name: distributed.full(parameter.detach().clone())
        for name, parameter in module.named_parameters()
    }


def restores(setup: Setup) -> str:
    """A checkpoint after any step brings back all that the next steps need."""

    def advance(trainer: Trainer, steps: int) -> Trainer:
        batches = trainer.batches()
        for _ in range(steps):
            trainer.step(next(batches))
        trainer.read()
        return trainer

    whole = advance(setup.trainer(ema_decay=0.9), 3).state_dict()
    for step in (1, 2):
        state = advance(setup.trainer(ema_decay=0.9), step).state_dict()
        again = setup.trainer(ema_decay=0.9)
        again.load_state_dict(state)
        if found := differences(advance(again, 3 - step).state_dict(), whole):
            raise BrokenPromise(f"saved after step {step}, step 3 differs in {found[0]}")
    return "3 steps; 1, a checkpoint and 2; 2, a checkpoint and 1: the same bits"
