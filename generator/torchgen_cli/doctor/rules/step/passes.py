"""Steps that take the gradients of several batches."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    Loop,
    defaults_of,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    parameters,
    same,
    walk,
    written,
)
from ..shared.flag_readers import flag_names
from ..shared.loops import AMP_DOCS, optimizer_steps, scaled_steps
from .unset import zeroes


def accumulating(module: Module) -> Iterator[tuple[ast.For, ast.If, ast.AST]]:
    """(the loop, the condition of its step, its function) of `if (i + 1) % n == 0: step()`."""
    for loop in module.loops:
        if not isinstance(loop, ast.For):
            continue
        backwards = own_calls(loop, "backward")
        for node in own_nodes(loop):
            if not isinstance(node, ast.If) or node.orelse:
                continue
            either = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
            if not any(map(every_few, either)):
                continue
            inside = set(walk(node))
            steps = [*optimizer_steps(module, node), *scaled_steps(module, node)]
            around = next(module.loops_around(node), None)
            apart = backwards and not inside.intersection(backwards)
            if steps and around is loop and apart:
                yield loop, node, module.function(loop)


def every_few(test: ast.expr) -> bool:
    """Whether it is `count % passes == 0`, or `not count % passes`."""
    if any(isinstance(n, ast.Call) and last_name(n.func) == "len" for n in walk(test)):
        return False
    rest: ast.expr | None = None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        rest = test.operand
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq):
        other = test.comparators[0]
        rest = test.left if is_constant(other, 0) or isinstance(other, ast.BinOp) else None
    return (
        isinstance(rest, ast.BinOp)
        and isinstance(rest.op, ast.Mod)
        and not isinstance(rest.right, ast.Call)
        and not is_constant(rest.right, 1)
    )


@rule(
    "TG415",
    "the gradients of an epoch's last batches go into the next epoch",
    why="""If the number of batches is not a multiple of the passes per step, the last ones are left
    over: no step uses them, and nothing zeroes them. The next epoch's first step includes them, and
    is larger; those of the last epoch are lost. It is a hint where a step is not known to have
    several passes by default.""",
    remedy="""also step after the last batch: `if (i + 1) % passes == 0 or i + 1 == len(loader)`; or
    set the gradients to zero before the loop""",
    source=f"{AMP_DOCS}#gradient-accumulation",
    bad="""
def train(model, loader, optimizer, epochs, loss_of, passes=4):
    for epoch in range(epochs):
        for i, batch in enumerate(loader):
            (loss_of(model, batch) / passes).backward()
            if (i + 1) % passes == 0:  # <--
                optimizer.step()
                optimizer.zero_grad()
""",
    good="""
def train(model, loader, optimizer, epochs, loss_of, passes=4):
    for epoch in range(epochs):
        for i, batch in enumerate(loader):
            (loss_of(model, batch) / passes).backward()
            if (i + 1) % passes == 0 or i + 1 == len(loader):
                optimizer.step()
                optimizer.zero_grad()
""",
    severity=Severity.WARNING,
)
def left_over(module: Module) -> Iterator[Spot]:
    if module.project.has_framework(module):
        return
    for loop, condition, scope in accumulating(module):
        inside = set(walk(condition))
        epochs = list(module.loops_around(loop))
        again = epochs or any(
            any(True for _ in other.loops_around(call))
            for other, call in module.project.calls_of(module, scope)
        )
        outer = epochs[-1] if epochs else scope
        zeroed = any(zeroes(node) and node not in inside for node in own_nodes(outer))
        cut = any(isinstance(node, ast.Break) for node in own_nodes(loop)) or mentions(
            loop.iter, "islice", "drop"
        )
        flushed = any(
            call.lineno > (loop.end_lineno or 0)
            for call in [*optimizer_steps(module, outer), *scaled_steps(module, outer)]
        )
        counts_on = any(
            spans_epochs(module, node) or counts_through(module, node, epochs)
            for node in walk(condition.test)
            if isinstance(node, ast.Name | ast.Attribute)
        )
        if again and every_few(condition.test) and not (zeroed or flushed or counts_on or cut):
            first = begins_with_a_step(loop, condition.test)
            yield Spot(condition, unsure=first or not has_several(module, condition.test))


def begins_with_a_step(loop: ast.For, test: ast.expr) -> bool:
    """Whether the first batch makes a step, `i % n == 0`, so that none has more passes than n."""
    counted = last_name(loop.iter.func) if isinstance(loop.iter, ast.Call) else ""
    count = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else None
    return counted == "enumerate" and any(
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and same(node.left, count)
        for node in walk(test)
    )


def has_several(module: Module, test: ast.expr) -> bool:
    """Whether a step has several passes by default: of a flag, a parameter or a variable."""
    function = module.function(test)
    either = test.values if isinstance(test, ast.BoolOp) else [test]
    passes = [
        one.right
        for part in either
        for one in walk(part)
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod)
    ]
    values = [*passes, *(value for one in passes for value in module.value_in(one, function))]
    if isinstance(function, FUNCTIONS):
        defaults = defaults_of(function)
        values += [defaults[written(one)] for one in passes if written(one) in defaults]
    read = {one.attr for one in values if isinstance(one, ast.Attribute)}
    values += [
        default
        for other in (module.project.near(module) if read else ())
        for call in other.calls.get("add_argument", ())
        if (default := keyword(call, "default")) is not None
        and not read.isdisjoint(flag_names(call))
    ]
    numbers = [one.value for one in values if isinstance(one, ast.Constant)]
    return any(isinstance(one, int) and one > 1 for one in numbers)


def counts_through(module: Module, name: ast.expr, epochs: list[Loop]) -> bool:
    """Whether a count is set before the loop of epochs, and in it nothing but counted up."""
    function, owner = module.function(name), module.class_of(name)
    scope = owner if owner is not None and isinstance(name, ast.Attribute) else function
    counted = any(isinstance(n, ast.AugAssign) and same(n.target, name) for n in walk(scope))
    if not written(name) or not counted:
        return False
    if isinstance(function, FUNCTIONS) and written(name) in parameters(function):
        return True  # the caller's
    around = module.assigned.get(written(name), ())
    begun = [one for one in around if scope in module.ancestors(one)]
    if scope is owner:
        return all(getattr(module.function(one), "name", "") == "__init__" for one in begun)
    anew = any(loop in module.ancestors(one) for one in begun for loop in epochs)
    return bool(begun and epochs) and not anew


def spans_epochs(module: Module, name: ast.Name | ast.Attribute) -> bool:
    """Whether a count goes on over epochs: `len(loader) * epoch + i`."""
    return any(
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and mentions(node, "epoch")
        for value in module.value_in(name, module.function(name))
        for node in walk(value)
    )
