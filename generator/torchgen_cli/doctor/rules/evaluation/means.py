"""Lists whose mean is taken, in whatever words."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import last_name, own_calls, own_nodes, receiver, same, written

NUMPY = ("numpy.mean", "numpy.average", "numpy.nanmean", "statistics.mean", "statistics.fmean")
MAKERS = ("array", "asarray", "stack", "tensor", "FloatTensor", "Tensor")


def averaged(module: Module, scope: ast.AST) -> set[str]:
    """The names of the lists in a function of which a mean is taken."""
    return {name for name in map(written, mean_of(module, scope)) if name}


def mean_of(module: Module, scope: ast.AST) -> Iterator[ast.expr]:
    """What a mean is taken of."""
    for call in own_calls(scope, "mean", "average", "nanmean", "fmean"):
        whole, owner = module.qualified(call.func), receiver(call)
        if whole in (*NUMPY, "torch.mean") and call.args:
            yield made_of(call.args[0])
        elif isinstance(owner, ast.Call) and not call.args:  # np.array(losses).mean()
            yield made_of(owner)
    for node in own_nodes(scope):  # sum(losses) / len(losses)
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
            continue
        total, count = node.left, node.right
        if (
            isinstance(total, ast.Call)
            and isinstance(count, ast.Call)
            and (last_name(total.func), last_name(count.func)) == ("sum", "len")
            and total.args
            and count.args
            and same(total.args[0], count.args[0])
        ):
            yield total.args[0]


def made_of(node: ast.expr) -> ast.expr:
    """The list in `np.array(losses)`, `torch.stack(losses)`."""
    if isinstance(node, ast.Call) and last_name(node.func) in MAKERS and node.args:
        return node.args[0]
    return node
