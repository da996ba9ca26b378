"""Schedules of the learning rate that never move."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    asks_main,
    last_name,
    own_nodes,
    parameters,
    receiver,
    walk,
)
from ..shared.loops import is_optimizer, is_rate
from ..shared.scripts import reachable
from .moved_otherwise import is_forgotten, may_be_moved_otherwise

# what settings of several things are called
COMMON = {"kind", "method", "mode", "name", "type"}
KNOWN = (ast.Eq, ast.In, ast.NotEq, ast.NotIn)


@rule(
    "TG417",
    "the scheduler is created but never stepped",
    why="""Nothing calls the scheduler's `step`: the whole run is trained with the initial rate,
    which is the smallest in a warm-up. If it is one of several schedulers, only the others
    step. It is a hint in a script that trains nothing.""",
    remedy="call `scheduler.step()` after each epoch, or after each step where it counts steps",
    source=f"{STABLE}/optim.html#how-to-adjust-learning-rate",
    bad="""
import torch


def train(model, loader, loss_of):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)  # <--
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
""",
    good="""
import torch


def train(model, loader, loss_of):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
        scheduler.step()
""",
)
def never_stepped(module: Module) -> Iterator[Spot]:
    near = module.project.near(module)
    if module.project.has_framework(module) or not any("backward" in m.calls for m in near):
        return
    made = [
        call
        for name, calls in module.calls.items()
        for call in calls
        if name[:1].isupper()
        and module.qualified(call.func).startswith("torch.optim.lr_scheduler.")
        and isinstance(module.parents[call], ast.Assign)
        and not is_idle(module, call)
        and not has_rates_set(module, argument(call, 0, "optimizer"))
    ]
    others = (
        "sched" in name.lower() and not all(other.is_torch(call.func) for call in calls)
        for other in near
        for name, calls in other.calls.items()
    )
    if not made or any(others):
        return
    moved = [
        (other, call)
        for other in near
        for call in other.calls.get("step", ())
        if not is_optimizer(other, call.args[0] if call.args else receiver(call))
        and not is_optimizer(other, receiver(call))
        and not is_environment(call)
    ]
    elsewhere, left_over = may_be_moved_otherwise(module, made), trains_nothing(module)
    if not moved and not elsewhere:
        yield Spot(made[0], unsure=left_over)
    for call in made if moved else ():
        if is_forgotten(module, call):
            yield Spot(call, unsure=left_over)
        if elsewhere:
            continue
        for key, choice in choices(module, call):
            if all(goes_past(other, step, key, choice) for other, step in moved):
                yield Spot(call, f"where {key} is {choice!r}")


def trains_nothing(module: Module) -> bool:
    """Whether a file is started by itself, and no loss is differentiated in what it imports."""
    started = any(map(asks_main, module.tree.body))
    return started and not any("backward" in one.calls for one in reachable(module))


def has_rates_set(module: Module, optimizer: ast.expr | None) -> bool:
    """Whether the file writes an optimizer's rates, or calls what does: `group["lr"] = rate`."""
    for other in module.project.near(module) if optimizer is not None else ():
        for node in (one for one in other.attributes if one.attr == "param_groups"):
            scope = other.function(node)
            given = isinstance(scope, FUNCTIONS) and last_name(node.value) in parameters(scope)
            called = isinstance(scope, FUNCTIONS) and scope.name in module.calls
            own = other is module and last_name(node.value) == last_name(optimizer or node)
            if ((given and (called or other is module)) or own) and any(
                map(writes_rate, walk(other.statement(node)))
            ):
                return True
    return False


def writes_rate(node: ast.AST) -> bool:
    """Whether it is `group["lr"]`, where a value is put into it."""
    return is_rate(node) and isinstance(getattr(node, "ctx", None), ast.Store)


def choices(module: Module, node: ast.AST) -> Iterator[tuple[str, object]]:
    """(what, its value) of the conditions `what == "value"` under which a place is reached."""
    for key, values, among in conditions(module, node):
        if among and len(values) == 1:
            yield key, values[0]


def goes_past(module: Module, node: ast.AST, key: str, choice: object) -> bool:
    """Whether a place is reached only where something has another value than this."""
    return any(
        about == key and (choice in values) is not among
        for about, values, among in conditions(module, node)
    )


def conditions(module: Module, node: ast.AST) -> Iterator[tuple[str, list[object], bool]]:
    """(what, some texts, whether it must be one of them) of the conditions around a place."""
    below = node
    for around in module.ancestors(node):
        if isinstance(around, ast.If) and isinstance(around.test, ast.Compare):
            test, holds = around.test, below in around.body
            listed = test.comparators[0]
            items = listed.elts if isinstance(listed, ast.Tuple | ast.List | ast.Set) else [listed]
            values: list[object] = [one.value for one in items if isinstance(one, ast.Constant)]
            plain = len(test.ops) == 1 and isinstance(test.ops[0], KNOWN) and below is not test
            texts = len(values) == len(items) and all(isinstance(one, str) for one in values)
            if plain and texts and (key := key_of(test.left)):
                yield key, values, holds is isinstance(test.ops[0], ast.Eq | ast.In)
        below = around


def key_of(node: ast.expr) -> str:
    """What is compared: the last name of `args.schedule`, the key of `config["schedule"]`.

    Of a name such as `type`, which many things have, it is the whole path.
    """
    key = last_name(node)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        key = str(node.slice.value)
    return ast.unparse(node) if key.lower() in COMMON else key


def is_idle(module: Module, call: ast.Call) -> bool:
    """Whether it is made in a function that nobody calls."""
    function = module.function(call)
    returns = any(isinstance(n, ast.Return) and n.value for n in own_nodes(function))
    return (
        isinstance(function, FUNCTIONS)
        and returns
        and not any(True for _ in module.project.calls_of(module, function))
    )


def is_environment(call: ast.Call) -> bool:
    """Whether it moves on a simulation, not the training."""
    return "env" in last_name(receiver(call) or call).lower()
