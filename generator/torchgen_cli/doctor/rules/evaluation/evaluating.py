"""What the rules on evaluation ask: where does a model go through data?"""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    is_constant,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    same,
    walk,
    written,
)
from ..data.data import EVALUATION
from ..shared.networks import classes_of_network
from ..shared.origins import origins

LOADERS = re.compile(r"loader|dataset|batches|(^|_)(dl|data|iterator)$", re.I)
# what is held out of the training, as corpora name it; "dev" alone is often a device
HELD_OUT = re.compile(r"(^|[^a-z])(dev|testing)_?(data|set|loader|iter|batch|examples)", re.I)
MODELS = re.compile(r"^(model|net|network|classifier|resnet|unet)$|_(model|net)$", re.I)
NO_NETWORK = re.compile(r"loss|crit|metric|score|dist|psnr|ssim|lpips|augment|transform", re.I)
NO_FORWARD = ("print", "save", "getattr", "hasattr", "setattr", "isinstance", "zip")
# `self.save_model(path)`, which does something with a model, and does not run it
WITH_MODEL = re.compile(r"^_?(build|copy|create|export|get|init|load|make|save|set\w*|update)_")
# what a program repeats over, and is no data: `range(runs_val)`, `VALIDATION_METRICS`
NO_DATA = re.compile(r"(^|_)(folds?|metrics|repeats?|runs?|scores|seeds?|trials?)(_|$)", re.I)
LEARNS = re.compile(r"^(fit|learn|train)_")
WRAPPERS = ("enumerate", "tqdm", "iter", "trange", "track", "log_every")


def evaluation_loops(
    module: Module, by_class: bool = False
) -> Iterator[tuple[ast.For, ast.Call, Function | ast.Module]]:
    """(loop over evaluation data, the call of the model in it, the function around).

    A model is known by its name, or, if wanted, by its class as well.
    """
    for loop in module.loops:
        if not isinstance(loop, ast.For):
            continue
        scope = module.function(loop)
        source = looped_over(loop.iter)
        named = isinstance(scope, FUNCTIONS) and (
            EVALUATION.search(scope.name) or switched_off(scope)
        )
        told = EVALUATION.search(source) or HELD_OUT.search(source)
        if NO_DATA.search(source) or not (told or (named and LOADERS.search(source))):
            continue
        if "train" in source.lower() or own_calls(scope if named else loop, "backward"):
            continue
        if own_calls(loop, "DataLoader", "load_state_dict"):
            continue  # over models, each with its data
        if isinstance(loop.target, ast.Name) and own_calls(loop, loop.target.id):
            continue  # over functions that evaluate
        calls = own_calls(loop)
        if any(LEARNS.match(last_name(one.func)) for one in calls):
            continue
        call = next((c for c in calls if calls_model(c) or runs_model(module, c)), None)
        if call is None and by_class:
            call = next((c for c in calls if calls_network(module, c)), None)
        if call is not None and not inside_another(module, loop):
            yield loop, call, scope


def switched_off(scope: Function) -> bool:
    """Whether a function puts a model into evaluation, whatever it is called."""
    return any(not call.args for call in own_calls(scope, "eval")) and not any(
        not call.args or is_constant(call.args[0], True) for call in own_calls(scope, "train")
    )


def looped_over(node: ast.expr) -> str:
    """The name of what is looped over, without `enumerate` and the like."""
    while isinstance(node, ast.Call) and node.args and last_name(node.func) in WRAPPERS:
        node = node.args[0]
    if isinstance(node, ast.Call):  # batches(val_loader, device)
        return " ".join(filter(None, map(written, [node.func, *node.args])))
    if isinstance(node, ast.Subscript):  # loaders["val"] is loaders_val
        key = node.slice.value if isinstance(node.slice, ast.Constant) else ""
        return f"{written(node.value)}_{key}" if isinstance(key, str) else ""
    return written(node)


def goes_through_data(module: Module, loop: ast.AST) -> bool:
    """Whether a loop takes the batches of a set, one after the other, and steps no environment."""
    if not isinstance(loop, ast.For):
        return False
    if any(written(receiver(call) or call).startswith("env") for call in own_calls(loop, "step")):
        return False
    counted = isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) in ("range", "trange")
    if counted:  # instances[number * size : ...]
        used = any(
            isinstance(node, ast.BinOp | ast.Subscript)
            and any(isinstance(one, ast.Name) and same(one, loop.target) for one in walk(node))
            for node in own_nodes(loop)
        )
        return (used and mentions(loop, "batch")) or takes_items(loop)
    made = [one for _, one in origins(module, loop.iter) if isinstance(one, ast.Call)]
    if any(last_name(one.func) == "next" for one in made):
        return False  # one batch
    source = looped_over(loop.iter)
    named = any(one.search(source) for one in (EVALUATION, HELD_OUT, LOADERS))
    return bool(named) or any(last_name(one.func) == "DataLoader" for one in made)


def takes_items(loop: ast.For) -> bool:
    """Whether a loop counts through a set: `testset[number]`, `loader.load_data()` each time."""
    counts = loop.iter.args if isinstance(loop.iter, ast.Call) else []
    if all(isinstance(one, ast.Constant) for one in counts):
        return False  # a few samples
    for node in own_nodes(loop):
        owner: ast.expr | None = None
        taken: list[ast.expr] = []
        if isinstance(node, ast.Call):
            owner, taken = receiver(node), node.args
        elif isinstance(node, ast.Subscript):
            owner, taken = node.value, [node.slice]
        name = last_name(owner) if owner is not None else ""
        if (LOADERS.search(name) or EVALUATION.search(name)) and (
            same(taken[0], loop.target) if taken else isinstance(node, ast.Call)
        ):
            return True
    return False


def calls_model(call: ast.Call) -> bool:
    """Whether a model is called, by its name, or given to a function together with data."""
    given = [written(argument) for argument in call.args]
    if len(given) > 1 and MODELS.search(given[0]) and last_name(call.func) not in NO_FORWARD:
        return True
    if not written(call.func) or isinstance(call.func, ast.Attribute):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if owner is None or written(owner) != "self":
            return False
    name = last_name(call.func)
    return bool(call.args and MODELS.search(name)) and not WITH_MODEL.match(name)


def calls_network(module: Module, call: ast.Call) -> bool:
    """Whether a variable is called that surely holds a network of the project, and no loss."""
    if not isinstance(call.func, ast.Name) or not call.args or NO_NETWORK.search(call.func.id):
        return False
    found = list(classes_of_network(module, call.func))
    return bool(found) and not any(NO_NETWORK.search(node.name) for _, node in found)


def runs_model(module: Module, call: ast.Call) -> bool:
    """Whether a method of the same object is called that calls its model."""
    if written(call.func).rpartition(".")[0] != "self":
        return False
    around = module.class_of(call)
    return any(
        isinstance(method, FUNCTIONS)
        and method.name == last_name(call.func)
        and any(calls_model(inner) for inner in own_calls(method))
        and not own_calls(method, "backward")
        for method in (around.body if around is not None else ())
    )


def inside_another(module: Module, loop: ast.For) -> bool:
    """Whether the loop is part of a loop over the same kind of data."""
    return any(
        isinstance(around, ast.For) and EVALUATION.search(looped_over(around.iter))
        for around in module.loops_around(loop)
    )
