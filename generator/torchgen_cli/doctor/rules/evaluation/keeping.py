"""What keeps the weights of a model: a call by its name, a method, or a flag that decides."""

import ast

from ...project import Module
from ...syntax import (
    argument,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    parameters,
    receiver,
    written,
)
from ..shared.origins import called


def keeps_weights(call: ast.Call) -> bool:
    """Whether a helper is called that saves, by its name, and is given weights."""
    named = "save" in last_name(call.func).lower()
    given = [*call.args, *(one.value for one in call.keywords)]
    return named and any(mentions(one, "state", "model", "net") for one in given)


def saves_weights(module: Module, call: ast.Call) -> bool:
    """Whether a method of the same object is called that saves weights: `self.save(path)`."""
    if written(receiver(call) or call) != "self":
        return False
    functions = [one for _, one in called(module, call)]
    return any(is_save(module, inner) for one in functions for inner in own_calls(one, "save"))


def is_save(module: Module, call: ast.Call) -> bool:
    """Whether it is `torch.save` with weights."""
    return module.is_torch(call.func, "save") and any(
        mentions(one, "state", "model", "net") for one in call.args[:1]
    )


def decides(module: Module, loop: ast.AST, flag: ast.expr) -> bool:
    """Whether a flag decides what is saved: given to a helper, or asked before one is called."""
    name = written(flag)
    helped = any(
        keeps_weights(call)
        and any(written(one) == name for one in [*call.args, *(k.value for k in call.keywords)])
        and not is_left_unread(module, call, name)
        for call in own_calls(loop)
    )
    asked = (n for n in own_nodes(loop) if isinstance(n, ast.If) and written(n.test) == name)
    return bool(name) and (helped or any(any(map(keeps_weights, own_calls(one))) for one in asked))


def is_left_unread(module: Module, call: ast.Call, name: str) -> bool:
    """Whether none of the functions that a call may mean reads the parameter that it gives."""
    functions = [one for _, one in module.project.resolve(module, call)]
    return bool(functions) and not any(
        written(value) == name and any(written(one) == own for one in own_nodes(function))
        for function in functions
        for place, own in enumerate(parameters(function))
        if (value := argument(call, place, own)) is not None
    )
