"""Parameters that an optimizer gets more than once."""

import ast
from collections.abc import Iterator

from ..project import Module
from ..rule import rule
from ..syntax import FUNCTIONS, last_name, own_calls, receiver, walk, written
from .loops import OPTIMIZERS

MODULE = "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html"


@rule(
    "TG430",
    "the optimizer gets each parameter once for each level of nesting",
    why="""`modules()` goes through all modules below, and `parameters()` of each through all
    parameters below it: those of a nested layer come two or three times. The optimizer takes them
    so (a warning is all that it says), and makes each step that often.""",
    remedy="go through `parameters()` of the outermost module alone, or pass `recurse=False`",
    source=f"{MODULE}#torch.nn.Module.modules",
    bad="""
import torch


def parts(model):
    for layer in model.modules():
        for parameter in layer.parameters():  # <--
            yield parameter


def build(model):
    return torch.optim.SGD(parts(model), lr=0.1)
""",
    good="""
import torch


def parts(model):
    for parameter in model.parameters():
        yield parameter


def build(model):
    return torch.optim.SGD(parts(model), lr=0.1)
""",
)
def nested_parameters(module: Module) -> Iterator[ast.AST]:
    for outer in module.loops:
        if not isinstance(outer, ast.For) or not goes_through(outer.iter, "modules"):
            continue
        name = written(outer.target)
        for inner in walk(outer):
            if not isinstance(inner, ast.For) or not goes_through(inner.iter, "parameters"):
                continue
            assert isinstance(inner.iter, ast.Call)
            if written(receiver(inner.iter) or inner.iter) != name or not name:
                continue
            if chooses(module, outer, inner) or not is_kept(inner):
                continue
            if trained(module, outer):
                yield inner


def goes_through(node: ast.expr, method: str) -> bool:
    """Whether it is a call of `modules()` or `parameters()` with their defaults."""
    if not isinstance(node, ast.Call) or last_name(node.func) != method:
        return False
    return isinstance(node.func, ast.Attribute) and not node.args and not node.keywords


def chooses(module: Module, outer: ast.For, inner: ast.For) -> bool:
    """Whether only some modules are taken, or only parameters that are not there yet."""
    between = [one for one in module.ancestors(inner) if outer in module.ancestors(one)]
    skips = any(isinstance(node, ast.Continue | ast.Break) for node in walk(outer))
    compares = any(
        isinstance(op, ast.In | ast.NotIn)
        for node in walk(inner)
        if isinstance(node, ast.Compare)
        for op in node.ops
    )
    return skips or compares or any(isinstance(one, ast.If) for one in between)


def is_kept(inner: ast.For) -> bool:
    """Whether the parameters are handed out, or put into a list."""
    name = written(inner.target)
    for node in walk(inner):
        if isinstance(node, ast.Yield) and node.value is not None and written(node.value) == name:
            return True
        if isinstance(node, ast.Call) and last_name(node.func) == "append" and node.args:
            return any(written(one) == name for one in walk(node.args[0]))
    return False


def trained(module: Module, loop: ast.For) -> bool:
    """Whether an optimizer gets what the function around hands out, as far as names tell."""
    function = module.function(loop)
    near = module.project.near(module)
    made = [call for other in near for call in other.torch_calls(*OPTIMIZERS)]
    if not isinstance(function, FUNCTIONS):
        return bool(list(module.torch_calls(*OPTIMIZERS)))
    if any(module.is_torch(call.func, *OPTIMIZERS) for call in own_calls(function)):
        return True
    return bool(made) and any(function.name in other.calls for other in near)
