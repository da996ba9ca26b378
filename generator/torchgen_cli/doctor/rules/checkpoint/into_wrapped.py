"""Models that are wrapped before they get the weights of the bare one."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import argument, has_stars, is_constant, receiver, written
from ..shared.states import is_wrapped
from .bare_states import cuts_prefix, is_saved_bare
from .never_written import resumes
from .prefix import in_other_branch, only_moves

WRAPPERS = ("DataParallel", "DistributedDataParallel")


@rule(
    "TG625",
    "the unwrapped model's weights are loaded into the wrapped one",
    why="""The checkpoint holds the state of `model.module`. The model that loads it is already
    wrapped, so each of its keys begins with `module.`: no key matches, and the resume fails.""",
    remedy="load into `model.module`, or before the model is wrapped",
    source="https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html#saving-torch-nn-dataparallel-models",
    bad="""
import torch
from torch.nn.parallel import DistributedDataParallel


def fit(model, optimizer, run_epoch, epochs, path, resume):
    model = DistributedDataParallel(model)
    start = 0
    if resume:
        state = torch.load(path, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])  # <--
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]
    for epoch in range(start, epochs):
        run_epoch(model, optimizer)
        parts = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}
        parts["epoch"] = epoch + 1
        torch.save(parts, path)
""",
    good="""
import torch
from torch.nn.parallel import DistributedDataParallel


def fit(model, optimizer, run_epoch, epochs, path, resume):
    model = DistributedDataParallel(model)
    start = 0
    if resume:
        state = torch.load(path, map_location="cpu", weights_only=True)
        model.module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]
    for epoch in range(start, epochs):
        run_epoch(model, optimizer)
        parts = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}
        parts["epoch"] = epoch + 1
        torch.save(parts, path)
""",
)
def into_wrapped(module: Module) -> Iterator[Spot]:
    loads = module.calls.get("load_state_dict", ())
    if not loads or not any(True for _ in module.torch_calls(*WRAPPERS)):
        return
    if any(map(cuts_prefix, module.project.near(module))):
        return
    for reads in resumes(module):
        for key, read in reads:
            call = next((one for one in loads if one.args and one.args[0] is read), None)
            model = receiver(call) if call is not None else None
            if call is None or model is None or has_stars(call):
                continue
            strict = argument(call, 1, "strict")
            if strict is not None and not is_constant(strict, True):
                continue
            if is_wrapped_before(module, model, call) and is_saved_bare(module, model, key):
                yield Spot(call, f"{key!r} is saved from {written(model)}.module")


def is_wrapped_before(module: Module, model: ast.expr, call: ast.Call) -> bool:
    """Whether a model was last set to a wrapper of it, before a place in the same function.

    Methods come after `__init__`, if that calls none of them before it wraps.
    """
    if not written(model):
        return False
    scope = module.function(call)
    given = [one for one in module.assigned.get(written(model), ()) if not only_moves(one)]
    own = [one for one in given if module.function(one) is scope and one.lineno < call.lineno]
    if isinstance(model, ast.Attribute) and not own:
        around = module.class_of(call)
        own = [one for one in given if module.class_of(one) is around is not None]
        first = {module.function(one) for one in own}
        if len(first) != 1 or calls_before(module, call, own[-1]):
            return False
    if not own or in_other_branch(module, own[-1], call):
        return False
    return is_wrapped(module, own[-1].value)


def calls_before(module: Module, call: ast.Call, wrap: ast.Assign) -> bool:
    """Whether the function that wraps a model calls the method of a place before, or is none."""
    first, method = module.function(wrap), module.function(call)
    if getattr(first, "name", "") != "__init__":
        return True
    name = getattr(method, "name", "")
    return any(
        module.function(one) is first and one.lineno < wrap.lineno
        for one in module.calls.get(name, ())
    )
