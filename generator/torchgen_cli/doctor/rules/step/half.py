"""float16 without what it needs."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    Scope,
    argument,
    has_stars,
    is_constant,
    keyword,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    written,
)
from ..shared.loops import AMP_DOCS, optimizer_steps, step_scopes

HALF = ("float16", "half")
SCALED = re.compile(rb"cale[rd]\b|cale_loss|oss_scale")


@rule(
    "TG406",
    "float16 training has no gradient scaler",
    why="""Gradients below 6e-8 are zero in float16, so small updates are lost. bfloat16 has the
    range of float32 and needs no scaler. It is a hint where float16 is one of two choices, and not
    the default.""",
    remedy="use `torch.amp.GradScaler`, or `dtype=torch.bfloat16`",
    source=AMP_DOCS,
    bad="""
import torch


def train_step(model, images, loss_of, optimizer):
    with torch.autocast("cuda", dtype=torch.float16):  # <--
        loss = loss_of(model(images))
    loss.backward()
    optimizer.step()
""",
    good="""
import torch


def train_step(model, images, loss_of, optimizer):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = loss_of(model(images))
    loss.backward()
    optimizer.step()
""",
    severity=Severity.WARNING,
)
def half_without_scaler(module: Module) -> Iterator[Spot]:
    project = module.project
    if project.has_framework(module) or SCALED.search(project.contents[module.name]):
        return
    elsewhere = project.contains(b"caler")
    for call in module.torch_calls("autocast"):
        steps = scopes_of(module, call)
        if not steps or (elsewhere and not all(steps_by_itself(module, one) for one in steps)):
            continue
        dtype = argument(call, 1, "dtype")
        on_cuda = module.qualified(call.func).startswith("torch.cuda.") or is_constant(
            argument(call, 0, "device_type"), "cuda"
        )
        if dtype is not None:
            if (sure := is_half(module, dtype, call)) is not None:
                yield Spot(call, unsure=not sure)
        elif on_cuda and not call.args[1:] and not has_stars(call):
            yield Spot(call)


def scopes_of(module: Module, call: ast.Call) -> list[Scope]:
    """The functions that compute gradients of what an autocast is around."""
    own = module.function(call)
    if own_calls(own, "backward"):
        return [own]
    statement = next((n for n in module.ancestors(call) if isinstance(n, ast.stmt)), None)
    if not isinstance(statement, ast.Assign) or not isinstance(own, ast.Module):
        return []
    names = {written(one) for one in statement.targets} - {""}
    return [
        function
        for function in step_scopes(module)
        if any(
            isinstance(node, ast.With) and written(item.context_expr) in names
            for node in own_nodes(function)
            for item in getattr(node, "items", ())
        )
    ]


def steps_by_itself(module: Module, scope: Scope) -> bool:
    """Whether a function steps with gradients that nothing has scaled."""
    plain = all(isinstance(receiver(call), ast.Name) for call in own_calls(scope, "backward"))
    return plain and bool(optimizer_steps(module, scope))


def is_half(module: Module, dtype: ast.expr, near: ast.AST) -> bool | None:
    """Whether it is float16 for sure; False where it may be, None where it is not."""
    values = [dtype]
    if written(dtype) and not module.is_torch(dtype):
        scope = module.function(near)
        values = module.value_in(dtype, scope) or module.value_in(dtype, module.tree)
    if values and all(module.is_torch(one, *HALF) for one in values):
        return True
    choices = [one for one in values if isinstance(one, ast.IfExp)]
    if len(values) != 1 or not choices:
        return None
    choice = choices[0]
    if not any(module.is_torch(one, *HALF) for one in (choice.body, choice.orelse)):
        return None
    return module.is_torch(chosen(module, choice) or dtype, *HALF)


def chosen(module: Module, choice: ast.IfExp) -> ast.expr | None:
    """What `a if args.dtype == "b" else c` is by default, where the flag has one."""
    test = choice.test
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return None
    asked = test.comparators[0]
    flags = {f"--{last_name(test.left)}", f"--{last_name(test.left).replace('_', '-')}"}
    for call in module.calls.get("add_argument", ()):
        default = keyword(call, "default")
        named = any(isinstance(one, ast.Constant) and one.value in flags for one in call.args)
        if named and isinstance(default, ast.Constant) and isinstance(asked, ast.Constant):
            return choice.body if default.value == asked.value else choice.orelse
    return None
