"""Sums of all processes that are divided by something else than their number."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    has_stars,
    last_name,
    own_nodes,
    parameters,
    receiver,
    same,
)
from ..shared.flag_values import long_flag

DEPTH = 4  # from name to name
STARTING = ("Process", "spawn", "start_processes")  # by which a program makes one for each GPU


@rule(
    "TG711",
    "a sum of all processes is divided by the number of GPUs",
    why="""`all_reduce` sums over the processes. Their number equals the number of GPUs only if
    there is one process per GPU, on a single machine. With two processes on a machine with four
    GPUs, the mean is half of what it should be.""",
    remedy="divide by `torch.distributed.get_world_size()`",
    source="https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.all_reduce",
    bad="""
import torch
import torch.distributed as dist


def mean_of(value, count):
    total = value.clone()
    dist.all_reduce(total, op=dist.ReduceOp.SUM)
    total /= count  # <--
    return total


def main(value):
    dist.init_process_group("nccl")
    return mean_of(value, torch.cuda.device_count())
""",
    good="""
import torch
import torch.distributed as dist


def mean_of(value, count):
    total = value.clone()
    dist.all_reduce(total, op=dist.ReduceOp.SUM)
    total /= count
    return total


def main(value):
    dist.init_process_group("nccl")
    return mean_of(value, dist.get_world_size())
""",
    severity=Severity.WARNING,
)
def divided_by_gpus(module: Module) -> Iterator[Spot]:
    calls = module.calls.get("all_reduce", ())
    near = module.project.near(module) if calls else []
    if any(name in other.calls for other in near for name in STARTING):
        return
    for call in calls:
        summed, op = argument(call, 0, "tensor"), argument(call, 1, "op")
        if summed is None or (op is not None and last_name(op) != "SUM"):
            continue
        for node in own_nodes(module.function(call)):
            divisor = divisor_of(node, summed)
            later = getattr(node, "lineno", 0) > call.lineno
            if divisor is not None and later and counts_gpus(module, divisor, DEPTH):
                yield Spot(node)


def divisor_of(node: ast.AST, summed: ast.expr) -> ast.expr | None:
    """By what a node divides a tensor."""
    if isinstance(node, ast.AugAssign | ast.BinOp) and isinstance(node.op, ast.Div):
        left = node.target if isinstance(node, ast.AugAssign) else node.left
        right = node.value if isinstance(node, ast.AugAssign) else node.right
        return right if same(left, summed) else None
    if isinstance(node, ast.Call) and last_name(node.func) in ("div", "div_", "true_divide"):
        return argument(node, 0, "other") if same(receiver(node), summed) else None
    return None


def counts_gpus(module: Module, node: ast.expr, depth: int) -> bool:
    """Whether a value is the number of GPUs of this machine, and nothing else."""
    if isinstance(node, ast.Call):
        if last_name(node.func) in ("float", "int") and len(node.args) == 1:
            return counts_gpus(module, node.args[0], depth)
        return module.qualified(node.func) == "torch.cuda.device_count"
    found = list(values_given(module, node)) if depth else []
    return bool(found) and all(
        value is not None and counts_gpus(other, value, depth - 1) for other, value in found
    )


def values_given(module: Module, node: ast.expr) -> Iterator[tuple[Module, ast.expr | None]]:
    """What a name or an attribute is given, each with its file; None where it is not known."""
    scope = module.function(node)
    if isinstance(node, ast.Attribute):
        for other in module.project.near(module):
            for name, given in other.assigned.items():
                if "." in name and name.rpartition(".")[2] == node.attr:
                    yield from ((other, one.value) for one in given)
            flags = (long_flag(call) for call in other.calls.get("add_argument", ()))
            yield from ((other, None) for flag in flags if flag.strip("-") == node.attr)
    elif isinstance(node, ast.Name):
        yield from ((module, value) for value in module.value_in(node, scope))
        if isinstance(scope, FUNCTIONS) and node.id in parameters(scope):
            place = parameters(scope).index(node.id)
            for other, call in module.project.calls_of(module, scope):
                yield other, None if has_stars(call) else argument(call, place, node.id)
