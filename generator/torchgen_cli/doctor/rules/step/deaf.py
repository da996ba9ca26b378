"""Optimizers that do not get the rate that the user asks for."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import argument, last_name, mentions, own_calls, own_nodes, same, walk
from ..checkpoint.in_place import is_setting
from ..shared.loops import OPTIMIZERS
from .step import name_of
from .still_rates import has_rates_set

# a flag for the rate of every optimizer, and none for that of one of them
RATE = re.compile(r"^((base|init|initial|start)_?)?(lr|learning_?rate)$", re.I)
CYCLES = ("OneCycleLR", "CyclicLR")


@rule(
    "TG421",
    "this optimizer ignores the learning-rate flag",
    why="""One branch creates the optimizer from the flags, the other from hard-coded numbers: with
    the other optimizer `--lr` has no effect, though it is logged.""",
    remedy="give both the same settings",
    source=f"{STABLE}/optim.html",
    bad="""
import torch


def build(model, args):
    if args.optimizer == "adam":
        optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)  # <--
    return optimizer
""",
    good="""
import torch


def build(model, args):
    if args.optimizer == "adam":
        optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    return optimizer
""",
    severity=Severity.WARNING,
)
def deaf(module: Module) -> Iterator[Spot]:
    for node in walk(module.tree) if any(module.torch_calls(*OPTIMIZERS)) else ():
        if not isinstance(node, ast.If) or not node.orelse or only_some_may_come(module, node):
            continue
        sides = [
            [c for s in block for c in own_calls(s) if module.is_torch(c.func, *OPTIMIZERS)]
            for block in (node.body, node.orelse)
        ]
        if [len(side) for side in sides] != [1, 1]:
            continue
        for one, other in (sides, sides[::-1]):
            asked, fixed = argument(one[0], 1, "lr"), argument(other[0], 1, "lr")
            if (
                asked is not None
                and is_setting(asked)
                and RATE.match(name_of(asked))
                and isinstance(fixed, ast.Constant)
                and not mentions(node.test, name_of(asked))
                and same(argument(one[0], 0, "params"), argument(other[0], 0, "params"))
                and last_name(other[0].func) != "LBFGS"
                and not sets_rates(module, other[0])
            ):
                yield Spot(other[0])


def sets_rates(module: Module, optimizer: ast.Call) -> bool:
    """Whether something gives the optimizer another rate later: a loop, or a cyclic schedule."""
    made = module.parents[optimizer]
    target = made.targets[0] if isinstance(made, ast.Assign) else None
    return has_rates_set(module, target) or any(
        name in other.calls for other in module.project.near(module) for name in CYCLES
    )


def only_some_may_come(module: Module, node: ast.If) -> bool:
    """Whether the function asserts which values there are, so that the last branch may be none."""
    return any(
        isinstance(one, ast.Assert)
        and isinstance(one.test, ast.Compare)
        and isinstance(one.test.ops[0], ast.In)
        for one in own_nodes(module.function(node))
    )
