"""What has been through a sigmoid or a softmax, and goes on to what takes scores."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import argument, is_constant, last_name, mentions, receiver, written
from ..shared.criteria import kinds, loss_calls, makers
from ..shared.latest import unshaped
from ..shared.layers import DOCS
from ..shared.origins import Place
from .softmax import ends_in_softmax, is_softmax, sequence_ends_in

PARALLEL = ("DataParallel", "DistributedDataParallel")
SIGMOIDS = {"sigmoid", "Sigmoid"}
BOUNDING = {"clamp", "clip", "hardtanh", "tanh"}
TAKE_SCORES = {"BCEWithLogitsLoss", "binary_cross_entropy_with_logits"}
TAKE_SCORES |= {"CrossEntropyLoss", "cross_entropy", "MultiLabelSoftMarginLoss"}


@rule(
    "TG326",
    "the loss takes logits, but gets the output of a sigmoid",
    why="""`BCEWithLogitsLoss` takes logits, and so does cross-entropy. After a sigmoid, the values
    lie between 0 and 1: gradients are small, and the loss cannot reach zero; in an evaluation it
    differs from the training loss.""",
    remedy="pass the loss the logits of the last layer",
    source=f"{DOCS}/torch.nn.BCEWithLogitsLoss.html",
    bad="""
import torch
from torch import nn

criterion = nn.BCEWithLogitsLoss()


def loss_of(model, images, masks):
    return criterion(torch.sigmoid(model(images)), masks)  # <--
""",
    good="""
import torch
from torch import nn

criterion = nn.BCEWithLogitsLoss()


def loss_of(model, images, masks):
    return criterion(model(images), masks)
""",
)
def double_sigmoid(module: Module) -> Iterator[ast.AST]:
    seen: set[ast.AST] = set()
    for call in loss_calls(module):
        given = argument(call, 0, "input")
        value = None if given is None else unshaped(module, given, call)
        if not isinstance(value, ast.Call) or value in seen:
            continue
        if not is_sigmoid(module, value) and not of_model_with(module, value, "Sigmoid"):
            continue
        if kinds(module, call.func) <= TAKE_SCORES:
            seen.add(value)
            yield call


def is_sigmoid(module: Module, call: ast.Call) -> bool:
    """Whether a call gives what comes right out of a sigmoid."""
    if module.is_torch(call.func, "sigmoid") or is_method(module, call, "sigmoid"):
        return True
    return kinds(module, call.func) <= SIGMOIDS


def of_model_with(module: Module, call: ast.Call, layer: str) -> bool:
    """Whether a model is called that ends in a layer of this kind, whichever it may be."""
    models = list(models_of(module, call.func))
    return bool(models) and all(
        isinstance(one, ast.Call) and ends_in(where, one, layer) for where, one in models
    )


def models_of(module: Module, called: ast.expr) -> Iterator[Place]:
    """What may be called, with `nn.DataParallel(...)` put aside."""
    for where, one in makers(module, called):
        if isinstance(one, ast.Call) and one.args and where.is_torch(one.func, *PARALLEL):
            yield from makers(where, one.args[0])
        else:
            yield where, one


def ends_in(module: Module, made: ast.Call, layer: str) -> bool:
    """Whether it makes a model whose last step is a sigmoid, or a softmax."""
    if sequence_ends_in(module, made, layer):
        return True
    found = module.project.classes_named(module, made.func) or ()
    is_last = is_sigmoid if layer == "Sigmoid" else is_softmax
    return len(found) == 1 and ends_in_softmax(*found[0], is_last, layer)


def is_method(module: Module, call: ast.Call, name: str) -> bool:
    """Whether a method of a tensor is called, and not that of an object or a package."""
    owner = receiver(call)
    if owner is None or last_name(call.func) != name:
        return False
    roots = {*module.imports, "self", "cls"}
    return written(owner).partition(".")[0] not in roots


@rule(
    "TG327",
    "the logarithm is taken of a probability that may be zero",
    why="""In float32 a softmax gives 0 for a score about a hundred below the highest, and one minus
    a sigmoid for a score of 17; in half precision much sooner. The logarithm is then minus
    infinity, and the gradient NaN. `log_softmax` and `logsigmoid` are exact. This is a hint, as few
    models come to such scores.""",
    remedy="use `F.log_softmax(x, dim)`, `F.logsigmoid(x)`, or `F.logsigmoid(-x)` for one minus it",
    source=f"{DOCS}/torch.nn.functional.log_softmax.html",
    bad="""
import torch
import torch.nn.functional as F


def loss_of(scores, labels):
    return F.nll_loss(torch.log(F.softmax(scores, dim=1)), labels)  # <--
""",
    good="""
import torch.nn.functional as F


def loss_of(scores, labels):
    return F.nll_loss(F.log_softmax(scores, dim=1), labels)
""",
    severity=Severity.HINT,
    once=True,
)
def log_of_probability(module: Module) -> Iterator[ast.Call]:
    for call in module.calls.get("log", ()):
        given = call.args[0] if module.is_torch(call.func, "log") and call.args else receiver(call)
        if given is None or (call.args and given is not call.args[0]):
            continue
        value = unshaped(module, given, call)
        if isinstance(value, ast.BinOp) and is_one_less(value):
            value = unshaped(module, value.right, call)
        if not isinstance(value, ast.Call):
            continue
        if not is_bounded(module, value) and (
            is_sigmoid(module, value)
            or is_softmax(module, value)
            or kinds(module, value.func) <= {"Softmax"}
        ):
            yield call


def is_bounded(module: Module, value: ast.Call) -> bool:
    """Whether the scores are kept small before: `torch.softmax(torch.tanh(x), 1)`."""
    scores = [*value.args[:1], receiver(value)]
    calls = [unshaped(module, one, value) for one in scores if one is not None]
    return any(isinstance(one, ast.Call) and last_name(one.func) in BOUNDING for one in calls)


def is_one_less(value: ast.BinOp) -> bool:
    """Whether it is `1 - x`."""
    return isinstance(value.op, ast.Sub) and is_constant(value.left, 1, 1.0)


def without_gradients(module: Module, node: ast.AST, depth: int = 2) -> bool:
    """Whether no gradient is computed, so that an infinite number may do no harm."""
    for around in module.ancestors(node):
        asked = getattr(around, "items", getattr(around, "decorator_list", []))
        if any(mentions(one, "no_grad", "inference_mode") for one in asked):
            return True
    calls = list(module.project.calls_of(module, module.function(node))) if depth else []
    return bool(calls) and all(without_gradients(*one, depth - 1) for one in calls)
