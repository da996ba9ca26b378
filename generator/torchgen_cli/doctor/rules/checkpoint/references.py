"""Weights that are kept without a copy."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import rule
from ...syntax import last_name, own_calls, own_nodes, written
from .checkpoint import SAVING


@rule(
    "TG613",
    "the best weights are kept by reference, so they keep changing",
    why="""`state_dict()` copies nothing: its tensors are the model's own. The weights kept at the
    best epoch end up as those of the last one, and `load_state_dict` restores nothing.""",
    remedy="keep `copy.deepcopy(model.state_dict())`",
    source=SAVING,
    bad="""
def fit(model, epochs, run_epoch, evaluate):
    best, best_weights = 0.0, None
    for epoch in range(epochs):
        run_epoch(model)
        accuracy = evaluate(model)
        if accuracy > best:
            best, best_weights = accuracy, model.state_dict()  # <--
    model.load_state_dict(best_weights)
""",
    good="""
import copy


def fit(model, epochs, run_epoch, evaluate):
    best, best_weights = 0.0, None
    for epoch in range(epochs):
        run_epoch(model)
        accuracy = evaluate(model)
        if accuracy > best:
            best, best_weights = accuracy, copy.deepcopy(model.state_dict())
    model.load_state_dict(best_weights)
""",
)
def by_reference(module: Module) -> Iterator[ast.AST]:
    for name, statements in module.assigned.items():
        for statement in statements:
            value = statement.value
            if isinstance(value, ast.Call) and is_shallow_copy(module, value):
                value = value.args[0]
            if not isinstance(value, ast.Call) or last_name(value.func) != "state_dict":
                continue
            loops = list(module.loops_around(statement))
            condition = module.parents[statement]
            if not loops or not isinstance(condition, ast.If):
                continue
            if any(isinstance(one, ast.Break | ast.Return) for one in own_nodes(condition)):
                continue  # they are the last ones
            scope = module.function(statement)
            later = [
                call
                for call in [*own_calls(scope, "load_state_dict"), *own_calls(scope, "save")]
                if call.args
                and written(call.args[0]) == name
                and call.lineno > (loops[-1].end_lineno or 0)
            ]
            if later:
                yield statement


def is_shallow_copy(module: Module, value: ast.Call) -> bool:
    """Whether it copies a dict, and not the tensors in it."""
    copies = module.qualified(value.func) == "copy.copy" or written(value.func) == "dict"
    return copies and len(value.args) == 1
