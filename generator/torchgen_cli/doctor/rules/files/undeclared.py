"""Flags that are read, and that no parser has."""

import ast
from collections.abc import Iterable, Iterator

from ...branches_off import conditions
from ...defined import is_cared_for
from ...project import Module, Project
from ...rule import Spot, rule
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    has_stars,
    keyword,
    last_name,
    method_of,
    parameters,
    written,
)
from ...variables import stored_in
from ..checkpoint.in_place import SETTINGS
from .namespaces import declared, declares, is_parsed, parses


@rule(
    "TG006",
    "no parser has a flag with this name",
    why="""The argparse namespace has only what was declared: an AttributeError as soon as the line
    is reached. It is a hint where that needs an empty text for a flag that has another default.""",
    remedy="declare the flag, or correct the name",
    source="https://docs.python.org/3/library/argparse.html#the-namespace-object",
    bad="""
import argparse

import torch


def main(model):
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    return torch.optim.SGD(model.parameters(), lr=args.learning_rate)  # <--
""",
    good="""
import argparse

import torch


def main(model):
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    return torch.optim.SGD(model.parameters(), lr=args.lr)
""",
)
def undeclared(module: Module) -> Iterator[Spot]:
    found = [*read_where_parsed(module), *read_where_given(module), *read_where_kept(module)]
    unknown = {node.attr: node for node in found}
    yield from (
        Spot(node, name, is_instead_of_default(module, node)) for name, node in unknown.items()
    )


def is_instead_of_default(module: Module, node: ast.Attribute) -> bool:
    """Whether a flag is read only where another one is empty that is not so by its default."""
    inner: ast.AST = node
    for around in module.ancestors(node):
        for test, wanted in conditions(around, inner):
            asked = written(test.value) if isinstance(test, ast.Attribute) else ""
            if not wanted and asked == written(node.value) and has_default(module, test):
                return True
        if isinstance(around, FUNCTIONS):
            return False
        inner = around
    return False


def has_default(module: Module, flag: ast.expr) -> bool:
    """Whether a file declares a flag with a text that is not empty."""
    return any(
        last_name(flag) in (declares(call) or ())
        and isinstance(default := keyword(call, "default"), ast.Constant)
        and isinstance(default.value, str)
        and bool(default.value)
        for call in module.calls.get("add_argument", ())
    )


def read_where_parsed(module: Module) -> Iterator[ast.Attribute]:
    """Where a file reads a flag of what it, or a function that it calls, parsed."""
    own = {name for call in module.calls.get("add_argument", ()) for name in declares(call) or ()}
    unknown = [
        node
        for node in module.attributes[::-1]  # so that the first place of each counts
        if node.attr not in own and is_setting_read(module, node) and is_parsed(module, node.value)
    ]
    known = declared(module) if unknown else None
    yield from (node for node in unknown if known is not None and node.attr not in known)


def read_where_given(module: Module) -> Iterator[ast.Attribute]:
    """Where a function reads a flag of the namespace that all of its callers have parsed."""
    for function in module.functions:
        name = next((one for one in parameters(function) if one in SETTINGS), "")
        reads = [
            node
            for node in module.attributes[::-1]
            if name
            and isinstance(node.value, ast.Name)
            and node.value.id == name
            and module.function(node) is function
            and is_setting_read(module, node)
        ]
        known = given_flags(module, function, name) if reads else None
        yield from (node for node in reads if known is not None and node.attr not in known)


def read_where_kept(module: Module) -> Iterator[ast.Attribute]:
    """Where a class reads a flag of the namespace that all who make it have parsed."""
    for node in module.classes:
        init = method_of(node, "__init__")
        name = next((one for one in parameters(init) if one in SETTINGS), "") if init else ""
        reads = [
            one
            for one in (module.attributes[::-1] if name else ())
            if written(one.value) == f"self.{name}"
            and module.class_of(one) is node
            and is_flag_read(module, one)
        ]
        if not reads or init is None or is_derived_from(module.project, node):
            continue
        kept = module.value_in(reads[0].value, init)
        made = [
            (other, call)
            for other, call in module.project.callers.get(node.name, ())
            if (module, node) in (module.project.classes_named(other, call.func) or ())
        ]
        known = flags_given(made, init, name) if [written(one) for one in kept] == [name] else None
        yield from (one for one in reads if known is not None and one.attr not in known)


def is_derived_from(project: Project, node: ast.ClassDef) -> bool:
    """Whether another class names this one as its base."""
    bases = (base for other in project.modules for one in other.classes for base in one.bases)
    return any(last_name(base) == node.name for base in bases)


def given_flags(module: Module, function: Function, name: str) -> set[str] | None:
    """The flags that the callers of a function may have parsed; None where others may come."""
    return flags_given(module.project.calls_of(module, function), function, name)


def flags_given(
    calls: Iterable[tuple[Module, ast.Call]], function: Function, name: str, left: int = 3
) -> set[str] | None:
    """The flags of what these calls hand to a parameter; None where it may be something else."""
    found: set[str] = set()
    for other, call in calls:
        given = None if has_stars(call) else argument(call, parameters(function).index(name), name)
        known = flags_of(other, given, left) if given is not None and left else None
        if known is None:
            return None
        found |= known
    return found or None


def flags_of(module: Module, given: ast.expr, left: int) -> set[str] | None:
    """The flags of what an argument is, perhaps a parameter that is handed on."""
    if is_parsed(module, given) or parses(module, given):
        return declared(module)
    scope = module.function(given)
    if not isinstance(given, ast.Name) or not isinstance(scope, FUNCTIONS):
        return None
    if given.id not in parameters(scope) or stored_in(scope).get(given.id):
        return None
    return flags_given(module.project.calls_of(module, scope), scope, given.id, left - 1)


def is_setting_read(module: Module, node: ast.Attribute) -> bool:
    """Whether it may be a flag that is read of a namespace with a name."""
    return isinstance(node.value, ast.Name) and is_flag_read(module, node)


def is_flag_read(module: Module, node: ast.Attribute) -> bool:
    """Whether an attribute is read, is no method, and has to be there."""
    return (
        isinstance(node.ctx, ast.Load)
        and not is_called(module, node)
        and not node.attr.startswith("_")
        and not is_cared_for(module, node)
    )


def is_called(module: Module, node: ast.Attribute) -> bool:
    """Whether it is a method, as a class of one's own for settings may have."""
    around = module.parents[node]
    return isinstance(around, ast.Call) and around.func is node
