"""Sets that are cut from what a folder holds."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import Severity, rule
from ...syntax import (
    Function,
    argument,
    is_constant,
    keyword,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    walk,
    written,
)
from ..shared.splits import is_cut, is_kept, is_seeded
from .folders import lists_files
from .split_datasets import splits_of_dataset

SPLIT = re.compile(r"train|test|val(id)?(_|\b)|split|mode|phase|subset", re.I)


@rule(
    "TG208",
    "the evaluation split depends on the order that the system lists files",
    why="""`listdir` and `glob` guarantee no order. On another machine, or with a copy of the data,
    the same seed puts other files into the evaluation: a checkpoint evaluated there is measured on
    samples that it was trained on.""",
    remedy="wrap the list in `sorted(...)` before it is shuffled and split",
    source="https://docs.python.org/3/library/os.html#os.listdir",
    bad="""
import os
import random


def split(folder, seed):
    names = os.listdir(folder)  # <--
    random.seed(seed)
    random.shuffle(names)
    train_names, val_names = names[:800], names[800:]
    return train_names, val_names
""",
    good="""
import os
import random


def split(folder, seed):
    names = sorted(os.listdir(folder))
    random.seed(seed)
    random.shuffle(names)
    train_names, val_names = names[:800], names[800:]
    return train_names, val_names
""",
    severity=Severity.WARNING,
)
def cut_by_chance(module: Module) -> Iterator[ast.AST]:
    for name, statements in module.assigned.items():
        for statement in statements if name else ():
            value = statement.value
            if not lists(module, value):
                continue
            calls = own_calls(module.function(statement))
            about = [one for one in calls if one.lineno >= statement.lineno and concerns(one, name)]
            if any("sort" in last_name(one.func) for one in about):
                continue
            if is_split(module, statement, about, name) and not is_kept(module, statement):
                yield statement


def lists(module: Module, value: ast.expr) -> bool:
    """Whether it is what a folder holds, in no order; also filtered, or from a helper."""
    if sorts(value):
        return False
    if lists_files(value):
        return True
    if isinstance(value, ast.ListComp) and isinstance(value.generators[0].iter, ast.Name):
        scope, name = module.function(value), value.generators[0].iter
        given = module.value_in(name, scope)
        sorted_here = any(
            "sort" in last_name(one.func) and concerns(one, name.id) for one in own_calls(scope)
        )
        plain = len(given) == 1 and lists_files(given[0]) and not sorts(given[0])
        return plain and not sorted_here
    if not isinstance(value, ast.Call) or last_name(value.func) not in module.project.functions:
        return False
    found = module.project.resolve(module, value)
    return len(found) == 1 and gives_list(*found[0])


@kept
def gives_list(module: Module, function: Function) -> bool:
    """Whether a function returns what a folder holds, in no order."""
    own = list(own_nodes(function))
    if any("sort" in last_name(one.func) for one in own_calls(function)):
        return False
    results = [one.value for one in own if isinstance(one, ast.Return) and one.value is not None]
    if len(results) != 1:
        return False
    values = [results[0]]
    if isinstance(results[0], ast.Name):
        values = module.value_in(results[0], function)
    return len(values) == 1 and lists_files(values[0])


def is_split(module: Module, listed: ast.Assign, about: list[ast.Call], name: str) -> bool:
    """Whether a list is split, in its order or by a seed: what is not seeded differs anyway."""
    for call in about:
        if last_name(call.func) == "train_test_split":
            fixed = keyword(call, "random_state")
            return is_constant(keyword(call, "shuffle"), False) or (
                fixed is not None and not is_constant(fixed, None)
            )
        if last_name(call.func) == "shuffle" and not is_seeded(
            module, module.qualified(receiver(call) or call)
        ):
            return False
    if is_cut(module, listed, name) or is_cut_by_flag(module, listed, name):
        return True
    return name.startswith("self.") and any(
        keyword(call, "generator") is not None or is_seeded(other, "torch")
        for other, call in splits_of_dataset(module, listed)
    )


def is_cut_by_flag(module: Module, listed: ast.Assign, name: str) -> bool:
    """Whether a flag decides which part of it is taken: `if train: x = x[:9] else: x = x[9:]`."""
    for node in own_nodes(module.function(listed)):
        if not isinstance(node, ast.If | ast.IfExp) or node.lineno <= listed.lineno:
            continue
        sides = [slices(one, name) for one in (node.body, node.orelse)]
        if SPLIT.search(ast.unparse(node.test)) and all(sides) and sides[0].isdisjoint(sides[1]):
            return True
    return False


def slices(side: ast.expr | list[ast.stmt], name: str) -> set[str]:
    """How a list is sliced where a branch assigns a part of it to a name."""
    values = [side] if isinstance(side, ast.expr) else []
    for statement in side if isinstance(side, list) else ():
        for node in walk(statement):
            values += [node.value] if isinstance(node, ast.Assign) else []
    return {
        ast.unparse(one.slice)
        for one in values
        if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Slice)
        if written(one.value) == name
    }


def concerns(call: ast.Call, name: str) -> bool:
    """Whether a call is given a list, or is a method of it."""
    owner, first = receiver(call), argument(call, 0, "")
    return any(one is not None and written(one) == name for one in (owner, first))


def sorts(value: ast.expr) -> bool:
    """Whether it is put in an order."""
    return any("sort" in last_name(one.func) for one in calls_in(value))


def calls_in(value: ast.expr) -> Iterator[ast.Call]:
    """The calls below."""
    yield from (one for one in walk(value) if isinstance(one, ast.Call))
