"""States that are saved and brought back one by one, of whatever a run has."""

import ast
import re

from ...kept import kept
from ...project import Module
from ...syntax import FUNCTIONS, last_name, parameters, receiver, walk
from .callers import given_by_callers
from .loops import is_optimizer, is_scheduler

MODELS = re.compile(r"model|net|encod|decod|gen|disc|critic|actor|policy|agent|head|ema", re.I)


@kept
def handles_any_state(module: Module) -> bool:
    """Whether a file asks for the state of things by names that it does not write out.

    An optimizer may be one of them: `for name, part in parts.items(): part.state_dict()`.
    """
    return any(
        is_one_of_several(module, call) or is_given_an_optimizer(module, call)
        for name in ("state_dict", "load_state_dict")
        for call in module.calls.get(name, ())
    )


def is_one_of_several(module: Module, call: ast.Call) -> bool:
    """Whether a method is called on each thing of a group, or on one that is looked up."""
    owner = receiver(call)
    if not isinstance(owner, ast.Name):
        return is_looked_up(owner)
    taken = [
        part.iter
        for around in module.ancestors(call)
        for part in [around, *getattr(around, "generators", ())]
        if isinstance(part, ast.For | ast.comprehension)
        if any(isinstance(one, ast.Name) and one.id == owner.id for one in walk(part.target))
    ]
    if taken:
        return not MODELS.search(f"{owner.id} {ast.unparse(taken[0])}")
    made = module.value_in(owner, module.function(call))
    return any(map(is_looked_up, made)) and not MODELS.search(owner.id)


def is_looked_up(value: ast.AST | None) -> bool:
    """Whether it is `getattr(self, name)`."""
    return (
        isinstance(value, ast.Call)
        and last_name(value.func) == "getattr"
        and not MODELS.search(ast.unparse(value))
    )


def is_given_an_optimizer(module: Module, call: ast.Call) -> bool:
    """Whether it is the state of a parameter for which a caller gives an optimizer."""
    owner, scope = receiver(call), module.function(call)
    if not isinstance(owner, ast.Name) or not isinstance(scope, FUNCTIONS):
        return False
    if is_optimizer(module, owner) or is_scheduler(module, owner):
        return False  # a function for one by its name, which nothing else is given to
    return owner.id in parameters(scope) and any(
        is_optimizer(other, value) or is_scheduler(other, value)
        for other, value, _ in given_by_callers(module, scope, owner.id)
    )
