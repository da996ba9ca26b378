"""Flags and parameters that say whether there is a GPU, whatever they are called."""

import ast
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...syntax import LEAVING, is_constant, last_name, mentions, own_calls, parameters, walk

# what may be an answer: `use_cuda`, `not args.cpu`, `device.type == "cuda"`, `is_available()`
ANSWERS = (ast.Attribute, ast.BoolOp, ast.Call, ast.Compare, ast.Name, ast.Subscript, ast.UnaryOp)


@kept
def set_where_available(first: Module) -> set[str]:
    """The attributes that files of a program give what holds with a GPU alone.

    So `args.mixed` after `args.mixed = args.mixed and torch.cuda.is_available()`, and after
    `if not torch.cuda.is_available(): args.mixed = False`.
    """
    near = first.project.near(first)
    given = {
        name.rpartition(".")[2]
        for other in near
        for name, given in other.assigned.items()
        if "." in name
        and any(one.value is not None and mentions(one.value, "is_available") for one in given)
    }
    return given.union(*(turned_off(other) for other in near))


def turned_off(module: Module) -> Iterator[str]:
    """The flags that a file turns off, or refuses, where no GPU is available."""
    for call in module.calls.get("is_available", ()):
        for around in module.ancestors(call):
            if not isinstance(around, ast.If) or not any(one is call for one in walk(around.test)):
                continue
            asked = walk(around.test) if leaves(around) else ()
            yield from (one.attr for one in asked if isinstance(one, ast.Attribute))
            for one in (*around.body, *around.orelse):
                if isinstance(one, ast.Assign) and is_constant(one.value, False, None):
                    yield from (last_name(target) for target in one.targets)


@kept
def told_by_callers(first: Module) -> set[str]:
    """The parameters of a program's functions for which a call gives whether there is a GPU."""
    found: set[str] = set()
    for other in first.project.near(first):
        for name, calls in other.calls.items():
            for call in calls:
                found.update(one.arg for one in call.keywords if one.arg and tells(one.value))
                places = [place for place, one in enumerate(call.args) if tells(one)]
                if places:
                    found.update(parameters_at(first, name, places))
    return found


def parameters_at(module: Module, name: str, places: list[int]) -> Iterator[str]:
    """The names of some parameters of what is called: of a class, those of its `__init__`."""
    project = module.project
    makers = {node for _, node in project.classes.get(name, ())}
    functions = [one for _, one in project.functions.get(name, ())]
    functions += [
        one for where, one in project.functions.get("__init__", ()) if where.parents[one] in makers
    ]
    for function in functions if makers or functions else ():
        names = parameters(function)
        yield from (names[place] for place in places if place < len(names))


def tells(value: ast.expr) -> bool:
    """Whether a value says whether there is a GPU, or whether one is to be used."""
    if not isinstance(value, ANSWERS) or is_moved(value):
        return False
    if isinstance(value, ast.Call):
        return last_name(value.func) == "is_available"
    if isinstance(value, ast.Name | ast.Attribute):
        return any(word in last_name(value).lower() for word in ("cuda", "gpu"))
    return mentions(value, "cuda", "gpu", "is_available")


def leaves(condition: ast.If) -> bool:
    """Whether one way of a condition leaves the block."""
    return any(
        isinstance(block[-1], LEAVING) or bool(own_calls(block[-1], "exit", "_exit"))
        for block in (condition.body, condition.orelse)
        if block
    )


def is_moved(value: ast.AST) -> bool:
    """Whether it is data that was moved to a device, and so no answer which one to take."""
    return any(
        isinstance(one, ast.Call) and last_name(one.func) in ("cpu", "cuda") for one in walk(value)
    )
