"""Sets that are cut from what a folder holds."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import argument, is_constant, keyword, last_name, own_calls, receiver, walk, written
from ..shared.splits import is_cut, is_kept, is_seeded
from .folders import lists_files


@rule(
    "TG208",
    "which samples are for evaluation depends on how the system lists the files",
    why="""`listdir` and `glob` promise no order. On another machine, or with a copy of the data,
    the same seed puts other files into the evaluation: a checkpoint that is evaluated there is
    measured on samples that it was trained on.""",
    remedy="put the list into `sorted(...)` before it is shuffled and cut",
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
            if not lists_files(value) or sorts(value):
                continue
            calls = own_calls(module.function(statement))
            about = [one for one in calls if one.lineno >= statement.lineno and concerns(one, name)]
            if any("sort" in last_name(one.func) for one in about):
                continue
            first = value if isinstance(value, ast.Call) else next(calls_in(value))
            if is_split(module, first, about, name) and not is_kept(module, first):
                yield statement


def is_split(module: Module, listed: ast.Call, about: list[ast.Call], name: str) -> bool:
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
    return is_cut(module, listed, name)


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
