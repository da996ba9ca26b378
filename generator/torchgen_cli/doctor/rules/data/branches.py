"""What a flag such as `split` decides of a loader: `if split == "test": ... else: ...`."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot
from ...syntax import (
    FUNCTIONS,
    argument,
    has_stars,
    is_constant,
    own_nodes,
    parameters,
    written,
)
from .data import EVALUATION


def dropped_by_branch(module: Module, call: ast.Call, name: str) -> Iterator[Spot]:
    """Where the branch of an evaluation sets what is then given as `drop_last`.

    It is a hint where the branch is that of the training as well.
    """
    inner: set[ast.AST] = set()
    for node in own_nodes(module.function(call)):  # the outer before the inner
        if not isinstance(node, ast.If) or node in inner:
            continue
        flag = ""
        chain: list[str] = []
        rest: list[ast.stmt] = [node]
        while len(rest) == 1 and isinstance(rest[0], ast.If):
            branch = rest[0]
            texts = texts_of(branch.test)
            flag = flag or flag_of(branch.test)
            if not texts or flag_of(branch.test) != flag:
                break
            inner.add(branch)
            chain += texts
            if any(map(EVALUATION.search, texts)):
                yield from map(Spot, dropping(branch.body, name))
            rest = branch.orelse
        else:
            if set(given_texts(module, module.function(call), flag)).difference(chain):
                trains = not any("train" in text.lower() for text in chain)
                yield from (Spot(one, unsure=trains) for one in dropping(rest, name))


def dropping(block: list[ast.stmt], name: str) -> Iterator[ast.Assign]:
    """Where a name is set to true in a block."""
    for one in block:
        if (
            isinstance(one, ast.Assign)
            and written(one.targets[0]) == name
            and is_constant(one.value, True)
        ):
            yield one


def texts_of(test: ast.expr) -> list[str]:
    """The texts that a name is compared with: of `flag == "val"`, of `flag in ("val", "test")`."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq | ast.In):
        return []
    sides = [test.left, *test.comparators]
    parts = [part for side in sides for part in getattr(side, "elts", [side])]
    return [str(one.value) for one in parts if isinstance(one, ast.Constant)]


def flag_of(test: ast.expr) -> str:
    """The name that is compared."""
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    return next(filter(None, map(written, sides)), "")


def given_texts(module: Module, function: ast.AST, name: str, depth: int = 2) -> Iterator[str]:
    """The words for an evaluation that callers give a parameter, themselves or by their own."""
    if not isinstance(function, FUNCTIONS) or name not in (names := parameters(function)):
        return
    for other, call in module.project.calls_of(module, function):
        given = None if has_stars(call) else argument(call, names.index(name), name)
        if isinstance(given, ast.Constant) and EVALUATION.search(str(given.value)):
            yield str(given.value)
        elif isinstance(given, ast.Name) and depth:
            yield from given_texts(other, other.function(call), given.id, depth - 1)
