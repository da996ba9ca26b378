"""Where a value may come from: through names, arguments, containers and the project's functions."""

import ast
from collections.abc import Iterator

from ...lookup import definitions
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    defaults_of,
    last_name,
    own_calls,
    own_nodes,
    parameters,
    receiver,
    written,
)
from ...unused import is_never_reached
from .switched_off import is_off

# calls that hand on what they get
PASSING = {"ConcatDataset", "Subset", "cycle", "deepcopy", "enumerate", "iter", "list", "partial"}
PASSING |= {"random_split", "reversed", "sorted", "tqdm", "tuple", "values", "zip"}
Place = tuple[Module, ast.expr]
FAR = 12  # steps: names, arguments and returns


def origins(module: Module, value: ast.expr) -> Iterator[Place]:
    """The calls, and what else cannot be followed, that a value may be, each with its file."""
    pending = [(module, value, FAR)]
    seen: set[ast.AST] = {value}
    for where, node, left in pending:  # it grows
        further = list(before(where, node)) if left else []
        if not further:
            yield where, node
        for other, one in further:
            if one not in seen and len(seen) < 200:
                seen.add(one)
                pending.append((other, one, left - 1))


def before(module: Module, node: ast.expr) -> Iterator[Place]:
    """What a value is made of, one step back; nothing where it is made here."""
    if isinstance(node, ast.Name):
        yield from of_name(module, node)
    elif isinstance(node, ast.Attribute) and written(node).startswith("self."):
        for value in module.value_in(node, module.function(node)):
            yield module, value
    elif isinstance(node, ast.Call):
        if last_name(node.func) in PASSING:
            inner = receiver(node) if last_name(node.func) == "values" else None
            yield from ((module, one) for one in ([inner] if inner else node.args))
        elif not module.project.classes_named(module, node.func):
            yield from returned(module, node)
    else:
        yield from ((module, one) for one in parts(node))


def parts(node: ast.expr) -> list[ast.expr]:
    """What a container or a choice holds."""
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.BoolOp | ast.Dict):
        return node.values
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return node.elts
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return [node.elt]
    return [node.value] if isinstance(node, ast.DictComp | ast.Subscript | ast.Starred) else []


def of_name(module: Module, name: ast.Name) -> Iterator[Place]:
    """What a name may be: assigned, iterated over or put into it, or given by a caller."""
    scope: ast.AST = module.scope(name)
    while True:
        found = list(assigned(module, scope, name.id))
        if isinstance(scope, FUNCTIONS) and name.id in parameters(scope):
            found += given(module, scope, name.id)
        if found or isinstance(scope, ast.Module):
            yield from found
            return
        scope = module.scope(scope)


def assigned(module: Module, scope: ast.AST, name: str) -> Iterator[Place]:
    """The values that a name gets in a scope."""
    for node in own_nodes(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    yield module, node.value
                elif isinstance(target, ast.Tuple) and (named := index(target, name)) is not None:
                    yield from item(module, node.value, named)
        elif isinstance(node, ast.For | ast.comprehension):
            if name in (written(one) for one in (node.target, *parts(node.target))):
                yield module, node.iter
        elif isinstance(node, ast.Call) and last_name(node.func) in ("append", "insert"):
            # transform.transforms.append(...)
            kept = receiver(node)
            if kept is not None and written(kept) in (name, f"{name}.transforms") and node.args:
                yield module, node.args[-1]


def index(target: ast.Tuple, name: str) -> int | None:
    """At which place of a tuple a name stands."""
    return next((k for k, one in enumerate(target.elts) if written(one) == name), None)


def item(module: Module, value: ast.expr, number: int) -> Iterator[Place]:
    """One of the values that are unpacked."""
    if isinstance(value, ast.Tuple):
        yield from ((module, one) for one in value.elts[number : number + 1])
    elif isinstance(value, ast.Call) and last_name(value.func) not in PASSING:
        for other, one in returned(module, value):
            yield from item(other, one, number) if isinstance(one, ast.Tuple) else [(other, one)]
    else:
        yield module, value


def returned(module: Module, call: ast.Call) -> Iterator[Place]:
    """What a function of the project may return to a call."""
    found = module.project.resolve(module, call)
    for other, function in called(module, call) or (found if len(found) == 1 else []):
        for node in own_nodes(function):
            if isinstance(node, ast.Return) and node.value is not None:
                yield other, node.value


def given(module: Module, function: Function, name: str) -> Iterator[Place]:
    """What callers pass for a parameter, and its default."""
    if module.class_of(function) and len(module.project.functions[function.name]) > 1:
        return
    place = parameters(function).index(name)
    for other, call in module.project.calls_of(module, function):
        value = argument(call, place, name)
        if value is not None and not isinstance(value, ast.Starred):
            yield other, value
    if (default := defaults_of(function).get(name)) is not None:
        yield module, default


def calls_behind(module: Module, value: ast.expr) -> Iterator[tuple[Module, ast.Call]]:
    """Every call that may have a part in a value: in arguments, functions and classes as well."""
    pending = [(module, value, FAR)]
    seen: set[ast.AST] = set()
    for where, node, left in pending:  # it grows
        if node in seen or not left or len(seen) > 300:
            continue
        seen.add(node)
        if isinstance(node, ast.Call):
            yield where, node
            pending += [(where, one, left - 1) for one in node.args]
            pending += [(where, one.value, left - 1) for one in node.keywords]
            kinds = where.project.classes_named(where, node.func)
            further = returned(where, node) if not kinds else made_within(*kinds[0])
            pending += [(other, one, left - 1) for other, one in further]
        else:
            pending += [(other, one, left - 1) for other, one in before(where, node)]


def made_within(module: Module, node: ast.ClassDef) -> Iterator[Place]:
    """The calls in the methods of a class."""
    for method in node.body:
        for call in own_calls(method) if isinstance(method, FUNCTIONS) else ():
            yield module, call


def own_calls_of(module: Module, functions: list[Function]) -> Iterator[tuple[Module, ast.Call]]:
    """The calls in functions, and in those of the project that they call by a plain name."""
    pending = [(module, one, 3) for one in functions]
    seen = set(functions)
    for where, function, left in pending:  # it grows
        for call in own_calls(function):
            if is_off(where, call) or is_never_reached(where, call):
                continue
            yield where, call
            for other, one in called(where, call) if left else ():
                if one not in seen:
                    seen.add(one)
                    pending.append((other, one, left - 1))


def called(module: Module, call: ast.Call) -> list[tuple[Module, Function]]:
    """The functions of the project that a call surely means: of a file, or of the same object."""
    owner = receiver(call)
    found = module.project.functions.get(last_name(call.func), [])
    if owner is None:
        return module.project.resolve(module, call) if found else []
    if written(owner) in ("self", "cls"):
        own = module.class_of(call)
        return [one for one in found if one[0] is module and module.class_of(one[1]) is own]
    if module.qualified(owner).partition(".")[0] not in module.libraries:
        return []
    plain = [one for one in found if isinstance(one[0].parents[one[1]], ast.Module)]
    return definitions(module, call.func, {last_name(call.func): plain}) or []
