"""Checkpoints that are written over the one before."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    defaults_of,
    has_stars,
    is_constant,
    last_name,
    mentions,
    own_calls,
    receiver,
    same,
    walk,
    written,
)
from ..shared.loops import is_optimizer
from ..shared.states import REPLACING, saves, takes, value_before
from .checkpoint import parts_of
from .resume import goes_on, program_of

SETTINGS = ("args", "cfg", "config", "conf", "opt", "options", "params", "hparams", "flags")


@rule(
    "TG605",
    "the only checkpoint is gone while the next is written",
    why="""The old file is overwritten in place, or removed first: if the run is killed during the
    write, or the disk is full, nothing is left to resume from.""",
    remedy="write to a temporary file in the same folder, then rename it with `os.replace`",
    source="https://docs.python.org/3/library/os.html#os.replace",
    bad="""
import torch


def save(model, optimizer, step):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
    torch.save(state, "last.pt")  # <--
""",
    good="""
import os

import torch


def save(model, optimizer, step):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
    torch.save(state, "last.pt.partial")
    os.replace("last.pt.partial", "last.pt")
""",
    severity=Severity.HINT,
)
def saved_in_place(module: Module) -> Iterator[ast.AST | Spot]:
    for call in saves(module):
        scope = module.function(call)
        path = argument(call, 1, "f")
        moved = [
            c
            for c in own_calls(scope, *REPLACING, "copy", "copyfile", "copy2")
            if len(c.args) < 2
            or not isinstance(c.args[0], ast.Constant)
            or module.qualified(c.func).startswith(("os.", "shutil."))
        ]
        if path is None or moved:
            continue
        removed = [c for c in own_calls(scope, "remove", "unlink") if c.lineno < call.lineno]
        if any(same(path, target) for c in removed for target in (receiver(c), *c.args[:1])):
            yield Spot(call, "the old file is removed first")
        elif kept_elsewhere(module, call):
            continue
        elif fixed_path(module, path, call) and resumable(module, call):
            yield Spot(call, unsure=opens_others_alone(module))


def opens_others_alone(module: Module) -> bool:
    """Whether a program opens checkpoints, and goes on with a run from none of them."""
    near = program_of(module)
    opens = any(True for other in near for _ in other.torch_calls("load"))
    return opens and not any(map(goes_on, near))


def kept_elsewhere(module: Module, call: ast.Call) -> bool:
    """Whether the same is saved beside it now and then, under the name of an epoch or a step."""
    scope = module.function(call)
    paths = [
        argument(other, 1, "f")
        for other in saves(module)
        if other is not call
        and module.function(other) is scope
        and same(other.args[0], call.args[0])
    ]
    return any(path is not None and mentions(path, "epoch", "step", "iter") for path in paths)


def fixed_path(module: Module, path: ast.expr, call: ast.Call) -> bool:
    """Whether it is the same file each time: a literal, or one joined to a folder."""
    if isinstance(path, ast.Name):
        values = module.value_in(path, module.function(call)) or listed(module, path, call)
        if len(values) != 1:
            return False
        path = values[0]
    if isinstance(path, ast.Subscript):  # config["checkpoint"]
        values = kept_under(module, path.slice)
        return bool(values) and all(fixed_path(module, value, call) for value in values)
    if isinstance(path, ast.Call) and last_name(path.func) in ("join", "joinpath", "Path", "str"):
        path = path.args[-1] if path.args else path
    elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Div | ast.Add):
        if mentions(path, "epoch", "step", "iter"):
            return False
        path = path.right
    scope = module.function(call)
    if isinstance(path, ast.Name) and isinstance(scope, FUNCTIONS):
        path = always_given(module, scope, path.id) or path
    if isinstance(path, ast.Call) and last_name(path.func) == "format":
        return all(is_setting(one) for one in path.args) and not path.keywords
    return isinstance(path, ast.Constant) and isinstance(path.value, str)


def listed(module: Module, name: ast.Name, call: ast.Call) -> list[ast.expr]:
    """What a name stands for in a loop over a list that is written out."""
    for loop in module.loops_around(call):
        if isinstance(loop, ast.For) and written(loop.target) == name.id:
            values = [loop.iter, *module.value_in(loop.iter, module.function(call))]
            return parts_of(values[-1])
    return []


def kept_under(module: Module, key: ast.expr) -> list[ast.expr]:
    """What the program keeps under a key: `config["checkpoint"] = ...`."""
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return []
    return [
        node.value
        for other in module.project.near(module)
        for node in walk(other.tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Subscript)
        and is_constant(node.targets[0].slice, key.value)
    ]


def is_setting(node: ast.expr) -> bool:
    """Whether it is a setting of the run, which no epoch changes: `args.name`, `cfg["data"]`."""
    root: ast.expr = node
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    counts = mentions(node, "epoch", "step", "iter", "batch")
    return root is not node and written(root).lower() in SETTINGS and not counts


def always_given(module: Module, function: Function, name: str) -> ast.expr | None:
    """The default of a parameter that no caller gives another value; None where one may."""
    plain = function.args.args
    defaults = defaults_of(function)
    place = next((k for k, one in enumerate(plain) if one.arg == name), None)
    if place is None or name not in defaults:
        return None
    for _, call in module.project.calls_of(module, function):
        if has_stars(call) or argument(call, place, name) is not None:
            return None
    return defaults[name]


def resumable(module: Module, call: ast.Call) -> bool:
    """Whether what is saved holds the optimizer, so that it is meant to be gone on with."""
    given = value_before(module, call.args[0], call)
    scope, name = module.function(call), written(call.args[0])
    if isinstance(scope, FUNCTIONS) and takes(scope, name):  # a helper: what do callers give it?
        place = [one.arg for one in scope.args.args].index(name) if name else 0
        return any(
            holds_optimizer(other, argument(one, place, name))
            for other, one in module.project.calls_of(module, scope)
        )
    return holds_optimizer(module, given)


def holds_optimizer(module: Module, given: ast.expr | None) -> bool:
    """Whether it is a dict with the state of an optimizer in it."""
    return isinstance(given, ast.Dict) and any(
        isinstance(value, ast.Call) and is_optimizer(module, receiver(value))
        for value in given.values
    )
