"""Which GPUs a program sees."""

import ast
from collections.abc import Iterator
from pathlib import PurePath

from ...lookup import imported
from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import asks_main, is_constant, last_name, own_calls
from ..randomness.reach_of_seeds import excludes

NAME = "CUDA_VISIBLE_DEVICES"
# what asks the driver, which reads the variable once
ASKING = (
    "current_device",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "init",
    "is_available",
    "is_bf16_supported",
    "mem_get_info",
    "set_device",
)
# another process gets the variable
STARTING = ("Popen", "Process", "call", "check_call", "launch", "run", "spawn", "system")


@rule(
    "TG709",
    "`CUDA_VISIBLE_DEVICES` is set after CUDA has read it",
    why="""The driver reads the variable once, when torch first asks it for a GPU;
    `torch.cuda.is_available()` does so too. Setting it later has no effect: the run uses the first
    GPU, which someone else may be using. It is a hint where the value is "0", the GPU used anyway,
    and in notebooks.""",
    remedy="set it before the first call to `torch.cuda`, or use `torch.cuda.set_device`",
    source="https://github.com/pytorch/pytorch/issues/23544",
    bad="""
import os

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main(args):
    os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu  # <--
    return torch.nn.Linear(8, 2).to(device)
""",
    good="""
import os

import torch


def main(args):
    os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return torch.nn.Linear(8, 2).to(device)
""",
    severity=Severity.WARNING,
)
def set_too_late(module: Module) -> Iterator[Spot]:
    if NAME.encode() not in module.project.contents[module.name]:
        return
    if module.project.contains(b"PYTORCH_NVML_BASED_CUDA_CHECK"):
        return  # with which torch does not ask CUDA for them
    places = settings(module)
    for place in places:
        scope = module.function(place)
        value = getattr(module.parents[place], "value", None)
        none = is_constant(value, "", "-1")
        if none or own_calls(scope, *STARTING):
            continue
        aside = is_constant(value, "0") or module.name.endswith(".ipynb")
        calls = [c for c in asking(module) if comes_first(module, c, place)]
        certain = [c for c in calls if not only_sometimes(module, c, place)]
        if not certain:  # a device is only set where there are several processes
            calls = [c for c in calls if last_name(c.func) != "set_device"]
        asked = next(iter(certain or calls), None)
        before = [one for one in places if module.function(one) in (scope, module.tree)]
        if asked is not None and not any(one.lineno < asked.lineno for one in before):
            yield Spot(place, f"after {told(module, asked)}", unsure=aside or not certain)
        elif asked is None and place is places[0]:
            yield from (Spot(place, detail, aside) for detail in asked_on_import(module, place))


def told(module: Module, call: ast.Call) -> str:
    """Where a call is: `line 12`, or `line 3 of cell 4`."""
    notebook = module.project.notebooks.get(module.name)
    if notebook is None:
        return f"line {call.lineno}"
    cell, line = notebook.place(call.lineno)
    return f"line {line} of cell {cell}"


def settings(module: Module) -> list[ast.Subscript]:
    """Where the variable is set, in the order of the lines."""
    found = [
        node
        for node in module.parents
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and is_constant(node.slice, NAME)
        and last_name(node.value) == "environ"
    ]
    return sorted(found, key=lambda one: one.lineno)


def asking(module: Module) -> Iterator[ast.Call]:
    """The calls that ask the driver for a GPU."""
    for name in ASKING:
        for call in module.calls.get(name, ()):
            if module.qualified(call.func) == f"torch.cuda.{name}":
                yield call


def comes_first(module: Module, call: ast.Call, place: ast.Subscript) -> bool:
    """Whether a call runs before the variable is set there."""
    scope, function = module.function(place), module.function(call)
    if function is scope:
        return call.lineno < place.lineno and not excludes(module, call, place)
    if not isinstance(function, ast.Module) or isinstance(scope, ast.Module):
        return False
    started = [one for one in own_calls(module.tree) if last_name(one.func) == scope.name]
    return call.lineno < place.lineno and all(call.lineno < one.lineno for one in started)


def only_sometimes(module: Module, call: ast.Call, place: ast.AST) -> bool:
    """Whether a call runs under a condition, as in a distributed run, and a place does not."""
    around_place = set(module.ancestors(place))
    inner: ast.AST = call
    for around in module.ancestors(call):
        branch = isinstance(around, ast.If) and inner is not around.test
        if branch and around not in around_place and not asks_main(around):
            return True
        inner = around
    return False


def asked_on_import(module: Module, place: ast.Subscript) -> Iterator[str]:
    """The place in a file that is imported before, and asks as soon as it is."""
    others = [(one, one.tree) for one in module.project.near(module) if one is not module]
    for statement in module.import_statements:
        if not isinstance(module.parents[statement], ast.Module):
            continue
        if statement.lineno > place.lineno:
            continue
        for source in sources(statement):
            for other, _ in imported(module, source, others):
                named = PurePath(other.name).stem == source.rpartition(".")[2]
                calls = [c for c in asking(other) if other.function(c) is other.tree]
                plain = [
                    c
                    for c in calls
                    if not under_main(other, c) and not only_sometimes(other, c, other.tree)
                ]
                if named and plain:
                    yield f"after {other.name}:{plain[0].lineno}, which is imported"
                    return


def sources(statement: ast.Import | ast.ImportFrom) -> list[str]:
    """The files that an import may name."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    base = "." * statement.level + (statement.module or "")
    return [base, *(f"{base.rstrip('.')}.{alias.name}" for alias in statement.names)]


def under_main(module: Module, call: ast.Call) -> bool:
    """Whether a call runs only where its file is started."""
    return any(asks_main(one) for one in module.ancestors(call))
