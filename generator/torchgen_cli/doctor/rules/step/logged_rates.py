"""Learning rates in a log, which are those that the run began with."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, rule
from ...syntax import argument, last_name, own_calls, receiver
from ..shared.loops import is_scheduler

RATE = re.compile(r"^((base|init|initial)_)?(lr|learning_rate)$", re.I)
RATES = re.compile(r"(^|[_/ ])(lrs?|learning[_ ]rates?)$", re.I)
SETTINGS = ("args", "cfg", "config", "hparams", "hyp", "opt", "opts", "params")


@rule(
    "TG434",
    "the log shows the configured learning rate, not the scheduled one",
    why="""A scheduler changes the rate, but each epoch logs the initial one: by the log, the
    schedule never does anything.""",
    remedy='log `optimizer.param_groups[0]["lr"]`',
    source=f"{STABLE}/optim.html#how-to-adjust-learning-rate",
    bad="""
from torch.optim.lr_scheduler import CosineAnnealingLR


def fit(config, optimizer, run_epoch, log):
    scheduler = CosineAnnealingLR(optimizer, config["epochs"])
    for epoch in range(config["epochs"]):
        log["loss"].append(run_epoch())
        log["lr"].append(config["lr"])  # <--
        scheduler.step()
""",
    good="""
from torch.optim.lr_scheduler import CosineAnnealingLR


def fit(config, optimizer, run_epoch, log):
    scheduler = CosineAnnealingLR(optimizer, config["epochs"])
    for epoch in range(config["epochs"]):
        log["loss"].append(run_epoch())
        log["lr"].append(optimizer.param_groups[0]["lr"])
        scheduler.step()
""",
    severity=Severity.WARNING,
)
def logs_first_rate(module: Module) -> Iterator[ast.Call]:
    for name in ("add_scalar", "append"):
        for call in module.calls.get(name, ()):
            loops = list(module.loops_around(call))
            moved = (step for loop in loops for step in own_calls(loop, "step"))
            if is_rate_logged(call) and any(is_scheduler(module, receiver(one)) for one in moved):
                yield call


def is_rate_logged(call: ast.Call) -> bool:
    """Whether a call notes a setting as a learning rate: `log["lr"].append(config["lr"])`."""
    if last_name(call.func) == "append":
        kept = receiver(call)
        value = call.args[0] if len(call.args) == 1 else None
        named = RATES.search(key_of(kept) or last_name(kept or call))
    else:
        tag, value = argument(call, 0, "tag"), argument(call, 1, "scalar_value")
        named = RATES.search(str(getattr(tag, "value", "")))
    if not named or not isinstance(value, ast.Attribute | ast.Subscript):
        return False
    name = value.attr if isinstance(value, ast.Attribute) else key_of(value)
    return RATE.match(name) is not None and last_name(value.value).lower() in SETTINGS


def key_of(node: ast.expr | None) -> str:
    """The text by which something is taken from a dict; empty for all else."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
