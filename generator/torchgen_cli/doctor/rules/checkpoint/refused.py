"""Checkpoints that a newer torch does not open."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    has_stars,
    keyword,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    same,
    written,
)
from ...unreached import is_unreached
from ..deprecated.reachable import is_out_of_reach
from ..shared.loops import is_optimizer
from ..shared.programs import imported_by, run_with
from ..shared.states import handed_on, plain_saves, saves, value_before
from .gpu import replaces_load
from .loads_of_others import is_of_others, is_saved_beside, name_of_file, written_path
from .refused_parts import Kept, objects

FORCED = b"TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"  # a variable of the environment


@rule(
    "TG612",
    "torch 2.6 and newer refuse to load what is saved here",
    why="""Since then `torch.load` accepts only plain containers, tensors and numbers by default. A
    whole module or optimizer, an argparse Namespace, an object of a custom class or a numpy number
    in the file, such as the rate in an optimizer's state, makes the resume or the evaluation fail
    with an UnpicklingError. Shown once per repository.""",
    remedy="""save `state_dict()`, `vars(args)` and `float(...)`; for existing files pass
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
        and keyword(call, "pickle_module") is None  # which turns the check off
        and not has_stars(call)
        and not is_allowed(module, call)
        and not is_of_others(module, call)
        and not is_loaded_whole(module, call)
        and not is_saved_beside(module, call)
    ]
    if not loads or replaces_load(module) or project.contains(FORCED):
        return
    if any("add_safe_globals" in other.calls for other in project.near(module)):
        return
    found = [one for other in writers(module) for one in objects(other, other is module)]
    dead = [one for one in found if is_unreached(one.module, one.call)]  # saved by no program
    old = is_out_of_reach(project, "torch", "2.6")
    for kept in (*(one for one in found if one not in dead), *dead):
        for load in loads:
            count = unpacked(module, load)
            if may_hold(module, load, kept) and (not count or count in lengths_saved(kept)):
                yield Spot(load, f"{kept.what} is in the file", unsure=old or kept in dead)
                return


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
    return is_second_try(module, load) or any(
        isinstance(around, ast.With) and any(mentions(one, "safe_globals") for one in around.items)
        for around in module.ancestors(load)
    )


def is_second_try(module: Module, load: ast.Call) -> bool:
    """Whether it is what an old torch does, which does not know `weights_only`."""
    return any(
        isinstance(around, ast.Try)
        and any(
            keyword(call, "weights_only") is not None
            for statement in around.body
            for call in own_calls(statement, "load")
        )
        for around in module.ancestors(load)
    )


def may_hold(module: Module, load: ast.Call, kept: Kept) -> bool:
    """Whether a load may open a file with an object, by the keys that are read from it."""
    optimizer = goes_into_optimizer(module, load)
    if optimizer or (kept.is_state and not kept.key):
        return optimizer and kept.is_state and not kept.key
    reads, filled = reads_of(module, load)
    if not reads:
        return not kept.is_object or names_the_same(module, load, kept)
    if kept.is_module and any(reads.get(kept.key) is one for one in filled):
        return False  # there it is a dict of tensors
    if kept.key in reads:
        return True
    if kept.is_state:  # a resume that leaves the optimizer out
        return len(reads) > 1 and kept.keys.issuperset(reads)
    return not kept.keys.isdisjoint(reads)


def unpacked(module: Module, load: ast.Call) -> int:
    """The number of names that what is loaded is spread over; 0 where it is kept as one."""
    statement = module.parents[load]
    targets = statement.targets[0] if isinstance(statement, ast.Assign) else None
    parts = targets.elts if isinstance(targets, ast.Tuple | ast.List) else []
    return 0 if any(isinstance(one, ast.Starred) for one in parts) else len(parts)


def lengths_saved(kept: Kept) -> set[int]:
    """The lengths of the lists and tuples that a call saves, as far as they are written out."""
    given = [*kept.call.args, *(one.value for one in kept.call.keywords)]
    values = [value_before(kept.module, one, kept.call) for one in given]
    return {len(one.elts) for one in values if isinstance(one, ast.Tuple | ast.List)}


def reads_of(
    module: Module, load: ast.Call, left: int = 2
) -> tuple[dict[str, ast.AST], list[ast.expr]]:
    """What is read by keys from what is loaded, and what `load_state_dict` is given there.

    Where a function returns what it loads, its callers read it.
    """
    statement, scope = module.parents[load], module.function(load)
    names = [written(one) for one in getattr(statement, "targets", ())]
    reads: dict[str, ast.AST] = {}
    for node in own_nodes(scope):
        if isinstance(node, ast.Subscript) and (node.value is load or written(node.value) in names):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                reads[node.slice.value] = node
            elif isinstance(node.slice, ast.Name):  # for key, value in options.items()
                reads.update(dict.fromkeys(given_by_name(module, scope), node))
    filled = [one.args[0] for one in own_calls(scope, "load_state_dict") if one.args]
    returns = [one.value for one in own_nodes(scope) if isinstance(one, ast.Return) and one.value]
    if left and any(one is load or written(one) in names for one in returns):
        for other, call in module.project.calls_of(module, scope):
            further, given = reads_of(other, call, left - 1)
            reads |= further
            filled += given
    return reads, filled


def given_by_name(module: Module, scope: ast.AST) -> Iterator[str]:
    """The names of all options that callers give a function which takes any: `**options`."""
    if isinstance(scope, FUNCTIONS) and scope.args.kwarg is not None:
        for _, call in module.project.calls_of(module, scope):
            yield from (one.arg for one in call.keywords if one.arg)


def goes_into_optimizer(module: Module, load: ast.Call) -> bool:
    """Whether all that is in the file is the state of an optimizer."""
    return any(is_optimizer(module, receiver(one)) for one in filled_whole(module, load))


def names_the_same(module: Module, load: ast.Call, kept: Kept) -> bool:
    """Whether what is loaded has the path, or the name that is written out, of what is saved."""
    path, target = argument(load, 0, "f"), argument(kept.call, 1, "f")
    if module.function(load) is kept.module.function(kept.call) and same(path, target):
        return True
    name = name_of_file(written_path(module, path))
    return name != "" and name == name_of_file(written_path(kept.module, target))


def filled_whole(module: Module, load: ast.Call) -> list[ast.Call]:
    """The calls of `load_state_dict` that are given all that is in the file."""
    statement = module.parents[load]
    names = [written(one) for one in getattr(statement, "targets", ())]
    return [
        one
        for one in own_calls(module.function(load), "load_state_dict")
        if one.args[:1] == [load]
        or (one.args and one.lineno > load.lineno and written(one.args[0]) in names)
    ]


def is_loaded_whole(module: Module, load: ast.Call) -> bool:
    """Whether all that is in the file goes into a model, so that it holds weights alone."""
    return any(not is_optimizer(module, receiver(one)) for one in filled_whole(module, load))
