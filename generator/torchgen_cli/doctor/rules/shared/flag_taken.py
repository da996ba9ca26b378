"""Whether a value that is taken from the flags does anything."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    has_stars,
    is_constant,
    last_name,
    own_nodes,
    parameters,
    walk,
)
from .flag_places import attributes_of, names_of, set_from_outside

PRINTING = {"print", "pprint", "info", "debug", "warning", "print_log"}
# what makes another value of one, and has no other effect
PURE = {
    "abs", "bool", "device", "float", "format", "int", "join", "len", "list", "lower", "max",
    "min", "range", "repr", "replace", "round", "set", "sorted", "split", "str", "strip", "tuple",
    "upper",
}  # fmt: skip
PLAIN_BASES = {"object", "ABC", "Module", "Dataset", "Function"}
EXAMINING = {"vars", "getattr", "setattr", "locals"}
DEPTH = 6


def is_used(module: Module, node: ast.AST, depth: int = DEPTH) -> bool:
    """Whether a value goes anywhere; true where it cannot be told."""
    inner = node
    for around in module.ancestors(node) if depth else ():
        used = is_used_in(module, around, inner, depth)
        if used is not None:
            return used
        inner = around
    return True


def is_used_in(module: Module, around: ast.AST, inner: ast.AST, depth: int) -> bool | None:
    """The same by what is around it; None where that makes another value of it."""
    if isinstance(around, ast.Call) and inner in around.args:
        name = last_name(around.func)
        if name in PRINTING and isinstance(module.parents[around], ast.Expr):
            return False
        return None if name in PURE else reaches_parameter(module, around, inner, depth)
    if isinstance(around, ast.keyword):
        call = module.parents[around]
        return not isinstance(call, ast.Call) or reaches_parameter(module, call, inner, depth)
    if isinstance(around, ast.Assign) and is_pure(inner):
        return any(is_target_used(module, one, depth) for one in around.targets)
    return True if isinstance(around, ast.stmt | ast.Lambda | ast.Yield | ast.Await) else None


def is_pure(node: ast.AST) -> bool:
    """Whether computing it has no effect but its value."""
    return all(last_name(n.func) in PURE for n in walk(node) if isinstance(n, ast.Call))


def is_target_used(module: Module, target: ast.AST, depth: int) -> bool:
    """Whether anything reads what a value is assigned to."""
    if isinstance(target, ast.Name):
        return is_name_used(module, module.function(target), target.id, depth)
    if isinstance(target, ast.Attribute):
        return is_attribute_used(module, target, depth)
    return True


def is_name_used(module: Module, scope: ast.AST, name: str, depth: int) -> bool:
    """Whether a variable of a function or a file is read for more than to be shown."""
    shared = isinstance(scope, ast.Module) or any(
        isinstance(n, ast.Global | ast.Nonlocal) and name in n.names for n in own_nodes(scope)
    )
    if {"locals", "exec"} & module.calls.keys():
        return True
    if shared:
        text = name.encode()
        if any(
            re.search(rb"\b%s\b" % text, module.project.contents[one.name])
            for one in module.project.code
            if one is not module
        ):
            return True
    found = names_of(module).get(name, ())
    mine = found if shared else [n for n in found if scope in module.ancestors(n)]
    return any(is_used(module, node, depth - 1) for node in mine)


def is_attribute_used(module: Module, target: ast.Attribute, depth: int) -> bool:
    """Whether anything reads an attribute of an object of the project's own class."""
    owner = module.class_of(target)
    if owner is None or not isinstance(target.value, ast.Name) or target.value.id != "self":
        return True
    if not is_plain(module, owner) or is_examined(module, owner):
        return True
    quoted = re.compile(rb"['\"]%s['\"]" % target.attr.encode())
    contents = module.project.contents
    if any(quoted.search(contents[one.name]) for one in module.project.code):
        return True
    return any(
        is_used(one, node, depth - 1)
        for one in module.project.code
        for node in attributes_of(one).get(target.attr, ())
        if not is_of_other_class(one, node, owner) and not is_kept_alike(one, node)
    )


