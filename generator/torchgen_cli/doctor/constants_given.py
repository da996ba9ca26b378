"""The constants that the callers of a function give its parameters, where they give no others."""

import ast

from .methods import lines, stored
from .project import Module
from .syntax import (
    FUNCTIONS,
    Function,
    defaults_of,
    has_stars,
    keyword,
    last_name,
    method_of,
    own_nodes,
    parameters,
    written,
)
from .users import is_of_timm, users_of
from .variables import bound_in, stored_in
from .words import is_written_elsewhere

LEFT_OUT = ...  # stands for an argument that a call does not give
FAR = 3  # functions that hand an argument on, or that call each other
# methods by which a dict gets more
CHANGING = {"setdefault", "update"}


def values_of_argument(module: Module, asked: ast.expr, depth: int = FAR) -> set[object] | None:
    """The constants that a parameter gets, or an attribute that keeps one; None for others."""
    if isinstance(asked, ast.Name):
        function = binding(module, asked)
        if function is None or asked.id != name_of_rest(function):
            return given_to(module, function, asked.id, depth) if function else None
        return {()} if is_never_filled(module, function) else None
    node = module.class_of(asked)
    if node is None or not written(asked).startswith("self."):
        return None
    name = written(asked)[5:]
    maker = method_of(node, "__init__")
    kept_as = [
        value
        for other, value in stored(module.project).get(name, ())
        if not is_of_others(other, value, node)
    ]
    value = kept_as[0] if len(kept_as) == 1 else None
    if maker is None or not isinstance(value, ast.Name) or value not in module.parents:
        return None
    return given_to(module, maker, value.id, depth) if module.function(value) is maker else None


def binding(module: Module, name: ast.Name) -> Function | None:
    """The function of which a name is a parameter: the one around it, or one around that."""
    around = module.function(name)
    while isinstance(around, FUNCTIONS):
        if name.id in (*taken_by(around), name_of_rest(around)):
            return around
        if name.id in bound_in(around):
            return None
        around = module.function(around)
    return None


def taken_by(function: Function) -> list[str]:
    """The names of what a function takes, also of what is given by name alone."""
    return [*parameters(function), *(one.arg for one in function.args.kwonlyargs)]


def is_of_others(module: Module, value: ast.expr | None, node: ast.ClassDef) -> bool:
    """Whether a value is kept by objects of another class: `self.size = size` in that class."""
    if value is None:
        return False
    targets = getattr(module.parents[value], "targets", [])
    around = module.class_of(value)
    own = all(written(one).count(".") == 1 and written(one)[:5] == "self." for one in targets)
    related = any({node, around} <= line for line in lines(module.project))
    return own and around is not None and not related


def is_never_filled(module: Module, function: Function) -> bool:
    """Whether no caller gives a function more keywords than it has, nor does it add any."""
    rest, users = name_of_rest(function), users_of(module, function)
    held = [one for one in own_nodes(function) if isinstance(one, ast.Name) and one.id == rest]
    above = [module.parents[one] for one in held]
    changed = any(
        not isinstance(one.ctx, ast.Load)
        or last_name(around) in CHANGING
        or not isinstance(getattr(around, "ctx", one.ctx), ast.Load)
        for one, around in zip(held, above, strict=True)
    )
    return (
        bool(users)
        and not changed
        and all(one.arg in taken_by(function) for _, call in users for one in call.keywords)
    )


def given_to(module: Module, function: Function, name: str, depth: int) -> set[object] | None:
    """The constants that callers give a parameter; None where anything else may be given."""
    users = users_of(module, function) if depth else []
    changed = stored_in(function)
    takes, found = name in taken_by(function), set[object]()
    if not users or name in changed or name_of_rest(function) in changed:
        return None
    if not takes and not name_of_rest(function):
        return None  # which is no parameter
    place = parameters(function).index(name) if name in parameters(function) else None
    for other, call in users:
        values = given_by(other, call, name, place_in(other, call, place), depth - 1)
        if values is None and has_stars(call) and not is_spoken_of(module, function, name):
            values = {LEFT_OUT}
        if values is None:
            return None
        found |= values
    by_name = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    default = {**defaults_of(function), **{one.arg: given for one, given in by_name}}.get(name)
    if takes and LEFT_OUT in found:
        if not isinstance(default, ast.Constant):
            return None
        found = found - {LEFT_OUT} | {default.value}
    return found


def given_by(
    module: Module, call: ast.Call, name: str, place: int | None, depth: int
) -> set[object] | None:
    """The constants that one call may give a parameter; LEFT_OUT where it may give none."""
    scope, value = module.function(call), keyword(call, name)
    if value is None and any(isinstance(one, ast.Starred) for one in call.args):
        return None
    if value is None and place is not None and place < len(call.args):
        value = call.args[place]
    if isinstance(value, ast.Constant):
        return {value.value}
    if value is None and not has_stars(call):
        return {LEFT_OUT}
    if isinstance(value, ast.Name | ast.Attribute):
        return values_of_argument(module, value, depth)
    if value is not None or not isinstance(scope, FUNCTIONS):
        return None
    rest = [written(one.value) for one in call.keywords if one.arg is None]
    return given_to(module, scope, name, depth) if rest == [name_of_rest(scope)] else None


def place_in(module: Module, call: ast.Call, place: int | None) -> int | None:
    """The place of an argument in a call; timm takes a name first, and one more that way."""
    if place is None or not is_of_timm(module, call):
        return place
    return 1 if place == 0 else None


def name_of_rest(function: Function) -> str:
    """The name of what takes all further arguments: of `**options`."""
    return function.args.kwarg.arg if function.args.kwarg is not None else ""


def is_spoken_of(module: Module, function: Function, name: str) -> bool:
    """Whether a parameter's name stands anywhere but in its function, or in its class."""
    whole = module.class_of(function) or function
    own = b"\n".join(module.lines[whole.lineno - 1 : whole.end_lineno])
    return is_written_elsewhere(module.project, name, own)
