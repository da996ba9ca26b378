"""The last checkpoint, where there is a best one beside it."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import last_name, mentions, own_calls, walk
from ..shared.states import value_before
from .checkpoint import SAVING


@rule(
    "TG617",
    "the best epoch is not saved as the last checkpoint",
    why="""The last checkpoint is written only if the epoch was not the best: after a best epoch it
    holds an older one, and a run that resumes from it repeats these epochs. Until an epoch is not
    the best there is none at all.""",
    remedy="save the last checkpoint in every epoch, in addition to the best",
    source=SAVING,
    bad="""
import torch


def keep(model, optimizer, epoch, is_best):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    if is_best:
        torch.save(state, f"best-{epoch}.pt")
    else:
        torch.save(state, f"last-{epoch}.pt")  # <--
""",
    good="""
import torch


def keep(model, optimizer, epoch, is_best):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    torch.save(state, f"last-{epoch}.pt")
    if is_best:
        torch.save(state, f"best-{epoch}.pt")
""",
    severity=Severity.WARNING,
)
def stale_last(module: Module) -> Iterator[Spot]:
    for node in walk(module.tree) if any("save" in name for name in module.calls) else ():
        if not isinstance(node, ast.If) or not node.orelse or not mentions(node.test, "best"):
            continue
        best, last = (saves_below(block) for block in (node.body, node.orelse))
        if len(best) != 1 or len(last) != 1 or not last[0].args or not best[0].args:
            continue
        given = [one.args[0] for one in (*best, *last)]
        if ast.unparse(given[0]) == ast.unparse(given[1]) and resumable(module, last[0]):
            yield Spot(last[0])


def saves_below(block: list[ast.stmt]) -> list[ast.Call]:
    """The calls in some statements that save something."""
    return [c for s in block for c in own_calls(s) if "save" in last_name(c.func).lower()]


def resumable(module: Module, call: ast.Call) -> bool:
    """Whether what is saved holds an optimizer, as what a run is gone on from."""
    content = value_before(module, call.args[0], call)
    return isinstance(content, ast.Dict) and mentions(content, "optim")
