"""Masks that torch refuses."""

import ast
from collections.abc import Callable, Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import is_constant, keyword, last_name, mentions, receiver, walk, written

COMPARES = ("eq", "ne", "gt", "lt", "ge", "le", "bool")
# what leaves a tensor's type as it is
KEEPS = ("unsqueeze", "expand", "expand_as", "view", "repeat", "to", "cuda", "transpose")


@rule(
    "TG820",
    "torch refuses this mask",
    why="""`masked_fill` and `masked_select` of torch 2.1 and newer take masks of bools alone, and
    since 1.2 nothing can be subtracted from a mask: a RuntimeError where the line is reached.""",
    remedy="make the mask with a comparison or `.bool()`, and write `~mask` for `1 - mask`",
    source=f"{STABLE}/generated/torch.Tensor.masked_fill_.html",
    bad="""
def attend(scores, padding):
    mask = padding.byte()
    return scores.masked_fill(mask, -1e9)  # <--
""",
    good="""
def attend(scores, padding):
    mask = padding.bool()
    return scores.masked_fill(mask, -1e9)
""",
    once=True,
)
def refused_masks(module: Module) -> Iterator[Spot]:
    for name in ("masked_fill", "masked_fill_", "masked_select"):
        for call in module.calls.get(name, ()):
            mask = call.args[0] if call.args else None
            if mask is not None and is_all(module, mask, is_byte) and not module.is_fallback(call):
                yield Spot(call, unsure=module.project.stays_before_torch("2.1"))
    for node in subtractions(module):
        if is_all(module, node.right, is_compared) and not module.is_fallback(node):
            yield Spot(node, unsure=module.project.stays_before_torch("1.2"))


def subtractions(module: Module) -> Iterator[ast.BinOp]:
    """Where something is subtracted from one, in a file that compares with methods."""
    if not any(name in module.calls for name in COMPARES):
        return
    for node in module.parents:
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Sub)
            and is_constant(node.left, 1, 1.0)
        ):
            yield node


def is_all(module: Module, node: ast.expr, holds: Callable[[ast.expr], bool]) -> bool:
    """Whether something holds for a value, or for all that a name stands for in its function."""
    values = module.value_in(node, module.function(node)) if written(node) else [node]
    if isinstance(node, ast.Name) and any(
        isinstance(one, ast.arg) and one.arg == node.id for one in walk(module.function(node))
    ):
        return False  # which may be anything, before it is assigned
    return bool(values) and all(holds(one) for one in values)


def is_byte(value: ast.expr) -> bool:
    """Whether it is made a tensor of bytes, at the end of what is done to it."""
    if not isinstance(value, ast.Call):
        return False
    name = last_name(value.func)
    if name in KEEPS:
        if name == "to" and mentions(value, "uint8"):
            return True
        inner = receiver(value)
        return (
            inner is not None and (name != "to" or not mentions(value, "bool")) and is_byte(inner)
        )
    return name in ("byte", "ByteTensor") or mentions(
        keyword(value, "dtype") or ast.Constant(None), "uint8"
    )


def is_compared(value: ast.expr) -> bool:
    """Whether it is what a comparison of tensors gives, as it is."""
    return (
        isinstance(value, ast.Call)
        and last_name(value.func) in COMPARES
        and isinstance(value.func, ast.Attribute)
        and (len(value.args) == 1 or last_name(value.func) == "bool")
    )
