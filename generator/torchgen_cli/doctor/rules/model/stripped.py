"""Endings of names of files that are taken off letter by letter."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule

ENDING = re.compile(r"\.[A-Za-z]\w+(\.\w+)*")


@rule(
    "TG342",
    "`strip` removes characters, not a suffix",
    why="""`name.rstrip(".pth")` removes every p, t, h and full stop at the end, in any order:
    "depth.pth" becomes "de". Files are then not found, or two of them get one name. It works where
    another character, such as a digit, always precedes the suffix.""",
    remedy='write `name.removesuffix(".pth")`, or `Path(name).stem`',
    source="https://docs.python.org/3/library/stdtypes.html#str.rstrip",
    bad="""
import torch


def result_of(path):
    return torch.load(path.rstrip(".pth") + "_result.pth", weights_only=True)  # <--
""",
    good="""
import torch


def result_of(path):
    return torch.load(path.removesuffix(".pth") + "_result.pth", weights_only=True)
""",
    severity=Severity.HINT,
)
def stripped(module: Module) -> Iterator[ast.Call]:
    for name in ("strip", "rstrip", "lstrip"):
        for call in module.calls.get(name, ()):
            given = call.args[0] if len(call.args) == 1 else None
            text = given.value if isinstance(given, ast.Constant) else None
            if isinstance(text, str) and ENDING.fullmatch(text):
                yield call
