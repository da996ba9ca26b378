"""Files that are looked for under a name that nothing gives them."""

import ast
import re
from collections.abc import Iterator
from functools import partial
from itertools import takewhile

from ...kept import kept
from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import argument, last_name, own_calls, receiver, walk
from ..shared.states import plain_saves
from .checkpoint import SAVING
from .paths import opened_as

ANY = "any"
NUMBER = "number"
Name = tuple[str, ...]
PADDED = re.compile(r"\d|d")  # `:06d`
ASKING = ("exists", "isfile", "is_file")
LOADING = re.compile(r"load|resum|restor|checkpoint", re.I)
WRITING = re.compile(r"copy|move|rename|replace|dump|write|save|link", re.I)
FAR = 4  # names that stand for a path


@rule(
    "TG630",
    "the program looks for a checkpoint name that it never saves",
    why="""None of the names that the program saves to matches the one that it looks for: what was
    trained is never found, and starts over, or an older file is used instead. Shown once per
    name.""",
    remedy="build both names in one function",
    source=SAVING,
    bad="""
import os

import torch


def save(net, folder, number):
    torch.save(net.state_dict(), folder + "/" + str(number) + "_net_weights.pt")


def load(net, folder):
    if os.path.exists(folder + "/net_weights.pt"):  # <--
        path = folder + "/net_weights.pt"
        net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
""",
    good="""
import os

import torch


def save(net, folder, number):
    torch.save(net.state_dict(), folder + "/" + str(number) + "_net_weights.pt")


def load(net, folder, number):
    path = folder + "/" + str(number) + "_net_weights.pt"
    if os.path.exists(path):
        net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
""",
    severity=Severity.WARNING,
    once=True,
)
def other_names(module: Module) -> Iterator[Spot]:
    own = names_saved(module)
    if not own:
        return
    saved = [one for other in module.project.near(module) for one in names_saved(other)]
    for name in ASKING:
        for call in filter(partial(is_for_a_load, module), module.calls.get(name, ())):
            given = call.args[0] if call.args else receiver(call)
            for asked in names_of(module, given, FAR) if given is not None else ():
                alike = [one for one in own if speak_of_the_same(asked, one)]
                found = any(meet(asked, one) for one in saved)
                if alike and not found and not is_written_elsewhere(module, asked):
                    yield Spot(call, f"`{text_of(asked)}`, saved as `{text_of(alike[0])}`")


def is_for_a_load(module: Module, asking: ast.Call) -> bool:
    """Whether a function that asks for a file loads something, or says so by its name."""
    scope = module.function(asking)
    names = [getattr(scope, "name", ""), *(last_name(one.func) for one in own_calls(scope))]
    return any(LOADING.search(name) for name in names)


@kept
def names_saved(module: Module) -> list[Name]:
    """The names of the files that a file saves to, without their folders."""
    return [
        name
        for call in plain_saves(module)
        if (path := argument(call, 1, "f")) is not None
        for name in names_of(module, path, FAR)
    ]


def names_of(module: Module, path: ast.expr, left: int) -> list[Name]:
    """The names that a path may end with, as letters and what a run fills in."""
    if isinstance(path, ast.Name) and left:
        values = module.value_in(path, module.function(path)) or opened_as(module, path)
        if values:
            return [one for value in values for one in names_of(module, value, left - 1)]
    if isinstance(path, ast.Call) and last_name(path.func) == "join" and path.args:
        return names_of(module, path.args[-1], left)
    whole = tokens_of(path)
    slashes = [k for k, one in enumerate(whole) if one == "/"]
    return [whole[slashes[-1] + 1 :] if slashes else whole]


def tokens_of(path: ast.expr) -> Name:
    """The letters of a text, with `ANY` or `NUMBER` for what a run fills in."""
    if isinstance(path, ast.Constant) and isinstance(path.value, str):
        return tuple(path.value)
    if isinstance(path, ast.BinOp) and isinstance(path.op, ast.Add):
        return tokens_of(path.left) + tokens_of(path.right)
    if isinstance(path, ast.JoinedStr):
        return tuple(token for one in path.values for token in tokens_of(one))
    if isinstance(path, ast.FormattedValue) and path.format_spec is not None:
        return (NUMBER,) if PADDED.search(ast.unparse(path.format_spec)) else (ANY,)
    return (ANY,)


def speak_of_the_same(asked: Name, saved: Name) -> bool:
    """Whether two names are of the same thing: one has more before it, or before a number."""
    if not {ANY, NUMBER}.intersection(asked):
        more = saved[: -len(asked)] if asked else ()
        return saved[-len(asked) :] == asked and more[-1:] in (("_",), ("-",)) and ANY in more
    first, ending = begin_of(asked), begin_of(asked[::-1])
    while first and not first[-1].isalpha():
        first = first[:-1]
    return (
        NUMBER in asked
        and len(first) > 2
        and begin_of(saved)[: len(first)] == first
        and begin_of(saved[::-1]) == ending
    )


def begin_of(name: Name) -> Name:
    """What a name begins with, as far as it is written out."""
    return tuple(takewhile(lambda one: one not in (ANY, NUMBER), name))


@kept
def meet(one: Name, other: Name) -> bool:
    """Whether two names may be the same."""
    if not one or not other:
        return all(token == ANY for token in one + other)
    if ANY in (one[0], other[0]):
        free, fixed = (one, other) if one[0] == ANY else (other, one)
        return meet(free[1:], fixed) or meet(free, fixed[1:])
    if NUMBER in (one[0], other[0]):
        digits = all(token == NUMBER or token.isdigit() for token in (one[0], other[0]))
        longer = (one[0] == NUMBER and meet(one, other[1:])) or (
            other[0] == NUMBER and meet(one[1:], other)
        )
        return digits and (longer or meet(one[1:], other[1:]))
    return one[0] == other[0] and meet(one[1:], other[1:])


def text_of(name: Name) -> str:
    """A name with a star for each part that a run fills in."""
    return "".join("*" if one in (ANY, NUMBER) else one for one in name)


def is_written_elsewhere(module: Module, asked: Name) -> bool:
    """Whether a file of the program copies, moves or writes something under a name."""
    text = "".join(begin_of(asked))
    return any(
        text in one.value
        for other in module.project.near(module)
        for name, calls in other.calls.items()
        if WRITING.search(name)
        for call in calls
        for given in call.args
        for one in walk(given)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
        if other.qualified(call.func) != "torch.save"
    )
