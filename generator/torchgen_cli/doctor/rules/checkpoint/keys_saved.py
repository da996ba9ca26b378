"""The keys of what a program saves."""

import ast
import re

from ...kept import kept
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    argument,
    has_stars,
    last_name,
    own_calls,
    own_nodes,
    parameters,
    receiver,
    written,
)
from ..shared.states import filled_in, is_model, plain_saves, takes, value_before

SAVING = re.compile(r"save_?\w*(checkpoint|ckpt|state|model)|^(async_)?save$", re.I)


@kept
def keys_saved(first: Module) -> frozenset[str] | None:
    """The keys of the dicts that a program, known by its first file, saves; None if unsure."""
    near = first.project.near(first)
    keys: set[str] = set()
    for module in near:
        if saves_by_others(module):
            return None
        for call in plain_saves(module):
            found = keys_of(module, call.args[0], call)
            if found is None:
                return None
            keys |= found
    return frozenset(keys)


def saves_by_others(module: Module) -> bool:
    """Whether something saves that is not code of this program, so that nobody knows what."""
    return any(
        SAVING.search(name) is not None
        and module.qualified(call.func) != "torch.save"
        and not module.project.resolve(module, call)
        and not harmless(module, call)
        for name, calls in module.calls.items()
        for call in calls
    )


def harmless(module: Module, call: ast.Call) -> bool:
    """Whether it saves an array or a picture: `np.save(path, x)`, `image.save(path)`."""
    whole = module.qualified(call.func)
    if whole.startswith(("numpy.", "torchvision.", "matplotlib.", "PIL.", "scipy.")):
        return True
    return last_name(call.func) == "save" and whole.partition(".")[0] not in module.imports.values()


def keys_of(module: Module, given: ast.expr, near: ast.Call, depth: int = 3) -> set[str] | None:
    """The keys of what is saved, also of what callers give; None where that is not known."""
    scope, name = module.function(near), written(given)
    if isinstance(given, ast.Call) and last_name(given.func) in ("state_dict", "deepcopy"):
        return set()
    if isinstance(given, ast.Name) and takes(scope, name):
        return keys_given(module, scope, name, depth)
    if is_model(module, given, near):
        return set()
    content = filled_in(module, scope, name, value_before(module, given, near))
    if isinstance(content, ast.Call) and last_name(content.func) == "state_dict":
        return set()
    if not isinstance(content, ast.Dict) or (name and changed(scope, name)):
        return None
    keys = {one.value for one in content.keys if isinstance(one, ast.Constant)}
    known = len(keys) == len(content.keys) and all(isinstance(one, str) for one in keys)
    return {str(one) for one in keys} if known else None


def keys_given(module: Module, scope: ast.AST, name: str, depth: int) -> set[str] | None:
    """The keys of what all callers of a function give for a parameter."""
    if not isinstance(scope, FUNCTIONS) or not depth or changed(scope, name):
        return None
    names = parameters(scope)
    calls = list(module.project.calls_of(module, scope))
    if name not in names or not calls:
        return None
    keys: set[str] = set()
    for other, call in calls:
        value = None if has_stars(call) else argument(call, names.index(name), name)
        found = keys_of(other, value, call, depth - 1) if value is not None else None
        if found is None:
            return None
        keys |= found
    return keys


def changed(scope: ast.AST, name: str) -> bool:
    """Whether keys are put into a dict in a way that is not followed."""
    if any(written(receiver(c) or c) == name for c in own_calls(scope, "update", "setdefault")):
        return True
    return takes(scope, name) and any(
        isinstance(one, ast.Subscript) and written(one.value) == name and not is_read(one)
        for one in own_nodes(scope)
    )


def is_read(node: ast.Subscript) -> bool:
    """Whether what a key stands for is asked for, and not set."""
    return isinstance(node.ctx, ast.Load)
