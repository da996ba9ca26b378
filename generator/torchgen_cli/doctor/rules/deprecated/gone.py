"""What fails with every torch and numpy of these years."""

import ast
import re
from collections.abc import Iterator

from ...documents import documents
from ...project import Module, Project
from ...rule import Spot, rule
from ...syntax import last_name, mentions
from .gone_fields import fields_used
from .gone_names import GONE, RELEASES
from .losses import first_elements, is_a_loss
from .provided import asked_before, is_caught, is_for_a_release, is_own, library_name
from .reachable import is_out_of_reach

# what a condition says that asks how many dimensions there are
SHAPES = ("dim", "hasattr", "numel", "shape", "size")


@rule(
    "TG811",
    "a loss has no element 0",
    why="""Since torch 0.5 a mean loss has no dimensions, nor has a sum, and `loss.data[0]` raises
    an IndexError: the first step, or the first evaluation, ends the run. It is a hint for plural
    names, and for losses that may have dimensions.""",
    remedy="write `loss.item()`",
    source="https://pytorch.org/blog/pytorch-0_4_0-migration-guide/",
    bad="""
def train(model, loader, optimizer, loss_of):
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        total += loss.data[0]  # <--
    return total
""",
    good="""
def train(model, loader, optimizer, loss_of):
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total
""",
    once=True,
)
def first_of_a_loss(module: Module) -> Iterator[Spot]:
    old = module.project.stays_before_torch("0.5")
    for node, around in first_elements(module):
        asked = any(mentions(test, *SHAPES) for test in asked_before(module, node))
        caught = is_caught(module, node, "indexerror", "typeerror")
        if asked or caught or is_for_a_release(module, node) or not is_a_loss(module, node.value):
            continue
        values = module.value_in(node.value, module.function(node)) or [node.value]
        keeps = any(mentions(one, "none", "unsqueeze", "view", "reshape", "dim") for one in values)
        several = last_name(node.value).endswith("es")  # which may be a list of numbers
        yield Spot(around, unsure=old or several or keeps)


@rule(
    "TG813",
    "this name was removed from its library",
    why="""It raises an AttributeError or ImportError in every current release. It is a hint where
    the requirements or the README ask for an older release, the file asserts which one it runs
    with, or a page of the project names it. Shown once per name.""",
    remedy="use the name after the colon",
    source="https://numpy.org/doc/stable/release/1.24.0-notes.html",
    bad="""
import numpy as np
import torch


def targets(labels):
    return torch.from_numpy(labels.astype(np.float))  # <--
""",
    good="""
import numpy as np
import torch


def targets(labels):
    return torch.from_numpy(labels.astype(np.float64))
""",
    in_tests=True,
    once=True,
)
def gone(module: Module) -> Iterator[Spot]:
    for node, name in [*imported(module), *used(module), *fields_used(module)]:
        if is_provided(module, node, name):
            continue
        library, release = RELEASES[name]
        kept = is_out_of_reach(module.project, library, release) or asserts_release(module, name)
        kept = kept or is_told(module.project, name)
        yield Spot(node, f"{name}: {GONE[name]}", unsure=kept)


def is_provided(module: Module, node: ast.AST, name: str) -> bool:
    """Whether the code does something else where a name is missing, or defines it itself."""
    return (
        is_for_a_release(module, node)
        or is_tried(module, node)
        or is_caught(module, node, "attributeerror")
        or is_own(module, name)
    )


def imported(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """(the import, the name) of what an import statement takes from a library that lacks it."""
    for statement in module.import_statements:
        if isinstance(statement, ast.ImportFrom) and statement.level:
            continue
        base = f"{statement.module}." if isinstance(statement, ast.ImportFrom) else ""
        for alias in statement.names:
            if name := next((one for one in parts(f"{base}{alias.name}") if one in GONE), ""):
                yield statement, name
                break


def used(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """(the attribute, the name) of what is read from a library that lacks it."""
    last_parts = {name.rpartition(".")[2] for name in GONE}
    for node in module.attributes:
        if node.attr in last_parts and isinstance(node.ctx, ast.Load):
            name = library_name(module, node)
            if name in GONE and not is_imported_in_vain(module, name):
                yield node, name


def is_imported_in_vain(module: Module, name: str) -> bool:
    """Whether the import statement that it needs is found already."""
    return any(
        name.startswith(f"{alias.name}.")
        for statement in module.import_statements
        for alias in statement.names
        if isinstance(statement, ast.Import) and alias.name in GONE
    )


def parts(name: str) -> Iterator[str]:
    """A dotted name, and the modules that it is in: a.b.c, a.b, a."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def asserts_release(module: Module, name: str) -> bool:
    """Whether the file asserts which release of a name's library it runs with."""
    asked = f"{name.partition('.')[0]}.__version__"
    return any(
        node.attr == "__version__"
        and module.qualified(node) == asked
        and any(isinstance(one, ast.Assert) for one in module.ancestors(node))
        for node in module.attributes
    )


def is_told(project: Project, name: str) -> bool:
    """Whether the project's pages speak of a name, by its whole path."""
    pages = documents(project.root, (".md", ".rst"))
    return re.search(rb"\b%s(?![.\w])" % re.escape(name).encode(), pages) is not None


def is_tried(module: Module, node: ast.AST) -> bool:
    """Whether it is an import that something else is imported in place of, where it fails."""
    around = module.parents.get(node)
    return (
        isinstance(node, ast.Import | ast.ImportFrom)
        and isinstance(around, ast.Try)
        and node in around.body
    )
