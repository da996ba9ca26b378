"""Schedules that lower the rate as soon as they are built."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import FUNCTIONS, own_calls, parameters, receiver, walk, written

SETTINGS = {"args", "cfg", "conf", "config", "configs", "flags", "hparams", "opt", "options"}
SETTINGS |= {"opts", "params", "settings"}
# what a program is doing, and no choice of a schedule
DOING = {"distributed", "evaluate", "mode", "phase", "rank", "split", "stage", "train", "training"}


@rule(
    "TG428",
    "`OneCycleLR` is always created, but steps only under a condition",
    why="""It sets the rate to `max_lr` / 25 when it is created, and the momentum with it. If the
    condition does not hold, nothing raises the rate: the run, or its first epoch where another
    schedule follows, is trained with a 25th of the requested rate.""",
    remedy="create the scheduler under the same condition as its steps",
    source=f"{STABLE}/generated/torch.optim.lr_scheduler.OneCycleLR.html",
    bad="""
import torch


def train(model, loader, loss_of, args):
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(  # <--
        optimizer, max_lr=args.lr, total_steps=len(loader)
    )
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
        if args.schedule == "onecycle":
            scheduler.step()
""",
    good="""
import torch


def train(model, loader, loss_of, args):
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = None
    if args.schedule == "onecycle":
        scheduler = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=args.lr, total_steps=len(loader)
        )
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
""",
    severity=Severity.WARNING,
)
def built_low(module: Module) -> Iterator[Spot]:
    for call in module.torch_calls("OneCycleLR"):
        target = module.parents[call]
        name = written(target.targets[0]) if isinstance(target, ast.Assign) else ""
        if not name or len(module.assigned[name]) != 1 or is_conditional(module, call):
            continue
        around = module.class_of(call) if "." in name else module.function(call)
        if around is None or goes_elsewhere(module, around, name):
            continue
        steps = [one for one in module.calls["step"] if written(receiver(one) or one) == name]
        tests = [setting_around(module, one) for one in steps]
        if tests and tests[0] and all(one == tests[0] for one in tests):
            yield Spot(call, f"only where {tests[0]}")


def is_conditional(module: Module, call: ast.Call) -> bool:
    """Whether a schedule is built under a condition, or in a helper."""
    function = module.function(call)
    asked = any(isinstance(one, ast.If | ast.IfExp | ast.Try) for one in module.ancestors(call))
    left_before = isinstance(function, FUNCTIONS) and any(
        isinstance(node, ast.If)
        and node.lineno < call.lineno
        and any(isinstance(one, ast.Return) for one in walk(node))
        for node in walk(function)
    )
    return asked or left_before


def goes_elsewhere(module: Module, around: ast.AST, name: str) -> bool:
    """Whether a schedule is returned, kept under other names, or given to what may move it on."""
    for node in walk(around):
        if written(node) != name or not isinstance(getattr(node, "ctx", None), ast.Load):
            continue
        parent = module.parents[node]
        if isinstance(parent, ast.Attribute):
            continue
        if not isinstance(parent, ast.Call) or node not in parent.args:
            return True
        found = module.project.resolve(module, parent)
        place = parent.args.index(node) if isinstance(node, ast.expr) else 0
        for _, function in found:
            takes = parameters(function)
            given = takes[place] if place < len(takes) else ""
            steps = own_calls(function, "step")
            if not given or any(written(receiver(one) or one) == given for one in steps):
                return True
        if not found:
            return True
    return False


def setting_around(module: Module, step: ast.Call) -> str:
    """The condition on a setting under which a schedule is moved on; empty where there is none."""
    inner: ast.AST = step
    for around in module.ancestors(step):
        if isinstance(around, FUNCTIONS):
            return ""
        if isinstance(around, ast.If) and is_setting(around.test):
            return ast.unparse(around.test) if inner in around.body else ""
        inner = around
    return ""


def is_setting(test: ast.expr) -> bool:
    """Whether a condition asks a setting alone: `args.schedule == "onecycle"`."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        other = test.comparators[0]
        text = isinstance(other, ast.Constant) and isinstance(other.value, str)
        return text and isinstance(test.ops[0], ast.Eq) and is_setting(test.left)
    if isinstance(test, ast.Subscript):
        key = test.slice.value if isinstance(test.slice, ast.Constant) else ""
        path = [*written(test.value).split("."), str(key)]
    else:
        path = written(test).split(".")
    return not SETTINGS.isdisjoint(path[:-1]) and path[-1] not in DOING
