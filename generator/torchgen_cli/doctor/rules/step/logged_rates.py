"""Learning rates in a log, which are those that the run began with."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from ...project import Module
from ...rule import STABLE, Severity, rule
from ...syntax import Loop, argument, last_name, own_calls, own_nodes, receiver, same, walk, written
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
def logs_first_rate(module: Module) -> Iterator[ast.AST]:
    for name in ("add_scalar", "append", "log", "print"):
        for call in module.calls.get(name, ()):
            loops = list(module.loops_around(call))
            moved = (step for loop in loops for step in own_calls(loop, "step"))
            rates = rates_logged(call) if loops else []
            if not rates or not any(is_scheduler(module, receiver(one)) for one in moved):
                continue
            if any(is_first_rate(module, one, loops) for one in rates):
                yield call


def rates_logged(call: ast.Call) -> list[ast.expr]:
    """What a call notes as a learning rate: of `log["lr"].append(rate)` the rate."""
    name = last_name(call.func)
    if name == "append":
        kept = receiver(call)
        named = RATES.search(key_of(kept) or last_name(kept or call))
        return call.args if named and len(call.args) == 1 else []
    if name == "add_scalar":
        tag, value = argument(call, 0, "tag"), argument(call, 1, "scalar_value")
        return [value] if value and RATES.search(str(getattr(tag, "value", ""))) else []
    found = []
    for given in call.args[:1]:
        if isinstance(given, ast.Dict):  # wandb.log({"lr": rate})
            pairs = zip(given.keys, given.values, strict=True)
            found += [value for key, value in pairs if RATES.search(str(getattr(key, "value", "")))]
        elif isinstance(given, ast.JoinedStr):  # print(f"lr {rate}")
            for before, part in pairwise(given.values):
                text = str(getattr(before, "value", "")).rstrip(" :=")
                if isinstance(part, ast.FormattedValue) and RATES.search(text):
                    found.append(part.value)
    return found


def is_first_rate(module: Module, value: ast.expr, loops: list[Loop]) -> bool:
    """Whether it is a setting, such as `config["lr"]`, that stays the same in these loops."""
    if not isinstance(value, ast.Attribute | ast.Subscript):
        return False
    name = value.attr if isinstance(value, ast.Attribute) else key_of(value)
    if RATE.match(name) is None or last_name(value.value).lower() not in SETTINGS:
        return False
    inside = {node for loop in loops for node in own_nodes(loop)}
    return not any(changes(module, node, value, inside) for node in module.parents)


def changes(module: Module, node: ast.AST, value: ast.expr, inside: set[ast.AST]) -> bool:
    """Whether a place gives a setting, or what holds it, another value as the run goes on."""
    if not isinstance(getattr(node, "ctx", None), ast.Store):
        return False
    holders = {one.id for one in walk(value) if isinstance(one, ast.Name)}
    if isinstance(node, ast.Name):
        return node.id in holders and node in inside
    alike = isinstance(node, ast.Attribute) and written(node) == written(value) != ""
    alike = alike or same(node, value)
    return alike and (node in inside or module.function(node) is not module.function(value))


def key_of(node: ast.expr | None) -> str:
    """The text by which something is taken from a dict; empty for all else."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
