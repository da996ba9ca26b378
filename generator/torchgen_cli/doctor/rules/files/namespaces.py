"""What a parser of flags returns, and which flags that has."""

import ast
import re

from ...kept import kept
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    has_stars,
    keyword,
    last_name,
    own_nodes,
    receiver,
    written,
)
from ...variables import stored_in
from ..shared.scripts import is_started, reachable

# ways to put settings into a namespace that no name shows
HIDDEN = re.compile(
    rb"\bvars\([\w.]+\)(\.(update|setdefault)|\[[^\]\n]*\]\s*=[^=]|[ \t]*(#.*)?\r?$)"
    rb"|__dict__(\.update|\[[^\]\n]*\]\s*=[^=]|\s*=)|Namespace\(|add_subparsers|\bexec\("
    rb"|HfArgumentParser|from_argparse_args|add_argparse_args|ArgumentParser\([^)]*parents"
    rb"|namespace\s*=|configargparse|tap import|import fire|\b(?!object\b)\w+\.__setattr__\(",
    re.M,
)


def is_parsed(module: Module, name: ast.expr) -> bool:
    """Whether a name stands for what a parser returned, and for nothing else."""
    scope = module.function(name)
    if not isinstance(name, ast.Name):
        return False
    if isinstance(scope, FUNCTIONS) and name.id in names_given(scope):
        return False
    values = module.value_in(name, scope)
    stored = stored_in(scope).get(name.id, ())
    values = values if stored else module.value_in(name, module.tree)
    known = not isinstance(scope, FUNCTIONS) or len(stored) in (0, len(values))
    parsed = without_parsers(values)
    return bool(parsed) and known and all(parses(module, one) for one in parsed)


def without_parsers(values: list[ast.expr]) -> list[ast.expr]:
    """Those that are no parsers, of `args = ArgumentParser()` and `args = args.parse_args()`."""
    return [one for one in values if last_name(getattr(one, "func", one)) != "ArgumentParser"]


def names_given(function: Function) -> set[str]:
    """All parameters of a function."""
    return {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}


def parses(module: Module, value: ast.expr, left: int = 2) -> bool:
    """Whether it is `parser.parse_args()`, or calls a function that returns just that."""
    if not isinstance(value, ast.Call) or not left:
        return False
    if last_name(value.func) == "parse_args" and isinstance(value.func, ast.Attribute):
        return not value.args and not value.keywords
    found = module.project.resolve(module, value)
    if len(found) != 1 or module.project.classes_named(module, value.func):
        return False
    other, function = found[0]
    ends = [one.value for one in own_nodes(function) if isinstance(one, ast.Return)]
    return bool(ends) and all(
        one is not None and (parses(other, one, left - 1) or is_parsed_by(other, one, left - 1))
        for one in ends
    )


def is_parsed_by(module: Module, name: ast.expr, left: int) -> bool:
    """Whether a variable of a function is what a parser returned there."""
    values = module.value_in(name, module.function(name)) if isinstance(name, ast.Name) else []
    parsed = without_parsers(values)
    return bool(parsed) and all(parses(module, one, left) for one in parsed)


@kept
def declared(module: Module) -> set[str] | None:
    """What the parsers of a program declare, or its code sets; None where more may be there."""
    found: set[str] = set()
    makers: set[str] = set()
    for other in reachable(module) if is_started(module) else module.project.near(module):
        if HIDDEN.search(module.project.contents[other.name]):
            return None
        for call in other.calls.get("add_argument", ()):
            names = declares(call)
            if names is None:
                return None
            found |= names
        if is_added_to_elsewhere(other):
            return None
        for call in other.calls.get("set_defaults", ()):
            if has_stars(call):
                return None
            found |= {one.arg for one in call.keywords if one.arg}
        found |= asked_for(other)
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
        parsing = [one for one in other.calls["parse_args"] if isinstance(one.func, ast.Attribute)]
        makers |= {last_name(receiver(one) or one) for one in parsing}
    return found if found and "" not in makers else None


def is_added_to_elsewhere(module: Module) -> bool:
    """Whether flags may come by another name of `add_argument`, or of what a library adds."""
    project = module.project
    called = {call.func for call in module.calls.get("add_argument", ())}
    if any(one.attr == "add_argument" and one not in called for one in module.attributes):
        return True
    return any(
        name not in project.functions and name not in project.classes
        for name, calls in module.calls.items()
        for call in calls
        if any(isinstance(one, ast.Name) and "parser" in one.id.lower() for one in call.args)
    )


def asked_for(module: Module) -> set[str]:
    """The flags for which a file asks whether they are there: `"width" in args`."""
    return {
        str(node.left.value)
        for node in module.parents
        if isinstance(node, ast.Compare)
        and isinstance(node.left, ast.Constant)
        and isinstance(node.ops[0], ast.In | ast.NotIn)
    }


def declares(call: ast.Call) -> set[str] | None:
    """The names under which a flag can be read; None where it is not written out."""
    texts = [one.value for one in call.args if isinstance(one, ast.Constant)]
    if len(texts) != len(call.args) or any(one.arg is None for one in call.keywords):
        return None
    dest = keyword(call, "dest")
    if isinstance(dest, ast.Constant):
        return {str(dest.value)}
    return {str(one).lstrip("-").replace("-", "_") for one in texts}
