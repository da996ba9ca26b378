"""Weights that a run loads to use them, though the same program also trains."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    asks_main,
    blocks_of,
    defaults_of,
    has_stars,
    last_name,
    parameters,
    receiver,
    walk,
    written,
)
from ..shared.gpu_flags import leaves
from ..shared.loops import is_backward
from ..shared.programs import reached_from
from ..step.scaling import apart
from .cpu_users import KERNELS, USING
from .in_place import SETTINGS

DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
DEPTH = 3  # of calls
USE = re.compile(r"^_?(test|eval|validate|infer|pred|demo|sample|generat|export|decod|translat)")
MODES = re.compile(rf"{USING.pattern}|decode$|_decode_|translate", re.I)
FILE = re.compile(r"model|ckpt|checkpoint|weight|file|path|net", re.I)
READ = re.compile(r"load|pretrain|resum|restore|init|snapshot", re.I)


def is_used_without_training(module: Module, load: ast.Call) -> bool:
    """Whether a run that is given the file loads it, trains nothing, and uses the model."""
    path = argument(load, 0, "f")
    return (
        path is not None
        and not any(map(module.project.contains, KERNELS))
        and any(is_given(owner, name, module) for owner, name in parts_of(module, path))
        and goes_around_training(module, load, DEPTH)
    )


def is_given(owner: str, name: str, module: Module) -> bool:
    """Whether it is a setting of the run that says what to load, and no file that it writes."""
    setting = owner.lower().endswith(SETTINGS) and FILE.search(name) is not None
    read = READ.search(name) is not None
    return (setting or read) and name not in written_parts(module)


@kept
def written_parts(module: Module) -> frozenset[str]:
    """The settings that the paths are made of to which a program saves."""
    return frozenset(
        name
        for other in module.project.near(module)
        for call in other.torch_calls("save")
        for path in [argument(call, 1, "f")]
        if path is not None
        for _, name in parts_of(other, path)
    )


def parts_of(module: Module, path: ast.expr, depth: int = 3) -> Iterator[tuple[str, str]]:
    """The settings that a path is made of: of `args.weights` "args" and "weights"."""
    scope = module.function(path)
    for node in walk(path):
        if isinstance(node, ast.Attribute):
            yield last_name(node.value), node.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            yield last_name(node.value), str(node.slice.value)
        if not depth or not isinstance(node, ast.Name):
            continue
        for value in module.value_in(node, scope):
            if not apart(module, value, node):
                yield from parts_of(module, value, depth - 1)
        if isinstance(scope, FUNCTIONS) and node.id in parameters(scope):
            place = parameters(scope).index(node.id)
            for other, call in callers(module, scope):
                given = None if has_stars(call) else argument(call, place, node.id)
                if given is not None:
                    yield from parts_of(other, given, depth - 1)


def goes_around_training(module: Module, node: ast.AST, depth: int, uses: bool = False) -> bool:
    """Whether a run may come to a place, train neither before nor after it, and use a model.

    `uses` is whether what has been looked at so far uses one.
    """
    scope = module.function(node)
    uses |= MODES.search(getattr(scope, "name", "")) is not None
    inner: ast.AST = module.statement(node)
    while inner is not scope:
        around = module.parents[inner]
        if isinstance(around, ast.If):
            uses |= asks_for_use(around, inner)
        block = next((one for one in blocks_of(around) if inner in one), [])
        before, after = split(block, inner)
        if any(always_trains(module, one) for one in before):
            return False
        for one in after:
            uses |= uses_a_model(module, one)
            if isinstance(one, ast.If) and leaves(one) and asks_for_use(one, one.body[0]):
                break  # if args.evaluate: ... return
            if always_trains(module, one):
                return False
        inner = around
    if isinstance(scope, ast.Module):
        return uses
    calls = callers(module, scope) if depth else ()
    return any(goes_around_training(other, call, depth - 1, uses) for other, call in calls)


def callers(module: Module, function: ast.AST) -> Iterator[tuple[Module, ast.Call]]:
    """The calls of a function that give it what it needs; for a method, by files that import it."""
    owner = module.parents[function]
    if not isinstance(function, FUNCTIONS):
        return
    calls = module.project.calls_of(module, function)
    if isinstance(owner, ast.ClassDef) and function.name == "__init__":
        calls = iter(module.project.callers.get(owner.name, ()))
    for other, call in calls:
        of_library = written(call.func).partition(".")[0] in other.imports
        another = of_library or module not in reached_from(other)
        if fits(function, call) and not (isinstance(owner, ast.ClassDef) and another):
            yield other, call


def fits(function: Function, call: ast.Call) -> bool:
    """Whether a call gives a value to each parameter without a default."""
    needed = set(parameters(function)) - set(defaults_of(function))
    given = {one.arg for one in call.keywords} | set(parameters(function)[: len(call.args)])
    return has_stars(call) or needed <= given


def split(block: list[ast.stmt], inner: ast.AST) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The statements of a block before one of them, and those after it."""
    place = next((k for k, one in enumerate(block) if one is inner), len(block))
    return block[:place], block[place + 1 :]


def asks_for_use(condition: ast.If, inner: ast.AST) -> bool:
    """Whether a branch of a condition is for the use of a model: by the words of its test."""
    nodes = list(walk(condition.test))
    negated = any(isinstance(one, ast.Not | ast.NotEq) for one in nodes)
    words = [last_name(one) for one in nodes]
    words += [str(one.value) for one in nodes if isinstance(one, ast.Constant)]
    positive = (inner in condition.body) is not negated
    if any(map(MODES.search, words)):
        return positive
    return not positive and any("train" in word.lower() for word in words)


def always_trains(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement computes gradients, whichever branch of a condition is taken."""
    if isinstance(statement, DEFINITIONS):
        return False
    if not isinstance(statement, ast.If | ast.With | ast.For | ast.While | ast.Try):
        return reaches_training(module, statement)
    ways = [statement.body]
    if isinstance(statement, ast.If) and not asks_main(statement):
        ways.append(statement.orelse)
    return all(any(always_trains(module, one) for one in way) for way in ways)


def reaches_training(module: Module, node: ast.AST) -> bool:
    """Whether gradients are computed at a place, or in what is called from there."""
    return module.project.reaches(module, node, is_backward)


def uses_a_model(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement calls what evaluates or applies a model, and trains nothing."""
    return not isinstance(statement, DEFINITIONS) and any(
        isinstance(node, ast.Call)
        and (USE.search(last_name(node.func)) is not None)
        and (is_eval(node) or bool(module.project.resolve(module, node)))
        and not reaches_training(module, node)
        for node in walk(statement)
    )


def is_eval(call: ast.Call) -> bool:
    """Whether it is `model.eval()`."""
    return receiver(call) is not None and last_name(call.func) == "eval" and not call.args
