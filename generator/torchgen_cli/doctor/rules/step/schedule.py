"""The learning rate and the weight decay."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    blocks,
    has_stars,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    written,
)
from ..shared.loops import OPTIMIZERS, is_scheduler, optimizer_steps, repeated, scaled_steps

# schedules that drop at some epochs, and are constant in between
BY_STEPS = re.compile(r"Step|Plateau|Milestone")


@rule(
    "TG409",
    "the scheduler steps before the optimizer",
    why="""The first value of the schedule is skipped, and each drop comes an epoch early. Torch 1.1
    reversed the order. It is a hint unless the schedule is known to drop at some epochs, as StepLR
    does: one value more or less of a smooth schedule, or of one that steps with each batch, hardly
    matters.""",
    remedy="call `scheduler.step()` after `optimizer.step()`",
    source=f"{STABLE}/optim.html#how-to-adjust-learning-rate",
    bad="""
import torch


def fit(model, loader, optimizer, loss_of):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30)
    for epoch in range(90):
        scheduler.step()  # <--
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
""",
    good="""
import torch


def fit(model, loader, optimizer, loss_of):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30)
    for epoch in range(90):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        scheduler.step()
""",
    severity=Severity.WARNING,
)
def scheduler_first(module: Module) -> Iterator[Spot]:
    old = module.project.stays_before_torch("1.1")
    scopes = {
        module.function(call): None
        for call in module.calls.get("step", ())
        if is_scheduler(module, receiver(call))
    }
    for scope in scopes:
        for block in blocks(scope):
            steps = [place for place, statement in enumerate(block) if trains(module, statement)]
            for statement in block[: steps[0]] if steps else ():
                if not repeated(module, statement):
                    continue
                branches = [statement]
                if isinstance(statement, ast.If):  # if args.cosine: scheduler.step()
                    branches = [*statement.body, *statement.orelse]
                for call in filter(None, (scheduler_step(module, one) for one in branches)):
                    made = schedules(module, call)
                    if made and all(is_constant(one, None) for one in made):
                        continue  # there is none
                    drops = any(map(drops_at_epochs, made))
                    yield Spot(
                        call, unsure=old or not drops or not in_a_loop(module, block[steps[0]])
                    )


def schedules(module: Module, call: ast.Call) -> list[ast.expr]:
    """What the scheduler that a call moves on may be: in its function, or else in the program."""
    held = receiver(call)
    assert held is not None
    own = module.value_in(held, module.function(call))
    return own or [
        one.value
        for other in module.project.near(module)
        for target, statements in other.assigned.items()
        if target.rpartition(".")[2] == last_name(held)
        for one in statements
    ]


def drops_at_epochs(value: ast.expr) -> bool:
    """Whether it makes a schedule such as StepLR."""
    return isinstance(value, ast.Call) and BY_STEPS.search(last_name(value.func)) is not None


def in_a_loop(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement that trains makes many steps of the optimizer, itself or by a call."""
    steps = [*optimizer_steps(module, statement), *scaled_steps(module, statement)]
    if steps:
        inside = {statement, *own_nodes(statement)}
        return any(loop in inside for step in steps for loop in module.loops_around(step))
    return any(
        any(True for _ in other.loops_around(step))
        for call in own_calls(statement)
        for other, function in module.project.resolve(module, call)
        for step in [*optimizer_steps(other, function), *scaled_steps(other, function)]
    )


def scheduler_step(module: Module, statement: ast.stmt) -> ast.Call | None:
    """The call of a statement that is `scheduler.step()`."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    call = statement.value
    plain = last_name(call.func) == "step" and not call.args and not call.keywords
    return call if plain and is_scheduler(module, receiver(call)) else None


def trains(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement makes optimizer steps, itself or in a function of the file."""
    if optimizer_steps(module, statement) or scaled_steps(module, statement):
        return True
    if isinstance(statement, FUNCTIONS):
        return False
    calls = own_calls(statement)
    # `model.train()` sets a mode
    return any(
        optimizer_steps(other, function)
        for call in calls
        if isinstance(call.func, ast.Name) or call.args
        for other, function in module.project.resolve(module, call)
    )


@rule(
    "TG410",
    "weight decay also applies to biases and norms",
    why="""Decay is meant for the weights of matrices and kernels. Biases, the scales of norms and
    embeddings are not redundant: pulling them to zero only costs accuracy. It is a hint where
    nobody asked for decay and AdamW's default of 0.01 applies, where only a last layer is trained,
    and with SGD and Adam, where most published recipes decay everything.""",
    remedy="""give the optimizer two groups: parameters of two or more dimensions with decay, the
    others with `weight_decay=0`""",
    source="https://arxiv.org/abs/1812.01187",
    bad="""
import torch


def build(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)  # <--
""",
    good="""
import torch


def build(model):
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": 0.05}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=1e-3)
""",
    severity=Severity.HINT,
)
def decayed_biases(module: Module) -> Iterator[Spot]:
    for call in module.torch_calls(*OPTIMIZERS):
        if not module.qualified(call.func).startswith("torch.optim."):
            continue
        if not is_everything(argument(call, 0, "params")):
            continue
        decay = keyword(call, "weight_decay")
        plain = decay is None and last_name(call.func) == "AdamW"
        if has_stars(call) or not (plain or decay is not None):
            continue
        if is_constant(decay, 0, 0.0) or (decay is not None and zero_by_default(module, decay)):
            continue
        # elsewhere decay is a part of the gradient, and most published recipes decay all
        full = last_name(call.func) == "AdamW"
        yield Spot(call, unsure=plain or not full or trains_head(module, call))


def trains_head(module: Module, call: ast.Call) -> bool:
    """Whether the optimizer has a last layer alone: by its name, or as all else is frozen."""
    if mentions(argument(call, 0, "params") or call, "head", "probe", "classifier", "linear"):
        return True
    scope = module.function(call)
    return any(
        isinstance(node, ast.Assign)
        and last_name(node.targets[0]) == "requires_grad"
        and is_constant(node.value, False)
        for node in own_nodes(scope)
    )


def is_everything(params: ast.expr | None) -> bool:
    """Whether it is all parameters of a model, in one group: frozen ones left out, at most."""
    if isinstance(params, ast.ListComp | ast.GeneratorExp):
        plain = written(params.elt) == written(params.generators[0].target)
        conditions = params.generators[0].ifs
        trainable = all(last_name(one) == "requires_grad" for one in conditions)
        return plain and trainable and is_everything(params.generators[0].iter)
    if not isinstance(params, ast.Call):
        return False
    if last_name(params.func) in ("list", "filter") and params.args:
        trainable = all(mentions(one, "requires_grad") for one in params.args[:-1])
        return trainable and is_everything(params.args[-1])
    return last_name(params.func) == "parameters" and bool(written(params.func))


def zero_by_default(module: Module, decay: ast.expr) -> bool:
    """Whether a flag or parameter of that name is zero unless somebody asks for more."""
    name = last_name(decay)
    if isinstance(decay, ast.Subscript | ast.Call) or not name:
        return False
    flags = {"--" + name, "--" + name.replace("_", "-")}
    own: list[bool] = []
    others: list[bool] = []
    for other in module.project.code:
        for call in other.calls.get("add_argument", ()):
            if any(isinstance(a, ast.Constant) and a.value in flags for a in call.args):
                default = keyword(call, "default")
                zero = default is None or is_constant(default, 0, 0.0, None)
                (own if other is module else others).append(zero)
    return any(own) or (not own and bool(others) and all(others))  # scripts may share a helper
