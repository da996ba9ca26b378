"""Processes that do not agree on how many they are, or on how many steps they make."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, rule
from ...syntax import (
    argument,
    has_stars,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    walk,
    written,
)
from ..distributed.distributed import DDP
from ..shared.loops import graph_losses

NOT_FINITE = ("isnan", "isinf", "isfinite")
# what tells one process of the others' losses
SHARING = ("reduce", "gather", "broadcast", "barrier", "sync")


@rule(
    "TG209",
    "the sampler uses this machine's GPU count as the number of processes",
    why="""If fewer processes than GPUs run, each reads one share per GPU, and the remaining shares
    are never read. On several machines the ranks repeat on each: all read the same shares.""",
    remedy="omit `num_replicas` and `rank`: the sampler asks the process group",
    source=f"{STABLE}/data.html#torch.utils.data.distributed.DistributedSampler",
    bad="""
import torch
from torch.utils.data import DataLoader, DistributedSampler


def load(dataset, local_rank):
    gpus = torch.cuda.device_count()
    sampler = DistributedSampler(dataset, num_replicas=gpus, rank=local_rank)  # <--
    return DataLoader(dataset, batch_size=8, sampler=sampler)
""",
    good="""
from torch.utils.data import DataLoader, DistributedSampler


def load(dataset):
    return DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset))
""",
    severity=Severity.WARNING,
)
def gpus_as_processes(module: Module) -> Iterator[ast.AST]:
    for call in module.torch_calls("DistributedSampler"):
        given, rank = argument(call, 1, "num_replicas"), argument(call, 2, "rank")
        if given is None or rank is None or has_stars(call):
            continue
        if counts_gpus(module, given, call) and not starts_one_for_each(module):
            yield call


def counts_gpus(module: Module, node: ast.expr, near: ast.AST) -> bool:
    """Whether it is `torch.cuda.device_count()`, or a name of that."""
    if isinstance(node, ast.Name):
        values = module.value_in(node, module.function(near))
        return bool(values) and all(counts_gpus(module, o, near) for o in values if o is not node)
    return isinstance(node, ast.Call) and (module.qualified(node.func) == "torch.cuda.device_count")


def starts_one_for_each(module: Module) -> bool:
    """Whether the program starts a process for each GPU itself, or tells the group that number."""
    return any(
        "spawn" in other.calls
        or any(
            argument(call, 3, "world_size") is not None
            for call in other.calls.get("init_process_group", ())
        )
        for other in module.project.near(module)
    )


@rule(
    "TG425",
    "one process skips a step that the others wait in",
    why="""Each process has its own loss. If only one of them is not finite, that process skips to
    the next batch; the others wait in `backward`, where the gradients of all are averaged. They get
    those of its next batch, and at the end one process is a step short: the run hangs.""",
    remedy="""make all processes decide alike: reduce the flag with `all_reduce` before the
    condition, or zero the loss with `nan_to_num` and still call `backward`""",
    source=DDP,
    bad="""
import torch
from torch.nn.parallel import DistributedDataParallel


def train(model, rank, loader, optimizer, loss_of):
    model = DistributedDataParallel(model, device_ids=[rank])
    for batch in loader:
        loss = loss_of(model, batch)
        if torch.isnan(loss):
            continue  # <--
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
""",
    good="""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, rank, loader, optimizer, loss_of):
    model = DistributedDataParallel(model, device_ids=[rank])
    for batch in loader:
        loss = loss_of(model, batch)
        failed = torch.isnan(loss).int()
        dist.all_reduce(failed)
        if failed:
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
""",
)
def leaves_alone(module: Module) -> Iterator[ast.AST]:
    if "backward" not in module.calls or module.project.has_framework(module):
        return
    for loop in module.loops:
        backwards = own_calls(loop, "backward")
        if not backwards or next(module.loops_around(backwards[0]), None) is not loop:
            continue
        scope = module.function(loop)
        losses = graph_losses(scope)
        for node in own_nodes(loop):
            if (
                isinstance(node, ast.If)
                and node.lineno < backwards[0].lineno
                and next(module.loops_around(node), None) is loop
                and asks_if_finite(module, node.test, losses, scope)
                and not shared_before(loop, node)
                and wraps(module, scope)
            ):
                yield from (one for one in node.body if isinstance(one, ast.Continue))


def asks_if_finite(module: Module, test: ast.expr, losses: set[str], scope: ast.AST) -> bool:
    """Whether a condition asks if a loss that `backward` is called on is a number."""
    for node in walk(test):
        if not isinstance(node, ast.Call) or last_name(node.func) not in NOT_FINITE:
            continue
        asked = node.args[0] if node.args else receiver(node)
        while isinstance(asked, ast.Call) and receiver(asked) is not None:
            asked = receiver(asked)  # loss.item()
        if asked is None:
            continue
        values = [asked, *module.value_in(asked, scope)] if written(asked) else [asked]
        if any(written(part) in losses for one in values for part in walk(one) if written(part)):
            return True
    return False


def shared_before(loop: ast.AST, condition: ast.If) -> bool:
    """Whether the processes tell one another something before a condition."""
    return any(
        any(word in last_name(call.func).lower() for word in SHARING)
        for call in own_calls(loop)
        if call.lineno <= condition.lineno
    )


def wraps(module: Module, scope: ast.AST) -> bool:
    """Whether the model is wrapped for several processes in a file, or where it is called."""
    callers = [other for other, _ in module.project.calls_of(module, scope)]
    return any(
        any(True for _ in other.torch_calls("DistributedDataParallel"))
        for other in (module, *callers)
    )
