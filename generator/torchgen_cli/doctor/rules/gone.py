"""What fails, or does nothing, with every torch and numpy of these years."""

import ast
import re
from collections.abc import Iterator

from packaging.version import Version

from ..project import Module
from ..rule import Severity, Spot, rule
from ..syntax import is_constant, last_name
from .deprecated import uses
from .graphs import under

LOSS = re.compile(r"loss|criterion|entropy", re.I)
GONE = {
    "numpy.float": "float, or numpy.float64",
    "numpy.int": "int",
    "numpy.bool": "bool",
    "numpy.object": "object",
    "numpy.str": "str",
    "numpy.complex": "complex",
    "collections.Iterable": "collections.abc.Iterable",
    "collections.Mapping": "collections.abc.Mapping",
    "collections.Sequence": "collections.abc.Sequence",
    "collections.Callable": "collections.abc.Callable",
    "time.clock": "time.perf_counter",
    "torch._six.string_classes": "str",
    "torch._six.int_classes": "int",
    "torch._six.container_abcs": "collections.abc",
    "torch._six.inf": "math.inf",
    "torchvision.transforms.Scale": "torchvision.transforms.Resize",
    "torchvision.transforms.RandomSizedCrop": "torchvision.transforms.RandomResizedCrop",
    "scipy.spatial.transform.Rotation.from_dcm": "Rotation.from_matrix",
    "scipy.misc.imread": "imageio.imread",
    "scipy.misc.imsave": "imageio.imwrite",
    "scipy.misc.imresize": "PIL.Image.resize",
}


@rule(
    "TG811",
    "a loss has no element 0",
    why="""Since torch 0.5 the mean of a loss has no dimensions, and `loss.data[0]` is an
    IndexError: the first step, or the first evaluation, ends the run.""",
    remedy="write `loss.item()`",
    source="https://pytorch.org/blog/pytorch-0_4_0-migration-guide/",
    bad="""
def train(model, loader, optimizer, loss_of):
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        total += loss.data[0]  # <--
    return total
""",
    good="""
def train(model, loader, optimizer, loss_of):
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total
""",
    once=True,
)
def first_of_a_loss(module: Module) -> Iterator[Spot]:
    old = module.project.stays_before_torch("0.5")
    for node in module.attributes:
        around = module.parents[node]
        if (
            node.attr == "data"
            and isinstance(around, ast.Subscript)
            and is_constant(around.slice, 0)
            and LOSS.search(last_name(getattr(node.value, "func", node.value)))
            and isinstance(around.ctx, ast.Load)
            and not module.is_fallback(node)
        ):
            yield Spot(around, unsure=old)


@rule(
    "TG812",
    "`volatile` does nothing",
    why="""Torch 0.4 took it away and ignores it: the evaluation computes graphs for gradients,
    with several times the memory.""",
    remedy="put the evaluation under `torch.no_grad()`",
    source="https://pytorch.org/blog/pytorch-0_4_0-migration-guide/",
    bad="""
from torch.autograd import Variable


def predict(model, images):
    model.eval()
    return model(Variable(images, volatile=True))  # <--
""",
    good="""
import torch


@torch.no_grad()
def predict(model, images):
    model.eval()
    return model(images)
""",
    severity=Severity.WARNING,
    once=True,
)
def volatile(module: Module) -> Iterator[Spot]:
    old = module.project.stays_before_torch("0.4")
    for node in module.keywords:
        call = module.parents[node]
        if (
            node.arg == "volatile"
            and is_constant(node.value, True)
            and isinstance(call, ast.Call)
            and last_name(call.func) == "Variable"
            and not under(module, call)
        ):
            yield Spot(call, unsure=old)


@rule(
    "TG813",
    "this name was removed from its library",
    why="""It raises an AttributeError or ImportError with every release of these years. One place
    is shown for each name.""",
    remedy="use the name behind the colon",
    source="https://numpy.org/doc/stable/release/1.24.0-notes.html",
    bad="""
import numpy as np
import torch


def targets(labels):
    return torch.from_numpy(labels.astype(np.float))  # <--
""",
    good="""
import numpy as np
import torch


def targets(labels):
    return torch.from_numpy(labels.astype(np.float64))
""",
    in_tests=True,
    once=True,
)
def gone(module: Module) -> Iterator[Spot]:
    for spot in uses(module, GONE):
        if not is_tried(module, spot.node):
            yield spot._replace(unsure=has_it_still(module, spot.detail))


def has_it_still(module: Module, name: str) -> bool:
    """Whether the project is pinned to a numpy or scipy that has a name."""
    library = name.partition(".")[0]
    pinned = module.project.pinned(library) if library in ("numpy", "scipy") else None
    first = Version("1.24") if library == "numpy" else Version("1.2")  # that lacks some
    return pinned is not None and pinned < first


def is_tried(module: Module, node: ast.AST) -> bool:
    """Whether it is an import that something else is imported in place of, where it fails."""
    around = module.parents.get(node)
    return isinstance(node, ast.ImportFrom) and isinstance(around, ast.Try) and node in around.body
