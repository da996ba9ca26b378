"""Calls that need a group of processes, where there may be none."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import Spot, rule
from ...syntax import (
    FUNCTIONS,
    is_constant,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    walk,
)
from ..data.ranks import GUARDS

DOCS = "https://docs.pytorch.org/docs/stable/distributed.html"
COLLECTIVE = (
    "all_gather",
    "all_gather_object",
    "all_reduce",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "gather",
    "get_rank",
    "get_world_size",
    "reduce",
)
# what a condition says that asks for several processes
SEVERAL = (*GUARDS, "dist", "world", "initialized", "ddp", "parallel", "multi", "launcher", "slurm")
APART = re.compile(r"distrib|ddp|multi_?proc", re.I)


@rule(
    "TG707",
    "a collective call runs where there may be no process group",
    why="""Without a launcher the program creates no process group, and runs as one process. This
    call then raises "Default process group has not been initialized". Shown once per
    repository.""",
    remedy="call it only if `dist.is_initialized()`, or create a group for one process too",
    source=f"{DOCS}#torch.distributed.is_initialized",
    bad="""
import os

import torch
import torch.distributed as dist


def set_up(args):
    args.distributed = "RANK" in os.environ
    if not args.distributed:
        return
    dist.init_process_group("nccl")


def main(args, model, epochs, run_epoch):
    set_up(args)
    for epoch in range(epochs):
        run_epoch(model)
        dist.barrier()  # <--
""",
    good="""
import os

import torch
import torch.distributed as dist


def set_up(args):
    args.distributed = "RANK" in os.environ
    if not args.distributed:
        return
    dist.init_process_group("nccl")


def main(args, model, epochs, run_epoch):
    set_up(args)
    for epoch in range(epochs):
        run_epoch(model)
        if args.distributed:
            dist.barrier()
""",
    once=True,
)
def without_group(module: Module) -> Iterator[Spot]:
    if module.project.has_framework(module) or not may_lack_group(module):
        return
    for name in COLLECTIVE:
        for call in module.calls.get(name, ()):
            if module.qualified(call.func) != f"torch.distributed.{name}":
                continue
            if is_in_doubt(module, call) and follows_set_up(module, call, 3):
                yield Spot(call)


def may_lack_group(module: Module) -> bool:
    """Whether a program can run without a group: it wraps models, and sets up groups, if asked."""
    near = module.project.near(module)
    made = [(other, call) for other in near for call in other.calls.get("init_process_group", ())]
    wrapped = [
        (other, call)
        for other in near
        for name in ("DistributedDataParallel", "DDP")
        for call in other.calls.get(name, ())
    ]
    return (
        bool(made)
        and all(is_optional(other, call) for other, call in made)
        and not any(is_in_doubt(other, call) for other, call in wrapped)
    )


@kept
def is_optional(module: Module, call: ast.Call) -> bool:
    """Whether a group is only set up under a condition on processes, or after a way out."""
    scope = module.function(call)
    below: ast.AST = call
    for around in module.ancestors(call):
        if isinstance(around, ast.If) and below is not around.test:
            other = around.orelse if below in around.body else around.body
            several = any(own_calls(one, "init_process_group") for one in other)
            if (
                not several
                and mentions(around.test, *SEVERAL)
                and not mentions(around.test, "is_initialized")
            ):
                return True
        below = around
    return any(
        isinstance(node, ast.If)
        and node.lineno < call.lineno
        and any(
            leaves_alone(block) or asks_alone(node, block) for block in (node.body, node.orelse)
        )
        for node in own_nodes(scope)
    )


def leaves_alone(block: list[ast.stmt]) -> bool:
    """Whether some statements say that there is one process, and return."""
    said = any(
        isinstance(one, ast.Assign)
        and APART.search(last_name(one.targets[0]))
        and is_constant(one.value, False)
        for one in block
    )
    return said and isinstance(block[-1], ast.Return)


def asks_alone(condition: ast.If, block: list[ast.stmt]) -> bool:
    """Whether a condition returns where there is one process: `if not distributed: return`."""
    test = condition.test
    if not isinstance(test, ast.UnaryOp) or not isinstance(test.op, ast.Not):
        return False
    named = APART.search(last_name(test.operand)) is not None
    return named and block is condition.body and isinstance(block[-1], ast.Return)


def is_in_doubt(module: Module, call: ast.Call) -> bool:
    """Whether nothing in its function asks for several processes before a place."""
    scope = module.function(call)
    if isinstance(scope, FUNCTIONS):
        if any(mentions(one, *SEVERAL) for one in scope.decorator_list):
            return False
        for one in own_calls(scope, "init_process_group"):
            certain = not any(isinstance(node, ast.If) for node in module.ancestors(one))
            if certain and one.lineno < call.lineno:
                return False  # the group is there
    tests = [node.test for node in module.ancestors(call) if isinstance(node, ast.If | ast.IfExp)]
    tests += [node for node in module.ancestors(call) if isinstance(node, ast.BoolOp)]
    tests += [
        node.test
        for node in own_nodes(scope)
        if isinstance(node, ast.Assert | ast.If)
        and node.lineno < call.lineno
        and (isinstance(node, ast.Assert) or gives_up(module, node, call))
    ]
    tried = any(isinstance(node, ast.Try) for node in module.ancestors(call))
    return not tried and not any(asks(module, test, scope) for test in tests)


def asks(module: Module, test: ast.expr, scope: ast.AST) -> bool:
    """Whether a condition, or what a name in it was given, is about several processes."""
    if mentions(test, *SEVERAL):
        return True
    names = (node for node in walk(test) if isinstance(node, ast.Name | ast.Attribute))
    values = (value for name in names for value in module.value_in(name, scope))
    return any(mentions(value, *SEVERAL) and not mentions(value, "model") for value in values)


def gives_up(module: Module, condition: ast.If, call: ast.Call) -> bool:
    """Whether a branch of a condition leaves the function, the program, or the turn of a loop."""
    loop = next(module.loops_around(condition), None)
    turns = loop is None or loop in module.ancestors(call)
    return any(
        isinstance(node, ast.Return | ast.Raise)
        or (isinstance(node, ast.Continue | ast.Break) and turns)
        or (isinstance(node, ast.Call) and last_name(node.func) in ("exit", "_exit"))
        for node in walk(condition)
    )


def follows_set_up(module: Module, call: ast.Call, depth: int) -> bool:
    """Whether a place is reached, with no condition, in a function that called the set-up."""
    scope = module.function(call)
    if isinstance(scope, FUNCTIONS) and module.class_of(scope) is not None:
        return False  # of an object that may be made for several processes alone
    before = (one for one in own_calls(scope) if one.lineno < call.lineno)
    if any(sets_up(module, one) for one in before):
        return True
    return depth > 0 and any(
        is_in_doubt(other, one) and follows_set_up(other, one, depth - 1)
        for other, one in module.project.calls_of(module, scope)
    )


def sets_up(module: Module, call: ast.Call) -> bool:
    """Whether a call sets up a group, or is of a function that does."""
    if last_name(call.func) == "init_process_group":
        return True
    return any(
        own_calls(function, "init_process_group")
        for _, function in module.project.resolve(module, call)
    )
