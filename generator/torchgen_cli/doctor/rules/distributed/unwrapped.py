"""What goes past the wrapper that averages the gradients."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import FUNCTIONS, Loop, last_name, mentions, own_calls, receiver, same, written
from ..shared.graphs import under
from ..shared.loops import optimizer_steps, scaled_steps
from .distributed import DDP

WRAPPERS = ("DistributedDataParallel", "DDP")
FIXED = re.compile(r"teacher|ema|frozen|pretrained|ref|target|momentum|average", re.I)


@rule(
    "TG708",
    "the model is called without the wrapper that averages its gradients",
    why="""DistributedDataParallel prepares gradient averaging in its own `forward`. Calls through
    `model.module` give each process only the gradients of its own samples: the copies of the model
    diverge, and rank 0 saves one that was trained on its share.""",
    remedy="call the wrapped model, `model(...)`, wherever `backward` follows",
    source=DDP,
    bad="""
from torch.nn.parallel import DistributedDataParallel


def train(model, loader, optimizer, loss_of, device):
    model = DistributedDataParallel(model, device_ids=[device])
    for images, labels in loader:
        optimizer.zero_grad()
        loss_of(model.module(images), labels).backward()  # <--
        optimizer.step()
""",
    good="""
from torch.nn.parallel import DistributedDataParallel


def train(model, loader, optimizer, loss_of, device):
    model = DistributedDataParallel(model, device_ids=[device])
    for images, labels in loader:
        optimizer.zero_grad()
        loss_of(model(images), labels).backward()
        optimizer.step()
""",
)
def past_the_wrapper(module: Module) -> Iterator[Spot]:
    if "backward" not in module.calls or module.project.has_framework(module):
        return
    near = module.project.near(module)
    if not any(True for other in near for _ in other.torch_calls(*WRAPPERS)):
        return
    if any(averages(other) for other in near):
        return
    inner = [node for node in module.attributes if node.attr == "module" and written(node.value)]
    for node in inner:
        if not isinstance(node.ctx, ast.Load) or written(node.value) in ("self", "super"):
            continue
        if FIXED.search(written(node.value)):
            continue
        yield from (Spot(call) for call in trained_calls(module, node))


def averages(module: Module) -> bool:
    """Whether the program averages gradients by itself."""
    return any(
        mentions(call, "grad") or mentions(module.function(call), ".grad", "grads", "gradients")
        for name in ("all_reduce", "allreduce", "all_reduce_coalesced")
        for call in module.calls.get(name, ())
        if isinstance(module.function(call), FUNCTIONS)
    )


def trained_calls(module: Module, node: ast.Attribute) -> Iterator[ast.Call]:
    """The calls of what a wrapper holds, whose result `backward` goes through."""
    around = module.parents[node]
    if isinstance(around, ast.Attribute) and around.attr == "forward":
        around = module.parents[around]
    if isinstance(around, ast.Call) and around.func in (node, module.parents[node]):
        calls = [around]
    else:
        calls = [*calls_of_name(module, node)]
    for call in calls:
        loop = next((one for one in module.loops_around(call) if own_calls(one, "backward")), None)
        if (
            loop is not None
            and is_followed(module, call, loop)
            and not without_gradients(module, call)
            and not through_the_wrapper(module, loop, node.value)
        ):
            yield call


def calls_of_name(module: Module, node: ast.Attribute) -> Iterator[ast.Call]:
    """The calls of a name for what a wrapper holds: `raw = model.module if ... else model`."""
    value: ast.AST = node
    while isinstance(module.parents[value], ast.IfExp):
        value = module.parents[value]
    statement = module.parents[value]
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return
    target, scope = statement.targets[0], module.function(statement)
    given = [one for one in module.assigned[target.id] if module.function(one) is scope]
    if len(given) != 1 or same(target, node.value):
        return
    yield from (call for call in own_calls(scope, target.id) if isinstance(call.func, ast.Name))


def without_gradients(module: Module, call: ast.Call) -> bool:
    """Whether nothing is computed for `backward` there, or the result is cut off at once."""
    return under(module, call) or any(
        isinstance(around, ast.Call) and last_name(around.func) in ("detach", "item", "argmax")
        for around in module.ancestors(call)
    )


def through_the_wrapper(module: Module, loop: Loop, model: ast.expr) -> bool:
    """Whether the wrapper itself is called in the loop too, and gets the gradients ready."""
    calls = [call for call in own_calls(loop) if not without_gradients(module, call)]
    forwards = [call for call in calls if last_name(call.func) == "forward"]
    plain = any(same(call.func, model) for call in calls)
    return plain or any(same(receiver(call), model) for call in forwards)


def is_followed(module: Module, call: ast.Call, loop: Loop) -> bool:
    """Whether `backward` follows a call in the same loop, for a step and not for an attack."""
    steps = [*optimizer_steps(module, loop), *scaled_steps(module, loop)]
    return bool(steps) and any(one.lineno >= call.lineno for one in own_calls(loop, "backward"))
