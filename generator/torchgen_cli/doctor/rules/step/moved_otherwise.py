"""Schedulers that others than a call of their `step` move on."""

import ast

from ...project import Module
from ...syntax import FUNCTIONS, last_name
from ..shared.flag_places import attributes_of, names_of
from ..shared.flag_shown import RECORDING

# what takes a scheduler, and does not move it on
IDLE = RECORDING | {
    "append",
    "dict",
    "hasattr",
    "isinstance",
    "len",
    "list",
    "save",
    "tuple",
    "type",
}


def may_be_moved_otherwise(module: Module, made: list[ast.Call]) -> bool:
    """Whether a `step` is handed on as it is, or a scheduler is given to what is not here."""
    near = module.project.near(module)
    names = {name for call in made for name in names_given(module, call)}
    for other in near:
        for node in attributes_of(other).get("step", ()):
            around = other.parents[node]
            called = isinstance(around, ast.Call) and around.func is node
            if not called and last_name(node.value) in names:
                return True
    return any(
        is_unknown(other, call)
        for other in near
        for calls in other.calls.values()
        for call in calls
        if any(last_name(one) in names for one in (*call.args, *(k.value for k in call.keywords)))
    )


def names_given(module: Module, call: ast.Call) -> set[str]:
    """The names of what a call makes: of the targets of its statement."""
    statement = module.parents[call]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {last_name(one) for one in targets} - {""}


def is_unknown(module: Module, call: ast.Call) -> bool:
    """Whether it calls what is not of this project, and may keep what it is given."""
    name = last_name(call.func)
    project = module.project
    known = name in project.functions or name in project.classes or name in IDLE
    return not known and not module.is_torch(call.func)


def is_forgotten(module: Module, call: ast.Call) -> bool:
    """Whether nothing reads the variable, or the attribute, that holds a scheduler."""
    statement = module.parents[call]
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if isinstance(target, ast.Name):
        scope = module.function(call)
        if not isinstance(scope, FUNCTIONS) or "locals" in module.calls:
            return False
        return not any(
            scope in module.ancestors(node) for node in names_of(module).get(target.id, ())
        )
    if not isinstance(target, ast.Attribute):
        return False
    quoted = (f"'{target.attr}'".encode(), f'"{target.attr}"'.encode())
    contents = module.project.contents
    return not any(
        attributes_of(other).get(target.attr)
        or "__dict__" in attributes_of(other)
        or any(
            last_name(one) == "self" for call in other.calls.get("vars", ()) for one in call.args
        )
        or any(text in contents[other.name] for text in quoted)
        for other in module.project.near(module)
    )
