"""Values that decay from epoch to epoch, in runs that begin in the middle."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    Function,
    Loop,
    argument,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    parameters,
    walk,
    written,
)
from ..shared.flag_readers import flag_names
from .resume import reads_a_count

LOADED = ("load", "ckpt", "checkpoint", "resum", "param_groups", "start", "epoch", "state_dict")


@rule(
    "TG627",
    "a value that decays each epoch starts over after a resume",
    why="""Each epoch passes the value on and makes it smaller; a resumed run continues with a later
    epoch, but with the initial value. A learning rate then jumps up, at the latest at the next
    decay. It is a hint where a flag that is off by default turns it on.""",
    remedy="""compute it from the epoch, `args.lr * gamma ** sum(epoch >= one for one in schedule)`,
    or save it in the checkpoint""",
    source=f"{STABLE}/optim.html#how-to-adjust-learning-rate",
    bad="""
import torch


def adjust(optimizer, epoch, lr, schedule):
    if epoch in schedule:
        lr *= 0.1
        for group in optimizer.param_groups:
            group["lr"] = lr
    return lr


def main(args, model, optimizer, run_epoch):
    start = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]
    lr = args.lr
    for epoch in range(start, args.epochs):
        lr = adjust(optimizer, epoch, lr, args.schedule)  # <--
        run_epoch(model, optimizer)
""",
    good="""
import torch


def adjust(optimizer, epoch, first, schedule):
    lr = first * 0.1 ** sum(epoch >= one for one in schedule)
    for group in optimizer.param_groups:
        group["lr"] = lr


def main(args, model, optimizer, run_epoch):
    start = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]
    for epoch in range(start, args.epochs):
        adjust(optimizer, epoch, args.lr, args.schedule)
        run_epoch(model, optimizer)
""",
    severity=Severity.WARNING,
)
def decays_anew(module: Module) -> Iterator[Spot]:
    if "load" not in module.calls or module.project.has_framework(module):
        return
    told: set[str] = set()
    for loop in module.loops:
        if not is_resumed(module, loop):
            continue
        for node, name in decaying(module, loop):
            if name not in told and not is_brought_back(module, loop, name):
                told.add(name)
                yield Spot(node, f"`{name}`", is_off_by_default(module, node))


def is_off_by_default(module: Module, node: ast.AST) -> bool:
    """Whether a flag is the factor, or asked for around it, and does nothing by default."""
    asked = [one.test for one in module.ancestors(node) if isinstance(one, ast.If)]
    asked += [node.value] if isinstance(node, ast.AugAssign) else []
    names = {last_name(one) for test in asked for one in walk(test)} - {""}
    return any(
        not names.isdisjoint(flag_names(call)) and does_nothing(call)
        for other in module.project.near(module)
        for call in other.calls.get("add_argument", ())
    )


def does_nothing(flag: ast.Call) -> bool:
    """Whether a flag is false, or a number that changes nothing, unless somebody gives it."""
    default = keyword(flag, "default")
    if default is None:
        return not is_constant(keyword(flag, "action"), "store_false")
    return is_constant(default, 0, 0.0, 1, 1.0, None, False)


def is_resumed(module: Module, loop: Loop) -> bool:
    """Whether a loop goes through epochs from the one on that a checkpoint names."""
    made = loop.iter if isinstance(loop, ast.For) else None
    if not isinstance(made, ast.Call) or last_name(made.func) not in ("range", "trange"):
        return False
    if len(made.args) < 2 or not mentions(loop.target, "epoch"):  # type: ignore[union-attr]
        return False
    first = [written(one) for one in walk(made.args[0]) if written(one)]
    return any(reads_a_count(one.value) for name in first for one in module.assigned.get(name, ()))


def decaying(module: Module, loop: Loop) -> Iterator[tuple[ast.AST, str]]:
    """(where, what) of the values that an epoch makes smaller and leaves to the next."""
    for node in own_nodes(loop):
        if next(module.loops_around(node), None) is not loop:
            continue
        if isinstance(node, ast.AugAssign) and is_factor(node) and text_of(node.target):
            yield node, text_of(node.target)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            name = written(node.targets[0])
            if name and returns_less(module, node.value, name):
                yield node, name
        elif isinstance(node, ast.Call):
            for other, function in module.project.resolve(module, node):
                if other is module and module.class_of(function) is None:
                    yield from ((node, name) for name in shared_rates(module, function))


def is_factor(node: ast.AugAssign) -> bool:
    """Whether something is multiplied or divided by a number or a setting."""
    plain = not any(isinstance(one, ast.Call | ast.Subscript) for one in walk(node.value))
    return isinstance(node.op, ast.Mult | ast.Div) and plain


def text_of(target: ast.expr) -> str:
    """A name, an attribute or `state["lr"]` as it is written; empty for all else."""
    if isinstance(target, ast.Subscript):
        base, key = written(target.value), target.slice
        named = base and isinstance(key, ast.Constant) and isinstance(key.value, str)
        return ast.unparse(target) if named else ""
    return written(target)


def returns_less(module: Module, call: ast.Call, name: str) -> bool:
    """Whether a function multiplies what it is given, and returns it."""
    for _, function in module.project.resolve(module, call):
        for place, own in enumerate(parameters(function)):
            if written(argument(call, place, own) or call) != name:
                continue
            smaller = any(
                isinstance(one, ast.AugAssign) and is_factor(one) and written(one.target) == own
                for one in own_nodes(function)
            )
            returned = [one.value for one in own_nodes(function) if isinstance(one, ast.Return)]
            anew = any(
                isinstance(one, ast.Assign) and own in map(written, one.targets)
                for one in own_nodes(function)
            )
            if smaller and not anew and any(one and written(one) == own for one in returned):
                return True
    return False


def shared_rates(module: Module, function: Function) -> Iterator[str]:
    """The rates that a function makes smaller in a dict of the whole file, for the optimizer."""
    if not any(written(one).endswith("param_groups") for one in own_nodes(function)):
        return
    for node in own_nodes(function):
        if isinstance(node, ast.AugAssign) and is_factor(node):
            base = node.target.value if isinstance(node.target, ast.Subscript) else node.target
            own = [*parameters(function), *(written(n) for n in own_nodes(function) if is_set(n))]
            if text_of(node.target) and written(base).partition(".")[0] not in own:
                yield text_of(node.target)


def is_set(node: ast.AST) -> bool:
    """Whether a name gets a value."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def is_brought_back(module: Module, loop: Loop, name: str) -> bool:
    """Whether something else sets a value: from a checkpoint, by the epoch, or in each epoch."""
    inside = set(walk(loop))
    for node in walk(module.tree):
        if not isinstance(node, ast.Assign) or not any(text_of(t) == name for t in node.targets):
            continue
        handed = isinstance(node.value, ast.Call) and any(
            written(one) == name for one in node.value.args
        )
        if node in inside and not handed:
            return True
        if node not in inside and (handed or is_loaded(node.value)):
            return True
    return any(
        last_name(one.func) in ("setattr", "update") and mentions(one, name.rpartition(".")[2])
        for function in module.functions
        for one in own_calls(function)
    )


def is_loaded(value: ast.expr) -> bool:
    """Whether a value comes from what was loaded, or from the epoch."""
    return any(isinstance(one, ast.Subscript) for one in walk(value)) or mentions(value, *LOADED)
