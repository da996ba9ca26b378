"""What puts a model into evaluation."""

import ast

from ...project import Module
from ...syntax import (
    everything,
    last_name,
    mentions,
    method_of,
    own_calls,
    receiver,
    walk,
)
from .evaluating import MODELS


def network_of(call: ast.Call) -> ast.expr:
    """The model of `model(images)`, or of `run(model, images)`."""
    given = call.args[0] if len(call.args) > 1 else None
    called = MODELS.search(last_name(call.func))
    return given if given is not None and not called else call.func


def evaluates(module: Module, scope: ast.AST) -> bool:
    """Whether a function, what it calls, or its decorator puts a model into evaluation.

    Or it puts the model into training itself: to sample with dropout.
    """
    made = maker(module, scope)
    if made is not None and any(map(switches_mode, walk(made))):
        return True
    switched = [call for call in own_calls(scope, "train") if receiver(call) and not call.args]
    if switched and not own_calls(scope, "backward"):
        return True
    return module.project.reaches(module, scope, switches_mode) or any(
        module.project.reaches(other, function, switches_mode)
        for one in getattr(scope, "decorator_list", ())
        for other, function in module.project.resolve(module, as_call(one))
    )


def as_call(decorator: ast.expr) -> ast.Call:
    """The call that a decorator is, with options or without."""
    return decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])


def switches_mode(node: ast.AST) -> bool:
    """Whether it puts a model into evaluation, or says which mode it should have."""
    if isinstance(node, ast.Attribute) and node.attr == "training":
        return True
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Call):  # getattr(model, mode)()
        return last_name(node.func.func) == "getattr" and not node.args
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "train" and node.args:  # `trainer.train(epoch)` says nothing of a mode
        return not mentions(node.args[0], "epoch", "loader", "data", "iter")
    return node.func.attr == "eval"


def maker(module: Module, scope: ast.AST) -> ast.AST | None:
    """The `__init__` of the class of a method, where no method of that class trains."""
    around = module.class_of(scope)
    if around is None or any(last_name(n) == "backward" for n in everything(around)):
        return None
    return method_of(around, "__init__")
