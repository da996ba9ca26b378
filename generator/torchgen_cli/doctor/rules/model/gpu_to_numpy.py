"""Tensors on the GPU that are handed to NumPy."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import own_calls, receiver, written
from ..shared.on_device import Scope, is_under_choice, on_device

# what makes an array of a tensor, or of each tensor of a list
ARRAYS = {"array", "asarray", "concatenate", "hstack", "stack", "vstack"}
OF_LISTS = {"average", "max", "mean", "median", "min", "std", "sum", "var"}


@rule(
    "TG346",
    "a tensor that may be on the GPU is given to NumPy",
    why="""NumPy reads the memory of the CPU alone. The tensor was moved to the device of the
    program: on the CPU this works, and with a GPU it raises a TypeError.""",
    remedy="write `tensor.cpu().numpy()`, and `.item()` for a number",
    source=f"{STABLE}/generated/torch.Tensor.numpy.html",
    bad="""
import torch


def predict(model, loader):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device).eval()
    with torch.no_grad():
        for images in loader:
            images = images.to(device)
            yield model(images).numpy()  # <--
""",
    good="""
import torch


def predict(model, loader):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device).eval()
    with torch.no_grad():
        for images in loader:
            images = images.to(device)
            yield model(images).cpu().numpy()
""",
)
def read_by_numpy(module: Module) -> Iterator[Spot]:
    for call in module.calls.get("numpy", ()):
        owner, scope = receiver(call), Scope(module, module.function(call))
        if owner is not None and not is_under_choice(module, call) and on_device(scope, owner):
            yield Spot(call)
    for name in ARRAYS | OF_LISTS:
        for call in module.calls.get(name, ()):
            scope = Scope(module, module.function(call))
            if module.qualified(call.func) != f"numpy.{name}" or not call.args:
                continue
            if not is_under_choice(module, call) and is_of_gpu(scope, call.args[0], name):
                yield Spot(call)


def is_of_gpu(scope: Scope, given: ast.expr, function: str) -> bool:
    """Whether NumPy makes an array of a tensor on the GPU, or of a list of such tensors."""
    if isinstance(given, ast.List | ast.Tuple):
        return any(on_device(scope, one) for one in given.elts)
    added = [
        call
        for call in own_calls(scope.function, "append")
        if isinstance(given, ast.Name) and written(receiver(call) or call) == given.id and call.args
    ]
    if added:
        return all(on_device(scope, call.args[0]) for call in added)
    return function in ARRAYS and on_device(scope, given)
