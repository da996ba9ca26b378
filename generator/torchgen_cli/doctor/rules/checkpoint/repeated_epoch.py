"""Where a resumed run begins."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import Spot, rule
from ...syntax import (
    LOOPS,
    everything,
    is_constant,
    last_name,
    own_calls,
    parameters,
    receiver,
    same,
    walk,
    written,
)
from ..shared.loops import is_scheduler
from ..shared.programs import run_with

STEPS = re.compile(r"(^|_)(steps?|iters?|iterations?|itr|updates?|batch(es)?)(_|$)", re.I)

TRAINS = re.compile(r"(^|_)(train|fit|run)(_|$)", re.I)

# a function to which the number of an epoch matters
TOLD = re.compile(r"(^|_)(lr|rate)s?($|_)|learning_?rate|sched|set_epoch", re.I)


@rule(
    "TG611",
    "a resumed run repeats its last epoch",
    why="""The checkpoint of an epoch holds that epoch's number, and the resumed run starts at the
    number it reads: these samples are trained on twice, and the schedule is one epoch behind the
    weights. It is a hint where a fixed number of epochs follows, and neither the schedule nor the
    sample order depends on the epoch number.""",
    remedy="save `epoch + 1`, or start at the saved number plus one",
    source="https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html",
    bad="""
import torch


def fit(model, optimizer, run_epoch, epochs, path, resume):
    start = 0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]  # <--
    for epoch in range(start, epochs):
        run_epoch(model, optimizer)
        parts = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**parts, "epoch": epoch}, path)
""",
    good="""
import torch


def fit(model, optimizer, run_epoch, epochs, path, resume):
    start = 0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"] + 1
    for epoch in range(start, epochs):
        run_epoch(model, optimizer)
        parts = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**parts, "epoch": epoch}, path)
""",
)
def done_again(module: Module) -> Iterator[Spot]:
    for loop in module.loops:
        if not isinstance(loop, ast.For):
            continue
        for node in begins_again(module, loop):
            yield Spot(node, unsure=counts_steps(loop) or is_number_alone(module, loop))


def begins_again(module: Module, loop: ast.AST) -> Iterator[ast.Assign]:
    """Where a loop's first number is read, which is that of the epoch that was saved last."""
    first = beginning(loop)
    if first is None or not isinstance(loop, ast.For) or moved_on(module, first):
        return
    given = module.assigned.get(written(first), ())
    for key in dict.fromkeys(saved_as(module, loop, written(loop.target))):
        if any(saves_next(other, key) for other in run_with(module)):
            continue
        yield from (node for node in given if reads(node.value, key))


@kept
def saves_next(module: Module, key: str) -> bool:
    """Whether a file saves the number of the next epoch under a key: `epoch + 1`."""
    return any(
        isinstance(node, ast.Dict)
        and any(
            is_constant(one, key) and isinstance(value, ast.BinOp)
            for one, value in zip(node.keys, node.values, strict=True)
        )
        and is_saved(module, node)
        for node in everything(module.tree)
    )


def is_saved(module: Module, node: ast.Dict) -> bool:
    """Whether a dict is given to something that saves, at once or by the name that it gets."""
    for around in module.ancestors(node):
        if isinstance(around, ast.Call) and "save" in last_name(around.func).lower():
            return True
        if isinstance(around, ast.Assign):
            names = set(map(written, around.targets))
            return any(
                written(one) in names
                for call in own_saves(module.function(node))
                for given in [*call.args, *(k.value for k in call.keywords)]
                for one in walk(given)
            )
        if isinstance(around, ast.stmt):
            return False
    return False


def is_number_alone(module: Module, loop: ast.For) -> bool:
    """Whether a loop goes as far as ever, `range(start, start + 200)`, and nothing hangs on where.

    Nothing means the schedule, whose state is brought back or that is told the epoch, and the order
    in which a sampler gives the data.
    """
    ends = getattr(loop.iter, "args", [])[:2]
    if len(ends) < 2 or not any(same(one, ends[0]) for one in walk(ends[1])):
        return False
    told = any(
        isinstance(node, ast.Call)
        and TOLD.search(last_name(node.func)) is not None
        and any(same(one, loop.target) for one in node.args)
        for node in module.project.reached(module, loop)
    )
    brought = module.calls.get("load_state_dict", ())
    return not told and not any(is_scheduler(module, receiver(call)) for call in brought)


