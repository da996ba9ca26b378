"""Sets for evaluation that are a part of what is trained on."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ...project import Module
from ...rule import Spot, rule
from ...syntax import everything, own_calls, own_nodes, receiver, walk, written

TRAINING = re.compile(r"(^|[^a-z])(train|training|trn)([^a-z]|$)", re.I)
HELD_OUT = re.compile(r"(^|[^a-z])(val|vali|valid|validate|validation|dev|test)([^a-z]|$)", re.I)
SHORTENING = ("clear", "pop", "remove")


class Cut(NamedTuple):
    """A slice of a list that becomes a set: `train = items[0:int(0.8 * n)]`."""

    statement: ast.Assign
    target: str
    source: str
    start: str
    stop: str


@rule(
    "TG214",
    "evaluation samples are also used for training",
    why="""Both sets come from the same list, and the evaluation slice starts where the training
    slice does, or is a part of what is trained on: the score is that of samples that the model has
    seen.""",
    remedy="slice the list so that the sets do not overlap",
    source="https://scikit-learn.org/stable/common_pitfalls.html#data-leakage",
    bad="""
def split(samples):
    count = len(samples)
    train = samples[0 : int(0.8 * count)]
    validate = samples[0 : int(0.2 * count)]  # <--
    return train, validate
""",
    good="""
def split(samples):
    count = len(samples)
    validate = samples[0 : int(0.2 * count)]
    train = samples[int(0.2 * count) :]
    return train, validate
""",
)
def within_training(module: Module) -> Iterator[Spot]:
    yield from map(Spot, ends_of_training(module))
    scopes = {
        module.function(statement): None
        for target, statements in module.assigned.items()
        if HELD_OUT.search(target)
        for statement in statements
    }
    for scope in scopes:
        cuts = list(cut_in(module, scope))
        for one in cuts:
            if not HELD_OUT.search(one.target) or TRAINING.search(one.target):
                continue
            for other in cuts:
                trained = TRAINING.search(other.target) and not HELD_OUT.search(other.target)
                if trained and overlaps(one, other) and beside(module, one, other):
                    yield Spot(one.statement)
                    break


def cut_in(module: Module, scope: ast.AST) -> Iterator[Cut]:
    """The slices in a scope that become a set as they are."""
    for node in own_nodes(scope):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Subscript):
            continue
        part, source, target = node.value.slice, written(node.value.value), written(node.targets[0])
        if isinstance(part, ast.Slice) and part.step is None and source and target:
            start = "" if part.lower is None else ast.unparse(part.lower)
            stop = "" if part.upper is None else ast.unparse(part.upper)
            yield Cut(node, target, source, start if start != "0" else "", stop)


def overlaps(one: Cut, other: Cut) -> bool:
    """Whether two slices of the same list begin at the same place, or go on to its end."""
    if one.source != other.source or {one.target, other.target} & {one.source}:
        return False
    return (one.start == other.start and (one.start, one.stop) != ("", "")) or (
        one.stop == other.stop == "" and one.start != "" and other.start != ""
    )


def beside(module: Module, one: Cut, other: Cut) -> bool:
    """Whether both are cut in the same block, so that no branch takes one of them alone."""
    scope = module.function(one.statement)
    alike = module.parents[one.statement] is module.parents[other.statement]
    lines = sorted((one.statement.lineno, other.statement.lineno))
    changed = any(
        lines[0] <= given.lineno < lines[1] for given in module.assigned.get(one.source, ())
    )
    return alike and not changed and not is_shortened(scope, one.source)


def is_shortened(scope: ast.AST, name: str) -> bool:
    """Whether something is taken out of a list: `del items[:count]`, `items.pop()`."""
    return any(
        isinstance(node, ast.Delete) and any(written(n) == name for n in walk(node))
        for node in own_nodes(scope)
    ) or any(written(receiver(call) or call) == name for call in own_calls(scope, *SHORTENING))


def ends_of_training(module: Module) -> Iterator[ast.Assign]:
    """Where what is held out is a slice of all that is trained on: `val = train[count:]`."""
    for target, statements in module.assigned.items():
        if not HELD_OUT.search(target) or TRAINING.search(target):
            continue
        for one in cuts_of(module, statements):
            trained = TRAINING.search(one.source) and not HELD_OUT.search(one.source)
            if trained and one.start + one.stop and is_trained_whole(module, one):
                yield one.statement


def cuts_of(module: Module, statements: list[ast.Assign]) -> Iterator[Cut]:
    """The slices among assignments, each once."""
    scopes = {module.function(one): None for one in statements}
    for scope in scopes:
        yield from (cut for cut in cut_in(module, scope) if cut.statement in statements)


def is_trained_whole(module: Module, cut: Cut) -> bool:
    """Whether the list that a slice is taken of stays as it is, and is what a method gives out."""
    owner = module.class_of(cut.statement)
    scope = module.function(cut.statement)
    if owner is None or not cut.source.startswith("self."):
        return False
    given = [one for one in module.assigned[cut.source] if module.class_of(one) is owner]
    read = any(
        isinstance(node, ast.Subscript)
        and written(node.value) == cut.source
        and module.function(node) is not scope
        for node in everything(owner)
    )
    own = [one for one in given if module.function(one) is scope]
    return read and len(own) == len(given) == 1 and not is_shortened(scope, cut.source)
