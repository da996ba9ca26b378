"""What is written, and how."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from ..project import Module
from ..rule import Severity, Spot, rule
from ..syntax import (
    FUNCTIONS,
    Function,
    argument,
    has_stars,
    is_constant,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    same,
    walk,
    written,
)
from .loops import is_optimizer, is_scheduler
from .states import REPLACING, handed_on, is_model, saves, takes, value_before

SETTINGS = ("args", "cfg", "config", "conf", "opt", "options", "params", "hparams", "flags")
SAVING = "https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html"
RESUMING = re.compile(
    r"^--?(resume|continue|(auto|load)[-_]resume|(resume|continue)[-_]train(ing)?)$"
)
PROGRESS = re.compile(
    r"^((start|last|current|global)_)?(epochs?|steps?|iter(ation)?s?)(_(num|run|done|no|idx))?$",
    re.I,
)


@rule(
    "TG602",
    "a whole module is pickled",
    why="""The file holds the path of the class rather than the class: it opens only while the
    code stays as it is and where it is, and never with `weights_only=True`.""",
    remedy="save `model.state_dict()`",
    source=SAVING,
    bad="""
import torch
from torch import nn

model = nn.Linear(8, 2)
torch.save(model, "model.pt")  # <--
""",
    good="""
import torch
from torch import nn

model = nn.Linear(8, 2)
torch.save(model.state_dict(), "model.pt")
""",
    severity=Severity.WARNING,
)
def whole_module(module: Module) -> Iterator[ast.AST]:
    for call in saves(module):
        given = call.args[0]
        content = value_before(module, given, call)
        values = parts_of(content) or [given]
        if any(is_model(module, value, call) for value in values):
            yield call


def parts_of(content: ast.expr | None) -> list[ast.expr]:
    """The values of a dict, a list or a tuple that is written out."""
    if isinstance(content, ast.Dict):
        return content.values
    return content.elts if isinstance(content, ast.List | ast.Tuple) else []


def checkpoints(module: Module) -> Iterator[tuple[ast.Call, ast.Dict, set[str]]]:
    """(the save, its dict, its keys) of what is saved to go on later: a model and a count."""
    given_to = [(call, call.args[0]) for call in saves(module)]
    for call, given in [*given_to, *handed_on(module, ast.Name)]:
        scope = module.function(call)
        name = written(given)
        content = value_before(module, given, call)
        if not isinstance(content, ast.Dict):
            continue
        if any(key is None for key in content.keys):  # {**others}
            continue
        keys = {str(key.value) for key in content.keys if isinstance(key, ast.Constant)}
        for node in own_nodes(scope):
            if (
                isinstance(node, ast.Subscript)
                and isinstance(node.ctx, ast.Store)
                and name
                and written(node.value) == name
                and isinstance(node.slice, ast.Constant)
            ):
                keys.add(str(node.slice.value))
        if name and any(written(receiver(c) or c) == name for c in own_calls(scope, "update")):
            continue
        has_model = any(
            isinstance(value, ast.Call) and last_name(value.func) == "state_dict"
            for value in content.values
        )
        if has_model and any(PROGRESS.match(key) for key in keys):
            yield call, content, keys


@rule(
    "TG604",
    "the checkpoint cannot bring the run back",
    why="""It says how far the run was, so it is meant to be gone on with; but the optimizer's
    moments, the scheduler or the scaler begin anew then, and the run is another one.""",
    remedy="save the `state_dict()` of the optimizer, the scheduler and the scaler too",
    source=SAVING,
    bad="""
import torch


def save(model, optimizer, scheduler, epoch, path):
    optimizer.step()
    scheduler.step()
    torch.save({"model": model.state_dict(), "epoch": epoch}, path)  # <--
""",
    good="""
import torch


def save(model, optimizer, scheduler, epoch, path):
    optimizer.step()
    scheduler.step()
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "epoch": epoch,
    }
    torch.save(state, path)