def is_plain(module: Module, node: ast.ClassDef) -> bool:
    """Whether no class of a library is among its bases, which could read its attributes."""
    for base in node.bases:
        own = module.project.classes_named(module, base) or []
        if not own and last_name(base) not in PLAIN_BASES:
            return False
        if any(one is not node and not is_plain(where, one) for where, one in own):
            return False
    return not node.keywords and not node.decorator_list


def is_examined(module: Module, node: ast.ClassDef) -> bool:
    """Whether its attributes are read by names that are made, as in `self.__dict__`."""
    return any(
        (isinstance(n, ast.Attribute) and n.attr in ("__dict__", "_get_kwargs"))
        or (isinstance(n, ast.Call) and last_name(n.func) in EXAMINING)
        for n in walk(node)
    )


def is_kept_alike(module: Module, node: ast.Attribute) -> bool:
    """Whether it is only kept under the same name: `self.x = args.x`, `args.x = int(args.x)`."""
    statement = module.statement(node)
    return (
        isinstance(statement, ast.Assign)
        and is_pure(statement.value)
        and all(isinstance(t, ast.Attribute) and t.attr == node.attr for t in statement.targets)
    )


def is_of_other_class(module: Module, node: ast.Attribute, owner: ast.ClassDef | None) -> bool:
    """Whether it is `self.x` in a class that sets it to what is no `x` of another object."""
    around = module.class_of(node)
    if around is None or around is owner or not is_self(node) or is_examined(module, around):
        return False
    values = values_of(module, around, node.attr)
    if owner is not None and is_relative(around, owner):
        return False
    if any(node.attr in set_from_outside(one) for one in module.project.code):
        return False
    taken = any(
        (isinstance(n, ast.Attribute) and n.attr == node.attr) or is_constant(n, node.attr)
        for value in values
        for n in walk(value)
    )
    return bool(values) and not taken


def is_relative(one: ast.ClassDef, other: ast.ClassDef) -> bool:
    """Whether two classes have a base in common, or one is the base of the other."""
    bases = {last_name(base) for base in (*one.bases, *other.bases)}
    common = {last_name(b) for b in one.bases} & {last_name(b) for b in other.bases}
    return bool(bases & {one.name, other.name}) or bool(common - PLAIN_BASES)


def is_self(node: ast.Attribute) -> bool:
    """Whether it is an attribute of the object itself."""
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def values_of(module: Module, owner: ast.ClassDef, attribute: str) -> list[ast.expr]:
    """What a class sets an attribute of its objects to."""
    statements = module.assigned.get(f"self.{attribute}", ())
    return [one.value for one in statements if owner in module.ancestors(one)]


def reaches_parameter(module: Module, call: ast.Call, node: ast.AST, depth: int) -> bool:
    """Whether a function or a constructor of the project uses what is given to it there."""
    functions = list(meant(module, call))
    if not functions or has_stars(call):
        return True
    for where, function in functions:
        name = parameter_of(function, call, node)
        if name is None or is_name_used(where, function, name, depth):
            return True
    return False


def meant(module: Module, call: ast.Call) -> Iterator[tuple[Module, Function]]:
    """The functions that a call runs: of a name, or of a method of the object itself."""
    project = module.project
    for where, owner in project.classes_named(module, call.func) or ():
        made = [n for n in owner.body if isinstance(n, FUNCTIONS) and n.name == "__init__"]
        yield from ((where, one) for one in made)
    if isinstance(call.func, ast.Name):
        yield from project.resolve(module, call)
    elif isinstance(call.func, ast.Attribute) and is_self(call.func):
        yield from project.functions.get(call.func.attr, ())


def parameter_of(function: Function, call: ast.Call, node: ast.AST) -> str | None:
    """The parameter that an argument of a call fills; None where nothing tells."""
    taken = parameters(function)
    known = {*taken, *(one.arg for one in function.args.kwonlyargs)}
    if node in call.args:
        place = call.args.index(node)
        return taken[place] if place < len(taken) else None
    name = next((k.arg for k in call.keywords if k.value is node), None)
    return name if name in known else None
