"""Logs of a run that is gone on with."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    argument,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    receiver,
    walk,
    written,
)
from .resume import goes_on, uses

LOG = re.compile(r"(^|[^a-z])(logs?|history|losses|metrics)([^a-z]|$)|log(ger|file|name)", re.I)
TRAINING = re.compile(r"^(step|fit)$|train|epoch", re.I)
CLOCKS = ("strftime", "now", "ctime", "asctime", "today", "mkdtemp", "uuid4", "isoformat")


@rule(
    "TG619",
    "a resumed run empties its log",
    why="""The file is opened with "w" in a program that can resume a run: what it holds of earlier
    epochs, which nothing else keeps, is lost after the resume.""",
    remedy='open it with "a" when resuming',
    source="https://docs.python.org/3/library/functions.html#open",
    bad="""
import torch


def fit(model, optimizer, run_epoch, epochs, path, resume):
    start = 0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"] + 1
    log = open("log.csv", "w")  # <--
    for epoch in range(start, epochs):
        log.write(f"{epoch},{run_epoch(model, optimizer)}\\n")
""",
    good="""
import torch


def fit(model, optimizer, run_epoch, epochs, path, resume):
    start = 0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"] + 1
    log = open("log.csv", "a" if resume else "w")
    for epoch in range(start, epochs):
        log.write(f"{epoch},{run_epoch(model, optimizer)}\\n")
""",
    severity=Severity.WARNING,
)
def emptied(module: Module) -> Iterator[ast.AST | Spot]:
    for call in module.calls.get("open", ()):
        if (
            not empties(call)
            or not is_log(module, call)
            or asks(module, call)
            or not is_added_to(module, call)
        ):
            continue
        if named_by_time(module) or has_time(module, call):
            continue
        if any(goes_on_with(script, module, call) for script in scripts_with(module, call)):
            yield call
    for call in (*module.calls.get("basicConfig", ()), *module.calls.get("FileHandler", ())):
        if not empties_by_logging(module, call) or asks(module, call) or named_by_time(module):
            continue
        if any(goes_on_with(script, module, call) for script in scripts_with(module, call)):
            yield Spot(call, unsure=not resumes(module))  # a helper may be given any folder


def empties_by_logging(module: Module, call: ast.Call) -> bool:
    """Whether `logging` opens a file from its beginning, as it does by request alone."""
    if not module.qualified(call.func).startswith("logging."):
        return False
    if last_name(call.func) == "FileHandler":
        return is_constant(argument(call, 1, "mode"), "w", "w+")
    return keyword(call, "filename") is not None and is_constant(keyword(call, "filemode"), "w")


def empties(call: ast.Call) -> bool:
    """Whether it opens a file for writing from its beginning: `open(path, "w")`."""
    if written(call.func) in ("open", "io.open", "codecs.open"):
        return bool(call.args) and is_constant(argument(call, 1, "mode"), "w", "w+", "wt")
    return is_constant(argument(call, 0, "mode"), "w", "w+", "wt")  # path.open("w")


def is_log(module: Module, call: ast.Call) -> bool:
    """Whether it is opened to be a log, as its name, or that of its class, tells."""
    around = module.class_of(call)
    path = ast.unparse(call)
    if "seed" in path:  # of another run, where the seed is drawn
        return False
    return LOG.search(path) is not None or (around is not None and "log" in around.name.lower())


def asks(module: Module, call: ast.Call) -> bool:
    """Whether a condition around decides, or the same function opens a file to add to it."""
    others = own_calls(module.function(call), "open")
    return any(is_constant(argument(one, 1, "mode"), "a", "a+", "at") for one in others) or any(
        isinstance(one, ast.If)
        and mentions(one.test, "resum", "exist", "isfile", "append", "start", "contin", "mode")
        for one in module.ancestors(call)
    )


def is_added_to(module: Module, call: ast.Call) -> bool:
    """Whether the file stays open, as one does to which each epoch adds a line."""
    parent = module.parents[call]
    if isinstance(parent, ast.withitem):
        statement = module.parents[parent]
        loops = any(isinstance(one, ast.For | ast.While) for one in walk(statement))
        return loops and bool(own_calls(statement, "step", "train", "train_epoch"))
    if not isinstance(parent, ast.Assign):
        return False
    name = written(parent.targets[0])
    closes = own_calls(module.function(call), "close")
    if not any(module.loops_around(call)) and "." not in name:  # closed at the end of the run
        closes = [c for c in closes if not any(trains(one) for one in before(module, call, c))]
    return not any(written(receiver(one) or one) == name for one in closes)


def before(module: Module, first: ast.Call, last: ast.Call) -> list[ast.stmt]:
    """The loops of a function between two places."""
    return [
        loop
        for loop in module.loops
        if module.function(loop) is module.function(first)
        and first.lineno < loop.lineno < last.lineno
    ]


def trains(loop: ast.stmt) -> bool:
    """Whether a loop goes through epochs, as far as names tell."""
    return mentions(loop, "epoch", "train", "iter")


def scripts_with(module: Module, call: ast.Call) -> list[Module]:
    """The files in which this file is opened: this one, or those that use its class or function."""
    around = module.class_of(call)
    if around is None and "open" in last_name(call.func):
        return [module]
    if around is None:
        users = module.project.calls_of(module, module.function(call))
        told = ("resum", "append", "mode", "time", "date")
        return [module, *(other for other, one in users if not mentions(one, *told))]
    return [
        other
        for other in module.project.code
        for one in other.calls.get(around.name, ())
        if (module, around) in (module.project.classes_named(other, one.func) or ())
    ]


def goes_on_with(script: Module, module: Module, call: ast.Call) -> bool:
    """Whether a script goes on with a run, and opens this file on the way."""
    around = module.class_of(call)
    made = script.calls.get(around.name, ()) if around is not None else ()
    told = any(mentions(one, "resum", "append", "mode") for one in made)
    return not told and not named_by_time(script) and resumes(script)


@kept
def resumes(script: Module) -> bool:
    """Whether a script trains, and can go on with what it, or a helper, brings back."""
    if not any(TRAINING.search(name) for name in script.calls):
        return False
    return any(goes_on(other) and uses(script, other) for other in script.project.near(script))


@kept
def named_by_time(module: Module) -> bool:
    """Whether a file asks for the time, of which the name of a run may be made."""
    return any(name in module.calls for name in CLOCKS)


def has_time(module: Module, call: ast.Call) -> bool:
    """Whether a path holds what a helper of the project makes of the time, under any name."""
    named = [one for one in walk(call) if isinstance(one, ast.Name | ast.Attribute)]
    values = [given.value for one in named for given in module.assigned.get(written(one), ())]
    return any(
        isinstance(inner, ast.Call)
        and any(
            own_calls(function, *CLOCKS) for _, function in module.project.resolve(module, inner)
        )
        for value in (call, *values)
        for inner in walk(value)
    )
