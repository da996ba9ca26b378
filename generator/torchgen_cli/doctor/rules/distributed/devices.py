"""Which device each of several processes uses, and what it draws there."""

import ast
import re
from collections.abc import Iterator

from ...documents import documents
from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import has_stars, is_constant, keyword, mentions, own_calls, walk
from ..data.ranks import GUARDS, joins
from ..shared.loops import is_backward
from ..shared.programs import run_with
from .first_gpu import moved_by_name

CHOSEN = re.compile(
    rb"set_device|CUDA_VISIBLE_DEVICES|cuda:|cuda\.device\(|device_ids\s*=\s*\["
    rb"|\.cuda\(\s*(?!async=|non_blocking=|True\b)[^)\s]"
    rb"|\.to\(\s*(self\.)?(args\.)?(local_)?(rank|gpu)|torch\.device\(\s*[^'\")\s]|cuda['\"]\s*,"
)
# with which Slurm shows each process a GPU of its own
OWN_GPU = re.compile(rb"gpus-per-task|gpus_per_task|gpu-bind")
DROPS = re.compile(
    rb"Dropout|dropout\(|dropout\s*=\s*[^0\s]|dropout=0\.[0-9]*[1-9]|DropPath|drop_path"
)
# a rate of dropout that is not 0
SHARE = re.compile(rb"drop\w*[^\n]{0,40}?\b0?\.[0-9]*[1-9]", re.I)
AGAIN = "this overrides the seed of each process"


@rule(
    "TG704",
    "every process uses the first GPU",
    why="""Nothing assigns a device to each process, so all use `cuda:0`: the other GPUs stay idle,
    one GPU's memory holds all of the models, and NCCL rejects two ranks on one device.""",
    remedy='call `torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))` before the model is moved',
    source=f"{STABLE}/generated/torch.nn.parallel.DistributedDataParallel.html",
    bad="""
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def wrap(model):
    dist.init_process_group("nccl")
    model.cuda()  # <--
    return DistributedDataParallel(model)
""",
    good="""
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def wrap(model):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    model.cuda()
    return DistributedDataParallel(model)
""",
)
def one_device(module: Module) -> Iterator[ast.AST]:
    if not joins(module) or module.project.has_framework(module) or is_alone_on_host(module):
        return
    contents = module.project.contents
    if any(CHOSEN.search(contents[other.name]) for other in module.project.near(module)):
        return
    if OWN_GPU.search(documents(module.project.root)):
        return
    moves = [call for call in module.calls.get("cuda", ()) if not call.args and not call.keywords]
    moves += [c for c in module.calls.get("to", ()) if c.args and is_constant(c.args[0], "cuda")]
    moves += moved_by_name(module)
    wraps = {module.statement(call) for call in module.torch_calls("DistributedDataParallel")}
    before = [one for one in moves if wraps.intersection(module.following(module.statement(one)))]
    yield from (before or moves)[:1]


def is_alone_on_host(module: Module) -> bool:
    """Whether a process joins by an address and without a rank: one for all GPUs of a machine.

    So did programs for the first releases of torch.distributed, which gave the ranks itself.
    """
    joining = module.calls["init_process_group"]
    return all(
        keyword(call, "world_size") is not None
        and keyword(call, "rank") is None
        and not has_stars(call)
        and (method := keyword(call, "init_method")) is not None
        and not mentions(method, "env:")
        for call in joining
    )


@rule(
    "TG705",
    "each process draws the same dropout masks",
    why="""All processes use the same seed, so samples at the same place in each share get the same
    dropout and augmentation: a batch has only a share of the noise that it should have.""",
    remedy="add the rank to the seed: `torch.manual_seed(seed + dist.get_rank())`",
    source=f"{STABLE}/notes/randomness.html",
    bad="""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def build(seed):
    dist.init_process_group("nccl")
    torch.manual_seed(seed)  # <--
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.1))
    return DistributedDataParallel(model)
""",
    good="""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def build(seed):
    dist.init_process_group("nccl")
    torch.manual_seed(seed + dist.get_rank())
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.1))
    return DistributedDataParallel(model)
""",
    severity=Severity.HINT,
)
def alike(module: Module) -> Iterator[Spot]:
    starts = "init_process_group" in module.calls
    if not (starts or wraps(module)) or module.project.has_framework(module):
        return
    near = module.project.near(module)
    contents = [module.project.contents[other.name] for other in near]
    if not any(map(DROPS.search, contents)):
        return
    seeds = [
        (other, call)
        for other in near
        for name, calls in other.calls.items()
        if "seed" in name.lower()
        for call in calls
    ]
    if any(of_rank(other, call) for other, call in seeds):
        none = not any(map(SHARE.search, contents))
        again = seeded_again(module) if wraps(module) else ()
        yield from (Spot(one, AGAIN, unsure=none) for one in again)
        return
    program = run_with(module)
    if starts and not any(map(wraps, program)):
        return
    if not starts and not any("init_process_group" in other.calls for other in program):
        return
    own = [
        call
        for other, call in seeds
        if other is module and seeds_torch(module, call) and not is_called_elsewhere(module, call)
    ]
    own.sort(key=lambda call: module.qualified(call.func) != "torch.manual_seed")
    for call in own[:1]:
        plain = module.qualified(call.func) == "torch.manual_seed"
        yield Spot(call, unsure=not plain and not any(map(SHARE.search, contents)))


def wraps(module: Module) -> bool:
    """Whether a file wraps a model for several processes."""
    return "DistributedDataParallel" in module.calls or "DDP" in module.calls


def seeded_again(module: Module) -> Iterator[ast.Call]:
    """Where a loop of epochs seeds torch alike on all ranks, after a seed of each rank's own."""
    calls = [call for name in module.calls if "seed" in name.lower() for call in module.calls[name]]
    seeding = [call for call in calls if seeds_torch(module, call)]
    first = min((one.lineno for one in seeding if of_rank(module, one)), default=None)
    for call in seeding:
        loop = next(module.loops_around(call), None)
        if first is None or call.lineno < first or of_rank(module, call) or loop is None:
            continue
        epochs = isinstance(loop, ast.For) and mentions(loop.target, "epoch")
        if epochs and module.project.reaches(module, loop, is_backward):
            yield call
            return


def seeds_torch(module: Module, call: ast.Call) -> bool:
    """Whether it seeds torch, by itself or by a function of the project."""
    if module.qualified(call.func) == "torch.manual_seed":
        return True
    return any(
        other.qualified(inner.func) == "torch.manual_seed"
        for other, function in module.project.resolve(module, call)
        for inner in own_calls(function, "manual_seed")
    )


def is_called_elsewhere(module: Module, call: ast.Call) -> bool:
    """Whether it stands in a helper that other files call, and this one does not."""
    callers = [other for other, _ in module.project.calls_of(module, module.function(call))]
    return bool(callers) and module not in callers


def of_rank(module: Module, call: ast.Call) -> bool:
    """Whether a seed differs by rank: in the call, or where its argument was made."""
    parts = [*call.args, *(k.value for k in call.keywords)]
    names = [one for part in parts for one in walk(part) if isinstance(one, ast.Name)]
    values = [value for one in names for value in module.value_in(one, module.function(call))]
    return any(mentions(one, *GUARDS) for one in [*parts, *values])
