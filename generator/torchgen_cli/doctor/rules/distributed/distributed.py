"""Several processes or devices."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import argument, is_constant, keyword, own_calls, same, written
from ..randomness.reach_of_seeds import excludes

DDP = f"{STABLE}/generated/torch.nn.parallel.DistributedDataParallel.html"


@rule(
    "TG701",
    "DataParallel is slow, and no longer recommended",
    why="""One process drives all devices: the model is copied to each of them at every step, and
    Python slows them down. The docs recommend DistributedDataParallel, even on one machine. It is a
    hint in a file that only evaluates, and beside DistributedDataParallel.""",
    remedy="use DistributedDataParallel, started by `torchrun`",
    source=f"{STABLE}/generated/torch.nn.DataParallel.html",
    bad="""
from torch import nn


def wrap(model):
    return nn.DataParallel(model)  # <--
""",
    good="""
from torch.nn.parallel import DistributedDataParallel


def wrap(model):
    return DistributedDataParallel(model)
""",
    severity=Severity.HINT,
    once=True,
)
def data_parallel(module: Module) -> Iterator[Spot]:
    evaluates = "eval" in module.calls and "backward" not in module.calls
    beside = any("DistributedDataParallel" in other.calls for other in module.project.near(module))
    for call in module.torch_calls("DataParallel"):
        yield Spot(call, unsure=evaluates or beside)  # for which it does


@rule(
    "TG702",
    "the batch norms are synchronised after the model was wrapped",
    why="""DistributedDataParallel has registered the parameters of the old modules: those of the
    new ones get no averaged gradient.""",
    remedy="call `convert_sync_batchnorm` before wrapping",
    source=f"{STABLE}/generated/torch.nn.SyncBatchNorm.html",
    bad="""
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def wrap(model):
    model = DistributedDataParallel(model)
    return nn.SyncBatchNorm.convert_sync_batchnorm(model)  # <--
""",
    good="""
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def wrap(model):
    model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    return DistributedDataParallel(model)
""",
)
def late_sync(module: Module) -> Iterator[ast.AST]:
    for call in module.calls.get("convert_sync_batchnorm", ()):
        given = argument(call, 0, "module")
        if given is None or not written(given):
            continue
        scope = module.function(call)
        for wrap in own_calls(scope, "DistributedDataParallel", "DDP"):
            target = module.parents[wrap]
            again = [
                one
                for one in module.assigned[written(given)]
                if target is not one and wrap.lineno < one.lineno < call.lineno
            ]
            if (
                wrap.lineno < call.lineno
                and isinstance(target, ast.Assign)
                and same(target.targets[0], given)
                and not again
                and not excludes(module, wrap, call)
            ):
                yield call
                break


@rule(
    "TG790",
    "every step searches for unused parameters",
    why="""`find_unused_parameters=True` traverses the whole graph at each step. If every parameter
    takes part in the loss, it only costs time; if one does not, it hides that.""",
    remedy="omit it unless parts of the model are unused on purpose",
    source=DDP,
    bad="""
from torch.nn.parallel import DistributedDataParallel


def wrap(model):
    return DistributedDataParallel(model, find_unused_parameters=True)  # <--
""",
    good="""
from torch.nn.parallel import DistributedDataParallel


def wrap(model):
    return DistributedDataParallel(model)
""",
    severity=Severity.HINT,
)
def unused_parameters(module: Module) -> Iterator[ast.AST]:
    for call in module.torch_calls("DistributedDataParallel"):
        if is_constant(keyword(call, "find_unused_parameters"), True):
            yield call
