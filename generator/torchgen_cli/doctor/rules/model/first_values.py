"""Whether any code gives a parameter its first values."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...syntax import FUNCTIONS, everything, is_constant, last_name, own_calls, walk, written

# calls that give values, or may
FILLING = re.compile(r"_$|init|reset|fill|copy|load|xavier|kaiming|glorot|assign")
# those that change no values
IDLE = ("requires_grad_", "share_memory_")
DRAWING = re.compile(
    r"^(xavier|kaiming|glorot|orthogonal|trunc_normal|uniform|normal|constant|zeros?|ones|fill|init"
    r"|sparse|weight_init)"
)
PASSES = ("forward", "__call__")


@kept
def family(module: Module, node: ast.ClassDef) -> list[tuple[Module, ast.ClassDef]]:
    """A class, the project's classes from which it derives, and those that derive from it."""
    found = [(module, node)]
    for where, one in found:  # it grows
        for base in one.bases:
            found += [
                new for new in module.project.classes_named(where, base) or () if new not in found
            ]
    names = {node.name}
    for _ in range(4):  # classes that derive from those that derive from it
        for name, classes in module.project.classes.items():
            if any(last_name(base) in names for _, one in classes for base in one.bases):
                names.add(name)
    more = (one for name in names for one in module.project.classes.get(name, ()))
    return [*found, *(one for one in more if one not in found)]


def is_filled(module: Module, around: ast.ClassDef, made: ast.Call, name: str) -> bool:
    """Whether any code may give the attribute of this name of a class values of its own."""
    related = {one for _, one in family(module, around)}
    for other in module.project.modules:
        for node in every_place(other).get(name, ()):
            if written(node.value) == "self":
                concerned = other.class_of(node) in related
            else:
                concerned = may_be_about(other, node, {one.name for one in related})
            if concerned and made not in walk(other.statement(node)) and gives(other, node):
                return True
        if is_named_by_text(other, name, made):
            return True
    return False


@kept
def every_place(module: Module) -> dict[str, list[ast.Attribute]]:
    """Where a file reads or sets each attribute."""
    found: dict[str, list[ast.Attribute]] = {}
    for node in module.attributes:
        found.setdefault(node.attr, []).append(node)
    return found


def may_be_about(module: Module, node: ast.AST, classes: set[str]) -> bool:
    """Whether the conditions around a place allow an object of these classes."""
    inner = node
    for one in module.ancestors(node):
        test = one.test if isinstance(one, ast.If) and inner in one.body else None
        if test is not None and is_about_others(module, test, classes):
            return False
        inner = one
    return True


def is_about_others(module: Module, test: ast.expr, classes: set[str]) -> bool:
    """Whether a condition asks for layers of torch, or other known classes, and nothing else."""
    calls = [one for one in walk(test) if isinstance(one, ast.Call)]
    denied = any(isinstance(one, ast.Not) for one in ast.walk(test))
    return bool(calls) and not denied and all(is_of_others(module, one, classes) for one in calls)


def is_of_others(module: Module, call: ast.Call, classes: set[str]) -> bool:
    """Whether it is `isinstance(layer, nn.Linear)` or `name.find("Linear")`, of other classes."""
    asked = call.args[-1] if call.args else call.func
    if last_name(call.func) == "find":
        word = getattr(asked, "value", "")
        return isinstance(word, str) and word != "" and not any(word in one for one in classes)
    if written(call.func) != "isinstance":
        return False
    parts = asked.elts if isinstance(asked, ast.Tuple) else [asked]
    known = module.project.classes
    return not any(
        last_name(one) in classes or not (module.is_torch(one) or last_name(one) in known)
        for one in parts
    ) and not any(module.qualified(one).endswith("nn.Module") for one in parts)


def gives(module: Module, node: ast.Attribute) -> bool:
    """Whether something may give a parameter values at a place where it is named."""
    if not isinstance(node.ctx, ast.Load):
        return not is_constant(getattr(module.statement(node), "value", None), None)
    inner: ast.AST = node
    for one in module.ancestors(node):
        told = gives_by(module, node, inner, one)
        if told is not None:
            return told
        inner = one
    return False


def gives_by(module: Module, node: ast.AST, inner: ast.AST, around: ast.AST) -> bool | None:
    """The same by what is around a place; None where that does not tell."""
    scope = module.function(node)
    passes = isinstance(scope, FUNCTIONS) and scope.name in PASSES
    if isinstance(around, ast.Attribute) and (around.attr == "data" or fills(around.attr)):
        return True
    if isinstance(around, ast.Call) and inner is not around.func:
        return fills(last_name(around.func)) or isinstance(module.parents[around], ast.Expr)
    if isinstance(around, ast.Tuple | ast.List | ast.Dict):
        return not passes  # for weight in (self.query, self.key)
    if isinstance(around, ast.Assign):
        return inner is node and not passes
    if isinstance(around, ast.Subscript) and not isinstance(around.ctx, ast.Load):
        return True
    return False if isinstance(around, ast.stmt) else None


def fills(name: str) -> bool:
    """Whether a function or a method of this name may give values."""
    return FILLING.search(name) is not None and name not in IDLE


def is_named_by_text(module: Module, name: str, made: ast.Call) -> bool:
    """Whether a text is the name of a parameter, other than where it is registered."""
    content = module.project.contents[module.name]
    if not re.search(rb"['\"]%s['\"]" % name.encode(), content):
        return False
    return any(
        is_constant(node, name)
        and not (isinstance(around, ast.Call) and last_name(around.func) == "register_parameter")
        for node, around in module.parents.items()
    )


def are_all_filled(module: Module, around: ast.ClassDef) -> bool:
    """Whether code goes through all parameters of an object, or of one that holds it."""
    related = {one for _, one in family(module, around)}
    for other in module.project.modules:
        for call in all_drawn(other):
            owner = other.class_of(call)
            own = written(getattr(call.func, "value", call)).partition(".")[0] == "self"
            if not own or owner is None or owner in related or holds(other, owner, around):
                return True
    return False


@kept
def all_drawn(module: Module) -> tuple[ast.Call, ...]:
    """The calls for all parameters of something in functions that draw values for a variable."""
    calls = [*module.calls.get("parameters", ()), *module.calls.get("named_parameters", ())]
    return tuple(call for call in calls if any(draws(module, module.scope(call))))


def draws(module: Module, scope: ast.AST) -> Iterator[bool]:
    """For each call in a function, whether it gives a variable values: `normal_(weight)`."""
    for call in own_calls(scope):
        owner = getattr(call.func, "value", None)
        given = [*call.args[:1], *([owner] if owner is not None else [])]
        bare = [one.value if getattr(one, "attr", "") == "data" else one for one in given]
        variable = any(isinstance(one, ast.Name) and one.id != "init" for one in bare)
        name = last_name(call.func)
        in_place = name.endswith("_") or isinstance(module.parents[call], ast.Expr)
        yield variable and in_place and DRAWING.search(name) is not None


def holds(module: Module, outer: ast.ClassDef, node: ast.ClassDef) -> bool:
    """Whether a class names another, or a class that names it, and so on."""
    classes = module.project.classes
    found = [outer]
    for one in found:  # it grows
        names = {last_name(part) for part in everything(one)} & classes.keys()
        found += [new for name in names for _, new in classes[name] if new not in found]
    return node in found
