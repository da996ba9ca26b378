"""Arguments that torch has given up, or asks for by now."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import argument, has_stars, is_constant, keyword, receiver, written


@rule(
    "TG804",
    "checkpointing does not set `use_reentrant`",
    why="""Torch warns until `use_reentrant` is passed, and has announced an error for 2.9 and
    later. The reentrant variant, the default, needs an input that requires a gradient, and computes
    none without one.""",
    remedy="pass `use_reentrant=False`",
    source=f"{STABLE}/checkpoint.html",
    bad="""
from torch.utils.checkpoint import checkpoint


def forward(block, x):
    return checkpoint(block, x)  # <--
""",
    good="""
from torch.utils.checkpoint import checkpoint


def forward(block, x):
    return checkpoint(block, x, use_reentrant=False)
""",
    severity=Severity.HINT,
)
def reentrant(module: Module) -> Iterator[ast.AST]:
    for call in module.torch_calls("checkpoint", "checkpoint_sequential"):
        if module.qualified(call.func).startswith("torch.utils.checkpoint."):
            spread = any(k.arg is None for k in call.keywords)
            if keyword(call, "use_reentrant") is None and not spread:
                yield call


@rule(
    "TG805",
    "`pretrained` does not say which weights",
    why="""Since 0.13 torchvision has several weights for each model, and the old flag is
    deprecated.""",
    remedy='pass `weights="DEFAULT"`, or specific weights by name; `weights=None` for random ones',
    source="https://docs.pytorch.org/vision/stable/models.html",
    bad="""
import torchvision

model = torchvision.models.resnet18(pretrained=True)  # <--
""",
    good="""
import torchvision

model = torchvision.models.resnet18(weights="IMAGENET1K_V1")
""",
    severity=Severity.HINT,
)
def pretrained(module: Module) -> Iterator[Spot]:
    for node in module.keywords:
        call = module.parents[node]
        if (
            node.arg in ("pretrained", "pretrained_backbone")
            and isinstance(call, ast.Call)
            and module.qualified(call.func).startswith("torchvision.models.")
        ):
            old = module.project.stays_before_torch("1.12")  # whose torchvision has no `weights`
            yield Spot(call, unsure=old or is_constant(node.value, False))


@rule(
    "TG806",
    "softmax guesses the dimension",
    why="""Without `dim` it uses 0 for tensors of 1 and 3 dimensions, and 1 for others. Torch has
    warned about this since 0.3.""",
    remedy="pass `dim=-1`, or the intended dimension",
    source=f"{STABLE}/generated/torch.nn.functional.softmax.html",
    bad="""
import torch.nn.functional as F


def attend(scores):
    return F.softmax(scores)  # <--
""",
    good="""
import torch.nn.functional as F


def attend(scores):
    return F.softmax(scores, dim=-1)
""",
    severity=Severity.HINT,
)
def implicit_dim(module: Module) -> Iterator[ast.AST]:
    for call in module.torch_calls("softmax", "log_softmax", "softmin"):
        if (
            module.qualified(call.func).startswith("torch.nn.functional.")
            and argument(call, 1, "dim") is None
            and not has_stars(call)
        ):
            yield call
    for call in module.torch_calls("Softmax", "LogSoftmax", "Softmin"):
        if argument(call, 0, "dim") is None and not has_stars(call):
            yield call


@rule(
    "TG807",
    "`size_average` and `reduce` are replaced by `reduction`",
    why="One argument replaces both, and torch has deprecated them since 0.4.1.",
    remedy='pass `reduction="mean"`, "sum" or "none"',
    source=f"{STABLE}/generated/torch.nn.CrossEntropyLoss.html",
    bad="""
from torch import nn

criterion = nn.CrossEntropyLoss(size_average=False)  # <--
""",
    good="""
from torch import nn

criterion = nn.CrossEntropyLoss(reduction="sum")
""",
    severity=Severity.HINT,
)
def old_reduction(module: Module) -> Iterator[ast.AST]:
    for node in module.keywords:
        call = module.parents[node]
        if (
            node.arg in ("size_average", "reduce")
            and isinstance(call, ast.Call)
            and module.qualified(call.func).startswith("torch.nn.")
        ):
            yield call


@rule(
    "TG808",
    "`scheduler.step` no longer takes an epoch",
    why="""The argument is deprecated: the scheduler counts by itself, and not by the closed form.
    It is a hint where no scheduler's state is saved: a resumed run then needs the epoch to find its
    rate.""",
    remedy="call `scheduler.step()`, and save the scheduler's state in the checkpoint",
    source=f"{STABLE}/optim.html#how-to-adjust-learning-rate",
    bad="""
import torch


def train(optimizer, epochs, run_epoch):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    for epoch in range(epochs):
        run_epoch()
        scheduler.step(epoch)  # <--
""",
    good="""
import torch


def train(optimizer, epochs, run_epoch):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    for epoch in range(epochs):
        run_epoch()
        scheduler.step()
""",
    severity=Severity.HINT,
)
def epoch_given(module: Module) -> Iterator[Spot]:
    takes_more = ("ReduceLROnPlateau", "CosineAnnealingWarmRestarts")
    for call in module.calls.get("step", ()):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if owner is None or not (call.args or keyword(call, "epoch")):
            continue
        values = module.value_in(owner, module.function(call))
        kinds = [module.qualified(v.func) for v in values if isinstance(v, ast.Call)]
        if (
            kinds
            and len(kinds) == len(values)
            and all("torch.optim.lr_scheduler." in k and not k.endswith(takes_more) for k in kinds)
        ):
            yield Spot(call, unsure=saves_no_scheduler(module))


def saves_no_scheduler(module: Module) -> bool:
    """Whether a program saves checkpoints, and no scheduler's state."""
    near = module.project.near(module)
    states = (call for other in near for call in other.calls.get("state_dict", ()))
    saves = any(True for other in near for _ in other.torch_calls("save"))
    return saves and not any("sched" in written(receiver(one) or one).lower() for one in states)
