"""Which method of the project a call means, where it can be no other."""

import ast

from ...kept import kept
from ...project import Module, Project
from ...syntax import (
    Function,
    last_name,
    method_of,
    written,
)
from ...variables import stored_in
from ..shared.runs import with_bases


def is_plain(function: Function) -> bool:
    """Whether nothing is put around a function that may change what it takes."""
    return not function.decorator_list or all(
        last_name(getattr(one, "func", one)) in ("no_grad", "inference_mode", "torch")
        for one in function.decorator_list
    )


def constructor(module: Module, node: ast.ClassDef) -> tuple[Function, bool] | None:
    """The `__init__` of a class that has one of its own, and is made in the usual way."""
    init = method_of(node, "__init__")
    unusual = any(
        one.decorator_list
        or one.keywords
        or method_of(one, "__new__")
        or method_of(one, "__init_subclass__")
        for one in with_bases(module, node)
    )
    return (init, True) if init is not None and not unusual and is_plain(init) else None


def method_called(module: Module, func: ast.Attribute) -> Function | None:
    """The method that a call means: of the same object, its base, or one that is made here."""
    name, owner = func.attr, func.value
    if name in replaced(module.project):
        return None
    if written(owner) == "self":
        around = module.class_of(func)
        only = len(module.project.functions.get(name, ())) == 1
        method = method_of(around, name) if around is not None and only else None
    elif isinstance(owner, ast.Call) and last_name(owner.func) == "super":
        method = of_base(module, func, name)
    else:
        method = of_object(module, owner, name)
    return None if method is None or method.decorator_list else method


def of_base(module: Module, place: ast.AST, name: str) -> Function | None:
    """The method of the only class from which the class around derives."""
    around = module.class_of(place)
    if around is None or len(around.bases) != 1:
        return None
    base = only_class(module, around.bases[0])
    return inherited(*base, name) if base else None


def of_object(module: Module, owner: ast.expr, name: str) -> Function | None:
    """The method of an object that a variable surely is, as it is made in the same function."""
    scope = module.function(owner)
    if not isinstance(owner, ast.Name):
        return None
    stored = stored_in(scope).get(owner.id, ())
    values = module.value_in(owner, scope)
    if len(stored) != 1 or len(values) != 1 or not isinstance(values[0], ast.Call):
        return None
    made = only_class(module, values[0].func)
    return inherited(*made, name) if made and constructor(*made) else None


def only_class(module: Module, node: ast.AST) -> tuple[Module, ast.ClassDef] | None:
    """The class that a name means, where it is defined whatever happens."""
    found = module.project.classes_named(module, node) or []
    if len(found) != 1:
        return None
    where, defined = found[0]
    own = isinstance(where.parents[defined], ast.Module) and defined.name not in where.imports
    functions = module.project.functions.get(last_name(node), ())
    return found[0] if own and not functions else None


def inherited(module: Module, node: ast.ClassDef, name: str, depth: int = 4) -> Function | None:
    """The method of a class, or of the only one from which it derives."""
    found = method_of(node, name)
    if found is not None or len(node.bases) != 1 or not depth:
        return found
    base = only_class(module, node.bases[0])
    return inherited(*base, name, depth - 1) if base else None


@kept
def replaced(project: Project) -> frozenset[str]:
    """The attributes that get a value, in a class or on an object, and so may be no methods."""
    found: set[str] = set()
    for module in project.modules:
        found |= {one.attr for one in module.attributes if isinstance(one.ctx, ast.Store)}
        for node in module.classes:
            given = [one for one in node.body if isinstance(one, ast.Assign)]
            found |= {last_name(target) for one in given for target in one.targets}
        for call in module.calls.get("setattr", ()):
            found |= {str(getattr(one, "value", "")) for one in call.args[1:2]}
    return frozenset(found)
