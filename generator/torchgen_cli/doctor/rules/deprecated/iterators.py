"""Iterators of a DataLoader."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import last_name, mentions, receiver, written


@rule(
    "TG816",
    "a DataLoader iterator has no method `next`",
    why="""Torch 1.13 removed it. The first batch fails with an AttributeError, or the `except`
    around it mistakes that for the end of an epoch.""",
    remedy="write `next(iterator)`",
    source="https://github.com/pytorch/pytorch/releases/tag/v1.13.0",
    bad="""
def first_batch(train_loader):
    batches = iter(train_loader)
    return batches.next()  # <--
""",
    good="""
def first_batch(train_loader):
    batches = iter(train_loader)
    return next(batches)
""",
    once=True,
)
def method_next(module: Module) -> Iterator[Spot]:
    old = module.project.stays_before_torch("1.13")
    for call in module.calls.get("next", ()):
        owner = receiver(call)
        if owner is None or call.args or module.is_fallback(call):
            continue
        made = isinstance(owner, ast.Call)
        values = [owner] if made else module.value_in(owner, module.function(call))
        if values and all(is_iterator(module, one) for one in values):
            yield Spot(call, unsure=old)


def is_iterator(module: Module, value: ast.expr) -> bool:
    """Whether it is `iter(...)` of what is called a loader, or is one."""
    if not isinstance(value, ast.Call) or last_name(value.func) not in ("iter", "__iter__"):
        return False
    loader = value.args[0] if value.args else receiver(value)
    if loader is None:
        return False
    named = "loader" in written(loader).lower() or mentions(loader, "dataloader")
    made = module.value_in(loader, module.function(value))
    if any(is_of_another_class(module, one) for one in made):
        return False
    return named or any(mentions(one, "dataloader") for one in made)


def is_of_another_class(module: Module, value: ast.expr) -> bool:
    """Whether a call makes an object of the project's, or of a library other than torch."""
    if not isinstance(value, ast.Call):
        return False
    name = last_name(value.func)
    foreign = name[:1].isupper() and name in module.imports and not module.is_torch(value.func)
    return name in module.project.classes or foreign
