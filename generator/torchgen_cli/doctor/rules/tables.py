"""Calls of pandas that its newer releases refuse."""

import ast
from collections.abc import Iterator

from packaging.version import Version

from ..project import Module
from ..rule import Spot, rule
from ..syntax import is_constant, receiver


@rule(
    "TG817",
    "pandas 2 takes the axis of `drop` by its keyword alone",
    why="""`drop(columns, 1)` is a TypeError since pandas 2.0, of 2023: the data cannot be read. One
    place is shown for the repository.""",
    remedy="write `drop(columns=...)`, or `axis=1`",
    source="https://pandas.pydata.org/docs/whatsnew/v2.0.0.html",
    bad="""
import pandas as pd
import torch


def load(path):
    table = pd.read_csv(path)
    return torch.tensor(table.drop(["date"], 1).values)  # <--
""",
    good="""
import pandas as pd
import torch


def load(path):
    table = pd.read_csv(path)
    return torch.tensor(table.drop(columns=["date"]).values)
""",
    once=True,
)
def axis_by_place(module: Module) -> Iterator[Spot]:
    project = module.project
    if "drop" not in module.calls or "drop" in project.functions:
        return
    if not any(whole.partition(".")[0] == "pandas" for whole in module.imports.values()):
        return
    pinned = project.pinned("pandas")
    old = pinned is not None and pinned < Version("2")
    for call in module.calls["drop"]:
        owner = receiver(call)
        if owner is None or module.is_torch(call.func) or len(call.args) < 2:
            continue
        if is_constant(call.args[1], 0, 1, "columns", "index") and not is_tried(module, call):
            yield Spot(call, unsure=old)


def is_tried(module: Module, call: ast.Call) -> bool:
    """Whether something else is done where it fails."""
    return any(isinstance(one, ast.Try) for one in module.ancestors(call))
