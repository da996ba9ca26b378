"""Flags that argparse itself rejects, so that the program never starts."""

import ast
from collections.abc import Iterator

from ...documents import values_given
from ...project import Module
from ...rule import Spot, rule
from ...syntax import has_stars, is_constant, keyword, written
from ..shared.flag_values import long_flag

KNOWN = {"action", "choices", "const", "default", "deprecated", "dest", "help", "metavar", "nargs"}
KNOWN |= {"required", "type", "version"}
SWITCHES = ("store_true", "store_false", "count")
# what actions without a value do not take
OF_VALUES = ("choices", "const", "nargs", "type")
# parsers that know further keywords
OTHERS = {"configargparse", "gooey", "jsonargparse"}
NUMBERS = {"float": float, "int": int}


@rule(
    "TG347",
    "argparse rejects this flag, so the program never starts",
    why="""`add_argument` raises a TypeError for a keyword that it does not know, and for the type
    of a switch, which takes no value. A default that is a string is converted by `type`, as one
    value even with `nargs`: without the flag, `float("0.9 0.8")` ends the program. It is a hint for
    an empty default, where the documented commands give the flag.""",
    remedy="correct the keyword, or give a default of the flag's own type",
    source="https://docs.python.org/3/library/argparse.html#the-add-argument-method",
    bad="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--ratios", type=float, nargs="+", default="0.9 0.8")  # <--
""",
    good="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--ratios", type=float, nargs="+", default=[0.9, 0.8])
""",
)
def refused_flags(module: Module) -> Iterator[Spot]:
    own = "add_argument" in module.project.functions
    if "argparse" not in module.libraries or own or not OTHERS.isdisjoint(module.libraries):
        return
    for call in module.calls.get("add_argument", ()):
        action = keyword(call, "action")
        if has_stars(call) or not (action is None or isinstance(action, ast.Constant)):
            continue  # an action of the program may take anything
        if why := refusal(call, action):
            by_default = why.startswith("its default") and is_empty(call)
            yield Spot(call, why, unsure=by_default and is_given(module, call))


def refusal(call: ast.Call, action: ast.Constant | None) -> str:
    """Why argparse rejects a flag; empty where it does not."""
    given = {one.arg: one.value for one in call.keywords if one.arg}
    unknown = sorted(given.keys() - KNOWN)
    if unknown:
        return f"`add_argument` has no `{unknown[0]}`"
    if action is not None and action.value in SWITCHES:
        needless = [name for name in OF_VALUES if name in given]
        return f"`{action.value}` takes no `{needless[0]}`" if needless else ""
    flag = bool(call.args) and written_out(call.args[0]).startswith("-")
    if not flag or is_constant(given.get("required"), True):
        return ""  # its default is never used
    text, kind = written_out(given.get("default")), written(given.get("type", call))
    is_text = isinstance(getattr(given.get("default"), "value", None), str)
    wrong = is_text and kind in NUMBERS and not is_number(text, NUMBERS[kind])
    return f'its default "{text}" is no {kind}' if wrong else ""


def is_empty(call: ast.Call) -> bool:
    """Whether the default is an empty text, as of a flag that has to be given."""
    return is_constant(keyword(call, "default"), "")


def is_given(module: Module, call: ast.Call) -> bool:
    """Whether a command on the pages and in the scripts gives the file this flag."""
    flag = long_flag(call)
    return bool(flag) and bool(values_given(module.project.root, module.name, flag) - {""})


def written_out(value: ast.expr | None) -> str:
    """A text that is written out; empty for anything else."""
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def is_number(text: str, kind: type[int] | type[float]) -> bool:
    """Whether Python reads a number of this kind in a text."""
    try:
        kind(text)
    except ValueError:
        return False
    return True
