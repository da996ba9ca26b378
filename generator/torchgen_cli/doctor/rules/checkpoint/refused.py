"""Checkpoints that a newer torch does not open."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    everything,
    has_stars,
    keyword,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    same,
    written,
)
from ..shared.origins import assigned, returned
from ..shared.programs import imported_by, run_with
from ..shared.states import filled_in, handed_on, is_model, plain_saves, saves, value_before
from .checkpoint import parts_of

NUMBERS = ("numpy.mean", "numpy.max", "numpy.min", "numpy.sum", "numpy.average", "numpy.float64")
NAMED = re.compile(r"[a-zA-Z]\w{3,}")  # the words in the name of a file


@rule(
    "TG612",
    "torch 2.6 and newer refuse to load what is saved here",
    why="""Since then `torch.load` takes plain containers, tensors and numbers alone, unless one
    says otherwise. A whole module, the Namespace of argparse or a number of numpy in the file
    ends the resume, or the evaluation, with an UnpicklingError. One place is shown for the
    repository.""",
    remedy="""save `state_dict()`, `vars(args)` and `float(...)`; for files that exist pass
    `weights_only=False`""",
    source=f"{STABLE}/generated/torch.load.html",
    bad="""
import argparse

import torch


def main(model):
    args = argparse.ArgumentParser().parse_args()
    torch.save({"model": model.state_dict(), "args": args}, "last.pt")
    return torch.load("last.pt", map_location="cpu")  # <--
""",
    good="""
import argparse

import torch


def main(model):
    args = argparse.ArgumentParser().parse_args()
    torch.save({"model": model.state_dict(), "args": vars(args)}, "last.pt")
    return torch.load("last.pt", map_location="cpu")
""",
    once=True,
)
def refused(module: Module) -> Iterator[Spot]:
    project = module.project
    if project.stays_before_torch("2.6"):
        return
    loads = [
        call
        for call in module.torch_calls("load")
        if module.qualified(call.func) == "torch.load"
        and keyword(call, "weights_only") is None
        and not has_stars(call)
        and not is_allowed(module, call)
        and not is_of_others(module, call)
        and not is_loaded_whole(module, call)
        and not is_saved_beside(module, call)
    ]
    if not loads or any("add_safe_globals" in other.calls for other in project.near(module)):
        return
    found = [one for other in writers(module) for one in objects(other, other is module)]
    for load in loads:
        for kept in found:
            if may_hold(module, load, kept):
                yield Spot(load, f"{kept.what} is in the file")
                return


class Kept(NamedTuple):
    """What is saved beside plain data."""

    what: str
    """In words."""
    key: str
    """The key that it has in the dict which is saved; empty where it is all that is saved."""
    keys: frozenset[str]
    """The keys of that dict."""
    is_module: bool


def writers(module: Module) -> list[Module]:
    """The files that may write what a file reads.

    Where a package saves, its files read what it saves itself, or those which it imports or which
    import it. Other scripts read the files of any script of the program.
    """
    folder = folder_of(module)
    near = module.project.near(module)
    own = [one for one in near if folder_of(one) == folder]
    if not any(plain_saves(one) or any(handed_on(one, ast.Name)) for one in own):
        return near
    keeps = any(saves(module)) or any(handed_on(module, ast.Name))
    together = run_with(module) if keeps else near
    linked = [one for one in together if one in imported_by(module) or module in imported_by(one)]
    return [module, *(one for one in together if one in own and one is not module), *linked]


def folder_of(module: Module) -> str:
    """The folder of a file."""
    return module.name.rpartition("/")[0]


def is_allowed(module: Module, load: ast.Call) -> bool:
    """Whether the classes in the file are listed around a load: `with safe_globals([Net]):`."""
    return any(
        isinstance(around, ast.With) and any(mentions(one, "safe_globals") for one in around.items)
        for around in module.ancestors(load)
    )


def may_hold(module: Module, load: ast.Call, kept: Kept) -> bool:
    """Whether a load may open a file with an object, by the keys that are read from it."""
    statement, scope = module.parents[load], module.function(load)
    names = [written(one) for one in getattr(statement, "targets", ())]
    reads = {
        node.slice.value: node
        for node in own_nodes(scope)
        if isinstance(node, ast.Subscript)
        and (node.value is load or written(node.value) in names)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
    }
    if not reads:
        return True
    filled = [one.args[0] for one in own_calls(scope, "load_state_dict") if one.args]
    if kept.is_module and any(reads.get(kept.key) is one for one in filled):
        return False  # there it is a dict of tensors
    return not kept.keys.isdisjoint(reads)


def is_loaded_whole(module: Module, load: ast.Call) -> bool:
    """Whether all that is in the file goes into a model, so that it holds weights alone."""
    statement = module.parents[load]
    names = [written(one) for one in getattr(statement, "targets", ())]
    return any(
        one.args[:1] == [load] or (bool(one.args) and written(one.args[0]) in names)
        for one in own_calls(module.function(load), "load_state_dict")
    )


def is_saved_beside(module: Module, load: ast.Call) -> bool:
    """Whether the same function saves plain data under the path that it loads, as a cache."""
    path = argument(load, 0, "f")
    return any(
        same(argument(save, 1, "f"), path)
        and not is_model(module, save.args[0], save)
        and not is_namespace(module, save.args[0])
        and not isinstance(value_before(module, save.args[0], save), ast.Dict)
        for save in own_calls(module.function(load), "save")
        if save.args and module.qualified(save.func) == "torch.save"
    )


def is_of_others(module: Module, load: ast.Call) -> bool:
    """Whether the file that is loaded was downloaded, or has a name that no script gives one."""
    function = module.function(load)
    downloads = isinstance(function, FUNCTIONS) and any(
        isinstance(one, ast.Expr)
        and isinstance(one.value, ast.Call)
        and "download" in last_name(one.value.func)
        for one in own_nodes(function)
    )
    return downloads or has_other_name(module, load)


def has_other_name(module: Module, load: ast.Call) -> bool:
    """Whether no text in the files that save something has a part of the loaded file's name."""
    path = written_path(module, argument(load, 0, "f"))
    values = path.values if isinstance(path, ast.JoinedStr) else [path]
    texts = [one.value for one in values if isinstance(one, ast.Constant)]
    whole = " ".join(one for one in texts if isinstance(one, str))
    words = NAMED.findall(whole.rpartition("/")[2])
    return bool(words) and not any(
        isinstance(node, ast.Constant) and isinstance(node.value, str) and words[0] in node.value
        for other in module.project.near(module)
        if plain_saves(other) or any(handed_on(other, ast.Name))
        for node in everything(other.tree)
        if node not in values and not any(is_load(other, one) for one in other.ancestors(node))
    )


