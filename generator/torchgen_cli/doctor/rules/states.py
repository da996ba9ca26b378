"""What the rules on checkpoints ask: what is saved?"""

import ast
from collections.abc import Iterator

from ..project import Module
from ..syntax import last_name, receiver, same, written
from .layers import makes_module, unmoved


def values_of(module: Module, name: ast.expr, near: ast.AST) -> list[ast.expr]:
    """What a name is given in its function, or else in the file."""
    scope = module.function(near)
    return module.value_in(name, scope) or module.value_in(name, module.tree)


def is_model(module: Module, node: ast.expr, near: ast.AST) -> bool:
    """Whether it is a whole module: made as one, or used as one in this file."""
    node = bare(node)
    if not written(node):
        return makes_module(module, node)
    values = list(unmoved(values_of(module, node, near)))
    if any(makes_module(module, value) or is_wrapped(module, value) for value in values):
        return True
    if values and not all(isinstance(v, ast.Call) and is_torchvision(module, v) for v in values):
        return False
    if values:
        return True
    scope = module.function(near)
    if isinstance(scope, ast.Module) or last_name(node).lower() not in ("model", "net", "network"):
        return False
    methods = ("state_dict", "parameters", "eval", "train", "zero_grad", "named_parameters")
    return any(
        same(receiver(call), node) for name in methods for call in module.calls.get(name, ())
    )


def bare(node: ast.expr) -> ast.expr:
    """The model in `deepcopy(model).half()`, `unwrap(model).cpu()` and the like."""
    while isinstance(node, ast.Call):
        name, owner = last_name(node.func), receiver(node)
        if name in ("half", "float", "cpu", "bfloat16") and owner is not None and not node.args:
            node = owner
        elif len(node.args) == 1 and (name == "deepcopy" or "parallel" in name or "unwrap" in name):
            node = node.args[0]
        else:
            break
    return node


def is_torchvision(module: Module, call: ast.Call) -> bool:
    """Whether it makes a model of torchvision or timm."""
    whole = module.qualified(call.func)
    return whole.startswith("torchvision.models.") or whole == "timm.create_model"


def saves(module: Module) -> Iterator[ast.Call]:
    """Calls of `torch.save` with something to save."""
    for call in module.torch_calls("save"):
        if module.qualified(call.func) == "torch.save" and call.args:
            yield call


def is_wrapped(module: Module, value: ast.expr) -> bool:
    """Whether it makes a wrapper that spreads a model over devices."""
    if not isinstance(value, ast.Call):
        return False
    return any(
        isinstance(inner, ast.Call)
        and module.is_torch(inner.func)
        and module.qualified(inner.func).endswith("DataParallel")
        for inner in unmoved([value])
    )


def value_before(module: Module, name: ast.expr, near: ast.Call) -> ast.expr | None:
    """What a name was last given before a place in its function; for other things, themselves."""
    if not isinstance(name, ast.Name):
        return name
    values = module.value_in(name, module.function(near))
    before = [value for value in values if value.lineno < near.lineno]
    return before[-1] if before else None
