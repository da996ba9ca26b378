"""Runs that write nothing until they are over."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import is_constant, last_name, mentions, own_nodes, walk
from ..distributed.devices import wraps
from ..shared.loops import is_backward
from ..shared.programs import run_with
from ..shared.states import plain_saves
from .checkpoint import SAVING

# calls that may write, by themselves or by what was given to them before
WRITES = re.compile(r"save|checkpoint|ckpt|dump|snapshot|store|callback|hook|^on_|log_model")


@rule(
    "TG628",
    "nothing is saved until training ends",
    why="""The weights are written only after the last step: a run that is killed, loses a machine,
    or whose loss becomes NaN leaves nothing at all. It is a hint where one process trains
    alone.""",
    remedy="""in the loop, also save the model, the optimizer, the scheduler and the epoch to one
    file that you replace""",
    source=SAVING,
    bad="""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, optimizer, loader, loss_of, rank):
    dist.init_process_group("nccl")
    torch.cuda.set_device(rank)
    model = DistributedDataParallel(model.cuda())
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "final.pt")  # <--
""",
    good="""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, optimizer, loader, loss_of, rank):
    dist.init_process_group("nccl")
    torch.cuda.set_device(rank)
    model = DistributedDataParallel(model.cuda())
    for step, batch in enumerate(loader, start=1):
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
        if rank == 0 and step % 1000 == 0:
            moments = optimizer.state_dict()
            state = {"model": model.module.state_dict(), "optimizer": moments, "step": step}
            torch.save(state, f"{step}.pt")
    if rank == 0:
        torch.save(model.module.state_dict(), "final.pt")
""",
    severity=Severity.WARNING,
)
def saved_at_the_end(module: Module) -> Iterator[Spot]:
    if not plain_saves(module) or module.project.has_framework(module):
        return
    for save in plain_saves(module):
        if any(True for _ in module.loops_around(save)) or is_asked_to_save(module, save):
            continue
        long = next(iter(loops_before(module, save)), None)
        if long is None or is_repeated(module, save):
            continue
        shared = any(wraps(other) for other in run_with(module))
        epochs = isinstance(long, ast.For) and mentions(long.target, "epoch", "iter", "step")
        if shared or epochs:
            yield Spot(save, unsure=not shared)
        return


def is_repeated(module: Module, node: ast.AST, left: int = 3) -> bool:
    """Whether a place is reached again and again: in a loop, or by a caller's."""
    if any(True for _ in module.loops_around(node)):
        return True
    callers = module.project.calls_of(module, module.function(node)) if left else ()
    return any(is_repeated(other, call, left - 1) for other, call in callers)


def is_asked_to_save(module: Module, save: ast.Call) -> bool:
    """Whether somebody has to ask for the weights: `if args.save_model:`."""
    return any(
        isinstance(one, ast.If) and mentions(one.test, "save", "export", "keep")
        for one in module.ancestors(save)
    )


def loops_before(module: Module, save: ast.Call) -> Iterator[ast.AST]:
    """The loops before a save, in its function, that train; none where one of them writes."""
    scope = module.function(save)
    loops = [
        node
        for node in own_nodes(scope)
        if isinstance(node, ast.For | ast.While)
        and node.lineno < save.lineno
        and not any(True for _ in module.loops_around(node))
    ]
    reached = {one: list(module.project.reached(module, one)) for one in loops}
    training = [one for one in loops if any(map(is_backward, reached[one]))]
    if not any(may_write(node) for one in training for node in reached[one]):
        yield from training


def may_write(node: ast.AST) -> bool:
    """Whether it is a call that may write the model."""
    if not isinstance(node, ast.Call):
        return False
    named = WRITES.search(last_name(node.func).lower()) is not None
    return named or any(is_constant(one, "wb") for one in walk(node))
