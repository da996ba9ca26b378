"""A `squeeze()` that takes the axis of a batch of one sample too."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, rule
from ...syntax import (
    argument,
    has_stars,
    is_constant,
    keyword,
    last_name,
    own_calls,
    receiver,
    written,
)
from ..shared.criteria import kinds, loss_calls
from ..shared.even import takes_one
from ..shared.latest import latest
from ..shared.origins import origins
from .batches import batch_names, of_batch

SAME_SHAPE = {"clone", "cpu", "cuda", "data", "detach", "double", "float", "int", "long", "numpy"}
SAME_SHAPE |= {"sigmoid", "to", "type"}
JOINING = ("torch.cat", "torch.concat", "torch.concatenate", "numpy.concatenate")
WITH_CLASSES = {"CrossEntropyLoss", "cross_entropy", "NLLLoss", "nll_loss"}
ALIKE = {"BCELoss", "BCEWithLogitsLoss", "binary_cross_entropy"}
ALIKE |= {"binary_cross_entropy_with_logits"}
# they broadcast
FORGIVING = {"MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss"}


@rule(
    "TG328",
    "`squeeze()` also removes the batch axis if the last batch is one sample",
    why="""Without a dimension, `squeeze` removes every axis of size one. If one sample is left for
    the last batch, the result has no axes: cross-entropy and `torch.cat` fail on it, at the end of
    an epoch. Shown once per repository.""",
    remedy="name the axis, as in `squeeze(1)`; or use `drop_last=True` in training",
    source=f"{STABLE}/generated/torch.squeeze.html",
    bad="""
from torch import nn
from torch.utils.data import DataLoader


def fit(model, data, optimizer):
    criterion = nn.CrossEntropyLoss()
    for x, y in DataLoader(data, batch_size=32, shuffle=True):
        loss = criterion(model(x), y.squeeze())  # <--
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
""",
    good="""
from torch import nn
from torch.utils.data import DataLoader


def fit(model, data, optimizer):
    criterion = nn.CrossEntropyLoss()
    for x, y in DataLoader(data, batch_size=32, shuffle=True):
        loss = criterion(model(x), y.squeeze(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
""",
    severity=Severity.HINT,
    once=True,
)
def squeezed_batch(module: Module) -> Iterator[ast.AST]:
    if "squeeze" not in module.calls:
        return
    for loop in module.loops:
        if not isinstance(loop, ast.For) or not own_calls(loop, "squeeze"):
            continue
        found = next(unfit(module, loop), None)
        if found is not None and loaders_of(module, loop):
            yield found


def loaders_of(module: Module, loop: ast.For) -> list[ast.Call]:
    """The loaders that a loop is over, of those that keep an incomplete batch; none if unsure."""
    found = []
    for where, one in origins(module, loop.iter):
        if isinstance(one, ast.Constant):
            continue  # enumerate(loader, 0)
        if not isinstance(one, ast.Call) or not where.is_torch(one.func, "DataLoader"):
            return []
        if keeps_last(one):
            found.append(one)
    return found


def keeps_last(loader: ast.Call) -> bool:
    """Whether a loader surely keeps an incomplete batch, and makes batches of several samples."""
    dropped = argument(loader, 8, "drop_last")
    return (
        not has_stars(loader)
        and not takes_one(loader)
        and not is_constant(argument(loader, 1, "batch_size"), None)
        and keyword(loader, "batch_sampler") is None
        and (dropped is None or is_constant(dropped, False))
    )


def unfit(module: Module, loop: ast.For) -> Iterator[ast.AST]:
    """Where a batch that may have lost its axis goes to what needs it, in a loop."""
    names = batch_names(loop)
    inside = set(own_calls(loop))
    for call in loss_calls(module):
        if call in inside and (found := unfit_loss(module, call, names, loop)) is not None:
            yield found
    for given in joined(module, loop):
        found = squeezed(module, given, given)
        if found is not None and of_batch(found, names, loop):
            yield found


def unfit_loss(module: Module, call: ast.Call, names: set[str], loop: ast.For) -> ast.AST | None:
    """The squeeze of one argument of a loss where the other one keeps its axis."""
    given, target = argument(call, 0, "input"), argument(call, 1, "target")
    if given is None or target is None:
        return None
    one, other = squeezed(module, given, call), squeezed(module, target, call)
    if (one is None) == (other is None):
        return None
    if other is not None:
        strict = may_be(module, call, WITH_CLASSES | ALIKE)
        return other if strict and of_batch(other, names, loop) else None
    plain = written(as_taken(target)) in names  # and not `torch.ones_like(output)`
    if one is None or not plain or not of_batch(one, names, loop):
        return None
    return one if may_be(module, call, ALIKE) else None


def as_taken(value: ast.expr) -> ast.expr:
    """A target as the loader gave it: `y` of `y.float()`."""
    while isinstance(value, ast.Call) and last_name(value.func) in SAME_SHAPE:
        inner = receiver(value)
        if inner is None:
            break
        value = inner
    return value


def may_be(module: Module, call: ast.Call, losses: set[str]) -> bool:
    """Whether one of these losses is called, and if another one, then one that is known."""
    found = kinds(module, call.func)
    return bool(found & losses) and found <= losses | FORGIVING


def squeezed(module: Module, value: ast.expr, place: ast.AST, depth: int = 3) -> ast.Call | None:
    """The `squeeze()` without a dimension that gave a value its shape."""
    while isinstance(value, ast.Call | ast.Attribute) and last_name(
        value.func if isinstance(value, ast.Call) else value
    ) in SAME_SHAPE | {"squeeze"}:
        if isinstance(value, ast.Attribute):
            value = value.value
            continue
        owner = receiver(value)
        if owner is None:
            return None
        from_torch = module.is_torch(value.func)
        if last_name(value.func) == "squeeze":
            return value if len(value.args) == from_torch and not value.keywords else None
        if from_torch and not value.args:
            return None
        value = value.args[0] if from_torch else owner
    if isinstance(value, ast.Name) and depth:
        made = latest(module, place, value.id)
        return None if made is None else squeezed(module, made, made, depth - 1)
    return None


def joined(module: Module, loop: ast.For) -> Iterator[ast.expr]:
    """What is put together along the batch axis: at once, or by a list of all batches."""
    scope = module.function(loop)
    lists: set[str] = set()
    for call in own_calls(scope, "cat", "concat", "concatenate"):
        if module.qualified(call.func) in JOINING and len(call.args) == 1 and along_first(call):
            lists.add(written(call.args[0]))
    for call in own_calls(loop):
        name = last_name(call.func)
        if (
            module.qualified(call.func) in JOINING
            and along_first(call)
            and call.args
            and isinstance(call.args[0], ast.List | ast.Tuple)
        ):
            yield from joined_to_all(call, call.args[0].elts)
        elif (
            name == "append"
            and call.args
            and written(receiver(call) or call) in lists - {""}
            and next(module.loops_around(call)) is loop
        ):
            yield call.args[0]


def joined_to_all(call: ast.Call, given: list[ast.expr]) -> Iterator[ast.expr]:
    """What is added in `found = torch.cat([found, batch])`."""
    if len(given) == 2 and isinstance(given[0], ast.Name):
        yield given[1]


def along_first(call: ast.Call) -> bool:
    """Whether batches are joined along their first axis."""
    dim = argument(call, 1, "dim") or keyword(call, "axis")
    return dim is None or is_constant(dim, 0)
