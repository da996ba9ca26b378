"""Whether people who only use a model may load it on a machine without a GPU."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_nodes,
    receiver,
    walk,
    written,
)
from ..shared.loops import is_backward
from ..shared.scripts import reachable
from ..shared.weights_alone import is_script

KERNELS = (b"CUDAExtension", b"load_inline(", b"import cupy")  # which run on a GPU only
SWITCHES = {"cuda", "use_cuda", "gpu", "use_gpu"}
# a function that uses a model
USING = re.compile(r"test|eval|valid|infer|predict|demo|convert|sample|generat|export", re.I)
DEPTH = 4
Reached = tuple[tuple[Module, ast.AST], ...]


def serves_users_without_gpu(module: Module, load: ast.Call) -> bool:
    """Whether a program without training comes to this place, and needs no GPU on its way."""
    if any(map(module.project.contains, KERNELS)) or only_trains(module, load):
        return False
    ways = [
        found
        for one in module.project.code
        if one is module or module in reachable(one)
        for found in [reached(one)]
        if any(node is load for _, node in found)
    ]
    ways = ways or [tuple((module, node) for node in walk(module.tree))]
    return any(
        not any(is_backward(node) or asks_for_cuda(where, node) for where, node in way)
        for way in ways
    )


def only_trains(module: Module, load: ast.Call) -> bool:
    """Whether a place is in a script that trains, and in no part of it that uses a model."""
    scope = module.function(load)
    started = is_script(module) or isinstance(scope, ast.Module)
    uses = USING.search(getattr(scope, "name", "")) is not None
    return "backward" in module.calls and started and not uses


@kept
def reached(module: Module) -> Reached:
    """The nodes that a file comes to when it is started, each with its file."""
    found: list[tuple[Module, ast.AST]] = []
    seen: set[ast.AST] = set()
    pending: list[tuple[Module, ast.AST, int]] = [(module, module.tree, DEPTH)]
    for where, scope, left in pending:  # it grows
        nodes = own_nodes(scope) if isinstance(scope, ast.Module) else walk(scope)
        for node in nodes:
            found.append((where, node))
            if left and isinstance(node, ast.Call):
                for other, further in called(where, node):
                    if further not in seen:
                        seen.add(further)
                        pending.append((other, further, left - 1))
    return tuple(found)


def called(module: Module, call: ast.Call) -> Iterator[tuple[Module, ast.AST]]:
    """The functions that a call may run, with those of an object that it makes."""
    yield from module.project.resolve(module, call)
    for other, node in module.project.classes_named(module, call.func) or ():
        for item in node.body:
            if isinstance(item, FUNCTIONS) and item.name in ("__init__", "forward"):
                yield other, item


def asks_for_cuda(module: Module, node: ast.AST) -> bool:
    """Whether it works on a GPU alone, and no condition is around it."""
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    on_cuda = [*node.args[:1], keyword(node, "device")]
    asks = (
        (name == "cuda" and receiver(node) is not None)
        or written(node.func).startswith(("torch.cuda.FloatTensor", "torch.cuda.LongTensor"))
        or (name in ("to", "device") and any(is_cuda(one) for one in on_cuda))
        or is_cuda(keyword(node, "device"))
        or (name == "set_default_tensor_type" and mentions(node, "cuda"))
    )
    return asks and not any(map(is_condition, module.ancestors(node)))


def is_condition(node: ast.AST) -> bool:
    """Whether a machine without a GPU may come around it; not so where a layer's kind is asked."""
    if isinstance(node, ast.If | ast.IfExp):
        return not (isinstance(node.test, ast.Call) and last_name(node.test.func) == "isinstance")
    return isinstance(node, ast.Try)


def is_cuda(node: ast.AST | None) -> bool:
    """Whether it is "cuda", or one GPU's name."""
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and text.startswith("cuda")


def has_cuda_switch(module: Module) -> bool:
    """Whether a file has a flag as `--cuda`, and moves something to the GPU under it alone."""
    flags = {
        str(one.value).strip("-").replace("-", "_")
        for call in module.calls.get("add_argument", ())
        if is_constant(keyword(call, "action"), "store_true")
        for one in call.args
        if isinstance(one, ast.Constant)
    } & SWITCHES
    moves = [call for call in module.calls.get("cuda", ()) if receiver(call) is not None]
    return bool(flags and moves) and all(
        any(
            isinstance(around, ast.If | ast.IfExp)
            and any(last_name(one) in flags for one in walk(around.test))
            for around in module.ancestors(call)
        )
        for call in moves
    )


def for_one_process(module: Module, load: ast.Call) -> bool:
    """Whether a condition leaves a place to one of several processes."""
    return any(
        isinstance(around, ast.If | ast.IfExp) and mentions(around.test, "rank", "main", "master")
        for around in module.ancestors(load)
    )