def counts_steps(loop: ast.For) -> bool:
    """Whether a loop goes through single steps, of which one more is little."""
    ends = getattr(loop.iter, "args", [])[:2]
    names = [last_name(one) for one in (loop.target, *(n for e in ends for n in walk(e)))]
    epochs = any("epoch" in name.lower() for name in names)
    return not epochs and any(STEPS.search(name) for name in names)


def beginning(loop: ast.AST) -> ast.expr | None:
    """The name of the first number of `for epoch in range(start, ...)`."""
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
        return None
    call = loop.iter
    while (
        call.args
        and last_name(call.func) in ("tqdm", "trange")
        and isinstance(call.args[0], ast.Call)
    ):
        call = call.args[0]  # tqdm(range(...))
    if last_name(call.func) not in ("range", "trange") or len(call.args) < 2:
        return None
    return call.args[0] if written(call.args[0]) else None


def saved_as(module: Module, loop: ast.For, name: str) -> Iterator[str]:
    """The keys under which a loop's number is kept, in a save at the end of its body."""
    trained = False
    for statement in plain_statements(loop.body):
        if any(isinstance(node, LOOPS) and own_saves(node) for node in walk(statement)):
            return  # in the middle of an epoch
        saves = own_saves(statement)
        dicts = [node for node in walk(statement) if isinstance(node, ast.Dict)]
        if trained:
            for call in saves or own_calls(statement):
                yield from kept_by_helper(module, call, name)
        if trained and (saves or isinstance(statement, ast.Assign)):
            for node in (one for one in dicts if is_saved(module, one)):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and written(value) == name:
                        yield str(key.value)
        trained = (
            trained or (bool(own_calls(statement)) and not saves) or isinstance(statement, LOOPS)
        )


def plain_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a loop, and in place of a condition that trains and saves what is in it."""
    for one in body:
        if isinstance(one, ast.If) and own_saves(one) and not one.orelse and trains_first(one):
            yield from plain_statements(one.body)
        else:
            yield one


def trains_first(condition: ast.If) -> bool:
    """Whether something called train, fit or run comes before the first save under a condition."""
    first = min(call.lineno for call in own_saves(condition))
    return any(
        TRAINS.search(last_name(call.func)) is not None and call.lineno < first
        for statement in condition.body
        for call in own_calls(statement)
    )


def kept_by_helper(module: Module, call: ast.Call, name: str) -> Iterator[str]:
    """The keys under which a helper, or an evaluation, saves what it is given as a parameter."""
    for other, function in module.project.resolve(module, call):
        kept = own_calls(function, "save")
        if not kept:
            continue
        if "save" not in last_name(call.func).lower() and (
            own_calls(function, "backward")  # it trains, and may save in the middle of an epoch
            or any(True for one in kept for _ in other.loops_around(one))
        ):
            continue
        plain = parameters(function)
        taken = [p for p, value in zip(plain, call.args, strict=False) if written(value) == name]
        taken += [k.arg for k in call.keywords if k.arg and written(k.value) == name]
        for node in walk(function):
            if isinstance(node, ast.Dict) and is_saved(other, node):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and written(value) in taken:
                        yield str(key.value)


def own_saves(node: ast.AST) -> list[ast.Call]:
    """The calls below that save something."""
    return [call for call in own_calls(node) if "save" in last_name(call.func).lower()]


def reads(value: ast.expr, key: str) -> bool:
    """Whether it is `state["epoch"]`, as it is."""
    if isinstance(value, ast.Call) and last_name(value.func) in ("int", "get") and value.args:
        inner = value.args[0]
        return is_constant(inner, key) if last_name(value.func) == "get" else reads(inner, key)
    return isinstance(value, ast.Subscript) and is_constant(value.slice, key)


def moved_on(module: Module, name: ast.expr) -> bool:
    """Whether one is added to a name somewhere."""
    return any(
        isinstance(node, ast.AugAssign) and same(node.target, name) for node in walk(module.tree)
    )
