"""What is set, and changes nothing."""

import ast
import re
from collections.abc import Iterator

from ..project import Module
from ..rule import STABLE, Severity, Spot, rule
from ..syntax import FUNCTIONS, keyword, last_name, own_calls, own_nodes, receiver, written
from .data import EVALUATION
from .flags import flag_name
from .in_place import SETTINGS
from .loops import is_optimizer
from .seeds import SHOWING, reads
from .weights_alone import is_script

# what makes another run; a flag for a name or a folder that nothing reads is a matter of tidiness
TRAINING = re.compile(
    r"(^|_)(lr|learning_rate|weight_decay|wd|momentum|betas?|eps|dropout|drop_rate|epochs?|warm(up)?"
    r"|batch_size|clip|grad_clip|max_norm|amp|fp16|bf16|half|resume|label_smoothing|smoothing|gamma"
    r"|step_size|milestones|patience|accum(ulat\w*)?|ema|sync_?bn|early_stop\w*|augment\w*|mixup"
    r"|cutmix|shuffle|pretrained|freeze|deterministic)(_|$)",
    re.I,
)


@rule(
    "TG417",
    "the schedule is built, and never moved on",
    why="""Nothing calls the scheduler's `step`: the whole run is trained with the first rate, of a
    warm-up the smallest.""",
    remedy="call `scheduler.step()` after each epoch, or after each step where it counts steps",
    source=f"{STABLE}/optim.html#how-to-adjust-learning-rate",
    bad="""
import torch


def train(model, loader, loss_of):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)  # <--
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
""",
    good="""
import torch


def train(model, loader, loss_of):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
        scheduler.step()
""",
)
def never_stepped(module: Module) -> Iterator[ast.AST]:
    near = module.project.near(module)
    if module.project.has_framework(module) or not any("backward" in m.calls for m in near):
        return
    made = [
        call
        for name, calls in module.calls.items()
        for call in calls
        if name[:1].isupper()
        and module.qualified(call.func).startswith("torch.optim.lr_scheduler.")
        and isinstance(module.parents[call], ast.Assign)
        and not is_idle(module, call)
    ]
    moved = (
        not is_optimizer(other, call.args[0] if call.args else receiver(call))
        and not is_optimizer(other, receiver(call))
        and not is_environment(call)
        for other in near
        for call in other.calls.get("step", ())
    )
    others = (
        "sched" in name.lower() and not all(other.is_torch(call.func) for call in calls)
        for other in near
        for name, calls in other.calls.items()
    )
    if made and not any(moved) and not any(others):
        yield made[0]


def is_idle(module: Module, call: ast.Call) -> bool:
    """Whether it is made in a function that nobody calls."""
    function = module.function(call)
    returns = any(isinstance(n, ast.Return) and n.value for n in own_nodes(function))
    return (
        isinstance(function, FUNCTIONS)
        and returns
        and not any(True for _ in module.project.calls_of(module, function))
    )


def is_environment(call: ast.Call) -> bool:
    """Whether it moves on a simulation, not the training."""
    return "env" in last_name(receiver(call) or call).lower()


@rule(
    "TG418",
    "nothing reads this flag",
    why="""The command takes the flag, and the run is the same whatever it says. What was tuned by
    it, or reported with it, was never changed. A flag that does not change the training is
    a hint.""",
    remedy="use the flag, or remove it",
    source="https://docs.python.org/3/library/argparse.html",
    bad="""
import argparse

import torch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--weight-decay", type=float, default=0.1)  # <--
    args = parser.parse_args()
    model = torch.nn.Linear(args.width, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(1, args.width)).sum().backward()
    optimizer.step()
""",
    good="""
import argparse

import torch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--weight-decay", type=float, default=0.1)
    args = parser.parse_args()
    model = torch.nn.Linear(args.width, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=args.weight_decay)
    model(torch.ones(1, args.width)).sum().backward()
    optimizer.step()
""",
    severity=Severity.WARNING,
    once=True,
)
def unread(module: Module) -> Iterator[Spot]:
    if "parse_args" not in module.calls:
        return
    project = module.project
    others = [
        one
        for one in project.code
        if one is module or not ((is_script(module) and is_script(one)) or parses_own(one))
    ]
    steps = any("backward" in other.calls for other in project.near(module))
    if not steps or hands_on(module) or any("parse_known_args" in one.calls for one in others):
        return
    for call in module.calls.get("add_argument", ()):
        names = flag_names(call)
        seeds = any("seed" in name for name in names)  # which has a rule of its own
        if names and not seeds and not any(reads(one, names) for one in others):
            detail = f"--{min(names)}"
            matters = trains(module) and any(map(TRAINING.search, names))
            yield Spot(call, detail, unsure=not matters)


def trains(module: Module) -> bool:
    """Whether a file computes gradients, itself or by what it calls; or is none that is started."""
    if "backward" in module.calls or not is_script(module):
        return not EVALUATION.search(module.name)
    return any(
        function.name in module.calls and own_calls(function, "backward")
        for other in module.project.near(module)
        for function in other.functions
    )


def parses_own(module: Module) -> bool:
    """Whether a file has a parser of its own, and what it reads comes from that."""
    return "parse_args" in module.calls and "add_argument" in module.calls


def hands_on(module: Module) -> bool:
    """Whether all flags are given to code of others, which may read any."""
    parsed = {
        target
        for target, statements in module.assigned.items()
        if any(
            isinstance(one.value, ast.Call) and last_name(one.value.func) == "parse_args"
            for one in statements
        )
    } | set(SETTINGS)
    own = module.project.functions.keys() | module.project.classes.keys() | SHOWING
    return any(
        written(given) in parsed
        for name, calls in module.calls.items()
        if name not in own
        for call in calls
        for given in [*call.args, *(k.value for k in call.keywords)]
    )


def flag_names(call: ast.Call) -> set[str]:
    """What the parsed flag may be called; none where it acts at once."""
    name = flag_name(call)
    action, dest = keyword(call, "action"), keyword(call, "dest")
    if not name or (isinstance(action, ast.Constant) and action.value in ("version", "help")):
        return set()
    if dest is not None:
        return {str(dest.value)} if isinstance(dest, ast.Constant) else set()
    return {name}
