"""Averages over batches of uneven size."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from ..project import Module
from ..rule import Severity, Spot, rule
from ..syntax import (
    FUNCTIONS,
    is_constant,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    walk,
    written,
)
from .both import evaluating_loops
from .evaluating import evaluation_loops, looped_over

# of a batch: its loss, or a measure that is a mean over it
MEASURED = re.compile(r"loss|accuracy|psnr|ssim|lpips|dice|(^|_)(acc|iou|mae|rmse|mape)(_|$)", re.I)
# what a loss is handed to that decides by it: `early_stopping(val_loss, model)`
DECIDES = re.compile(r"stop|patience|is_better|improve|plateau|checkpoint", re.I)
NUMBERS = ("item", "float", "detach", "cpu", "numpy")


@rule(
    "TG504",
    "the evaluation's loss is a mean of batch means",
    why="""The last batch is smaller, and its samples count for more: the figure changes with the
    batch size. Divided by the number of samples, as some do, it is a batch too small as well.
    Where nothing is chosen by the loss it is a hint. One place is shown for the repository.""",
    remedy="add up `loss.item() * len(batch)`, and divide by the number of samples",
    source="https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html",
    bad="""
import torch


@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    total_loss = 0.0
    for images, labels in val_loader:
        loss = criterion(model(images), labels)
        total_loss += loss.item()  # <--
    return total_loss / len(val_loader)
""",
    good="""
import torch


@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    total_loss, count = 0.0, 0
    for images, labels in val_loader:
        loss = criterion(model(images), labels)
        total_loss += loss.item() * len(images)
        count += len(images)
    return total_loss / count
