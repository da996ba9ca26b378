"""Who gives the flags of a parser their values, if it is not the command alone."""

import ast
import re

from ...kept import kept
from ...project import Module
from ...syntax import is_constant, keyword, last_name, receiver
from ..checkpoint.in_place import SETTINGS
from .flag_places import attributes_of

FULL = ("jsonargparse", "simple_parsing")  # whose parsers read `False` as false


@kept
def reads_no_command(module: Module) -> bool:
    """Whether a file only calls `parse_args([])`, so that no command gives a flag."""
    parsed = [*module.calls.get("parse_args", ()), *module.calls.get("parse_known_args", ())]
    given = [call.args[0] if call.args else keyword(call, "args") for call in parsed]
    return bool(given) and all(
        (isinstance(one, ast.List) and not one.elts) or is_constant(one, "") for one in given
    )


@kept
def are_set_by_name(module: Module) -> bool:
    """Whether a program sets flags by names that it reads: `setattr(args, key, value)`."""
    for other in module.project.near(module):
        for call in other.calls.get("setattr", ()):
            computed = len(call.args) == 3 and not isinstance(call.args[1], ast.Constant)
            if computed and last_name(call.args[0]).lower() in SETTINGS:
                return True
        for call in other.calls.get("update", ()):  # vars(args).update(table)
            owner = receiver(call)
            if isinstance(owner, ast.Call) and last_name(owner.func) == "vars":
                return True
            if owner is not None and last_name(owner) == "__dict__":
                return True
        if any(one.arg == "namespace" for one in other.keywords):
            return True
    return False


@kept
def reads_truths(module: Module) -> bool:
    """Whether `type=bool` is no plain `bool` of argparse in a file: its parser reads the word."""
    other = any(whole.partition(".")[0] in FULL for whole in module.imports.values())
    own = "bool" in module.imports or any(one.name == "bool" for one in module.functions)
    registered = any(
        call.args and is_constant(call.args[0], "type") for call in module.calls.get("register", ())
    )
    return other or own or registered


def is_only_denied(module: Module, name: str) -> bool:
    """Whether each place that reads a flag asks if it is off: `if not args.name:`."""
    places = [
        other.parents[node]
        for other in module.project.near(module)
        for node in attributes_of(other).get(name, ())
    ]
    return bool(places) and all(
        isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not) for around in places
    )


def flag_name(call: ast.Call) -> str:
    """What the parsed value is called; empty where it is no flag."""
    if isinstance(dest := keyword(call, "dest"), ast.Constant):
        return str(dest.value)
    flags = [str(a.value) for a in call.args if isinstance(a, ast.Constant)]
    long = [flag for flag in flags if flag.startswith("--")]
    return long[0].strip("-").replace("-", "_") if long else ""


def long_flag(call: ast.Call) -> str:
    """The flag as it is typed, where it is more than a letter: `--cuda`, `-cuda`."""
    flags = [str(one.value) for one in call.args if isinstance(one, ast.Constant)]
    if long := [one for one in flags if one.startswith("--")]:
        return long[0]
    return flags[0] if flags and re.match(r"-[A-Za-z]\w", flags[0]) else ""
