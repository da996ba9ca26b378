"""Calls that need a GPU, or heed which device was chosen."""

import ast
import re
from typing import TypeGuard

from ...project import Module
from ...syntax import keyword, last_name, mentions, receiver, written
from ..checkpoint.cpu_users import is_cuda
from .states import takes

# what fails where torch finds no GPU; `empty_cache`, `manual_seed` and others do nothing there
FAILING = {"current_device", "get_device_capability", "get_device_name", "get_device_properties"}
FAILING |= {"get_rng_state", "get_rng_state_all", "set_device", "set_rng_state", "synchronize"}
TYPES = ("torch.cuda.FloatTensor", "torch.cuda.LongTensor", "torch.cuda.ByteTensor")
MODEL = re.compile(r"(model|net|network)$", re.I)
# layers and losses of torch that hold no tensor, so that `.cuda()` moves nothing
EMPTY = re.compile(
    r"torch\.nn\.(\w*Pool[123]d|\w*Pad[123]d|\w*Dropout\w*|\w*ELU6?|\w*Shuffle|\w*Upsample"
    r"|(Log)?Softmax|Softplus|(Log)?Sigmoid|Tanh|Flatten|Identity|\w*Loss)$"
)
WEIGHTED = ("weight", "pos_weight")


def goes_to_the_device(module: Module, node: ast.AST) -> bool:
    """Whether it moves something to the device that was chosen: `.to(device)`."""
    if not is_call(node, "to"):
        return False
    given = [*node.args[:1], keyword(node, "device")]
    return any(
        one is not None and mentions(one, "device") and not names_cuda(module, one) for one in given
    )


def moves_to_gpu(module: Module, node: ast.AST) -> bool:
    """Whether it puts a tensor or a model on the GPU, whatever was chosen."""
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    if module.qualified(node.func) in TYPES:
        return True
    if name == "cuda":
        owner = receiver(node)
        # a method of the object's own class may do something else
        return owner is not None and written(owner) != "self" and not is_empty(module, owner)
    # what another function does with its device is for it to know
    made_there = keyword(node, "device") if module.is_torch(node.func) or name == "to" else None
    given = [*node.args[: name == "to"], made_there]
    return any(one is not None and names_cuda(module, one) for one in given)


def is_empty(module: Module, made: ast.expr) -> bool:
    """Whether a layer or a loss is made here that has no parameters and no buffers."""
    return (
        isinstance(made, ast.Call)
        and EMPTY.match(module.qualified(made.func)) is not None
        and not (last_name(made.func).endswith("Loss") and made.args)
        and not any(keyword(made, name) for name in WEIGHTED)
    )


def names_cuda(module: Module, node: ast.expr) -> bool:
    """Whether it is "cuda", `torch.device("cuda")`, or a name that stands for nothing else."""
    if is_cuda(node) or (is_call(node, "device") and any(map(is_cuda, node.args[:1]))):
        return True
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return False
    scope = module.function(node)
    given = module.assigned.get(node.id, ())
    own = [one for one in given if module.function(one) is scope]
    given = own or [one for one in given if module.function(one) is module.tree]
    return (
        not takes(scope, node.id)
        and bool(given)
        and all(
            module.parents[one] is module.function(one)  # under no condition
            and not isinstance(one.value, ast.Name)
            and names_cuda(module, one.value)
            for one in given
        )
    )


def is_of_whole_model(node: ast.AST) -> bool:
    """Whether it moves the model: `net.cuda()`, or `DataParallel(net).cuda()`."""
    owner = receiver(node) if isinstance(node, ast.Call) else None
    if isinstance(owner, ast.Call):
        return last_name(owner.func) in ("DataParallel", "DistributedDataParallel")
    return owner is not None and MODEL.search(last_name(owner)) is not None


def fails_without_gpu(module: Module, node: ast.AST) -> bool:
    """Whether it fails where torch finds no GPU, or was built for none."""
    if isinstance(node, ast.BinOp):
        divides = isinstance(node.op, ast.Mod | ast.Div | ast.FloorDiv)
        count = isinstance(node.right, ast.Call) and module.qualified(node.right.func)
        return divides and count == "torch.cuda.device_count"
    if isinstance(node, ast.Attribute):
        return module.qualified(node) == "torch.version.cuda.split"
    whole = module.qualified(node.func) if isinstance(node, ast.Call) else ""
    return whole.startswith("torch.cuda.") and whole.rpartition(".")[2] in FAILING


def is_call(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    """Whether it is a call of what has this name."""
    return isinstance(node, ast.Call) and last_name(node.func) == name
