"""Which weights a program tests at its end."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import blocks, last_name, mentions, own_calls, own_nodes, written
from ..shared.loops import is_backward
from .on_test import STOPPER, TEST, is_saving_stopper

EVALUATES = re.compile(r"^(run_|do_)?(test|eval|evaluate|evaluation|validate|inference)", re.I)
BEST = ("best", "improve", "lowest", "highest")
LOADS = re.compile(r"load|restore|resume|best|swap|ema", re.I)


@rule(
    "TG509",
    "the final test uses the last weights, not the best ones",
    why="""The loop saves a checkpoint when the score is the best, but the final test uses the model
    in memory, which was trained further: the reported score belongs to no checkpoint that was
    chosen.""",
    remedy="load the best checkpoint before the test",
    source="https://docs.pytorch.org/tutorials/beginner/transfer_learning_tutorial.html",
    bad="""
import torch


def fit(model, epochs, run_epoch, evaluate, val_loader, test_loader, path):
    best = 0.0
    for epoch in range(epochs):
        run_epoch(model).backward()
        score = evaluate(model, val_loader)
        if score > best:
            best = score
            torch.save(model.state_dict(), path)
    print("test:", evaluate(model, test_loader))  # <--
""",
    good="""
import torch


def fit(model, epochs, run_epoch, evaluate, val_loader, test_loader, path):
    best = 0.0
    for epoch in range(epochs):
        run_epoch(model).backward()
        score = evaluate(model, val_loader)
        if score > best:
            best = score
            torch.save(model.state_dict(), path)
    model.load_state_dict(torch.load(path, map_location="cpu"))
    print("test:", evaluate(model, test_loader))
""",
    severity=Severity.WARNING,
)
def tests_the_last(module: Module) -> Iterator[ast.AST]:
    if module.project.has_framework(module):
        return
    for scope in (module.tree, *module.functions):
        for block in blocks(scope):
            for place, loop in enumerate(block):
                if isinstance(loop, ast.For | ast.While) and keeps_the_best(module, loop):
                    yield from tested(module, loop, block[place + 1 :])


def tested(module: Module, loop: ast.For | ast.While, later: list[ast.stmt]) -> Iterator[ast.Call]:
    """Where test data are evaluated after the epochs, and nothing was loaded before."""
    trained = {written(one) for call in own_calls(loop) for one in call.args} - {""}
    if any(module.project.reaches(module, one, is_load, depth=2) for one in later):
        return  # the best one is tested too
    for statement in later:
        for call in own_calls(statement):
            given = [written(one) for one in (*call.args, *(k.value for k in call.keywords))]
            on_test = any(TEST.search(one) and "file" not in one for one in given)
            if EVALUATES.match(last_name(call.func)) and on_test and trained.intersection(given):
                yield call
                return
        if isinstance(statement, ast.Assign) and trained.intersection(
            map(written, statement.targets)
        ):
            return  # model = best_model
        if isinstance(statement, ast.If | ast.Return):
            return


def keeps_the_best(module: Module, loop: ast.For | ast.While) -> bool:
    """Whether a loop over epochs trains, and saves where a score is the best."""
    if not mentions(loop.iter if isinstance(loop, ast.For) else loop.test, "epoch"):
        return False
    saves = any(
        isinstance(node, ast.If)
        and asks_for_the_best(module, node.test)
        and any("save" in last_name(call.func).lower() for call in own_calls(node))
        for node in own_nodes(loop)
    )
    stops = any(STOPPER.search(written(call.func)) and call.args for call in own_calls(loop))
    if not saves and not (stops and any(map(is_saving_stopper, module.project.near(module)))):
        return False
    return module.project.reaches(module, loop, is_backward, depth=3)


def asks_for_the_best(module: Module, test: ast.expr) -> bool:
    """Whether a condition compares with the best score, or is what such a comparison gave."""
    values = module.value_in(test, module.function(test)) if isinstance(test, ast.Name) else []
    return any(
        isinstance(one, ast.Compare | ast.Name | ast.BoolOp) and mentions(one, *BEST)
        for one in (test, *values)
    )


def is_load(node: ast.AST) -> bool:
    """Whether other weights may be put into the model."""
    return isinstance(node, ast.Call) and LOADS.search(last_name(node.func)) is not None
