"""Layers that are made where they are used."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import rule
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    is_constant,
    keyword,
    last_name,
    own_calls,
    own_nodes,
    parameters,
    receiver,
    walk,
    written,
)
from ..shared.layers import DOCS, MOVES, module_classes

WITH_PARAMETERS = (
    *("Linear", "Bilinear", "Embedding", "EmbeddingBag", "MultiheadAttention"),
    *("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"),
    *("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"),
    *("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"),
    *("TransformerEncoderLayer", "TransformerDecoderLayer", "TransformerEncoder"),
)
NORMS = ("LayerNorm", "GroupNorm")


@rule(
    "TG320",
    "a layer or parameter created in `forward` is never trained",
    why="""Each forward pass creates a new layer, with new random weights: no optimizer has them and
    no checkpoint holds them. A parameter that each pass creates is lost in the same way: the
    optimizer still steps the one that it replaced. A batch norm created there has no running
    statistics either, so it also normalises by the batch in evaluation.""",
    remedy="create the layer in `__init__`, and call it in `forward`",
    source=f"{DOCS}/torch.nn.Module.html",
    bad="""
from torch import nn


class Head(nn.Module):
    def forward(self, x):
        return nn.Linear(8, 2)(x)  # <--
""",
    good="""
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        return self.out(x)
""",
)
def made_in_forward(module: Module) -> Iterator[ast.AST]:
    names = (*WITH_PARAMETERS, *NORMS, "Parameter")
    if not any(any(name in held for name in names) for held in (module.calls, module.imports)):
        return
    for node in module_classes(module):
        for method in run_in_forward(node):
            for call in own_calls(method):
                made = is_used_here(module, method, call) and makes_layers(module, call)
                if made or is_kept_parameter(module, call):
                    yield call


def is_kept_parameter(module: Module, call: ast.Call) -> bool:
    """Whether each pass gives an attribute a new parameter, whatever it was before."""
    statement = module.parents[call]
    return (
        module.qualified(call.func) in ("torch.nn.Parameter", "torch.nn.parameter.Parameter")
        and isinstance(statement, ast.Assign)
        and all(isinstance(one, ast.Attribute) for one in statement.targets)
        and isinstance(module.parents[statement], FUNCTIONS)
        and not is_constant(argument(call, 1, "requires_grad"), False)
        and not is_put_aside(module, call, statement.targets)
    )


def is_put_aside(module: Module, call: ast.Call, targets: list[ast.expr]) -> bool:
    """Whether an input is kept for others to look at, and nothing of the class computes with it."""
    function, data = module.function(call), argument(call, 0, "data")
    if not isinstance(function, FUNCTIONS) or written(data or call) not in parameters(function):
        return False
    names = {written(one) for one in targets}
    return not any(
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and written(node) in names
        for node in walk(module.class_of(call) or module.tree)
    )


def run_in_forward(node: ast.ClassDef) -> list[Function]:
    """`forward`, and the methods that it calls and the constructor does not."""
    methods = {one.name: one for one in node.body if isinstance(one, FUNCTIONS)}
    first = called_from(methods, "__init__")
    return [methods[name] for name in called_from(methods, "forward") - first]


def called_from(methods: dict[str, Function], first: str) -> set[str]:
    """The names of a method and of those that it calls on its object."""
    found: set[str] = set()
    pending = [first]
    for name in pending:  # it grows
        if name in methods and name not in found:
            found.add(name)
            for call in own_calls(methods[name]):
                owner = receiver(call)
                if owner is not None and written(owner) == "self":
                    pending.append(last_name(call.func))
    return found


def makes_layers(module: Module, call: ast.Call) -> bool:
    """Whether it makes a layer with parameters, by itself or by a function of the project."""
    if is_trainable(module, call):
        return True
    if not isinstance(call.func, ast.Name):
        return False
    made = [
        (other, one.value)
        for other, function in module.project.resolve(module, call)
        for one in own_nodes(function)
        if isinstance(one, ast.Return)
    ]
    return bool(made) and all(
        isinstance(one, ast.Call) and is_trainable(other, one) for other, one in made
    )


def is_trainable(module: Module, call: ast.Call) -> bool:
    """Whether it makes a layer of torch's with parameters or statistics."""
    if not module.qualified(call.func).startswith("torch.nn."):
        return False
    if module.is_torch(call.func, *NORMS):
        affine = keyword(call, "elementwise_affine") or keyword(call, "affine")
        return not is_constant(affine, False)
    return module.is_torch(call.func, *WITH_PARAMETERS)


def is_used_here(module: Module, method: Function, call: ast.Call) -> bool:
    """Whether the method applies the new layer as it is, and always makes it."""
    if any(isinstance(one, ast.With) for one in module.ancestors(call)):
        return False  # under no_grad it may be meant as it is
    made: ast.AST = call
    parent = module.parents[made]
    while isinstance(parent, ast.Attribute) and parent.attr in MOVES:
        made = module.parents[parent]  # nn.Linear(8, 2).to(x.device)
        parent = module.parents[made]
    if isinstance(parent, ast.Call):
        return parent.func is made
    if not isinstance(parent, ast.Assign) or len(parent.targets) != 1:
        return False
    name = written(parent.targets[0])
    if "." in name and any(isinstance(one, ast.If | ast.Try) for one in module.ancestors(call)):
        return False  # made once, where it is not there yet
    changed = any(
        written(node).startswith(f"{name}.") and not isinstance(module.parents[node], ast.Call)
        for node in own_nodes(method)
        if isinstance(node, ast.Attribute)
    )
    called = any(written(one.func) == name for one in own_calls(method))
    return bool(name) and called and not changed


@rule(
    "TG325",
    "a one-dimensional convolution gets a two-dimensional kernel",
    why="""`nn.Conv1d` creates a weight of four dimensions from it, and torch rejects every input
    since 1.11: three dimensions do not fit the weight, and four are too many for `conv1d`.""",
    remedy="use `nn.Conv2d`",
    source=f"{DOCS}/torch.nn.Conv1d.html",
    bad="""
from torch import nn

layer = nn.Conv1d(8, 8, kernel_size=(1, 3))  # <--
""",
    good="""
from torch import nn

layer = nn.Conv2d(8, 8, kernel_size=(1, 3))
""",
)
def kernel_of_two_sides(module: Module) -> Iterator[ast.AST]:
    if module.project.stays_before_torch("1.11"):
        return
    for call in module.torch_calls("Conv1d", "ConvTranspose1d"):
        size = argument(call, 2, "kernel_size")
        if isinstance(size, ast.Tuple) and len(size.elts) == 2:
            yield call
