"""Slips that Python lets pass."""

import ast
from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    last_name,
    receiver,
    same,
    walk,
)
from ..shared.layers import DOCS

# those of the last years
RELEASES = {
    "torchaudio": [*(f"0.{n}.0" for n in range(7, 14)), *(f"2.{n}.0" for n in range(12))],
    "torchvision": [f"0.{n}.0" for n in range(8, 29)],
}


@rule(
    "TG316",
    "a version is compared as a string",
    why="""Strings are compared character by character: "0.10.0" comes before "0.3.0", and "2.10"
    before "2.9". The branch for an old release is taken with a new one. `torch.__version__` is not
    a plain string since 1.10, and compares correctly. It is a hint where the existing releases
    compare correctly, or are not known here.""",
    remedy="compare `packaging.version.Version(...)`, or check for the function with `hasattr`",
    source="https://packaging.pypa.io/en/stable/version.html",
    bad="""
import torchvision

NEW = torchvision.__version__ >= "0.9"  # <--
""",
    good="""
import torchvision
from packaging.version import Version

NEW = Version(torchvision.__version__) >= Version("0.9")
""",
    severity=Severity.WARNING,
)
def version_as_text(module: Module) -> Iterator[Spot]:
    for node in module.attributes:
        around = module.parents[node]
        if node.attr != "__version__" or not isinstance(around, ast.Compare):
            continue
        if module.qualified(node) == "torch.__version__":
            continue  # a text until 1.9, where letters are in the order of numbers
        ordered = all(isinstance(one, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for one in around.ops)
        sides = [around.left, *around.comparators]
        texts = [one for one in sides if isinstance(one, ast.Constant)]
        if ordered and any(isinstance(one.value, str) for one in texts):
            library = module.qualified(node.value)
            given = [one.value for one in texts if isinstance(one.value, str)]
            yield Spot(around, unsure=not any(is_misplaced(library, one) for one in given))


def is_misplaced(library: str, text: str) -> bool:
    """Whether a release of a library is on the wrong side of a version, where texts are compared.

    "0.10.0" is, of "0.9": it comes before it.
    """
    try:
        version = Version(text)
    except InvalidVersion:
        return False
    return any((one < text) is not (Version(one) < version) for one in RELEASES.get(library, ()))


@rule(
    "TG317",
    "each parameter is collected once for every module around it",
    why="""`modules()` visits all levels, and each `parameters()` descends again: a parameter three
    levels deep appears three times. SGD then steps three times as far with it, and newer releases
    of torch warn.""",
    remedy="use `parameters()` of the model once, or `parameters(recurse=False)` of each module",
    source=f"{DOCS}/torch.nn.Module.html#torch.nn.Module.parameters",
    bad="""
def slow(model):
    for part in model.backbone.modules():
        for parameter in part.parameters():  # <--
            if parameter.requires_grad:
                yield parameter
""",
    good="""
def slow(model):
    for parameter in model.backbone.parameters():
        if parameter.requires_grad:
            yield parameter
""",
)
def taken_again(module: Module) -> Iterator[ast.AST]:
    for loop in module.loops:
        if not isinstance(loop, ast.For) or not is_call_of(loop.iter, "modules"):
            continue
        for inner in walk(loop):
            if (
                isinstance(inner, ast.For)
                and is_call_of(inner.iter, "parameters")
                and isinstance(inner.iter, ast.Call)
                and same(receiver(inner.iter), loop.target)
                and not inner.iter.args
                and not inner.iter.keywords
                and not chooses(module, loop, inner)
                and any(isinstance(node, ast.Yield) or is_kept(node) for node in walk(inner))
            ):
                yield inner


def chooses(module: Module, outer: ast.For, inner: ast.For) -> bool:
    """Whether only some modules are taken, or only parameters that are not there yet."""
    between = [one for one in module.ancestors(inner) if outer in module.ancestors(one)]
    skips = any(isinstance(node, ast.Continue | ast.Break) for node in walk(outer))
    operators = [op for n in walk(inner) if isinstance(n, ast.Compare) for op in n.ops]
    known = any(isinstance(one, ast.In | ast.NotIn) for one in operators)
    return skips or known or any(isinstance(one, ast.If) for one in between)


def is_call_of(node: ast.AST, name: str) -> bool:
    """Whether it calls a method of this name."""
    return isinstance(node, ast.Call) and last_name(node.func) == name


def is_kept(node: ast.AST) -> bool:
    """Whether it puts something into a list."""
    return is_call_of(node, "append") or is_call_of(node, "add_param_group")
