"""Loaders that have no worker processes unless somebody asks for them."""

import ast
import re

from ...documents import documents
from ...project import Module, Project
from ...syntax import argument
from ..shared.default_numbers import numbers
from ..shared.origins import origins

NONE = re.compile(rb"^\s*(\w*workers\w*)\s*:\s*0\s*(?:#|$)", re.M | re.I)


def may_have_none(module: Module, loader: ast.Call) -> bool:
    """Whether the number of workers is a setting, and a file of settings says that it is 0."""
    workers = argument(loader, 5, "num_workers")
    given = [value for _, value in origins(module, workers)] if workers is not None else []
    names = {one.attr for one in given if isinstance(one, ast.Attribute)}
    return not names.isdisjoint(set_to_zero(module.project))


def set_to_zero(project: Project) -> set[str]:
    """The numbers of workers that a page or configuration says are 0."""
    return {match[1].decode() for match in NONE.finditer(documents(project.root))}


def has_one(module: Module, loader: ast.Call) -> bool:
    """Whether there is one worker, so that no two of them draw alike."""
    return numbers(module, argument(loader, 5, "num_workers")) == {1}
