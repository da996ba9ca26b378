"""Keys that are read from a checkpoint, and that no checkpoint of the program has."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import Spot, rule
from ...syntax import (
    FUNCTIONS,
    OPAQUE,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    walk,
    written,
)
from ..shared.loops import is_optimizer
from .keys_saved import is_read, keys_saved

RESUMING = re.compile(r"resum|restart|continue_?(train|from|run)|load_?(last|latest)", re.I)
OF_OTHERS = re.compile(
    r"pre_?train|fine_?tun|backbone|teacher|init_|url|imagenet|convert|https?:|transfer", re.I
)


@rule(
    "TG622",
    "the resume reads a key that no checkpoint has",
    why="""Every `torch.save` in the program writes a dict without this key: the first resume fails
    with a KeyError, after the run that it should continue.""",
    remedy="save the key in the checkpoint, or read one that is there",
    source="https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html",
    bad="""
import torch


def save(model, optimizer, epoch, path):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epch": epoch}
    torch.save(state, path)


def resume(model, optimizer, path):
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"]  # <--
""",
    good="""
import torch


def save(model, optimizer, epoch, path):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    torch.save(state, path)


def resume(model, optimizer, path):
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"]
""",
)
def never_written(module: Module) -> Iterator[Spot]:
    if not any(True for _ in module.torch_calls("load")):
        return
    near = module.project.near(module)
    saved = keys_saved(near[0]) if near else None
    if not saved or module.project.has_framework(module):
        return
    for reads in resumes(module):
        if saved.isdisjoint(key for key, _ in reads):
            continue  # a file of another kind
        told = set()
        for key, read in reads:
            if key in saved or key in told or is_conditional(module, read):
                continue
            told.add(key)
            if not any(names_key(other, key) for other in near):
                yield Spot(read, f"{key!r}; saved keys: {', '.join(map(repr, sorted(saved)))}")


def resumes(module: Module) -> Iterator[list[tuple[str, ast.Subscript]]]:
    """What is read by a key from each file with which a run is gone on with."""
    scopes = dict.fromkeys(module.function(call) for call in module.torch_calls("load"))
    for scope in scopes:
        names: dict[str, list[ast.Call]] = {}
        for call in own_calls(scope):
            target = module.parents[call]
            if module.qualified(call.func) == "torch.load" and isinstance(target, ast.Assign):
                names.setdefault(written(target.targets[0]), []).append(call)
        for name, loads in names.items():
            if not name.isidentifier() or stores(scope, name) != len(loads):
                continue
            reads = reads_of(scope, name, min(one.lineno for one in loads))
            if all(is_resume(module, scope, one, reads) for one in loads):
                yield reads


def stores(scope: ast.AST, name: str) -> int:
    """How often a name is set in a function, in whatever way."""
    return sum(
        isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Load)
        for one in own_nodes(scope)
    )


def reads_of(scope: ast.AST, name: str, after: int) -> list[tuple[str, ast.Subscript]]:
    """The keys that are read from what a name holds, and where."""
    return [
        (one.slice.value, one)
        for one in own_nodes(scope)
        if isinstance(one, ast.Subscript)
        and written(one.value) == name
        and isinstance(one.ctx, ast.Load)
        and isinstance(one.slice, ast.Constant)
        and isinstance(one.slice.value, str)
        and one.lineno >= after
    ]


def is_resume(
    module: Module, scope: ast.AST, load: ast.Call, reads: list[tuple[str, ast.Subscript]]
) -> bool:
    """Whether a file is opened to go on with a run of this program, and not for its weights."""
    around = [n for n in module.ancestors(load) if isinstance(n, ast.If | ast.IfExp)]
    name = scope.name if isinstance(scope, FUNCTIONS) else ""
    text = " ".join([name, *map(ast.unparse, [*load.args[:1], *(one.test for one in around)])])
    if not load.args or OF_OTHERS.search(text) or isinstance(load.args[0], ast.Constant):
        return False
    if any(isinstance(one, ast.Try) for one in module.ancestors(load)):
        return False
    optimizers = [
        call
        for call in own_calls(scope, "load_state_dict")
        if is_optimizer(module, receiver(call)) and any(one in walk(call) for _, one in reads)
    ]
    return bool(optimizers) or RESUMING.search(text) is not None


def is_conditional(module: Module, read: ast.AST) -> bool:
    """Whether a read stands under a condition that what is read before it does not, or is tried."""
    scope = module.function(read)
    around = []
    for one in module.ancestors(read):
        if one is scope:
            break
        around.append(one)
    name = written(read.value) if isinstance(read, ast.Subscript) else ""
    loads = [
        one
        for one in own_nodes(scope)
        if isinstance(one, ast.Assign) and written(one.targets[0]) == name
    ]
    outer = {above for one in loads for above in module.ancestors(one)}
    kinds = (ast.If, ast.IfExp, ast.BoolOp, ast.Try, ast.Lambda, ast.While, ast.With, *OPAQUE)
    return any(isinstance(one, kinds) and one not in outer for one in around)


@kept
def names_key(module: Module, key: str) -> bool:
    """Whether a file writes a key into any dict, or asks a dict for it."""
    for one in walk(module.tree):
        if isinstance(one, ast.Subscript) and not is_read(one):
            if isinstance(one.slice, ast.Constant) and one.slice.value == key:
                return True
        elif isinstance(one, ast.Dict):
            if any(isinstance(k, ast.Constant) and k.value == key for k in one.keys):
                return True
        elif isinstance(one, ast.Compare):
            if isinstance(one.left, ast.Constant) and one.left.value == key:
                return True
        elif isinstance(one, ast.Call) and last_name(one.func) in ("dict", "update", "get", "pop"):
            given = any(isinstance(a, ast.Constant) and a.value == key for a in one.args)
            if given or any(k.arg == key for k in one.keywords):
                return True
    return False
