"""Averages over batches of uneven size."""

import ast
from collections.abc import Iterator

from ...lookup import definitions
from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    is_constant,
    last_name,
    mentions,
    method_of,
    own_calls,
    own_nodes,
    receiver,
    walk,
    written,
)
from ..shared.choices import is_chosen_by
from ..shared.criteria import is_mean
from ..shared.even import even_batches, may_be_even
from ..shared.latest import latest
from .both import evaluating_loops
from .evaluating import evaluation_loops, looped_over
from .means import averaged
from .measures import (
    MEASURED,
    counts_batches,
    counts_samples,
    divisions,
    is_loss,
    of_data,
    without_numbers,
)


@rule(
    "TG504",
    "the evaluation loss is a mean of batch means",
    why="""The last batch is smaller, so its samples count for more: the result changes with the
    batch size. Divided by the number of samples, it is also too small by a factor of the batch
    size. It is a hint where nothing is chosen by the result, where a loss is divided by the number
    of batches, and where all batches may be of one size. Shown once per repository.""",
    remedy="sum `loss.item() * len(batch)`, and divide by the number of samples",
    source="https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html",
    bad="""
import torch
from torch.nn.functional import cross_entropy


@torch.no_grad()
def validate(model, val_loader):
    model.eval()
    total_loss = 0.0
    for images, labels in val_loader:
        loss = cross_entropy(model(images), labels)
        total_loss += loss.item()  # <--
    return total_loss / len(val_loader.dataset)


def fit(model, epochs, loader, run_epoch, path):
    best = float("inf")
    for epoch in range(epochs):
        run_epoch(model)
        val_loss = validate(model, loader)
        if val_loss < best:
            best = val_loss
            torch.save(model.state_dict(), path)
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
    found = list(uneven(module))
    even = bool(found) and even_batches(module)
    for node, loop, scope, name in found:
        wrong = is_divided_by_samples(scope, name) and gives_mean(module, node, added(node))
        chosen = not is_summed_loss(name) and is_chosen_by(module, scope, name)
        yield Spot(node, unsure=not wrong and (even or not chosen or may_be_even(module, loop)))


def is_divided_by_samples(scope: ast.AST, name: str) -> bool:
    """Whether a sum over batches is divided by a number of samples: wrong by far."""
    return any(what == name and mentions(by, "dataset") for what, by in divisions(scope))


def is_summed_loss(name: str) -> bool:
    """Whether a sum is one of losses: these are compared with each other, and seldom reported."""
    return "loss" in name.lower()


def added(node: ast.AST) -> list[ast.expr]:
    """What a place adds to a sum, or to a list."""
    return [node.value] if isinstance(node, ast.AugAssign) else getattr(node, "args", [])[:1]


def uneven(module: Module) -> Iterator[tuple[ast.AST, ast.For, ast.AST, str]]:
    """(where batches are averaged as if of one size, the loop, the function, the sum's name)."""
    sums = sums_losses(module)
    evaluating = [(loop, scope) for loop, _, scope in evaluation_loops(module)]
    for loop, scope in [*evaluating, *evaluating_loops(module)]:
        summed = sums and not makes_mean(module, scope)
        divided = dict(divisions(scope))
        for call in (*averaged_lists(module, loop, scope), *uncounted(module, loop)):
            if not summed or gives_mean(module, call, call.args[:1]):
                yield call, loop, scope, written(receiver(call) or call)
        for node in own_nodes(loop):
            if (
                isinstance(node, ast.AugAssign)
                and isinstance(node.op, ast.Add)
                and (is_loss(node.value) or is_measure(module, node))
                and (
                    counts_batches(by := divided.get(written(node.target)), looped_over(loop.iter))
                    or counts_samples(by, loop)
                )
                and (not summed or gives_mean(module, node, [node.value]))
            ):
                yield node, loop, scope, written(node.target)


def is_measure(module: Module, node: ast.AugAssign) -> bool:
    """Whether a helper's share of a batch is added, by its name: `acc += accuracy(out, labels)`."""
    call = node.value
    if not isinstance(call, ast.Call) or not MEASURED.search(last_name(node.target)):
        return False
    found = definitions(module, call.func, module.project.functions)
    return bool(found) and all(any(divisions(function)) for _, function in found or ())


def averaged_lists(module: Module, loop: ast.For, scope: ast.AST) -> Iterator[ast.Call]:
    """Where a loss of each batch is put into a list, of which a mean is taken."""
    means = averaged(module, scope)
    for call in own_calls(loop, "append"):
        kept = receiver(call)
        listed = kept is not None and written(kept) in means
        if next(module.loops_around(call)) is not loop:
            continue  # of each sample, not of each batch
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


def uncounted(module: Module, loop: ast.For) -> Iterator[ast.Call]:
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
    update = method_of(node, "update")
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


def gives_mean(module: Module, place: ast.AST, values: list[ast.expr]) -> bool:
    """Whether a loss that is kept is known to be a mean, by the criterion that made it."""
    value = of_data(without_numbers(values[0])) if values else None
    made = latest(module, place, value.id) if isinstance(value, ast.Name) else value
    return isinstance(made, ast.Call) and is_mean(module, made)