def written_path(module: Module, path: ast.expr | None) -> ast.expr | None:
    """The name of the file that is loaded, where it is written out or given by one statement."""
    if not isinstance(path, ast.Name):
        return path
    made = module.value_in(path, module.function(path))
    made += [
        item.context_expr.args[0]
        for around in module.ancestors(path)
        if isinstance(around, ast.With)
        for item in around.items
        if isinstance(item.context_expr, ast.Call) and item.context_expr.args
        if item.optional_vars is not None and written(item.optional_vars) == path.id
    ]
    return made[0] if len(made) == 1 else None


def is_load(module: Module, node: ast.AST) -> bool:
    """Whether it is a call of `torch.load`."""
    return isinstance(node, ast.Call) and module.qualified(node.func) == "torch.load"


def objects(module: Module, own: bool) -> Iterator[Kept]:
    """What a file saves beside plain data.

    `own` says that the same file loads it: numbers are then looked for in functions as well.
    """
    for call in saves(module):
        given = call.args[0]
        content = value_before(module, given, call)
        keys = keys_of(content)
        further = keys_of(filled_in(module, module.function(call), written(given), content))
        values = parts_of(content) or [given]
        for value, key in zip(values, keys or [""] * len(values), strict=True):
            whole = is_model(module, value, call)
            if whole:
                what = "a whole module"
            elif is_namespace(module, value):
                what = f"`{written(value)}`, a Namespace,"
            elif is_numpy(module, value, 4 if own else 1):
                what = f"`{ast.unparse(value)}`, a number of numpy,"
            else:
                continue
            yield Kept(what, key, frozenset(further), whole)


def keys_of(content: ast.expr | None) -> list[str]:
    """The keys of a dict that is written out; "" for what is no text."""
    keys = content.keys if isinstance(content, ast.Dict) else []
    return [str(one.value) if isinstance(one, ast.Constant) else "" for one in keys]


def is_namespace(module: Module, value: ast.expr) -> bool:
    """Whether it is what argparse returned: made so in the file, or called `args` as usual."""
    values = module.assigned.get(written(value), ()) if written(value) else ()
    made = [one.value for one in values]
    if any(isinstance(one, ast.Call) and last_name(one.func) == "parse_args" for one in made):
        return True
    near = module.project.near(module)
    return written(value) == "args" and not made and any("parse_args" in m.calls for m in near)


def is_numpy(module: Module, value: ast.expr, left: int) -> bool:
    """Whether it is a number that a function of numpy returned, to this file or to a function."""
    if isinstance(value, ast.UnaryOp):
        return is_numpy(module, value.operand, left)
    if isinstance(value, ast.Call):
        further = [] if module.qualified(value.func) in NUMBERS else returned(module, value)
        return module.qualified(value.func) in NUMBERS or surely_numpy(further, left)
    if not isinstance(value, ast.Name):
        return False
    return surely_numpy(assigned(module, module.function(value), value.id), left)


def surely_numpy(values: Iterable[tuple[Module, ast.expr]], left: int) -> bool:
    """Whether one of the values is a number of numpy, and none of them made a plain one of it."""
    found = list(values) if left else []
    plain = any(
        isinstance(one, ast.Call) and last_name(one.func) in ("float", "int", "item", "round")
        for _, one in found
    )
    return not plain and any(is_numpy(other, one, left - 1) for other, one in found)
