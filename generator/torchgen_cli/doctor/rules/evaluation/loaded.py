"""Where a network that was read from a file runs, in a file that trains nothing."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Loop,
    argument,
    everything,
    keyword,
    last_name,
    parameters,
    receiver,
    written,
)
from ..shared.layers import MOVES, module_classes, unmoved
from ..shared.loops import OPTIMIZERS
from ..shared.origins import origins
from ..shared.states import is_model, plain_saves
from .switched import running_loop

TRAINS = ("backward", "zero_grad", "train", *OPTIMIZERS)
# what differs from mode to mode, and where models come from that may have it
MODAL = ("BatchNorm", "Dropout", "SyncBatchNorm", "Transformer", "dropout", "batch_norm", "rrelu")
WRAPPERS = ("DataParallel", "DistributedDataParallel")
LIBRARIES = ("timm", "torchvision.models", "transformers", "segmentation_models_pytorch")


def loaded_loops(module: Module) -> Iterator[tuple[Loop, ast.Call, ast.expr]]:
    """(loop, the call of the network in it, the network); the first loop of each scope."""
    if any(name in module.calls for name in TRAINS):
        return
    told: set[ast.AST] = set()
    for network, statement in loaded(module):
        scope = module.function(statement)
        for later in () if scope in told else after(module, statement):
            found = running_loop(module, later, network)
            if found is not None:
                told.add(scope)
                yield (*found, network)
                break


def loaded(module: Module) -> Iterator[tuple[ast.expr, ast.stmt]]:
    """(network, the statement that reads its weights, or all of it, from a file)."""
    for call in module.calls.get("load_state_dict", ()):
        owner, statement = receiver(call), module.parents[call]
        if owner is not None and written(owner) and isinstance(statement, ast.Expr):
            yield owner, statement
    for call in module.torch_calls("load"):
        value: ast.AST = call
        while isinstance(module.parents[value], ast.Subscript) or is_moved(module, value):
            value = module.parents[value]  # torch.load(path)["model"].to(device)
        statement = module.parents[value]
        if isinstance(statement, ast.Assign) and written(statement.targets[0]):
            yield statement.targets[0], statement


def is_moved(module: Module, value: ast.AST) -> bool:
    """Whether a value is moved: it is in `value.to(device)`, or the method in the call of it."""
    around = module.parents[value]
    if isinstance(around, ast.Attribute):
        return around.attr in MOVES
    return isinstance(around, ast.Call) and last_name(value) in MOVES and around.func is value


def was_saved_with_modes(module: Module, network: ast.expr) -> bool:
    """Whether all whole networks that the program saves have such layers, as the one it reads."""
    saved = [
        (other, call.args[0])
        for other in module.project.near(module)
        for call in plain_saves(other)
        if is_model(other, call.args[0], call)
    ]
    return bool(saved) and all(surely_has_modes(*one) for one in saved)


def after(module: Module, statement: ast.stmt) -> Iterator[ast.stmt]:
    """What runs after a statement in its function: of its block, and of those around."""
    scope = module.function(statement)
    yield from module.following(statement)
    for around in module.ancestors(statement):
        if around is scope:
            return
        if isinstance(around, ast.stmt):
            yield from module.following(around)


def has_modes(module: Module, network: ast.expr) -> bool:
    """Whether a network has layers that do other things in training, as far as can be told."""
    values = unmoved([one.value for one in module.assigned.get(written(network), ())])
    calls = [value for value in values if isinstance(value, ast.Call)]
    found = [one for call in calls for one in module.project.classes_named(module, call.func) or ()]
    return any(holds_modes(other, node, set()) for other, node in found)


def holds_modes(module: Module, node: ast.ClassDef, seen: set[ast.AST]) -> bool:
    """Whether a class, or one of the project's classes that it makes, has such layers."""
    seen.add(node)
    for call in (one for one in everything(node) if isinstance(one, ast.Call)):
        made = module.project.classes_named(module, call.func) or ()
        if not made and last_name(call.func).startswith(MODAL) and follows_the_mode(call):
            return True
        if any(one not in seen and holds_modes(other, one, seen) for other, one in made):
            return True
    return False


def follows_the_mode(call: ast.Call) -> bool:
    """Whether it makes a layer, or a function of torch is told the mode of the model."""
    told = keyword(call, "training")
    functional = last_name(call.func)[:1].islower()
    return not functional or (told is not None and last_name(told) == "training")


def surely_has_modes(module: Module, network: ast.expr) -> bool:
    """Whether a network is seen to be of a class with such layers, or of a library that has them.

    It may have been given by a caller, and be wrapped for several GPUs.
    """
    pending = list(origins(module, network))
    for where, value in pending:  # it grows
        for made in unmoved([value]):
            if isinstance(made, ast.Call) and last_name(made.func) in WRAPPERS and made.args:
                pending += origins(where, made.args[0]) if len(pending) < 50 else ()
            elif isinstance(made, ast.Call):
                found = where.project.classes_named(where, made.func) or ()
                if where.qualified(made.func).startswith(LIBRARIES):
                    return True
                if any(holds_modes(other, node, set()) for other, node in found):
                    return True
            elif made is not value:
                pending += origins(where, made) if len(pending) < 50 else ()
            elif isinstance(made, ast.Name) and len(pending) < 50:
                for other, given in given_to_objects(where, made):
                    pending += origins(other, given)
    return False


def given_to_objects(module: Module, name: ast.Name) -> Iterator[tuple[Module, ast.expr]]:
    """What a parameter of `__init__` is, by the calls that make objects of the class."""
    made, around = module.function(name), module.class_of(name)
    if not isinstance(made, FUNCTIONS) or made.name != "__init__" or around is None:
        return
    names = parameters(made)
    if name.id not in (*names, *(one.arg for one in made.args.kwonlyargs)):
        return
    place = names.index(name.id) if name.id in names else len(names)
    for other, call in module.project.callers.get(around.name, ()):
        value = argument(call, place, name.id)
        if value is not None and (module, around) in (
            module.project.classes_named(other, call.func) or ()
        ):
            yield other, value


def knows_modes(module: Module) -> bool:
    """Whether a model of the program may do other things in training: it has dropout, norms, ...

    A model that is made elsewhere may as well.
    """
    near = module.project.near(module)
    made = any("Linear" in other.calls or any(module_classes(other)) for other in near)
    if not made:
        return True
    if any(
        name.startswith(MODAL) or name == "create_model" for other in near for name in other.calls
    ):
        return True
    loads = (
        other.qualified(call.func)
        for other in near
        for call in other.calls.get("load", ())
        if not other.name.endswith("hubconf.py")  # which shows how others load this model
    )
    return "torch.hub.load" in loads or any(
        whole.startswith(LIBRARIES) for other in near for whole in other.imports.values()
    )
