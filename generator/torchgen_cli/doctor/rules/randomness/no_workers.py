"""Loaders that have no worker processes unless somebody asks for them."""

import ast
import re

from ...documents import documents
from ...project import Module, Project
from ...syntax import argument, is_constant, keyword
from ..shared.origins import origins

NONE = re.compile(rb"^\s*(\w*workers\w*)\s*:\s*0\s*(?:#|$)", re.M | re.I)


def may_have_none(module: Module, loader: ast.Call) -> bool:
    """Whether the number of workers is a setting that is 0 by default, or in a file of settings."""
    workers = argument(loader, 5, "num_workers")
    given = [value for _, value in origins(module, workers)] if workers is not None else []
    names = {one.attr for one in given if isinstance(one, ast.Attribute)}
    return any(is_constant(one, 0) for one in given) or any(
        name in set_to_zero(module.project) or is_zero_by_default(module, name) for name in names
    )


def is_zero_by_default(module: Module, name: str) -> bool:
    """Whether the program has a flag of this name whose default is 0."""
    return any(
        is_constant(keyword(call, "default"), 0)
        and any(getattr(one, "value", None) in flags_of(name) for one in call.args)
        for other in module.project.near(module)
        for call in other.calls.get("add_argument", ())
    )


def flags_of(name: str) -> tuple[str, str]:
    """How a flag may be written that is read by this name."""
    return f"--{name}", f"--{name.replace('_', '-')}"


def set_to_zero(project: Project) -> set[str]:
    """The numbers of workers that a page or configuration says are 0."""
    return {match[1].decode() for match in NONE.finditer(documents(project.root))}
