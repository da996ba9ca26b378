"""The names in a loop over a loader that hold a batch."""

import ast

from ...syntax import Loop, last_name, own_nodes, receiver, walk, written

# what may leave no axis for the batch
REDUCING = ("item", "max", "mean", "min", "norm", "prod", "select", "sum")


def batch_names(loop: Loop) -> set[str]:
    """The names of what a loop takes from its loader, also after `.to(device)` or unpacking."""
    found = {written(one) for one in walk(getattr(loop, "target", loop))} - {""}
    for _ in range(2):
        for node in own_nodes(loop):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    found |= taken_over(target, node.value, found)
    return found


def taken_over(target: ast.expr, value: ast.expr, names: set[str]) -> set[str]:
    """The targets that get a batch: `y = y.to(device)`, `x, y = batch`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        return {name for one, got in pairs for name in taken_over(one, got, names)}
    if root(value) not in names:
        return set()
    return {written(one) for one in walk(target)} - {""}


def root(value: ast.expr) -> str:
    """The name that methods are called on, or that is indexed: `batch["y"].to(device)`."""
    while True:
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            value = value.func.value
        elif isinstance(value, ast.Subscript | ast.Attribute):
            value = value.value
        else:
            return written(value)


def of_batch(squeeze: ast.Call, names: set[str], loop: Loop) -> bool:
    """Whether what is squeezed has the axis of the batch: taken from it, or made of it."""
    owner = receiver(squeeze)
    value = squeeze.args[0] if squeeze.args else owner
    if value is None:
        return False
    for one in walk(value):
        if isinstance(one, ast.Subscript) and written(one.value) not in names:
            return False  # the first of the batch, or of several results
        if isinstance(one, ast.Call) and last_name(one.func) in REDUCING:
            return False
    known = names | made_of(loop, names)
    return any(isinstance(one, ast.Name) and one.id in known for one in walk(value))


def made_of(loop: Loop, names: set[str]) -> set[str]:
    """The names in a loop of what is computed from a batch: `output = model(x)`."""
    found = set(names)
    statements = [node for node in own_nodes(loop) if isinstance(node, ast.Assign)]
    for _ in range(4):
        for node in statements:
            used = {one.id for one in walk(node.value) if isinstance(one, ast.Name)}
            if used & found:
                found |= {written(one) for target in node.targets for one in walk(target)}
    return found - {""}
