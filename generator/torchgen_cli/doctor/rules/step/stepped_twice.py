"""Steps of an optimizer along gradients that it has followed already."""

import ast
import builtins
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, rule
from ...syntax import blocks_of, last_name, mentions, own_calls, receiver, walk, written
from ..shared.loops import CLIPPING, is_backward, name_of_call


@rule(
    "TG429",
    "the optimizer steps twice with the same gradients",
    why="""No gradients are computed or set to zero between the two steps, so the second one goes
    the same way again: the rate is twice the given one, and moments, decay and warm-up count two
    steps for each batch.""",
    remedy="remove one of the two steps",
    source=f"{STABLE}/optim.html#taking-an-optimization-step",
    bad="""
import torch


def fit(model, loader, criterion):
    optimizer = torch.optim.Adam(model.parameters())
    for images, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        print(loss.item())
        optimizer.step()  # <--
""",
    good="""
import torch


def fit(model, loader, criterion):
    optimizer = torch.optim.Adam(model.parameters())
    for images, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        print(loss.item())
""",
    severity=Severity.WARNING,
)
def steps_twice(module: Module) -> Iterator[ast.Call]:
    blocks: dict[int, list[ast.stmt]] = {}
    for call in module.calls.get("step", ()):
        statement = module.parents[call]
        if isinstance(statement, ast.Expr) and stepped(module, call):
            around = module.parents[statement]
            block = next((one for one in blocks_of(around) if statement in one), [])
            blocks[id(block)] = block
    for block in blocks.values():
        yield from doubled(module, block)


def doubled(module: Module, block: list[ast.stmt]) -> Iterator[ast.Call]:
    """The second steps of a block that computes gradients before the first alone."""
    computed = False  # gradients, since the last step of each
    followed: set[str] = set()
    for statement in block:
        call = statement.value if isinstance(statement, ast.Expr) else None
        name = stepped(module, call) if isinstance(call, ast.Call) else ""
        if isinstance(call, ast.Call) and name:
            if name in followed:
                yield call
            if computed:
                followed.add(name)
        elif isinstance(statement, ast.If) and followed:
            yield from again_in(module, statement, followed)
            if not only_clips(statement) and changes_gradients(module, statement):
                computed, followed = True, set()
        elif isinstance(statement, ast.Assign):
            followed -= {written(one) for one in statement.targets}
            if changes_gradients(module, statement):
                computed, followed = True, set()
        elif changes_gradients(module, statement):
            computed, followed = True, set()


def only_clips(branches: ast.If) -> bool:
    """Whether it clips the gradients, and does nothing else."""
    return not branches.orelse and all(name_of_call(one) in CLIPPING for one in branches.body)


def again_in(module: Module, branches: ast.If, followed: set[str]) -> Iterator[ast.Call]:
    """The steps of these optimizers in a branch, before it changes the gradients; it may clip."""
    for block in blocks_of(branches):
        for statement in block:
            call = statement.value if isinstance(statement, ast.Expr) else None
            name = stepped(module, call) if isinstance(call, ast.Call) else ""
            if isinstance(call, ast.Call) and name in followed:
                yield call
                break
            clips = name_of_call(statement) in CLIPPING
            if not clips and changes_gradients(module, statement):
                break


def stepped(module: Module, call: ast.Call) -> str:
    """The optimizer that a call steps, without a closure; empty where it is none."""
    owner = receiver(call)
    if owner is None or last_name(call.func) != "step" or call.keywords:
        return ""
    if len(call.args) == 1 and "scaler" in last_name(owner).lower():
        owner = call.args[0]
    elif call.args:
        return ""
    made = any(
        isinstance(one, ast.Call) and module.qualified(one.func).startswith("torch.optim.")
        for one in module.value_in(owner, module.function(call))
    )
    name = last_name(owner).lower()
    named = "optim" in name and "sched" not in name
    return written(owner) if made or named else ""


def changes_gradients(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement computes gradients or sets them to zero, or may do so."""
    if any(is_backward(node) for node in walk(statement)) or mentions(statement, "grad"):
        return True
    if any(is_unknown(module, call) for call in own_calls(statement)):
        return True
    return module.project.reaches(module, statement, is_backward, depth=3)


def is_unknown(module: Module, call: ast.Call) -> bool:
    """Whether it calls what was given as a value, or a scaler of losses, as `scaler(loss, ...)`."""
    name, project = last_name(call.func), module.project
    if not isinstance(call.func, ast.Name):
        return name.lower().endswith("scaler")
    known = (project.functions, project.classes, module.imports)
    return not hasattr(builtins, name) and not any(name in one for one in known)
