"""What a function draws by chance whatever it is asked for."""

import ast
import re
from collections.abc import Collection, Iterator

from ...project import Module
from ...syntax import (
    Function,
    defaults_of,
    last_name,
    mentions,
    method_of,
    own_calls,
    own_nodes,
    walk,
    written,
)
from .origins import called

DRAWS = re.compile(
    r"^(numpy\.random|random|torch)\."
    r"(beta|choice|choices|normal|rand|rand_like|randint|randn|randn_like|random|random_sample"
    r"|randrange|sample|standard_normal|uniform)$"  # and not what changes an order alone
)
# of several texts that belong to one sample the evaluation may read all
ONE_OF_SEVERAL = ("cap", "sentence", "question", "text")
DEPTH = 3  # calls that are followed


def drawn_unasked(
    module: Module, function: Function, alike: Collection[str] = (), depth: int = DEPTH
) -> str:
    """What a function calls to draw, under no condition but on what is drawn or `alike`."""
    returns = [one.lineno for one in own_nodes(function) if isinstance(one, ast.Return)]
    first = min(returns, default=0)
    for call in own_calls(function):
        if first and call.lineno > first:
            return ""  # which another condition may have kept from being reached
        if not all(is_alike(module, one, alike) for one in conditions(module, call, function)):
            continue
        whole = module.qualified(call.func)
        named = DRAWS.match(whole) and not mentions(module.statement(call), *ONE_OF_SEVERAL)
        if named and not is_of_one(module, call):
            return whole
        for other, inner in called(module, call) if depth else ():
            if found := drawn_unasked(other, inner, alike, depth - 1):
                return found
    return ""


def is_of_one(module: Module, call: ast.Call) -> bool:
    """Whether it draws one of a list that has one element unless another is asked for."""
    maker = method_of(module.class_of(call), "__init__")
    asked = written(call.args[0]) if last_name(call.func) == "choice" and call.args else ""
    return maker is not None and any(
        len(getattr(defaults_of(maker).get(written(one.value)), "elts", ())) == 1
        for one in module.assigned.get(asked, ())
        if module.function(one) is maker
    )


def conditions(module: Module, call: ast.Call, function: Function) -> Iterator[ast.AST]:
    """What must hold for a call in a function to run, or the handler of an error around it."""
    inner: ast.AST = call
    for around in module.ancestors(call):
        if around is function:
            return
        if isinstance(around, ast.If | ast.IfExp | ast.While) and inner is not around.test:
            yield around.test
        elif isinstance(around, ast.BoolOp):
            yield from around.values[: around.values.index(inner)]  # type: ignore[arg-type]
        elif isinstance(around, ast.ExceptHandler):
            yield around
        inner = around


def is_alike(module: Module, condition: ast.AST, alike: Collection[str]) -> bool:
    """Whether a condition asks for nothing but what is drawn, and settings that are alike."""
    known = {
        one
        for node in walk(condition)
        if written(node) in alike
        or (isinstance(node, ast.Call) and DRAWS.match(module.qualified(node.func)))
        for one in walk(node)
    }
    asks = (ast.Name, ast.Call, ast.ExceptHandler)
    return all(one in known for one in walk(condition) if isinstance(one, asks))
