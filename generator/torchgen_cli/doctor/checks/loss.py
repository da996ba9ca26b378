"""Checks of what a loss gets."""

import ast
from collections.abc import Iterator

from ..file import File, method
from ..rule import Place, rule

F = "torch.nn.functional"
SOFTMAX = (f"{F}.softmax", "torch.softmax", ".softmax", "torch.nn.Softmax")
SIGMOID = (f"{F}.sigmoid", "torch.sigmoid", ".sigmoid", "torch.nn.Sigmoid")


def is_made_by(file: File, node: ast.expr, names: tuple[str, ...]) -> bool:
    """Whether a value comes straight from one of these functions, layers or models that end so."""
    call = file.local_value(node)
    if not isinstance(call, ast.Call):
        return False
    layer = call.func if isinstance(call.func, ast.Call) else file.value(call.func)
    made = file.dotted(layer.func) if isinstance(layer, ast.Call) else ""
    if f".{method(call)}" in names or file.dotted(call.func) in names or made in names:
        return True  # softmax(x), x.softmax(1), nn.Softmax(1)(x)
    if made == "torch.nn.Sequential" and layer.args:  # type: ignore[attr-defined]
        return file.dotted(getattr(layer.args[-1], "func", None)) in names  # type: ignore[attr-defined]
    forwards = [forward for cls, forward in file.methods("forward") if cls.name == made]
    ends = [one.value for forward in forwards for one in file.all(ast.Return, within=forward)]
    return bool(ends) and all(end is not None and is_made_by(file, end, names) for end in ends)


def losses_of(
    file: File, function: tuple[str, ...], layer: tuple[str, ...], names: tuple[str, ...]
) -> Iterator[Place]:
    """Calls of these losses whose first argument is made by one of `names`."""
    for call in file.all(ast.Call):
        named = isinstance(call.func, ast.Name | ast.Attribute)
        loss = file.dotted(call.func) in function or (named and file.made_by(call.func) in layer)
        if loss and call.args and is_made_by(file, call.args[0], names):
            yield call


@rule("TG304")
def softmax_of_a_softmax(file: File) -> Iterator[Place]:
    """The loss applies softmax to a softmax.

    Cross-entropy takes logits and applies log-softmax itself. To it, probabilities look like almost
    equal logits: gradients are small, and the loss cannot reach zero.
    Remedy: Pass the loss the logits of the last layer.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html

    - loss = F.cross_entropy(F.softmax(model(images), dim=1), labels)
    + loss = F.cross_entropy(model(images), labels)
    """
    yield from losses_of(file, (f"{F}.cross_entropy",), ("torch.nn.CrossEntropyLoss",), SOFTMAX)


@rule("TG326")
def sigmoid_before_logits(file: File) -> Iterator[Place]:
    """The loss takes logits, but gets the output of a sigmoid.

    After a sigmoid, the values lie between 0 and 1. The loss takes them for logits: gradients are
    small, and the loss cannot reach zero.
    Remedy: Pass the loss the logits of the last layer.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html

      criterion = nn.BCEWithLogitsLoss()
    - loss = criterion(torch.sigmoid(model(images)), masks)
    + loss = criterion(model(images), masks)
    """
    functions = (f"{F}.binary_cross_entropy_with_logits", f"{F}.cross_entropy")
    layers = ("torch.nn.BCEWithLogitsLoss", "torch.nn.CrossEntropyLoss")
    yield from losses_of(file, functions, layers, SIGMOID)


@rule("TG330")
def nll_of_probabilities(file: File) -> Iterator[Place]:
    """The loss takes log-probabilities, but gets probabilities.

    `nll_loss` picks the value of each label and changes its sign: it takes no logarithm. With
    probabilities it goes down to -1 instead of 0, and its gradient is that of another loss.
    `kl_div` takes the logarithm of its target only.
    Remedy: Pass it `F.log_softmax(scores, dim=...)`.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.nll_loss.html

    - loss = F.nll_loss(F.softmax(model(images), dim=1), labels)
    + loss = F.nll_loss(F.log_softmax(model(images), dim=1), labels)
    """
    functions = (f"{F}.nll_loss", f"{F}.kl_div")
    yield from losses_of(file, functions, ("torch.nn.NLLLoss", "torch.nn.KLDivLoss"), SOFTMAX)
