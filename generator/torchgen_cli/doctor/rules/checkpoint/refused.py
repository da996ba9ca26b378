"""Checkpoints that a newer torch does not open."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import has_stars, keyword, last_name, written
from ..shared.states import is_model, saves, value_before
from .checkpoint import parts_of


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
    ]
    if loads:
        found = (what for other in project.near(module) for what in objects(other))
        if what := next(found, ""):
            yield Spot(loads[0], f"{what} is in the file")


def objects(module: Module) -> Iterator[str]:
    """What a file saves beside plain data, in words."""
    for call in saves(module):
        given = call.args[0]
        content = value_before(module, given, call)
        for value in parts_of(content) or [given]:
            if is_model(module, value, call):
                yield "a whole module"
            elif is_namespace(module, value):
                yield f"`{written(value)}`, a Namespace,"
            elif is_numpy(module, value, call):
                yield f"`{written(value)}`, a number of numpy,"


def is_namespace(module: Module, value: ast.expr) -> bool:
    """Whether it is what argparse returned: made so in the file, or called `args` as usual."""
    values = module.assigned.get(written(value), ()) if written(value) else ()
    made = [one.value for one in values]
    if any(isinstance(one, ast.Call) and last_name(one.func) == "parse_args" for one in made):
        return True
    near = module.project.near(module)
    return written(value) == "args" and not made and any("parse_args" in m.calls for m in near)


def is_numpy(module: Module, value: ast.expr, near: ast.AST) -> bool:
    """Whether it is a number that a function of numpy returned."""
    values = module.value_in(value, module.function(near)) if written(value) else [value]
    names = ("numpy.mean", "numpy.max", "numpy.min", "numpy.sum", "numpy.average", "numpy.float64")
    return any(isinstance(one, ast.Call) and module.qualified(one.func) in names for one in values)
