"""Flags that are read, and that no parser has."""

import ast
import re
from collections.abc import Iterator

from ...defined import is_cared_for
from ...kept import kept
from ...project import Module
from ...rule import Spot, rule
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    has_stars,
    keyword,
    last_name,
    parameters,
    receiver,
    written,
)
from ..checkpoint.in_place import SETTINGS
from ..shared.flag_readers import is_started, reachable

PARSES = ("parse_args", "parse_known_args")
# ways to put settings into a namespace that no name shows
HIDDEN = re.compile(
    rb"\bvars\([\w.]+\)(\.|\[)|__dict__(\.update|\[|\s*=)|Namespace\(|add_subparsers|\bexec\("
    rb"|HfArgumentParser|from_argparse_args|add_argparse_args|ArgumentParser\([^)]*parents"
    rb"|namespace\s*=|configargparse|tap import|import fire"
)


@rule(
    "TG006",
    "no parser has a flag with this name",
    why="""The argparse namespace has only what was declared: an AttributeError as soon as the line
    is reached.""",
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
    unknown = {node.attr: node for node in [*read_where_parsed(module), *read_where_given(module)]}
    yield from (Spot(node, name) for name, node in unknown.items())


def read_where_parsed(module: Module) -> Iterator[ast.Attribute]:
    """Where the file that parses the flags reads one that it does not have."""
    if not any(name in module.calls for name in PARSES):
        return
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


def given_flags(module: Module, function: Function, name: str) -> set[str] | None:
    """The flags that the callers of a function may have parsed; None where others may come."""
    found: set[str] = set()
    for other, call in module.project.calls_of(module, function):
        given = None if has_stars(call) else argument(call, parameters(function).index(name), name)
        known = declared(other) if given is not None and is_parsed(other, given) else None
        if known is None:
            return None
        found |= known
    return found or None


def is_setting_read(module: Module, node: ast.Attribute) -> bool:
    """Whether it may be a flag that is read of a namespace with a name."""
    return (
        isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and not is_called(module, node)
        and not node.attr.startswith("_")
        and not is_cared_for(module, node)
    )


def is_parsed(module: Module, name: ast.expr) -> bool:
    """Whether a name stands for what a parser of the file returned, and for nothing else."""
    scope = module.function(name)
    if not isinstance(name, ast.Name):
        return False
    if isinstance(scope, FUNCTIONS) and any(one.arg == name.id for one in scope.args.args):
        return False
    values = module.value_in(name, scope) or module.value_in(name, module.tree)
    return bool(values) and all(
        isinstance(one, ast.Call)
        and last_name(one.func) == "parse_args"
        and not one.args
        and not one.keywords
        for one in values
    )


@kept
def declared(module: Module) -> set[str] | None:
    """What the parsers of a program declare, or its code sets; None where more may be there."""
    found: set[str] = set()
    for other in reachable(module) if is_started(module) else module.project.near(module):
        if HIDDEN.search(module.project.contents[other.name]):
            return None
        for call in other.calls.get("add_argument", ()):
            names = declares(call)
            if names is None:
                return None
            found |= names
        for call in other.calls.get("set_defaults", ()):
            found |= {one.arg for one in call.keywords if one.arg}
        found |= {
            node.attr
            for node in other.attributes
            if not isinstance(node.ctx, ast.Load) and written(node.value) != "self"
        }
        for name in ("setattr", "hasattr", "getattr", "delattr"):
            for call in other.calls.get(name, ()):
                if len(call.args) < 2 or written(call.args[0]) == "self":
                    continue
                if isinstance(call.args[1], ast.Constant):
                    found.add(str(call.args[1].value))
                elif name == "setattr":
                    return None
    makers = {last_name(receiver(call) or call) for call in module.calls["parse_args"]}
    return found if found and "" not in makers else None


def declares(call: ast.Call) -> set[str] | None:
    """The names under which a flag can be read; None where it is not written out."""
    texts = [one.value for one in call.args if isinstance(one, ast.Constant)]
    if len(texts) != len(call.args) or any(one.arg is None for one in call.keywords):
        return None
    dest = keyword(call, "dest")
    if isinstance(dest, ast.Constant):
        return {str(dest.value)}
    return {str(one).lstrip("-").replace("-", "_") for one in texts}


def is_called(module: Module, node: ast.Attribute) -> bool:
    """Whether it is a method, as a class of one's own for settings may have."""
    around = module.parents[node]
    return isinstance(around, ast.Call) and around.func is node
