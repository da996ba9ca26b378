"""Masks that torch refuses."""

import ast
import re
from collections.abc import Callable, Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import (
    FUNCTIONS,
    is_constant,
    keyword,
    last_name,
    mentions,
    parameters,
    receiver,
    walk,
    written,
)
from ...variables import given_to

INVERTED = re.compile(rb"\b1(\.0?)?\s*-\s*[\w(]")
COMPARES = ("eq", "ne", "gt", "lt", "ge", "le", "bool")
# what leaves a tensor's type as it is
KEEPS = ("unsqueeze", "expand", "expand_as", "view", "repeat", "to", "cuda", "transpose")
# methods that tensors have, and arrays of numpy have not
OF_TENSORS = {"cpu", "cuda", "detach", "expand", "float", "long", "permute", "sigmoid", "softmax"}
OF_TENSORS |= {"unsqueeze"}
# and what returns none
OF_NUMBERS = ("dim", "get_rank", "item", "numel", "numpy", "size", "tolist")


@rule(
    "TG820",
    "torch rejects this mask",
    why="""`masked_fill` and `masked_select` in torch 2.1 and newer accept only bool masks, and
    since 1.2 nothing can be subtracted from a mask: a RuntimeError when the line is reached.""",
    remedy="create the mask with a comparison or `.bool()`, and write `~mask` for `1 - mask`",
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
            if mask is None or module.is_fallback(call):
                continue
            if is_all(module, mask, is_byte) or is_given_bytes(module, mask, set()):
                yield Spot(call, unsure=module.project.stays_before_torch("2.1"))
    for node in subtractions(module):
        compared = is_all(module, node.right, is_compared) or is_truth(module, node.right)
        if compared and not module.is_fallback(node):
            yield Spot(node, unsure=module.project.stays_before_torch("1.2"))


def subtractions(module: Module) -> Iterator[ast.BinOp]:
    """Where something is subtracted from one."""
    if not INVERTED.search(module.project.contents[module.name]):
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


def is_given_bytes(module: Module, mask: ast.expr, seen: set[str]) -> bool:
    """Whether a mask is a parameter that the file gives by its name, and always as bytes."""
    while isinstance(mask, ast.Subscript):  # mask[:, None] is of the same type
        mask = mask.value
    if not isinstance(mask, ast.Name) or not is_plain_parameter(module, mask):
        return False
    given = [one.value for one in module.keywords if one.arg == mask.id]
    passed_on = [
        one
        for one in given
        if not is_constant(one, None)
        and not (written(one) in {mask.id, *seen} and is_plain_parameter(module, one))
    ]
    return bool(passed_on) and all(
        is_all(module, one, is_byte) or is_given_bytes(module, one, {mask.id, *seen})
        for one in passed_on
    )


def is_plain_parameter(module: Module, node: ast.expr) -> bool:
    """Whether a name is a parameter of its function, which assigns nothing to it."""
    function = module.function(node)
    return (
        isinstance(node, ast.Name)
        and isinstance(function, FUNCTIONS)
        and node.id in parameters(function)
        and not module.value_in(node, function)
    )


def is_byte(value: ast.expr) -> bool:
    """Whether it is made a tensor of bytes, at the end of what is done to it."""
    if isinstance(value, ast.Subscript):  # which leaves its type as it is
        return is_byte(value.value)
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


def is_truth(module: Module, node: ast.expr) -> bool:
    """Whether it is what `<` and the like give of tensors, or a name for nothing else by then."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Compare) and is_tensor(module, node.left)
    scope = module.function(node)
    values = [one for one in module.value_in(node, scope) if one.lineno < node.lineno]
    begun = [place for place, one in enumerate(values) if isinstance(one, ast.Compare)]
    if not begun or not is_tensor(module, values[begun[-1]].left):  # type: ignore[attr-defined]
        return False
    first, *later = values[begun[-1] :]
    block = module.following(module.statement(first))
    reached = any(node in walk(statement) for statement in block)
    return reached and all(
        isinstance(one, ast.Call)
        and last_name(one.func) in KEEPS
        and last_name(one.func) != "to"
        and written(receiver(one) or one) == node.id
        for one in later
    )


def is_tensor(module: Module, node: ast.expr) -> bool:
    """Whether it is surely a tensor, by the call that made it."""
    if isinstance(node, ast.Call):
        name, inner = last_name(node.func), receiver(node)
        if name in OF_NUMBERS or inner is None:
            return False
        if written(inner) in module.imports:
            return module.qualified(inner) in ("torch", "torch.nn.functional")
        by_dim = keyword(node, "dim") is not None
        return by_dim or name in OF_TENSORS or is_tensor(module, inner)
    if not isinstance(node, ast.Name):
        return False
    made = [one for one in given_to(module, node) if isinstance(one, ast.Call)]
    return any(
        is_tensor(module, one) and all(written(inner) != node.id for inner in walk(one))
        for one in made
    )
