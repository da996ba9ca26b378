"""What the rules on devices ask: is there always a GPU, and did this process write the file?"""

import ast

from ...kept import kept
from ...project import Module
from ...syntax import (
    last_name,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    same,
    walk,
    written,
)
from ..shared.states import plain_saves
from ..shared.weights_alone import is_left_as_made
from .lost_place import is_optimizer_state


def insists_on_a_gpu(module: Module) -> bool:
    """Whether a file ends at once where there is none: `assert torch.cuda.is_available()`."""
    for call in module.calls.get("is_available", ()):
        parent = module.parents[call]
        if isinstance(parent, ast.Assert):
            return True
        negated = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
        test: ast.AST = parent if negated else call
        around = module.parents[test]
        if not isinstance(around, ast.If) or around.test is not test:
            continue
        without = around.body if negated else around.orelse
        if without and (isinstance(without[-1], ast.Raise) or own_calls(without[-1], "exit")):
            return True
    return False


@kept
def replaces_load(module: Module) -> bool:
    """Whether a file of the program puts another function in the place of `torch.load`."""
    return any("torch.load" in other.assigned for other in module.project.near(module))


@kept
def saves_from_the_cpu(module: Module) -> bool:
    """Whether all weights that a program saves are on the CPU then."""
    states = [
        is_moved_before(other, call) or ".cpu()" in text or all_on_the_cpu(other, call)
        for other in module.project.near(module)
        for call in plain_saves(other)
        for text in [text_of(other, call.args[0])]
        if not is_optimizer_state(other, call.args[0])
        and ("state_dict" in text or ".cpu()" in text or is_moved_before(other, call))
    ]
    return bool(states) and all(states)


def text_of(module: Module, given: ast.expr) -> str:
    """How what is saved is written, and what its name stands for."""
    values = module.value_in(given, module.function(given)) if isinstance(given, ast.Name) else []
    return " ".join(map(ast.unparse, [given, *values]))


def all_on_the_cpu(module: Module, save: ast.Call) -> bool:
    """Whether the models whose states are saved were made, or moved, to be on the CPU."""
    given = save.args[0]
    models = [
        receiver(one)
        for value in (given, *module.value_in(given, module.function(save)))
        for one in walk(value)
        if isinstance(one, ast.Call) and last_name(one.func) == "state_dict"
    ]
    return bool(models) and all(one and is_on_the_cpu(module, one, save) for one in models)


def is_on_the_cpu(module: Module, model: ast.expr, save: ast.Call) -> bool:
    """Whether `model.cpu()` is the last move before it is saved, or a function moves nothing."""
    scope = module.function(save)
    moves = [one for one in own_calls(scope, "cpu", "cuda", "to") if one.lineno < save.lineno]
    own = [one for one in moves if same(receiver(one), model)]
    if own or moves or not isinstance(model, ast.Name):
        last = own[-1] if own else None
        given = any(mentions(one, "cpu") for one in last.args) if last else False
        return given or (last is not None and last_name(last.func) == "cpu")
    known = bool(module.value_in(model, scope)) or isinstance(scope, ast.Module)
    return known and is_left_as_made(module, scope, model)


def is_moved_before(module: Module, save: ast.Call) -> bool:
    """Whether the tensors of what is saved are moved first: `state[key] = value.cpu()`.

    Or those of a state that is put into it after that.
    """
    scope = module.function(save)
    put = [
        node.value
        for node in own_nodes(scope)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Subscript)
        and same(node.targets[0].value, save.args[0])
    ]
    return any(
        isinstance(target, ast.Subscript)
        and any(same(target.value, one) for one in (save.args[0], *put))
        and (".cpu()" in (text := ast.unparse(one.value)) or (".to(" in text and "cpu" in text))
        for one in own_nodes(scope)
        if isinstance(one, ast.Assign) and one.lineno < save.lineno
        for target in one.targets
    )


def written_before(module: Module, load: ast.Call) -> bool:
    """Whether the same path was handed to something that saves: `EarlyStopping(path)`."""
    path = load.args[0] if load.args else None
    if path is None or not written(path):
        return False
    for call in own_calls(module.function(load)):
        if call.lineno >= load.lineno or not any(same(one, path) for one in call.args):
            continue
        if "stop" in last_name(call.func).lower():
            return True  # of a library: it keeps the best weights
        makers = module.project.classes_named(module, call.func) or ()
        for _, maker in (*makers, *module.project.resolve(module, call)):
            if any(
                isinstance(n, ast.Call) and written(n.func) == "torch.save" for n in walk(maker)
            ):
                return True
    return False


def is_for_everyone(module: Module, load: ast.Call) -> bool:
    """Whether the file is downloaded, or holds what others trained: mostly it is for a CPU too."""
    words = ("download", "urlretrieve", "wget")
    return mentions(load, "backbone", "basenet", "imagenet") or any(
        mentions(one.func, *words) for one in own_calls(module.function(load))
    )
