"""Gradients that nothing sets to zero."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import is_constant, last_name, own_calls, receiver, same, walk, written
from ..shared.loops import is_optimizer, optimizer_steps, scaled_steps, step_scopes
from .first_batch import TRIALS

# functions that set gradients to zero, by their names: reset_grads, zero_gradients
RESETTING = re.compile(r"(zero|reset|clear|clean|none|wipe)\w*grad|^_foreach_zero_?$", re.I)
OVERWRITING = re.compile(r"(_foreach_)?(zero|fill|mul|copy|resize|set)_")  # p.grad.data.fill_(0)


@rule(
    "TG401",
    "gradients are never set to zero",
    why="`backward` adds to the existing gradients: each step uses the sum of all before it.",
    remedy="call `optimizer.zero_grad()` once per step",
    source=f"{STABLE}/generated/torch.optim.Optimizer.zero_grad.html",
    bad="""
def train(model, loader, optimizer, loss_of):
    for batch in loader:
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()  # <--
""",
    good="""
def train(model, loader, optimizer, loss_of):
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
""",
)
def no_zero_grad(module: Module) -> Iterator[Spot]:
    if module.project.has_framework(module):
        return
    for scope in step_scopes(module):
        steps = [
            s
            for s in optimizer_steps(module, scope) + scaled_steps(module, scope)
            if any(own_calls(loop, "backward") for loop in module.loops_around(s))
            and not made_anew(module, s)
            and not any(is_handed_on(module, loop) for loop in module.loops_around(s))
        ]
        around = module.class_of(scope) or scope
        if not steps and own_calls(
            scope, "backward"
        ):  # a step of its own, made by a loop elsewhere
            alone = optimizer_steps(module, scope) + scaled_steps(module, scope)
            steps = alone if called_without_zeroes(module, scope) else []
        if steps and not module.project.reaches(module, around, zeroes):
            yield Spot(steps[0])
        else:
            yield from zeroed_once(module, scope)


def zeroed_once(module: Module, scope: ast.AST) -> Iterator[Spot]:
    """Steps in a loop in which nothing sets gradients to zero: it is done before the loop."""
    before = own_calls(scope, "zero_grad")
    for step in (*optimizer_steps(module, scope), *scaled_steps(module, scope)):
        loop = next(module.loops_around(step), None)
        if loop is None or not own_calls(loop, "backward") or made_anew(module, step):
            continue
        stepped = step.args[0] if step.args else receiver(step)
        earlier = [
            call
            for call in before
            if call.lineno < loop.lineno
            and same(receiver(call), stepped)
            and set(module.loops_around(call)) <= set(module.loops_around(loop))
        ]
        leaves = any(isinstance(node, ast.Break | ast.Return | ast.Try) for node in walk(loop))
        if not earlier or leaves or is_handed_on(module, loop) or is_trial(module, loop):
            continue
        if not module.project.reaches(module, loop, zeroes):
            yield Spot(step, f"only once, by line {earlier[-1].lineno}, before the loop")
            return


def is_trial(module: Module, loop: ast.AST) -> bool:
    """Whether a loop measures something: a number of turns is written there, or the name says."""
    counted = isinstance(loop, ast.For) and any(
        isinstance(one, ast.Constant) for call in own_calls(loop, "range") for one in call.args[-1:]
    )
    name = getattr(module.function(loop), "name", "")
    return counted or TRIALS.search(name.lower()) is not None


def called_without_zeroes(module: Module, scope: ast.AST) -> bool:
    """Whether a function is called, and nobody on the way to it sets gradients to zero."""
    seen: set[ast.AST] = {scope}
    pending = [(module, scope)]
    for where, around in pending:  # it grows
        for other, call in where.project.calls_of(where, around):
            caller = other.function(call)
            if caller not in seen:
                if sets_to_zero(other, caller):
                    return False
                seen.add(caller)
                pending.append((other, caller))
    return len(seen) > 1


def sets_to_zero(module: Module, function: ast.AST) -> bool:
    """Whether a function sets gradients to zero, or calls a method of an optimizer that does."""
    methods = [
        method
        for call in own_calls(function)
        if "optim" in last_name(receiver(call) or call).lower()
        for _, method in module.project.resolve(module, call)
    ]
    return any(zeroes(node) for scope in (function, *methods) for node in walk(scope))


def zeroes(node: ast.AST) -> bool:
    """Whether it may set gradients to zero."""
    if isinstance(node, ast.Attribute):
        return node.attr == "zero_grad" or (
            node.attr == "grad" and isinstance(node.ctx, ast.Store | ast.Del)
        )
    if isinstance(node, ast.AugAssign):  # p.grad *= 0
        return last_name(node.target) == "grad"
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    if RESETTING.search(name) or (
        name == "setattr" and any(is_constant(a, "grad") for a in node.args)
    ):
        return True
    given = (receiver(node), *node.args) if OVERWRITING.fullmatch(name) else ()
    return any(
        isinstance(one, ast.Attribute) and one.attr == "grad"
        for part in given
        if part is not None
        for one in walk(part)
    )


def made_anew(module: Module, step: ast.Call) -> bool:
    """Whether the optimizer of a step is made in the same turn, for a model of its own."""
    stepped = step.args[0] if step.args else receiver(step)
    loop = next(module.loops_around(step), None)
    made = module.assigned.get(written(stepped or step), ())
    return loop is not None and any(loop in module.ancestors(one) for one in made)


def is_handed_on(module: Module, loop: ast.AST) -> bool:
    """Whether a loop gives an optimizer to a function that is not of the project."""
    return any(
        isinstance(call.func, ast.Name)
        and call.func.id in module.imports
        and not module.project.resolve(module, call)
        and not module.project.classes_named(module, call.func)
        and any(is_optimizer(module, one) for one in call.args)
        for call in own_calls(loop)
    )
