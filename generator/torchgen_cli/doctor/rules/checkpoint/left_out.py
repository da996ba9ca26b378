"""Modules that are trained and never saved."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import last_name, receiver, walk, written
from ..shared.layers import makes_module
from ..shared.loops import OPTIMIZERS, is_optimizer
from ..shared.states import saves
from .checkpoint import SAVING


@rule(
    "TG618",
    "a trained module is missing from the checkpoint",
    why="""The optimizer has the parameters of several modules, and its state is saved, but one of
    these modules is not: a resumed run continues with random weights there, and loading the others
    later does not give the model that was trained.""",
    remedy="save the `state_dict()` of each module that the optimizer trains",
    source=SAVING,
    bad="""
import torch


def fit(encoder, head, batches, step, path):
    parameters = [*encoder.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(parameters)
    step(encoder, head, optimizer, batches)
    state = {"encoder": encoder.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, path)  # <--
""",
    good="""
import torch


def fit(encoder, head, batches, step, path):
    parameters = [*encoder.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(parameters)
    step(encoder, head, optimizer, batches)
    state = {
        "encoder": encoder.state_dict(),
        "head": head.state_dict(),
        "optimizer": optimizer.state_dict(),
    }
    torch.save(state, path)
""",
    severity=Severity.WARNING,
)
def left_out(module: Module) -> Iterator[Spot]:
    own = list(saves(module))
    if not own:
        return
    near = module.project.near(module)
    if saved_in_a_loop(near):
        return
    kept = {
        last_name(owner)
        for other in near
        for call in other.calls.get("state_dict", ())
        if (owner := receiver(call)) is not None
    }
    for call in own:
        states = [
            receiver(node)
            for node in parts_saved(module, call)
            if isinstance(node, ast.Call) and last_name(node.func) == "state_dict"
        ]
        names = {last_name(one) for one in states if one is not None}
        if "" in names or not any(is_optimizer(module, one) for one in states):
            continue
        for other in near:
            for made in other.torch_calls(*OPTIMIZERS):
                trained = trained_by(other, made)
                if not trained & names or belongs_to(other, made) not in names:
                    continue
                for name in sorted(trained - kept):
                    if not found_elsewhere(near, name):
                        yield Spot(call, f"`{name}` is not in it")


def parts_saved(module: Module, call: ast.Call) -> Iterator[ast.AST]:
    """What a save is given, and what the names in it were given in the same function."""
    given = call.args[0]
    yield from walk(given)
    for value in module.value_in(given, module.function(call)) if written(given) else ():
        yield from walk(value)


def belongs_to(module: Module, made: ast.Call) -> str:
    """The name of the optimizer that is made."""
    parent = module.parents[made]
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        return last_name(parent.targets[0])
    return ""


def trained_by(module: Module, made: ast.Call) -> set[str]:
    """The names of the modules whose parameters an optimizer is given."""
    given = made.args[0] if made.args else None
    if given is None:
        return set()
    values = [given]
    if isinstance(given, ast.Name):
        values += module.value_in(given, module.function(made))
    return {
        last_name(owner)
        for value in values
        for node in walk(value)
        if isinstance(node, ast.Call) and last_name(node.func) == "parameters"
        if isinstance(owner := receiver(node), ast.Name)
        or (isinstance(owner, ast.Attribute) and written(owner.value) == "self")
    }


def found_elsewhere(near: list[Module], name: str) -> bool:
    """Whether a module is part of another, or is given to something that may save it."""
    for other in near:
        for statements in other.assigned.values():
            for one in statements:
                if last_name(one.value) == name and holds(other, one.targets[0]):
                    return True
        for called, calls in other.calls.items():
            saving = "save" in called.lower() or "checkpoint" in called.lower()
            for call in calls:
                if not saving and called != "add_module" and not makes_module(other, call):
                    continue
                given = [*call.args, *(k.value for k in call.keywords)]
                if any(last_name(n) == name for value in given for n in walk(value)):
                    return True
    return False


def holds(module: Module, target: ast.expr) -> bool:
    """Whether what is assigned here becomes part of a module: `model.head = head`."""
    if not isinstance(target, ast.Attribute):
        return False
    around = module.class_of(target)
    own = written(target.value) == "self" and around is not None
    return not own or (around is not None and module.project.is_module_class(module, around))


def saved_in_a_loop(near: list[Module]) -> bool:
    """Whether the states of several modules are taken in a loop, so that no name tells which."""
    for other in near:
        for call in other.calls.get("state_dict", ()):
            name = written(receiver(call) or call)
            for around in other.ancestors(call):
                if isinstance(around, ast.For | ast.AsyncFor):
                    targets = [around.target]
                else:
                    targets = [one.target for one in getattr(around, "generators", ())]
                if any(written(node) == name for one in targets for node in walk(one)):
                    return True
    return False
