"""Settings that hold a word such as "no", and are tested as if they held a truth."""

import ast
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    keyword,
    last_name,
    parameters,
    walk,
    written,
)
from ..shared.flag_readers import flag_names

WORDS = ("yes", "no", "on", "off", "true", "false")


@rule(
    "TG337",
    'a setting that holds a word such as "no" is tested for truth',
    why="""Any non-empty string is true: with "no" or "off" the branch is taken just as with "yes",
    so the setting cannot be turned off.""",
    remedy='compare it with the word, as in `== "yes"`, or use True and False',
    source="https://docs.python.org/3/library/stdtypes.html#truth-value-testing",
    bad="""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--warmup", default="no")
args = parser.parse_args()
optimizer = torch.optim.SGD(torch.nn.Linear(8, 2).parameters(), lr=0.1)
if args.warmup:  # <--
    optimizer.param_groups[0]["lr"] = 0.01
""",
    good="""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--warmup", default="no")
args = parser.parse_args()
optimizer = torch.optim.SGD(torch.nn.Linear(8, 2).parameters(), lr=0.1)
if args.warmup == "yes":
    optimizer.param_groups[0]["lr"] = 0.01
""",
)
def word_as_truth(module: Module) -> Iterator[Spot]:
    words = words_of(module)
    if not words:
        return
    for node in module.attributes:
        setting = setting_of(module, node)
        if setting in words and isinstance(node.ctx, ast.Load) and is_tested(module, node):
            yield Spot(node, f'which is "{words[setting]}" by default')


def setting_of(module: Module, node: ast.Attribute) -> str:
    """The setting that is read: `args.x`, `cfg.PART.X`, or `self.x` where it was given as `x`."""
    if written(node.value) != "self":
        root = written(node.value).split(".")[0].lower()
        settings = ("args", "cfg", "conf", "config", "flags", "hparams", "hp", "opt", "opts")
        return node.attr if root in settings else ""
    return given_setting(module, node)


def given_setting(module: Module, node: ast.Attribute) -> str:
    """The setting that every maker of an object gives for what its class keeps as an attribute."""
    around = module.class_of(node)
    values = [one.value for one in module.assigned.get(written(node), ())]
    if around is None or len(values) != 1 or not isinstance(values[0], ast.Name):
        return ""
    first = module.function(values[0])
    names = parameters(first) if isinstance(first, FUNCTIONS) else []
    if values[0].id not in names or getattr(first, "name", "") != "__init__":
        return ""
    place, name = names.index(values[0].id), values[0].id
    made = module.project.callers.get(around.name, ())
    given = [argument(call, place, name) for _, call in made]
    settings = {
        one.attr for one in given if isinstance(one, ast.Attribute) and written(one.value) != "self"
    }
    return settings.pop() if given and len(settings) == 1 and all(given) else ""


def is_tested(module: Module, node: ast.expr) -> bool:
    """Whether it decides by itself: `if x:`, `not x`, `x and ...`."""
    around = module.parents[node]
    if isinstance(around, ast.UnaryOp):
        return isinstance(around.op, ast.Not)
    if isinstance(around, ast.BoolOp):
        upper = module.parents[around]
        tests = isinstance(upper, ast.If | ast.IfExp | ast.While) and upper.test is around
        return tests and not compares(around, node)
    return isinstance(around, ast.If | ast.IfExp | ast.While) and around.test is node


def compares(whole: ast.AST, node: ast.expr) -> bool:
    """Whether the same setting is compared beside it: `if x and x != "no"`."""
    return any(
        isinstance(one, ast.Compare) and any(written(n) == written(node) for n in walk(one))
        for one in walk(whole)
    )


def words_of(module: Module) -> dict[str, str]:
    """The settings of the program that hold one of these words, and are set to nothing else."""
    return words_of_project(module.project.near(module)[0])


@kept
def words_of_project(module: Module) -> dict[str, str]:
    """As `words_of`, for the first file of a program."""
    found: dict[str, str] = {}
    others: set[str] = set()
    for other in module.project.near(module):
        for target, statements in other.assigned.items():
            owner, _, name = target.rpartition(".")
            for value in (one.value for one in statements if owner):
                note({} if owner == "self" else found, others, name, value)
        for call in other.calls.get("add_argument", ()):
            default, kind = keyword(call, "default"), keyword(call, "type")
            if kind is not None and last_name(kind) != "str":
                others |= flag_names(call)
            for name in flag_names(call):
                if default is not None:
                    note(found, others, name, default)
    return {name: word for name, word in found.items() if name not in others}


def note(found: dict[str, str], others: set[str], name: str, value: ast.expr) -> None:
    """Keep what a setting is set to."""
    held = value.value if isinstance(value, ast.Constant) else None
    if isinstance(held, str) and held.lower() in WORDS:
        found.setdefault(name, held)
    elif not isinstance(value, ast.Name):  # `self.x = x` tells nothing
        others.add(name)
