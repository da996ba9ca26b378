"""Samplers that no loader gets."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import own_calls, walk, written


@rule(
    "TG222",
    "a sampler is made, and no loader takes it",
    why="""A DataLoader asks the sampler that it was given when it was created. This one is given to
    none: the samples come in the order of the loader's own sampler. If it was to divide them among
    processes, each process reads all of them.""",
    remedy="create the sampler first, and pass it to the DataLoader",
    source=f"{STABLE}/data.html#torch.utils.data.Sampler",
    bad="""
from torch.utils.data import DataLoader, WeightedRandomSampler


def load(dataset, weights, balanced):
    sampler = None
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    if balanced:
        sampler = WeightedRandomSampler(weights, len(dataset))  # <--
    return loader
""",
    good="""
from torch.utils.data import DataLoader, WeightedRandomSampler


def load(dataset, weights, balanced):
    sampler = None
    if balanced:
        sampler = WeightedRandomSampler(weights, len(dataset))
    return DataLoader(dataset, batch_size=8, sampler=sampler)
""",
)
def unread(module: Module) -> Iterator[ast.AST]:
    for name, given in module.assigned.items():
        if "sampler" not in name.lower() or "." in name:
            continue
        for one in given:
            made = isinstance(one.value, ast.Call) and "sampler" in written(one.value.func).lower()
            beside = own_calls(module.function(one), "DataLoader")  # or it is one of diffusion
            if made and beside and not is_read_later(module, one, name):
                yield one


def is_read_later(module: Module, made: ast.stmt, name: str) -> bool:
    """Whether the function reads a name behind a statement, or in a loop around it."""
    scope = module.function(made)
    if isinstance(scope, ast.Module):
        return True  # functions may read it
    loops = list(module.loops_around(made))
    return any(
        isinstance(one, ast.Name)
        and one.id == name
        and isinstance(one.ctx, ast.Load)
        and not is_told_epoch(module, one)
        and (one.lineno > made.lineno or any(loop in loops for loop in module.loops_around(one)))
        for one in walk(scope)  # with the functions in it
    )


def is_told_epoch(module: Module, sampler: ast.Name) -> bool:
    """Whether a sampler is only told the epoch there, which gives no loader anything."""
    around = module.parents[sampler]
    return isinstance(around, ast.Attribute) and around.attr == "set_epoch"
