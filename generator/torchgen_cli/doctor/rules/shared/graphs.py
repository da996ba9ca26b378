"""What the rules on evaluation ask: are graphs for gradients computed at a place?"""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    OPAQUE,
    asks_main,
    last_name,
    mentions,
    own_calls,
    walk,
    written,
)
from .layers import unmoved

NO_GRAPH = (
    "no_grad",
    "inference_mode",
    "set_grad_enabled",
    "requires_grad",
    "autograd",
)


def keeps_graphs(module: Module, place: ast.AST, call: ast.Call) -> bool:
    """Whether neither a place, nor what is around or called there, does without graphs."""
    scope = module.function(place)
    if says_no_graph(place) or under(module, place) or freezes(scope):
        return False
    if any(own_calls(one, "set_grad_enabled") for one in (scope, module.tree)):
        return False
    if module.project.reaches(module, place, mentions_no_graph, depth=4):
        return False
    if any(mentions_no_graph(node) for node in passed(module, call)):
        return False
    return not called_under(module, scope, set())


def freezes(scope: ast.AST) -> bool:
    """Whether a function turns the gradients of parameters off."""
    attributes = (node for node in walk(scope) if isinstance(node, ast.Attribute))
    return any(
        one.attr == "requires_grad_"
        or (one.attr == "requires_grad" and isinstance(one.ctx, ast.Store))
        for one in attributes
    )


def passed(module: Module, call: ast.Call) -> Iterator[ast.AST]:
    """The nodes of the `forward`, decorators included, of the network that a call runs."""
    for value in unmoved([one.value for one in module.assigned.get(written(call.func), ())]):
        made = value.func if isinstance(value, ast.Call) else value
        for _, node in module.project.classes_named(module, made) or ():
            for method in node.body:
                if isinstance(method, FUNCTIONS) and method.name in ("forward", "__call__"):
                    yield from walk(method)


def called_under(module: Module, scope: ast.AST, seen: set[ast.AST]) -> bool:
    """Whether a function is called where no graph is needed: always, or a method once."""
    seen.add(scope)
    enough = any if module.class_of(scope) else all
    sites = list(module.project.calls_of(module, scope))
    return bool(sites) and enough(
        under(other, call)
        or bool(own_calls(caller := other.function(call), "set_grad_enabled"))
        or (caller not in seen and called_under(other, caller, seen))
        for other, call in sites
    )


def mentions_no_graph(node: ast.AST) -> bool:
    """Whether it is a name that turns graphs off."""
    return isinstance(node, ast.Name | ast.Attribute) and last_name(node) in NO_GRAPH[:3]


def says_no_graph(node: ast.AST) -> bool:
    """Whether something below says that no graph is needed; not an argument of a Variable's."""
    names = (last_name(one) for one in walk(node) if isinstance(one, ast.Name | ast.Attribute))
    return any(word in name for name in names for word in NO_GRAPH)


def leaves_graphs_out(module: Module, scope: ast.AST) -> bool:
    """Whether a function says anything about gradients being needed."""
    if isinstance(scope, ast.Module):
        return any(says_no_graph(s) for s in scope.body if not isinstance(s, OPAQUE))
    return says_no_graph(scope)


def under(module: Module, node: ast.AST) -> bool:
    """Whether a `with` or a decorator around it mentions that no graph is needed."""
    for around in module.ancestors(node):
        asked: list[ast.expr] = []
        if isinstance(around, ast.With):
            asked = [item.context_expr for item in around.items]
        elif isinstance(around, (*FUNCTIONS, ast.ClassDef)):
            asked = around.decorator_list
        if any(turns_off(module, one) for one in asked):
            return True
        if isinstance(around, ast.Module):
            started = [one for block in around.body if asks_main(block) for one in own_body(block)]
            return any(
                mentions(statement, "set_grad_enabled")
                for statement in [*around.body, *started]
                if isinstance(statement, ast.Expr)
            )
    return False


def turns_off(module: Module, manager: ast.expr) -> bool:
    """Whether a context or a decorator turns graphs off: itself, or in the code that makes it."""
    if mentions(manager, *NO_GRAPH):
        return True
    made = [one.value for one in module.assigned.get(written(manager), ())]
    call = manager if isinstance(manager, ast.Call) else ast.Call(manager, [], [])
    functions = module.project.resolve(module, call)
    return any(mentions(one, *NO_GRAPH) for one in [*made, *(one for _, one in functions)])


def own_body(block: ast.AST) -> list[ast.stmt]:
    """The statements of a block, those of its `else` left out."""
    return block.body if isinstance(block, ast.If) else []
