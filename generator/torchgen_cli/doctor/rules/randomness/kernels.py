"""Kernels that are the same in each run."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePath

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    Function,
    blocks,
    is_constant,
    own_calls,
    own_nodes,
    walk,
    written,
)
from .reach_of_seeds import excludes
from .seeds import RANDOMNESS

# files in which nothing is trained
OTHER_USE = re.compile(r"(^|_)(eval|test|visuali[sz]e|demo|infer)", re.I)


@rule(
    "TG110",
    "`cudnn.benchmark` is on although deterministic kernels are requested",
    why="""`cudnn.benchmark` times the kernels at each start and uses the fastest: it may differ
    between runs, with different bits, however deterministic each kernel is.""",
    remedy="set `cudnn.benchmark = False` where `cudnn.deterministic` is True",
    source=RANDOMNESS,
    bad="""
import torch

torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = True  # <--
""",
    good="""
import torch

torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = False
""",
    severity=Severity.WARNING,
)
def benchmarked(module: Module) -> Iterator[Spot]:
    set_to = [
        (node, name.rpartition(".")[2])
        for name, statements in module.assigned.items()
        if "cudnn." in name
        for node in statements
    ]
    exact = [n for n, name in set_to if name == "deterministic" and is_constant(n.value, True)]
    freed = [n for n, name in set_to if name == "deterministic" and n not in exact]
    timed = [n for n, name in set_to if name == "benchmark"]
    for node in timed:
        unset = [n for n in timed if not is_constant(n.value, True) and n.lineno > node.lineno]
        if not is_constant(node.value, True) or any(together(module, n, node) for n in freed):
            continue
        if any(
            (together(module, node, one) or both_happen(module, one, node))
            and not any(together(module, n, one) or together(module, n, node) for n in unset)
            for one in exact
        ) or (not any(together(module, n, node) for n in unset) and is_seeded_before(module, node)):
            other = OTHER_USE.search(PurePath(module.name).stem) is not None
            yield Spot(node, unsure=other or applies_alone(module))


def is_seeded_before(module: Module, node: ast.stmt) -> bool:
    """Whether the same function calls one, further up, that asks for deterministic kernels."""
    asked = conditions(module, node)
    return any(
        call.lineno < node.lineno
        and asked.isdisjoint(conditions(module, call))
        and not excludes(module, call, node)
        and not leaves(module, call, node)
        and len(found := module.project.resolve(module, call)) == 1
        and is_exact(*found[0])
        for call in own_calls(module.function(node))
        if isinstance(module.parents[call], ast.Expr)
    )


def is_exact(module: Module, function: Function) -> bool:
    """Whether all that a function does with `cudnn.deterministic` is to set it, in any case."""
    values = [
        one
        for name, statements in module.assigned.items()
        if name.endswith("cudnn.deterministic") or name == "cudnn.deterministic"
        for one in statements
        if module.function(one) is function
    ]
    return bool(values) and all(
        is_constant(one.value, True) and not conditions(module, one) for one in values
    )


def applies_alone(module: Module) -> bool:
    """Whether a script opens a model, and trains none."""
    calls = module.calls
    return "load_state_dict" in calls and "backward" not in calls and "step" not in calls


def together(module: Module, one: ast.stmt, other: ast.stmt) -> bool:
    """Whether two statements are of the same block."""
    return any(one in block and other in block for block in blocks(module.parents[one]))


def both_happen(module: Module, one: ast.stmt, other: ast.stmt) -> bool:
    """Whether a run comes to two statements, under conditions that differ."""
    functions = module.function(one), module.function(other)
    if functions[0] is not functions[1] and not hands_on(*functions, after=one.lineno):
        return False
    asked = [conditions(module, node) for node in (one, other)]
    if leaves(module, one, other):
        return False
    return not excludes(module, one, other) and asked[0].isdisjoint(asked[1])


def leaves(module: Module, one: ast.AST, other: ast.AST) -> bool:
    """Whether the block around a place ends the function, so that it never comes to another."""
    inner, further = one, {other, *module.ancestors(other)}
    for around in module.ancestors(one):
        if around in further:
            return False
        block = next((part for part in blocks(around) if inner in part), [])
        if block and isinstance(block[-1], ast.Return | ast.Raise):
            return True
        inner = around
    return False


def hands_on(function: ast.AST, other: ast.AST, after: int) -> bool:
    """Whether a function calls or spawns another, below a line."""
    return isinstance(other, FUNCTIONS) and any(
        isinstance(n, ast.Name) and n.id == other.name and n.lineno > after
        for n in own_nodes(function)
    )


def conditions(module: Module, node: ast.AST) -> set[str]:
    """What the conditions around a statement ask about, such as `args.seed`."""
    tests = [one.test for one in module.ancestors(node) if isinstance(one, ast.If | ast.IfExp)]
    names = {written(n) for test in tests for n in walk(test) if not isinstance(n, ast.Call)}
    asked = {name for name in names if not re.search("cuda|device|torch", name)}
    return asked - {"", "args", "opt", "self", "config", "cfg"}
