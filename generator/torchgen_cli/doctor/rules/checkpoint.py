"""What is written, and how."""

import ast
import re
from collections.abc import Iterator

from ..project import Module
from ..rule import Severity, Spot, rule
from ..syntax import (
    FUNCTIONS,
    Function,
    argument,
    has_stars,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    same,
    walk,
    written,
)
from .layers import unmoved
from .loops import is_optimizer, is_scheduler
from .states import is_model, is_wrapped, saves, value_before

SAVING = "https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html"
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
        values = content.values if isinstance(content, ast.Dict) else [given]
        if any(is_model(module, value, call) for value in values):
            yield call


@rule(
    "TG603",
    "the names in the checkpoint begin with `module.`",
    why="""The state of a wrapper has the wrapper's names, so only a model that is wrapped the
    same way opens it: no evaluation, no export, no single GPU.""",
    remedy="save `model.module.state_dict()`",
    source="https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html#saving-torch-nn-dataparallel-models",
    bad="""
import torch
from torch.nn.parallel import DistributedDataParallel


def train(model, path):
    model = DistributedDataParallel(model)
    torch.save(model.state_dict(), path)  # <--
""",
    good="""
import torch
from torch.nn.parallel import DistributedDataParallel


def train(model, path):
    model = DistributedDataParallel(model)
    torch.save(model.module.state_dict(), path)
""",
    severity=Severity.WARNING,
)
def wrapped_state(module: Module) -> Iterator[ast.AST]:
    for call in module.calls.get("state_dict", ()):
        model = receiver(call)
        if model is None or not written(model) or not saved(module, call):
            continue
        scope = module.function(call)
        given = [a for a in module.assigned.get(written(model), ()) if not only_moves(a)]
        near = [a for a in given if within(module, a, scope, model)]
        if not near and not takes(scope, written(model)):  # a global name
            near = [a for a in given if isinstance(module.function(a), ast.Module)]
        wrapped = [a for a in near if is_wrapped(module, a.value)]
        if (
            wrapped
            and (wrapped[-1].lineno < call.lineno or module.function(wrapped[-1]) is not scope)
            and near[-1] is wrapped[-1]
            and not mentions(module.tree, "module.", "consume_prefix_in_state_dict_if_present")
        ):
            yield call  # else the prefix is dealt with


def only_moves(node: ast.Assign) -> bool:
    """Whether it is `model = model.cuda()` and the like, which wraps nothing."""
    (value,) = unmoved([node.value])
    return value is not node.value and same(value, node.targets[0])


def takes(scope: ast.AST, name: str) -> bool:
    """Whether a function has a parameter of this name."""
    return isinstance(scope, FUNCTIONS) and any(
        one.arg == name for one in walk(scope.args) if isinstance(one, ast.arg)
    )


def within(module: Module, node: ast.AST, scope: ast.AST, name: ast.expr) -> bool:
    """Whether a statement is part of a scope; for an attribute, of the scope's class."""
    if isinstance(name, ast.Attribute):
        return module.class_of(node) is module.class_of(scope)
    return module.function(node) is scope


def saved(module: Module, call: ast.Call) -> bool:
    """Whether what a call gives is saved, at once or by way of a dict in the same function."""
    names = set()
    for around in module.ancestors(call):
        if isinstance(around, ast.Call) and last_name(around.func).startswith("save"):
            return True
        if isinstance(around, ast.Assign):
            target = around.targets[0]
            names.add(written(target.value if isinstance(target, ast.Subscript) else target))
            break
        if isinstance(around, ast.stmt):
            return False
    scope = module.function(call)
    return any(
        written(save.args[0]) in names - {""}
        for save in saves(module)
        if module.function(save) is scope
    )


def checkpoints(module: Module) -> Iterator[tuple[ast.Call, ast.Dict, set[str]]]:
    """(the save, its dict, its keys) of what is saved to go on later: a model and a count."""
    for call in saves(module):
        given = call.args[0]
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
    stepped = [(other, receiver(call)) for other in where for call in other.calls.get("step", ())]
    rebuilt = any(follows_from_the_epoch(other) for other in where)
    told: set[ast.Dict] = set()
    for call, content, keys in checkpoints(module):
        if content in told:  # the same again as best.pt
            continue
        told.add(content)
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
        if missing:
            yield Spot(call, f"without {' and '.join(missing)}")


def is_script(module: Module) -> bool:
    """Whether a file does something when it is started."""
    return any(
        isinstance(node, ast.If) and mentions(node.test, "__name__") for node in module.tree.body
    )


def resumed_without_optimizer(module: Module) -> Iterator[Spot]:
    """Where a script with a flag to resume saves weights, and no program saves its optimizer."""
    flags = (a for call in module.calls.get("add_argument", ()) for a in call.args)
    if not any(isinstance(a, ast.Constant) and str(a.value).strip("-") == "resume" for a in flags):
        return
    near = module.project.near(module)
    states = [
        receiver(call)
        for other in near
        for name in ("state_dict", "load_state_dict")
        for call in other.calls.get(name, ())
        if is_optimizer(other, receiver(call)) or "opt" in written(receiver(call) or call).lower()
    ]
    steps = any(is_optimizer(module, receiver(call)) for call in module.calls.get("step", ()))
    if states or not steps:
        return
    for call in saves(module):
        given = call.args[0]
        if isinstance(given, ast.Call) and last_name(given.func) == "state_dict":
            yield Spot(call, "weights alone, where --resume goes on with a run")
            return


def follows_from_the_epoch(module: Module) -> bool:
    """Whether a scheduler is told where it is: it then has no state that could be lost."""
    told = any(node.arg == "last_epoch" for node in module.keywords)
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
    replacing = ("replace", "rename", "renames", "move")
    for call in saves(module):
        scope = module.function(call)
        path = argument(call, 1, "f")
        moved = [
            c
            for c in own_calls(scope, *replacing)
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
        values = module.value_in(path, module.function(call))
        if len(values) != 1:
            return False
        path = values[0]
    if isinstance(path, ast.Call) and last_name(path.func) in ("join", "joinpath", "Path", "str"):
        path = path.args[-1] if path.args else path
    elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Div | ast.Add):
        path = path.right
    scope = module.function(call)
    if isinstance(path, ast.Name) and isinstance(scope, FUNCTIONS):
        path = always_given(module, scope, path.id) or path
    return isinstance(path, ast.Constant) and isinstance(path.value, str)


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
