"""Work of other threads or processes whose errors nobody sees."""

import ast
from collections.abc import Iterator

from ...lookup import definitions
from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import Function, keyword, last_name, own_nodes, receiver, written
from ..shared.origins import assigned

EXECUTORS = ("ThreadPoolExecutor", "ProcessPoolExecutor")
POOLS = ("Pool", "ThreadPool")
BROAD = ("BaseException", "Exception")


@rule(
    "TG211",
    "errors in this task are lost, as nothing reads its result",
    why="""An exception in a worker is stored with the result, and raised when the result is read.
    Here nothing reads it: files are left out, and the program continues as if all were well. It is
    a hint where the function handles every exception itself or is not one of the project's, and
    where a callback keeps the results under keys that are read later.""",
    remedy="iterate over the results: `for _ in executor.map(...)`, or call `result()` on each",
    source="https://docs.python.org/3/library/concurrent.futures.html#executor-objects",
    bad="""
from concurrent.futures import ThreadPoolExecutor

import torch


def convert(path):
    torch.save(torch.load(path, map_location="cpu", weights_only=True)["net"], path)


def convert_all(paths):
    with ThreadPoolExecutor(8) as executor:
        executor.map(convert, paths)  # <--
""",
    good="""
from concurrent.futures import ThreadPoolExecutor

import torch


def convert(path):
    torch.save(torch.load(path, map_location="cpu", weights_only=True)["net"], path)


def convert_all(paths):
    with ThreadPoolExecutor(8) as executor:
        list(executor.map(convert, paths))
""",
    severity=Severity.WARNING,
)
def unseen(module: Module) -> Iterator[Spot]:
    for names, makers in ((("map", "submit"), EXECUTORS), (("apply_async", "map_async"), POOLS)):
        for name in names:
            for call in module.calls.get(name, ()):
                if not call.args or not is_thrown_away(module, call):
                    continue
                if is_made_by(module, call, makers) and keyword(call, "error_callback") is None:
                    missed = is_missed(module, call)
                    yield Spot(call, unsure=missed or not may_fail(module, call.args[0]))


def is_missed(module: Module, call: ast.Call) -> bool:
    """Whether a callback keeps results by keys, by which they are read later: one that is not
    there is a KeyError."""
    done, scope = keyword(call, "callback"), module.function(call)
    kept = {
        written(one.value)
        for function in module.functions
        if done is not None and function.name == written(done)
        for one in own_nodes(function)
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store)
    }
    return any(
        isinstance(one, ast.Subscript)
        and isinstance(one.ctx, ast.Load)
        and one.lineno > call.lineno
        and written(one.value) in kept - {""}
        for one in own_nodes(scope)
    )


def is_thrown_away(module: Module, call: ast.Call) -> bool:
    """Whether the result is kept nowhere: a statement, or one that lists what it throws away."""
    around = module.parents[call]
    if isinstance(around, ast.ListComp):
        around = module.parents[around]
    return isinstance(around, ast.Expr)


def is_made_by(module: Module, call: ast.Call, makers: tuple[str, ...]) -> bool:
    """Whether a method is called on what one of these classes of Python's made."""
    owner = receiver(call)
    values: list[ast.expr] = []
    if isinstance(owner, ast.Call):
        values = [owner]
    elif isinstance(owner, ast.Attribute):
        values = module.value_in(owner, module.function(call))
    elif isinstance(owner, ast.Name):
        scope = module.function(call)
        values = [one for _, one in assigned(module, scope, owner.id)]
        for around in module.ancestors(call):
            if isinstance(around, ast.With):
                values += [
                    item.context_expr
                    for item in around.items
                    if written(item.optional_vars or around) == owner.id
                ]
        values = values or module.value_in(owner, module.tree)
    return bool(values) and all(
        isinstance(one, ast.Call)
        and last_name(one.func) in makers
        and last_name(one.func) not in module.project.classes
        for one in values
    )


def may_fail(module: Module, function: ast.expr) -> bool:
    """Whether it is a function of the project, and does not handle every exception itself."""
    found: list[tuple[Module, Function]] = []
    if isinstance(function, ast.Attribute) and written(function.value) == "self":
        own = module.class_of(function)
        named = module.project.functions.get(function.attr, [])
        found = [one for one in named if one[0] is module and module.class_of(one[1]) is own]
    else:
        found = definitions(module, function, module.project.functions) or []
    return bool(found) and not any(handles_all(one) for _, one in found)


def handles_all(function: Function) -> bool:
    """Whether a function, or a loop in it, has a `try` that catches every exception."""
    return any(
        isinstance(statement, ast.Try)
        and any(
            handler.type is None or last_name(handler.type) in BROAD
            for handler in statement.handlers
        )
        for around in (function, *(s for s in function.body if isinstance(s, ast.For | ast.While)))
        for statement in around.body
    )
