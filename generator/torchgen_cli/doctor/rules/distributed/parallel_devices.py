"""DataParallel with other devices than those that the model is on, or that there are."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import argument, has_stars, is_constant, keyword, own_calls, receiver, walk, written
from ..shared.flag_values import long_flag
from ..shared.gpu_calls import is_call
from .left_on_cpu import left_on_the_cpu
from .visible import NAME, settings

SETTING = (b"set_device", b"CUDA_VISIBLE_DEVICES")  # by which the first GPU may be any


@rule(
    "TG710",
    "DataParallel uses other devices than the model is on",
    why="""DataParallel needs the model on the first of its `device_ids`; without that argument it
    takes all GPUs. A model that a flag leaves on the CPU, or that is on another GPU, fails at the
    first batch with a RuntimeError. With a single GPU, DataParallel moves a model from the CPU
    there, whatever the flag says. It rejects GPUs that do not exist. Shown once per repository.""",
    remedy="""wrap the model only where it is on a GPU, and move it to `device_ids[0]`; leave
    `device_ids` out to use all GPUs""",
    source=f"{STABLE}/generated/torch.nn.DataParallel.html",
    bad="""
import torch
from torch import nn


def wrap(model):
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model, device_ids=[0, 1, 2])  # <--
    return model.to("cuda")
""",
    good="""
import torch
from torch import nn


def wrap(model):
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    return model.to("cuda")
""",
    severity=Severity.WARNING,
    once=True,
)
def other_devices(module: Module) -> Iterator[Spot]:
    for call in module.torch_calls("DataParallel"):
        given = argument(call, 1, "device_ids")
        if has_stars(call):
            continue
        if isinstance(given, ast.List | ast.Tuple):
            yield from fixed_devices(module, call, given)
        elif (flag := flag_of(module, given)) and is_moved_to_the_first(module, call):
            yield Spot(call, f"`{flag}` may begin with another GPU than the first")
        elif given is not None and (place := renumbered(module, given)) is not None:
            yield Spot(call, f"line {place.lineno} makes the first of these GPUs number 0")
        elif switch := left_on_the_cpu(module, call):
            yield Spot(call, f"{switch} the model is on the CPU")


def fixed_devices(module: Module, call: ast.Call, given: ast.List | ast.Tuple) -> Iterator[Spot]:
    """A list of several GPUs, where there may be fewer."""
    numbers = [one.value for one in given.elts if isinstance(one, ast.Constant)]
    found = [one for one in numbers if isinstance(one, int)]
    near = module.project.near(module)
    if len(found) < 2 or len(found) < len(given.elts):
        return
    if any(NAME.encode() in module.project.contents[one.name] for one in near):
        return
    bounds = [
        least(node)
        for around in module.ancestors(call)
        if isinstance(around, ast.If)
        for node in walk(around.test)
    ]
    known = [one for one in bounds if one is not None]
    if not known:
        yield Spot(call, f"only with {max(found) + 1} GPUs or more", unsure=True)
    elif max(known) <= max(found):
        yield Spot(call, f"there may be only {max(known)} GPUs")


def least(node: ast.AST) -> int | None:
    """How many GPUs there are at least, by a comparison: 2 of `device_count() > 1`."""
    if not isinstance(node, ast.Compare) or not is_call(node.left, "device_count"):
        return None
    bound = node.comparators[0]
    if not isinstance(bound, ast.Constant) or not isinstance(bound.value, int):
        return None
    if isinstance(node.ops[0], ast.Gt):
        return bound.value + 1
    return bound.value if isinstance(node.ops[0], ast.GtE | ast.Eq) else None


def flag_of(module: Module, given: ast.expr | None) -> str:
    """The flag for numbers of GPUs that is given as it is; empty where there is none."""
    if not isinstance(given, ast.Attribute):
        return ""
    near = module.project.near(module)
    set_in_code = any(
        name.rpartition(".")[2] == given.attr for one in near for name in one.assigned
    )
    for other in near:
        for call in other.calls.get("add_argument", ()):
            flag = long_flag(call)
            several = keyword(call, "nargs") is not None
            number = written(keyword(call, "type") or call) == "int"
            if flag.strip("-").replace("-", "_") == given.attr and several and number:
                return "" if set_in_code else flag
    return ""


def is_moved_to_the_first(module: Module, call: ast.Call) -> bool:
    """Whether what a call wraps is moved to the first GPU, whichever are given."""
    contents = module.project.contents
    if any(word in contents[one.name] for one in module.project.near(module) for word in SETTING):
        return False
    statement = module.statement(call)
    targets = getattr(statement, "targets", [])
    names = {written(one) for one in (*targets, *call.args[:1])} - {""}
    return any(
        not move.args
        and not move.keywords
        and (receiver(move) is call or written(receiver(move) or move) in names)
        for move in own_calls(module.function(call), "cuda")
    )


def renumbered(module: Module, given: ast.expr) -> ast.Subscript | None:
    """Where the variable that hides GPUs is set by the flag that numbers them as well."""
    scope = module.function(given)
    values = [given, *(module.value_in(given, scope) if isinstance(given, ast.Name) else [])]
    if any(is_call(one, "range") or is_call(one, "len") for value in values for one in walk(value)):
        return None
    named = {written(one) for value in values for one in walk(value)} - {""}
    for place in settings(module):
        value = getattr(module.parents[place], "value", None)
        flags = [one for one in walk(value or place) if isinstance(one, ast.Attribute)]
        if (
            value is not None
            and not is_constant(value)
            and not named.isdisjoint(written(one) for one in flags if written(one.value) != "os")
        ):
            return place
    return None
