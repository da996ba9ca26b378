"""The rank of a process, which launchers pass as a flag or in the environment."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePath

from ...documents import documents
from ...project import Module, Project
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import is_constant, mentions, own_calls
from ..shared.weights_alone import is_script

# what makes one training of several processes
WRAPPING = {"DDP", "DistributedDataParallel", "FSDP", "FullyShardedDataParallel", "all_reduce"}
REFUSED = "launched with `torch.distributed.launch`, which passes `--local-rank` since torch 2.0"


@rule(
    "TG809",
    "torchrun passes no `--local_rank`",
    why="""`torch.distributed.launch` passed it as a flag and is deprecated; `torchrun` sets the
    environment variable LOCAL_RANK instead. Without it every process uses device 0. Since torch 2.0
    `torch.distributed.launch` itself passes `--local-rank`, which a parser of `--local_rank`
    rejects: that is reported wherever a README or a script launches the file this way. Elsewhere it
    is a hint where nothing reads the flag, where the program or DeepSpeed sets it, and where
    nothing wraps a model for several processes.""",
    remedy='read `int(os.environ["LOCAL_RANK"])`, and launch the file with `torchrun`',
    source=f"{STABLE}/elastic/run.html",
    bad="""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)  # <--
torch.cuda.set_device(parser.parse_args().local_rank)
torch.distributed.init_process_group("nccl")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 2).cuda())
""",
    good="""
import os

import torch

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
torch.distributed.init_process_group("nccl")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 2).cuda())
""",
    severity=Severity.WARNING,
)
def local_rank_flag(module: Module) -> Iterator[Spot]:
    if not module.project.stays_before_torch("2.0") and is_launched(module):
        yield from (Spot(call, REFUSED) for call in flags_of(module) if not takes_dashes(call))
        return
    if module.project.contains(b"LOCAL_RANK") or not may_join(module):
        return
    old = module.project.stays_before_torch("1.10")  # which has no torchrun
    idle = is_left_unread(module.project)
    idle |= is_given_otherwise(module.project)
    idle |= all(WRAPPING.isdisjoint(other.calls) for other in module.project.code)
    for call in flags_of(module):
        yield Spot(call, unsure=old or takes_dashes(call) or idle)


def flags_of(module: Module) -> Iterator[ast.Call]:
    """Where a file declares the flag."""
    for call in module.calls.get("add_argument", ()):
        named = any(is_constant(one, "--local_rank", "--local-rank") for one in call.args)
        if named and not module.is_fallback(call):
            yield call


def takes_dashes(call: ast.Call) -> bool:
    """Whether the flag is taken as torch.distributed.launch passes it since torch 2.0."""
    return any(is_constant(one, "--local-rank") for one in call.args)


def is_launched(module: Module) -> bool:
    """Whether a page or script of the repository starts this file with that launcher."""
    name = re.escape(PurePath(module.name).name.encode())
    command = rb"torch\.distributed\.launch(?:\\\r?\n|[^\n])*?[\s/]%s\b" % name
    commands = re.findall(command, documents(module.project.root))
    strict = "parse_known_args" not in module.calls
    return strict and any(not re.search(rb"--use[_-]env", one) for one in commands)


def is_left_unread(project: Project) -> bool:
    """Whether no code reads the rank that the flag gives."""
    read = any(
        node.attr == "local_rank" and isinstance(node.ctx, ast.Load)
        for other in project.code
        for node in other.attributes
    )
    by_key = any(map(project.contains, (b"['local_rank']", b'["local_rank"]', b", 'local_rank'")))
    return not read and not by_key


def is_given_otherwise(project: Project) -> bool:
    """Whether the program sets the rank itself, as in a process that it spawns, or DeepSpeed does.

    DeepSpeed's launcher passes the flag.
    """
    if any("deepspeed" in other.libraries for other in project.code):
        return True
    if re.search(rb"(?m)^[\s$]*deepspeed [^\n]*\.py", documents(project.root)):
        return True
    return any(
        name.endswith(".local_rank")
        and not name.startswith("self.")
        and not mentions(one.value, "local_rank")
        for other in project.code
        for name, given in other.assigned.items()
        for one in given
    )


def may_join(module: Module) -> bool:
    """Whether a file joins other processes, itself or by what it calls, or serves one that may."""
    if "init_process_group" in module.calls:
        return True
    known = [o for o in module.project.near(module) if "init_process_group" in o.calls]
    joining = {
        function.name
        for other in known
        for function in other.functions
        if own_calls(function, "init_process_group")
    }
    return not joining.isdisjoint(module.calls) or (bool(known) and not is_script(module))
