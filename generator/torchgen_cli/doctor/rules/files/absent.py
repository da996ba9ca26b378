"""Imports of what the project does not have."""

from collections.abc import Iterator

from ...absent import failing, stops
from ...kept import kept
from ...leads import imported_files
from ...project import Module, Project
from ...rule import Spot, rule
from ...unused import does_something, is_unused


@rule(
    "TG007",
    "the project does not have what this imports",
    why="""The import asks for a file that the project lacks, or for a name that the file does not
    define: the program fails with an ImportError when it starts.""",
    remedy="add the file or the name to the repository, or remove the import",
    source="https://docs.python.org/3/library/exceptions.html#ImportError",
    bad="""
import torch

from .losses import FocalLoss  # <--

criterion = FocalLoss()
""",
    good="""
import torch
from torch.nn import CrossEntropyLoss

criterion = CrossEntropyLoss()
""",
)
def absent(module: Module) -> Iterator[Spot]:
    found = failing(module)
    unsure = bool(found) and not is_used(module)
    yield from (Spot(statement, what, unsure) for statement, what in found.items())


def is_used(module: Module) -> bool:
    """Whether a file is a program, or another one imports it."""
    does = any(map(does_something, module.tree.body))
    return does or module in all_imported(module.project)


@kept
def all_imported(project: Project) -> frozenset[Module]:
    """The files that are imported by those of the project that are used and can start."""
    return frozenset(
        other
        for module in project.modules
        if not is_unused(module) and not any(stops(module, one) for one in failing(module))
        for statement in module.import_statements
        for other in imported_files(module, statement)
    )
