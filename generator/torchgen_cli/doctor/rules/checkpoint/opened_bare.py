"""Where models are wrapped, and where weights are opened with and without the prefix."""

import ast

from ...project import Module
from ...syntax import (
    argument,
    is_constant,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    same,
    written,
)
from ...unreached import is_unreached
from ..shared.states import is_wrapped, plain_saves, saves, value_before
from ..shared.weights_alone import is_script
from .handed import given_for, last_given, wrapped_elsewhere
from .opens_anywhere import goes_to_a_model


def is_wanted_bare(module: Module, model: ast.expr, keyed: bool) -> bool:
    """Whether the same file saves the bare model as well, or another script opens one.

    A script that saves something itself opens that.
    """
    bare = [
        call
        for call in module.calls.get("state_dict", ())
        if ".module" in written(receiver(call) or call) and saved(module, call)
    ]
    if bare:
        return any(written(receiver(call) or call) == f"{written(model)}.module" for call in bare)
    others = (other for other in module.project.near(module) if other is not module)
    scripts = (one for one in others if is_script(one) and not plain_saves(one))
    return any(opens_bare(one, keyed) for one in scripts)


def opens_bare(module: Module, keyed: bool) -> bool:
    """Whether a file loads what it opens into a model, name by name, and wraps none before.

    Where the state was saved under a key of a table, it takes no whole file for a state.
    """
    first = min((one.lineno for one in wraps(module)), default=None)
    return any(
        isinstance(receiver(call), ast.Name)
        and not is_constant(argument(call, 1, "strict"), False)
        and (first is None or call.lineno < first)
        and goes_to_a_model(module, load)
        and not is_unreached(module, load)
        and not is_given_wrapped(module, receiver(call))
        and not (keyed and is_whole(module, load))
        for call in module.calls.get("load_state_dict", ())
        for load in module.torch_calls("load")
        if module.function(load) is module.function(call)
    )


def is_given_wrapped(module: Module, model: ast.expr | None) -> bool:
    """Whether all callers of a function give it a model that their class has wrapped."""
    if not isinstance(model, ast.Name):
        return False
    given = list(given_for(module, module.function(model), model.id))
    return bool(given) and all(wrapped_elsewhere(*one) for one in given)


def is_whole(module: Module, load: ast.Call) -> bool:
    """Whether nothing is taken out of what a call opens: `model.load_state_dict(state)`."""
    around = module.parents[load]
    targets = around.targets if isinstance(around, ast.Assign) else []
    names = {written(one) for one in targets} - {""}
    return isinstance(around, ast.Assign | ast.Call) and not any(
        isinstance(one, ast.Subscript | ast.Attribute | ast.Compare | ast.For)
        and any(written(part) in names for part in ast.iter_child_nodes(one))
        for one in own_nodes(module.function(load))
    )


def opens_wrapped(module: Module) -> bool:
    """Whether a file loads into a model that it has wrapped."""
    wrapped = [(written(one.targets[0]), one) for one in wraps(module)]
    return any(
        written(receiver(call) or call) == name
        and (one.lineno < call.lineno or module.function(one) is not module.function(call))
        for call in module.calls.get("load_state_dict", ())
        for name, one in wrapped
    )


def opens_given_wrapped(module: Module) -> bool:
    """Whether a file loads into a model that a function gave it, which wraps each that it gives."""
    for call in module.calls.get("load_state_dict", ()):
        model = receiver(call)
        made = last_given(module, model) if isinstance(model, ast.Name) else None
        for one in own_calls(made) if made is not None else ():
            for other, function in module.project.resolve(module, one):
                own = (wrap for wrap in wraps(other) if other.function(wrap) is function)
                if any(not isinstance(other.parents[wrap], ast.If) for wrap in own):
                    return True
    return False


def opens_again(module: Module, value: ast.expr) -> bool:
    """Whether the class that hands its wrapped model over loads what was saved into the same."""
    node = module.class_of(value)
    return node is not None and any(
        isinstance(value, ast.Attribute)
        and same(receiver(call), value)
        and module.class_of(call) is node
        and not any(
            is_wrapped(module, one.value) and module.function(one) is module.function(call)
            for one in module.assigned.get(written(value), ())
        )
        for call in module.calls.get("load_state_dict", ())
    )


def wraps(module: Module) -> list[ast.Assign]:
    """Where a file wraps models."""
    return [
        one
        for statements in module.assigned.values()
        for one in statements
        if is_wrapped(module, one.value)
    ]


def saved(module: Module, call: ast.Call) -> bool:
    """Whether what a call gives is saved, at once or by way of a dict in the same function."""
    names = set()
    for around in module.ancestors(call):
        if isinstance(around, ast.Call) and last_name(around.func).startswith("save"):
            return True
        if isinstance(around, ast.Assign):
            target = around.targets[0]
            names.add(written(target.value if isinstance(target, ast.Subscript) else target))
            break
        if isinstance(around, ast.stmt):
            return False
    scope = module.function(call)
    near = [save for save in saves(module) if module.function(save) is scope]
    return any(written(save.args[0]) in names - {""} for save in near) or any(
        isinstance(content := value_before(module, save.args[0], save), ast.Dict)
        and any(is_only_named(module, value, call) for value in content.values)
        for save in near
    )


def is_only_named(module: Module, value: ast.expr, call: ast.Call) -> bool:
    """Whether a name stands for what a call gives, and for nothing else."""
    return isinstance(value, ast.Name) and [call] == module.value_in(value, module.function(call))
