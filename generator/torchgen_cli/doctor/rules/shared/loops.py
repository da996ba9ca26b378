"""What the rules on training loops ask: where is the optimizer, the scaler, the loss?"""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE
from ...syntax import Function, is_constant, last_name, own_calls, receiver, written

AMP_DOCS = f"{STABLE}/notes/amp_examples.html"
OPTIMIZERS = ("Adam", "AdamW", "SGD", "RMSprop", "NAdam", "RAdam", "Adagrad", "Adamax", "LBFGS")
CLIPPING = ("clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_")


def is_optimizer(module: Module, node: ast.AST | None) -> bool:
    """Whether it is an optimizer, by its name or by what is assigned to it."""
    if node is None:
        return False
    name = last_name(node).lower()
    if "sched" in name or "scaler" in name:
        return False
    if "optim" in name or name in ("opt", "optimiser"):
        return True
    values = module.assigned.get(written(node), ())
    return any(
        isinstance(s.value, ast.Call)
        and module.qualified(s.value.func).startswith("torch.optim.")
        and "lr_scheduler" not in module.qualified(s.value.func)
        for s in values
    )


def is_rate(node: ast.AST) -> bool:
    """Whether it is `group["lr"]`."""
    return isinstance(node, ast.Subscript) and is_constant(node.slice, "lr")


def is_scheduler(module: Module, node: ast.AST | None) -> bool:
    """Whether it is a scheduler of the learning rate."""
    if node is None:
        return False
    values = module.assigned.get(written(node), ())
    if any(
        isinstance(s.value, ast.Call) and "lr_scheduler." in module.qualified(s.value.func)
        for s in values
    ):
        return True
    name = last_name(node).lower()  # a noise_scheduler is another thing
    return name in ("scheduler", "sched") or name.endswith(("lr_scheduler", "lr_sched"))


def schedulers_made(module: Module) -> list[ast.Call]:
    """The calls in a file that make one of torch's schedulers."""
    return [
        call
        for name, calls in module.calls.items()
        for call in calls
        if name[:1].isupper() and "lr_scheduler." in module.qualified(call.func)
    ]


def optimizer_steps(module: Module, scope: ast.AST) -> list[ast.Call]:
    """Plain steps of an optimizer below, without those that take a closure."""
    calls = own_calls(scope, "step")
    return [call for call in calls if not call.args and is_optimizer(module, receiver(call))]


def scaled_steps(module: Module, scope: ast.AST) -> list[ast.Call]:
    """Steps by a gradient scaler: `scaler.step(optimizer)`."""
    return [
        call
        for call in own_calls(scope, "step")
        if call.args
        and is_optimizer(module, call.args[0])
        and not is_scheduler(module, receiver(call))
    ]


def repeated(module: Module, node: ast.AST) -> bool:
    """Whether a place is reached again and again: in a loop, or its function in one."""
    if any(True for _ in module.loops_around(node)):
        return True
    calls = module.project.calls_of(module, module.function(node))
    return any(any(True for _ in other.loops_around(call)) for other, call in calls)


def scaled_backwards(scope: ast.AST) -> list[tuple[ast.Call, ast.expr]]:
    """`scaler.scale(loss).backward()`, each with its scaler."""
    found = []
    for call in own_calls(scope, "backward"):
        scaled = receiver(call)
        if isinstance(scaled, ast.Call) and last_name(scaled.func) == "scale":
            scaler = receiver(scaled)
            if scaler is not None and scaled.args:
                found.append((call, scaler))
    return found


def step_scopes(module: Module) -> Iterator[Function | ast.Module]:
    """The functions, and the file itself, in which gradients are computed."""
    scopes = {module.function(call): None for call in module.calls.get("backward", ())}
    yield from scopes  # a dict, for the order


def is_backward(node: ast.AST) -> bool:
    """Whether it computes gradients."""
    return isinstance(node, ast.Call) and last_name(node.func) == "backward"


def name_of_call(statement: ast.stmt) -> str:
    """`step`, for a statement that is nothing but a call of that name."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name = last_name(statement.value.func)
        return name if name in ("backward", "zero_grad", "step", *CLIPPING) else ""
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
        name = last_name(statement.value.func)
        return name if name in CLIPPING else ""
    return ""


def call_of(statement: ast.stmt) -> ast.Call:
    """The call that a statement found by `name_of_call` is."""
    call = getattr(statement, "value", None)
    assert isinstance(call, ast.Call)
    return call


def graph_losses(scope: ast.AST) -> set[str]:
    """The names that `backward` is called on: they carry a graph."""
    found = set()
    for call in own_calls(scope, "backward"):
        loss = receiver(call)
        if isinstance(loss, ast.Call) and last_name(loss.func) == "scale" and loss.args:
            loss = loss.args[0]
        while isinstance(loss, ast.BinOp):  # (loss / passes).backward()
            loss = loss.left
        if loss is not None and written(loss):
            found.add(written(loss))
    return found


def is_step(module: Module, call: ast.Call) -> bool:
    """Whether it is a step of an optimizer, by itself or through a scaler."""
    return is_optimizer(module, call.args[0] if call.args else receiver(call))