""",
    severity=Severity.WARNING,
    once=True,
)
def mean_of_means(module: Module) -> Iterator[Spot]:
    if module.project.has_framework(module):
        return
    even = drops_the_rest(module)
    for node in uneven(module):
        around = module.function(node)
        callers = [other for other, _ in module.project.calls_of(module, around)]
        unknown = isinstance(around, FUNCTIONS) and not callers  # who may do what they like
        chosen = unknown or any(map(chooses_by_loss, [module, *callers]))
        yield Spot(node, unsure=even or not (chosen or is_measure(node)))


def is_measure(node: ast.AST) -> bool:
    """Whether what is averaged is a measure that is reported, and no loss."""
    given = [node.value] if isinstance(node, ast.AugAssign) else getattr(node, "args", [])
    return bool(given) and not any(mentions(one, "loss") for one in given)


@lru_cache(maxsize=10_000)
def chooses_by_loss(module: Module) -> bool:
    """Whether a loss decides about something: what is best, when to stop, or the rate."""
    compared = (
        node.test
        for scope in (module.tree, *module.functions)
        for node in own_nodes(scope)
        if isinstance(node, ast.If)
    )
    if any(mentions(one, "loss") and mentions(one, "best", "min", "low") for one in compared):
        return True
    return any(
        mentions(argument, "loss")
        for name, calls in module.calls.items()
        if name == "step" or DECIDES.search(name)
        for call in calls
        for argument in [*call.args, *(one.value for one in call.keywords)]
    )


def uneven(module: Module) -> Iterator[ast.AST]:
    """Where losses of batches are averaged as if the batches were of one size."""
    sums = sums_losses(module)
    evaluating = [(loop, scope) for loop, _, scope in evaluation_loops(module)]
    for loop, scope in [*evaluating, *evaluating_loops(module)]:
        if sums and not makes_mean(module, scope):
            continue
        divided = dict(divisions(scope))
        yield from averaged_lists(module, loop, scope)
        yield from uncounted(module, loop)
        for node in own_nodes(loop):
            if (
                isinstance(node, ast.AugAssign)
                and isinstance(node.op, ast.Add)
                and is_loss(node.value)
                and counts_batches(divided.get(written(node.target)), looped_over(loop.iter))
            ):
                yield node


def drops_the_rest(module: Module) -> bool:
    """Whether an incomplete batch may be dropped: by a name that is set to True in the file."""
    return any(is_constant(one.value, True) for one in module.assigned.get("drop_last", ()))


def averaged_lists(module: Module, loop: ast.For, scope: ast.AST) -> Iterator[ast.AST]:
    """Where a loss of each batch is put into a list, of which a mean is taken."""
    within = set(own_calls(loop, "mean", "average"))
    means = {
        written(call.args[0])
        for call in own_calls(scope, "mean", "average")
        if call not in within  # which is one of the parts of a sample
        and module.qualified(call.func) in ("numpy.mean", "numpy.average")
        and call.args
    }
    for call in own_calls(loop, "append"):
        kept = receiver(call)
        listed = kept is not None and written(kept) in means - {""}
        if listed and call.args and (is_loss(call.args[0]) or is_share(call.args[0])):
            yield call


def is_share(value: ast.expr) -> bool:
    """Whether it is divided by the size of its batch: `correct.item() / len(labels)`."""
    return (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Div)
        and mentions(value.left, "correct", "acc", "hit")
        and any(
            (isinstance(one, ast.Call) and last_name(one.func) in ("len", "size"))
            or (isinstance(one, ast.Attribute) and one.attr == "shape")
            for one in walk(value.right)
        )
    )


def uncounted(module: Module, loop: ast.For) -> Iterator[ast.AST]:
    """Where a meter that weighs by a count is given a loss without one."""
    for call in own_calls(loop, "update"):
        meter = receiver(call)
        given = [*call.args, *(one.value for one in call.keywords)]
        if meter is None or len(given) != 1 or not is_loss(given[0]):
            continue
        values = [one.value for one in module.assigned.get(written(meter), ())]
        made = [
            found
            for value in values
            if isinstance(value, ast.Call)
            for found in module.project.classes_named(module, value.func) or ()
        ]
        if made and all(weighs(other, node, bool(call.keywords)) for other, node in made):
            yield call


def weighs(module: Module, node: ast.ClassDef, by_name: bool) -> bool:
    """Whether a class has `update(value, n=1)`, which multiplies by n, or hands on to one."""
    update = next((m for m in node.body if isinstance(m, FUNCTIONS) and m.name == "update"), None)
    if update is None:
        return False
    if by_name:  # update(loss=...) hands each to a meter of its own
        alone = [call for call in own_calls(update, "update") if len(call.args) == 1]
        return (
            update.args.kwarg is not None
            and bool(alone)
            and any(
                weighs(module, other, by_name=False)
                for other in module.classes
                if other is not node
            )
        )
    names = [one.arg for one in update.args.args]
    counts = [is_constant(default, 1) for default in update.args.defaults]
    return (
        len(names) == 3
        and counts == [True]
        and any(
            isinstance(n, ast.BinOp)
            and isinstance(n.op, ast.Mult)
            and names[2] in (written(n.left), written(n.right))
            for n in walk(update)
        )
    )


def sums_losses(module: Module) -> bool:
    """Whether a loss is asked for as a sum, or for each sample, in the same program."""
    return any(
        (node.arg == "reduction" and is_constant(node.value, "sum", "none"))
        or (node.arg in ("size_average", "reduce") and is_constant(node.value, False))
        for other in module.project.near(module)
        for node in other.keywords
    )


def makes_mean(module: Module, scope: ast.AST) -> bool:
    """Whether a function makes the loss itself, and asks for nothing but a mean."""
    made = [call for call in own_calls(scope) if last_name(call.func).endswith("Loss")]
    return bool(made) and all(module.is_torch(call.func) and not call.keywords for call in made)


def divisions(scope: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """(what, by what) of `a / b` and `a /= b`."""
    for node in own_nodes(scope):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield written(node.left), node.right
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            yield written(node.target), node.value


def is_loss(value: ast.expr) -> bool:
    """Whether it is a loss by its name, as a number: `loss.item()`."""
    while isinstance(value, ast.Call) and last_name(value.func) in NUMBERS:
        inner = receiver(value) or (value.args[0] if value.args else None)
        if inner is None:
            return False
        value = inner
    named = isinstance(value, ast.Name | ast.Attribute)
    return named and MEASURED.search(last_name(value)) is not None


def counts_batches(divisor: ast.expr | None, source: str = "") -> bool:
    """Whether it is a number of batches: `len(loader)`, `i + 1`; or of a loader's samples."""
    if isinstance(divisor, ast.Call) and last_name(divisor.func) == "len" and divisor.args:
        name = written(divisor.args[0])
        return "loader" in name.lower() or (bool(name) and name == source)
    if isinstance(divisor, ast.BinOp) and isinstance(divisor.op, ast.Add):
        return is_constant(divisor.right, 1) and isinstance(divisor.left, ast.Name)
    return False
