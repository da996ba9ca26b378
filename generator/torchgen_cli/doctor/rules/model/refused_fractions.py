"""Flags for fractions that take whole numbers alone."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import keyword, written
from ..shared.flag_readers import is_left_unread

RATES = re.compile(
    r"[-_](alpha|beta\d?|coeff?|decay|drop(out|path)?|eps(ilon)?|gamma|lambda|lr|momentum|prob"
    r"|rate|ratio|sigma|smoothing|std|temperature|wd|weight)$",
    re.I,
)
COUNTS = re.compile(r"batch|epoch|every|interval|iter|num|sampl(e|ing)|size|step", re.I)

WHOLE = re.compile(r"[-_](epochs|iter(ation)?s|steps)$|^-*num[-_]", re.I)


@rule(
    "TG344",
    "this flag rejects numbers like its own default",
    why="""The default is a fraction, or the `0.0` of a rate, but `type=int` accepts no fraction on
    the command line: `--rate 0.3` is an error, and only whole numbers can be tried. It is a hint
    where no code reads the flag, and where its name is that of a count, so that it is the default
    that is wrong.""",
    remedy="write `type=float`",
    source="https://docs.python.org/3/library/argparse.html#type",
    bad="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--dropout", type=int, default=0.2)  # <--
""",
    good="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--dropout", type=float, default=0.2)
""",
)
def refuses_fractions(module: Module) -> Iterator[Spot]:
    for call in module.calls.get("add_argument", ()):
        default = keyword(call, "default")
        several = default.elts if isinstance(default, ast.List | ast.Tuple) else [default]
        fraction = any(map(is_fraction, several)) or (is_of_a_rate(call) and is_float(default))
        if fraction and written(keyword(call, "type") or call) == "int":
            yield Spot(call, unsure=is_of_a_count(call) or is_left_unread(module, call))


def is_fraction(value: ast.expr | None) -> bool:
    """Whether a number is written out that is no whole one, such as `-0.5` or `1 / 255`."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
        parts = [getattr(one, "value", None) for one in (value.left, value.right)]
        whole = [one for one in parts if isinstance(one, int) and one]
        return len(whole) == 2 and whole[0] % whole[1] != 0
    number = value.operand if isinstance(value, ast.UnaryOp) else value
    found = number.value if isinstance(number, ast.Constant) else None
    return isinstance(found, float) and not found.is_integer()


def is_of_a_rate(call: ast.Call) -> bool:
    """Whether a flag is for what is a fraction as a rule, by its name: `--weight_decay`."""
    names = [one.value for one in call.args if isinstance(one, ast.Constant)]
    return any(RATES.search(str(one)) and not COUNTS.search(str(one)) for one in names)


def is_of_a_count(call: ast.Call) -> bool:
    """Whether a flag is for a whole number by its name: `--warmup_steps`."""
    return any(isinstance(one, ast.Constant) and WHOLE.search(str(one.value)) for one in call.args)


def is_float(value: ast.expr | None) -> bool:
    """Whether a small number is written out with a point, be it whole or not."""
    found = value.value if isinstance(value, ast.Constant) else None
    return isinstance(found, float) and found <= 1
