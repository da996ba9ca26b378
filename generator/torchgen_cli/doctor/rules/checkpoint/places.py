"""Checkpoints that only open where they were written."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    argument,
    has_stars,
    is_constant,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    written,
)
from ...unreached import is_unreached
from ..shared.one_process import is_one_unless_asked
from .cpu_users import for_one_process, has_cuda_switch, serves_users_without_gpu
from .gpu import (
    insists_on_a_gpu,
    is_for_everyone,
    replaces_load,
    saves_from_the_cpu,
    written_before,
)
from .in_place import SETTINGS
from .in_steps import fills_a_model_in_steps, returns_it_to_a_model
from .on_the_cpu import brings_an_optimizer, is_used_on_the_cpu
from .opens_anywhere import (
    asks_a_flag_for_the_cpu,
    fills_a_dataset,
    goes_to_a_loader,
    goes_to_a_model,
)
from .without_training import is_used_without_training

CPU = {"no_cuda", "use_cuda", "use_gpu", "use_cpu", "cpu"}


@rule(
    "TG610",
    "weights are loaded onto the device that they were saved from",
    why="""Without `map_location` each tensor is loaded onto the device that it was saved from. A
    file from a GPU does not load on a machine without one, which this file claims to support; and
    with several processes all of them fill the first GPU. Shown once per repository. It is a hint
    where one process continues its own training, where a GPU is needed anyway, and where the
    program moves the weights to the CPU before it saves them.""",
    remedy="""pass `map_location="cpu"`; `load_state_dict` copies the weights to the model's
    device""",
    source=f"{STABLE}/generated/torch.load.html",
    bad="""
import torch


def resume(model, path):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.load_state_dict(torch.load(path, weights_only=True))  # <--
    return model.to(device)
""",
    good="""
import torch


def resume(model, path):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.load_state_dict(torch.load(path, map_location=device, weights_only=True))
    return model.to(device)
""",
    severity=Severity.WARNING,
    once=True,
)
def bound_to_a_device(module: Module) -> Iterator[Spot]:
    if replaces_load(module):
        return
    offered = makes_a_group(module) or runs_without_gpu(module)
    for call in module.torch_calls("load"):
        if module.qualified(call.func) != "torch.load" or has_stars(call):
            continue
        if fills_a_dataset(module, call):
            continue
        used = is_used_on_the_cpu(module, call)
        if not offered and not used:
            continue
        scope = module.function(call)
        loads = own_calls(scope, "load")  # of which a branch may choose one
        if argument(call, 1, "map_location") is not None or any(
            argument(one, 1, "map_location") is not None and chosen_between(module, call, one)
            for one in loads
        ):
            continue
        written_here = any(one.lineno < call.lineno for one in own_calls(scope, "save"))
        written_here |= written_before(module, call)
        if written_here and not (used and is_used_without_training(module, call)):
            continue  # a file that this process wrote, on the same device
        to_model = goes_to_a_model(module, call) or goes_to_a_loader(module, call)
        if used or makes_a_group(module):
            to_model |= fills_a_model_in_steps(module, call)
        to_model |= used and returns_it_to_a_model(module, call)
        if to_model and not module.is_fallback(call):
            # a literal names a file that a script beside it wrote, on the same machine
            own = bool(call.args) and isinstance(call.args[0], ast.Constant)
            own |= is_used_where_it_lies(module, call) or is_for_everyone(module, call)
            own |= saves_from_the_cpu(module)
            yield Spot(call, unsure=own or not (used or does_harm(module, call)))


def is_used_where_it_lies(module: Module, load: ast.Call) -> bool:
    """Whether an object out of the file replaces one that was moved to the GPU."""
    statement, scope = module.parents[load], module.function(load)
    names = [written(one) for one in getattr(statement, "targets", ())]
    replaced = {
        written(one.targets[0])
        for one in own_nodes(scope)
        if isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Subscript)
        and written(one.value.value) in names
    }
    return any(
        isinstance(one, ast.Assign)
        and written(one.targets[0]) in replaced - {""}
        and isinstance(one.value, ast.Call)
        and last_name(one.value.func) in ("cuda", "to")
        for one in own_nodes(scope)
    )


def does_harm(module: Module, load: ast.Call) -> bool:
    """Whether every process loads onto the first GPU, or a user without one cannot load."""
    several = makes_a_group(module) and not is_one_unless_asked(module)
    if several and not for_one_process(module, load):
        return True
    if brings_an_optimizer(module, load):
        return False  # it goes on with a training
    return runs_without_gpu(module) and serves_users_without_gpu(module, load)


def makes_a_group(module: Module) -> bool:
    """Whether a file starts a group of processes, in a function that a program runs."""
    calls = module.calls.get("init_process_group", ())
    return any(not is_unreached(module, call) for call in calls)


def choices_in(module: Module) -> Iterator[ast.IfExp]:
    """`"cuda" if ... else "cpu"`, where a device is made of it."""
    for call in module.calls.get("device", ()):
        yield from (one for one in call.args if isinstance(one, ast.IfExp))


def device_of_a_flag(module: Module) -> bool:
    """Whether the device is a setting of the run: `torch.device(args.device)`."""
    return any(
        isinstance(one, ast.Attribute) and written(one.value).lower() in SETTINGS
        for call in module.calls.get("device", ())
        for one in call.args
    )


def chosen_between(module: Module, one: ast.AST, other: ast.AST) -> bool:
    """Whether a condition decides which of two places is reached."""
    conditions = {n for n in module.ancestors(one) if isinstance(n, ast.If | ast.IfExp | ast.Try)}
    return any(around in conditions for around in module.ancestors(other))


def asserted(module: Module) -> Iterator[ast.expr]:
    """The conditions without which a file does not run."""
    scopes = (module.tree, *module.functions)
    yield from (n.test for one in scopes for n in own_nodes(one) if isinstance(n, ast.Assert))


def is_read(module: Module, name: str) -> bool:
    """Whether code of the program reads the value of a flag."""
    near = module.project.near(module)
    return any(node.attr == name for other in near for node in other.attributes)


def runs_without_gpu(module: Module) -> bool:
    """Whether a file is meant for a CPU too: it has a flag for that, or asks what there is."""
    if insists_on_a_gpu(module):
        return False
    flags = {
        str(one.value).strip("-").replace("-", "_")
        for call in module.calls.get("add_argument", ())
        for one in call.args
        if isinstance(one, ast.Constant)
    }
    if any(mentions(node, "is_available") for node in asserted(module)):
        return False
    if any(is_read(module, name) for name in CPU & flags) or device_of_a_flag(module):
        return True
    if any(is_constant(way, "cpu") for c in choices_in(module) for way in (c.body, c.orelse)):
        return True
    if asks_a_flag_for_the_cpu(module) or has_cuda_switch(module):
        return True
    needs_one = any(
        not any(isinstance(around, ast.If | ast.IfExp) for around in module.ancestors(call))
        for call in module.calls.get("cuda", ())
    )
    return "is_available" in module.calls and not needs_one