""",
    severity=Severity.WARNING,
)
def incomplete_checkpoint(module: Module) -> Iterator[ast.AST | Spot]:
    yield from resumed_without_optimizer(module)
    if not any(True for _ in checkpoints(module)):
        return
    near = module.project.near(module)  # a trainer may be spread over files
    alone = sum(any(True for _ in checkpoints(other)) for other in near) == 1
    # another script that can be started is another program
    where = [o for o in near if o is module or not is_script(o)] if alone else [module]
    told: set[ast.Dict | str] = set()
    for call, content, keys in checkpoints(module):
        if content in told:  # the same again as best.pt
            continue
        told.add(content)
        callers = [other for other, _ in module.project.calls_of(module, module.function(call))]
        around = [*where, *callers]
        stepped = [(o, receiver(step)) for o in around for step in o.calls.get("step", ())]
        rebuilt = any(follows_from_the_epoch(other) for other in around)
        text = " ".join([*keys, *(ast.unparse(value) for value in content.values)]).lower()
        missing = []
        if any(is_optimizer(*one) for one in stepped) and "opt" not in text:
            missing.append("the optimizer")
        if any(is_scheduler(*one) for one in stepped) and not rebuilt and "sched" not in text:
            missing.append("the scheduler")
        if (
            any(last_name(one).endswith("scaler") for _, one in stepped if one is not None)
            and "scaler" not in text
        ):
            missing.append("the scaler")
        detail = f"without {' and '.join(missing)}"
        if missing and detail not in told:  # the same again in another function
            told.add(detail)
            yield Spot(call, detail)


@lru_cache(maxsize=10_000)
def is_script(module: Module) -> bool:
    """Whether a file does something when it is started."""
    return any(
        isinstance(node, ast.If) and mentions(node.test, "__name__") for node in module.tree.body
    )


def resumed_without_optimizer(module: Module) -> Iterator[Spot]:
    """Where a script with a flag to resume saves weights, and no program saves its optimizer."""
    if not any(saves(module)):
        return
    near = module.project.near(module)
    own = [module] if resuming_flags(module) else [o for o in near if not is_script(o)]
    flags = [flag for other in own for flag in resuming_flags(other)]
    if not flags:
        return
    states = [
        receiver(call)
        for other in near
        for name in ("state_dict", "load_state_dict")
        for call in other.calls.get(name, ())
        if is_optimizer(other, receiver(call)) or "opt" in written(receiver(call) or call).lower()
    ]
    steps = any(
        is_optimizer(other, receiver(call))
        for other in (own if module in own and resuming_flags(module) else near)
        for call in other.calls.get("step", ())
    )
    if states or not steps:
        return
    for call in saves(module):
        given = call.args[0]
        if isinstance(given, ast.Call) and last_name(given.func) == "state_dict":
            yield Spot(call, f"weights alone, where {flags[0]} goes on with a run")
            return


@lru_cache(maxsize=10_000)
def resuming_flags(module: Module) -> list[str]:
    """The flags of a file with which a run is gone on with."""
    return [
        a.value
        for call in module.calls.get("add_argument", ())
        for a in call.args
        if isinstance(a, ast.Constant) and isinstance(a.value, str) and RESUMING.match(a.value)
    ]


def follows_from_the_epoch(module: Module) -> bool:
    """Whether a scheduler is told where it is: it then has no state that could be lost."""
    told = any(
        node.arg == "last_epoch" and not isinstance(node.value, ast.UnaryOp)  # -1, the default
        for node in module.keywords
    )
    told |= any(n.attr == "last_epoch" and isinstance(n.ctx, ast.Store) for n in module.attributes)
    steps = module.calls.get("step", ())
    return told or any(call.args and is_scheduler(module, receiver(call)) for call in steps)


@rule(
    "TG605",
    "the only checkpoint is gone while the next is written",
    why="""The old file is overwritten in place, or removed first: a run that is killed in the
    middle of the write, or a disk that is full, leaves nothing to go on from.""",
    remedy="write to a temporary file in the same folder, then `os.replace` it onto the name",
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
    severity=Severity.WARNING,
)
def saved_in_place(module: Module) -> Iterator[ast.AST | Spot]:
    for call in saves(module):
        scope = module.function(call)
        path = argument(call, 1, "f")
        moved = [
            c
            for c in own_calls(scope, *REPLACING)
            if len(c.args) < 2
            or not isinstance(c.args[0], ast.Constant)
            or module.qualified(c.func).startswith(("os.", "shutil."))
        ]
        if path is None or moved:
            continue
        removed = [c for c in own_calls(scope, "remove", "unlink") if c.lineno < call.lineno]
        if any(same(path, target) for c in removed for target in (receiver(c), *c.args[:1])):
            yield Spot(call, "the old one is removed first")
        elif fixed_path(module, path, call) and resumable(module, call):
            yield call


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
    defaults = dict(zip([a.arg for a in plain][::-1], function.args.defaults[::-1], strict=False))
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
