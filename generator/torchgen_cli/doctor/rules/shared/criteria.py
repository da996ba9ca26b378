"""Which loss is called, also through an attribute, a parameter or another file."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import has_stars, keyword, last_name, written
from .layers import unmoved
from .origins import Place, origins

NAMED = re.compile(r"crit|loss|bce|entropy|objective|(^|_)kl|^ce$|^(self\.)?ce$", re.I)
UNKNOWN = "?"
MEANS = {"cross_entropy", "nll_loss", "mse_loss", "l1_loss", "binary_cross_entropy"}
MEANS |= {"binary_cross_entropy_with_logits", "smooth_l1_loss", "huber_loss"}


def loss_calls(module: Module) -> Iterator[ast.Call]:
    """The calls of a file that may be those of a loss, by their names, with input and target."""
    for name, calls in module.calls.items():
        if name and not NAMED.search(name):
            continue
        for call in calls:
            if not isinstance(call.func, ast.Name | ast.Attribute | ast.Call):
                continue
            if len(call.args) + len(call.keywords) >= 2:
                yield call


def kinds(module: Module, called: ast.expr) -> set[str]:
    """The last parts of what of torch's may be called; `UNKNOWN` for all else."""
    if module.is_torch(called):
        return {last_name(called)}
    return {
        last_name(one.func) if isinstance(one, ast.Call) and where.is_torch(one.func) else UNKNOWN
        for where, one in makers(module, called)
    } or {UNKNOWN}


def makers(module: Module, called: ast.expr) -> Iterator[Place]:
    """What makes that which is called: `nn.CrossEntropyLoss()`, or what cannot be followed."""
    if isinstance(called, ast.Call):  # nn.CrossEntropyLoss()(x, y)
        yield from ((module, one) for one in unmoved([called]))
    elif isinstance(called, ast.Name | ast.Attribute):
        yield from behind(module, called)


def behind(module: Module, called: ast.expr) -> Iterator[Place]:
    """What a name or an attribute may be: for `args.loss` what any file of the program gives it."""
    if isinstance(called, ast.Name) or written(called).startswith("self."):
        values = [(module, called)]
    else:
        values = [
            (other, statement.value)
            for other in module.project.near(module)
            for name, statements in other.assigned.items()
            if name == written(called)
            for statement in statements
        ]
    for where, value in values:
        for other, one in origins(where, value):
            for bare in unmoved([one]):
                yield from origins(other, bare) if bare is not one else [(other, one)]


def is_mean(module: Module, call: ast.Call) -> bool:
    """Whether a call of a loss surely gives a mean over the batch."""
    if module.is_torch(call.func):
        return last_name(call.func) in MEANS and asks_nothing(call)
    made = list(makers(module, call.func))
    return bool(made) and all(
        isinstance(one, ast.Call)
        and where.is_torch(one.func)
        and last_name(one.func).endswith("Loss")
        and asks_nothing(one)
        for where, one in made
    )


def asks_nothing(call: ast.Call) -> bool:
    """Whether the default of `reduction` holds."""
    asked = ("reduction", "size_average", "reduce")
    return not has_stars(call) and not any(keyword(call, name) is not None for name in asked)
