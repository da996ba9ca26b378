"""Training goes on in the mode that evaluation left."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import is_constant, last_name, own_calls, own_nodes, receiver, walk, written
from ..shared.graphs import mentions_no_graph
from ..shared.origins import called
from .loaded import knows_modes

FIXED = re.compile(r"teacher|ema|frozen|pretrained|ref|target|disc", re.I)  # not what is trained


@rule(
    "TG503",
    "after the first evaluation, training goes on in evaluation mode",
    why="""`eval()` stays in effect until `train()` is called. From the second epoch on there is no
    dropout, and batch norm neither uses nor updates batch statistics. It is a hint where no model
    in the program has such a layer, and in a function that nothing calls.""",
    remedy="call `model.train()` at the start of each epoch",
    source=f"{STABLE}/generated/torch.nn.Module.html#torch.nn.Module.train",
    bad="""
import torch


def fit(model, train_loader, val_loader, optimizer, loss_of, epochs):
    model.train()
    for epoch in range(epochs):
        for batch in train_loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        model.eval()  # <--
        with torch.no_grad():
            for images, labels in val_loader:
                print((model(images).argmax(1) == labels).sum())


def main(model, loaders, optimizer, loss_of):
    fit(model, *loaders, optimizer, loss_of, epochs=90)
""",
    good="""
import torch


def fit(model, train_loader, val_loader, optimizer, loss_of, epochs):
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            for images, labels in val_loader:
                print((model(images).argmax(1) == labels).sum())


def main(model, loaders, optimizer, loss_of):
    fit(model, *loaders, optimizer, loss_of, epochs=90)
""",
)
def stays_in_eval(module: Module) -> Iterator[Spot]:
    if module.project.has_framework(module):
        return
    for loop in module.loops:
        if any(True for _ in module.loops_around(loop)) and not steps_in(module, loop):
            continue
        trained = {written(owner) for owner in trained_models(module, loop)}
        switched = [call for call in own_calls(loop, "eval") if switches_off(call)]
        found = [call for call in switched if written(call.func).removesuffix(".eval") in trained]
        found = found[:1] or list(evaluating_call(module, loop))
        found = [call for call in found if not comes_to_an_end(module, loop, call)]
        if not found or any(map(goes_back, own_nodes(loop))) or trains_elsewhere(module, loop):
            continue
        nodes = list(module.project.reached(module, loop))
        trains = any(isinstance(n, ast.Call) and last_name(n.func) == "backward" for n in nodes)
        if trains and not any(goes_back(n) for n in nodes) and not on_purpose(module, loop):
            yield from (Spot(call, unsure=not knows_modes(module)) for call in found)


def switches_off(call: ast.Call) -> bool:
    """Whether it is `model.eval()` on something with a name."""
    owner = receiver(call)
    if owner is None or not written(owner) or call.args:
        return False
    if FIXED.search(last_name(owner)):
        return False
    return isinstance(call.func, ast.Attribute) and call.func.attr == "eval"


def steps_in(module: Module, loop: ast.AST) -> bool:
    """Whether gradients are computed in a loop itself: it goes through batches."""
    return any(next(module.loops_around(c)) is loop for c in own_calls(loop, "backward"))


def comes_to_an_end(module: Module, loop: ast.AST, call: ast.Call) -> bool:
    """Whether the model is not trained on after a switch, or is meant to be trained so.

    It is made anew in the loop, the loop is left, the last epoch is asked for, or the switch stands
    right before the training.
    """
    switched = written(receiver(call) or call)
    anew = (n for n in own_nodes(loop) if isinstance(n, ast.Assign))
    if switched and any(written(target) == switched for one in anew for target in one.targets):
        return True
    target = walk(loop.target) if isinstance(loop, ast.For) else ()
    counted = {one.id for one in target if isinstance(one, ast.Name)}
    for around in module.ancestors(call):
        if around is loop:
            break
        if isinstance(around, ast.If) and (
            asks_for_one(around.test, counted)
            or isinstance(around.body[-1], ast.Break | ast.Return)
        ):
            return True
    trained = [one.lineno for one in own_calls(loop, "backward")]
    between = (
        node
        for node in own_nodes(loop)
        if trained and call.lineno <= getattr(node, "lineno", 0) <= min(trained)
    )
    return bool(trained) and call.lineno < min(trained) and not any(map(mentions_no_graph, between))


def asks_for_one(test: ast.expr, counted: set[str]) -> bool:
    """Whether a condition holds for one round of a loop: `epoch == last`, not `epoch % 5 == 0`."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    parts = list(walk(test))
    rhythm = any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) for one in parts)
    return not rhythm and any(isinstance(one, ast.Name) and one.id in counted for one in parts)


def on_purpose(module: Module, loop: ast.AST) -> bool:
    """Whether what trains in a loop of epochs puts a network into evaluation: a frozen one."""
    functions = [one for call in own_calls(loop) for _, one in module.project.resolve(module, call)]
    return any(own_calls(one, "backward") and own_calls(one, "eval") for one in functions)


def goes_back(node: ast.AST) -> bool:
    """Whether it puts a model back into training, or restores the mode that it had."""
    if isinstance(node, ast.Attribute) and node.attr == "training":
        return isinstance(node.ctx, ast.Store)
    if not isinstance(node, ast.Call) or last_name(node.func) != "train":
        return False
    if isinstance(node.func, ast.Name):  # a function that is called so: it was followed
        return False
    return len(node.args) < 2 and not any(is_constant(one, False) for one in node.args)


def trains_elsewhere(module: Module, loop: ast.AST) -> bool:
    """Whether a loop calls a function that trains, by its name, and is not seen."""
    return any(
        isinstance(call.func, ast.Name)
        and "train" in call.func.id.lower()
        and not module.project.resolve(module, call)
        for call in own_calls(loop)
    )


def trained_models(module: Module, loop: ast.AST) -> Iterator[ast.expr]:
    """The models that are called, or handed on, in the loop where gradients are computed."""
    for call in own_calls(loop, "backward"):
        inner = next(module.loops_around(call), None)
        for other in own_calls(inner) if inner is not None else ():
            if written(other.func):
                yield other.func
            yield from (a for a in other.args if written(a))


def evaluating_call(module: Module, loop: ast.AST) -> Iterator[ast.Call]:
    """The call, in an epoch's loop, of the one function that switches the trained model to eval."""
    handed = [
        (call, found[0][1])
        for call in own_calls(loop)
        if len(found := called(module, call) or module.project.resolve(module, call)) == 1
    ]
    trained = {
        written(argument)
        for call, function in handed
        if own_calls(function, "backward")
        for argument in call.args
    }
    trained.update(written(owner) for owner in trained_models(module, loop))
    for call, function in handed:
        own = written(receiver(call) or call) == "self"  # self.evaluate()
        if not (own or isinstance(call.func, ast.Name)) or own_calls(function, "backward"):
            continue
        names = [argument.arg for argument in function.args.args]
        given = dict(zip(names, (written(a) for a in call.args), strict=False))
        owners = [written(o) for inner in own_calls(function, "eval") if (o := receiver(inner))]
        set_there = (n for n in own_nodes(function) if isinstance(n, ast.Assign))
        copied = {written(target) for one in set_there for target in one.targets}
        owners = [one for one in owners if one not in copied]
        if own:
            given = {one: one for one in owners if one.startswith("self.")}
        if any(given.get(one) in trained - {""} for one in owners):
            yield call
            return
