"""Modules that are pickled whole."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    last_name,
    own_calls,
    receiver,
    same,
)
from ..shared.states import is_model, saves, value_before
from .checkpoint import SAVING, parts_of


@rule(
    "TG602",
    "a whole module is pickled",
    why="""The file holds the path of the class, not the class: it loads only while the code stays
    as and where it is, and not with `weights_only=True`. It is a hint where the program lists the
    classes that it loads, or offers whole modules through torch.hub.""",
    remedy="save `model.state_dict()`",
    source=SAVING,
    bad="""
import torch
from torch import nn

model = nn.Linear(8, 2)
torch.save(model, "model.pt")  # <--
""",
    good="""
import torch
from torch import nn

model = nn.Linear(8, 2)
torch.save(model.state_dict(), "model.pt")
""",
    severity=Severity.WARNING,
)
def whole_module(module: Module) -> Iterator[Spot]:
    opens = module.project.stays_before_torch("2.6") or is_meant(module)  # such a file, as ever
    for call in saves(module):
        given = call.args[0]
        content = value_before(module, given, call)
        values = parts_of(content) or [given]
        if any(is_model(module, value, call) for value in values):
            yield Spot(call, unsure=opens or is_one_of_two_ways(module, call))


def is_one_of_two_ways(module: Module, call: ast.Call) -> bool:
    """Whether an option decides between the state of a model and the whole: `weights_only`."""
    statement = module.parents[call]
    choice = module.parents.get(statement)
    if not isinstance(choice, ast.If) or not isinstance(choice.test, ast.Name | ast.Attribute):
        return False
    other = choice.orelse if statement in choice.body else choice.body
    states = [
        state
        for inner in other
        for save in own_calls(inner, "save")
        for state in save.args[:1]
        if isinstance(state, ast.Call) and last_name(state.func) == "state_dict"
    ]
    return any(same(receiver(one), call.args[0]) for one in states)


def is_meant(module: Module) -> bool:
    """Whether a program is made to open whole modules: it lists their classes, or has a hub."""
    return "hubconf.py" in module.project.contents or any(
        name in other.calls
        for other in module.project.near(module)
        for name in ("safe_globals", "add_safe_globals")
    )
