"""How what was written is read again."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    has_stars,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    same,
    walk,
)
from ..shared.loops import is_optimizer, is_rate
from ..shared.states import saves
from ..step.scaling import apart

# what other libraries call that which hands states to `torch.save`
SAVERS = ("Checkpointer", "ModelCheckpoint", "PeriodicCheckpointer", "CheckpointSaver", "DiskSaver")

FETCHING = re.compile(r"download|_url|url(open|retrieve)|wget", re.I)
NETWORK = ("requests.", "urllib.", "huggingface_hub.", "gdown.", "wget.")
SERVING = ("route", "post", "put")  # decorators of a web service


@rule(
    "TG601",
    "loading this file may execute code in it",
    why="""A pickle can run any program when it is loaded. Since torch 2.6 `weights_only` is True by
    default; before, or with `weights_only=False`, a file from elsewhere can take over the machine.
    It is a hint unless the function downloads the file or a user of a service supplies it, and in a
    project that saves its own checkpoints, as most files that it loads are its own.""",
    remedy="pass `weights_only=True`, and save only plain containers, tensors and numbers",
    source=f"{STABLE}/generated/torch.load.html",
    bad="""
import torch


def load(url, path):
    torch.hub.download_url_to_file(url, path)
    return torch.load(path, map_location="cpu")  # <--
""",
    good="""
import torch


def load(url, path):
    torch.hub.download_url_to_file(url, path)
    return torch.load(path, map_location="cpu", weights_only=True)
""",
    severity=Severity.WARNING,
    once=True,
)
def unsafe_load(module: Module) -> Iterator[Spot]:
    own = any(any(saves(other)) or saves_by_library(other) for other in module.project.code)
    own |= any(b"torch.save(" in text for text in module.project.unread.values())
    for call in module.torch_calls("load"):
        if module.qualified(call.func) != "torch.load" or has_stars(call):
            continue
        chosen = keyword(call, "weights_only")
        if tried_safely(module, call):
            continue
        if chosen is None and not module.project.needs_torch("2.6"):
            if not module.project.stays_before_torch("1.13"):  # which knows no `weights_only`
                yield Spot(call, "no weights_only", own or not is_from_elsewhere(module, call))
        elif is_constant(chosen, False):
            yield Spot(call, "weights_only=False", own or not is_from_elsewhere(module, call))


def is_from_elsewhere(module: Module, load: ast.Call) -> bool:
    """Whether a function fetches the file that it opens, or a user of a service gives it."""
    scope = module.function(load)
    if any(mentions(one, "upload", "request") for one in load.args[:1]):
        return True
    served = isinstance(scope, FUNCTIONS) and any(
        isinstance(one, ast.Call) and last_name(one.func) in SERVING for one in scope.decorator_list
    )
    return served or any(
        one.lineno <= load.lineno
        and (
            FETCHING.search(last_name(one.func)) is not None
            or module.qualified(one.func).startswith(NETWORK)
        )
        for one in own_calls(scope)
    )


@kept
def saves_by_library(module: Module) -> bool:
    """Whether a file makes something of an installed library that writes checkpoints."""
    return any(
        is_of_library(module, call.func) for name in SAVERS for call in module.calls.get(name, ())
    )


def is_of_library(module: Module, node: ast.AST) -> bool:
    """Whether a name is imported, and not from the project."""
    whole = module.qualified(node)
    imported = whole.partition(".")[0] in module.libraries
    return imported and "." in whole and not module.project.classes_named(module, node)


def tried_safely(module: Module, call: ast.Call) -> bool:
    """Whether it runs only where `weights_only=True` failed, or is not known."""
    inner: ast.AST = call
    for around in module.ancestors(call):
        if isinstance(around, ast.Try) and isinstance(inner, ast.ExceptHandler):
            tried = around.body
        elif isinstance(around, ast.If):
            if mentions(around.test, "weights_only"):
                return True
            tried = around.body if inner in around.orelse else around.orelse
        else:
            tried = []
        calls = [n for statement in tried for n in walk(statement) if isinstance(n, ast.Call)]
        if any(is_constant(keyword(one, "weights_only"), True) for one in calls):
            return True
        inner = around
    return False


@rule(
    "TG606",
    "the scheduler is created after the optimizer's state is loaded",
    why="""A new scheduler takes the optimizer's current rate as its initial rate: after a resume
    the schedule starts from the lowered rate, and counts from 0. ExponentialLR continues from the
    current rate, so it is a hint there.""",
    remedy="create the scheduler first, then load both states",
    source=f"{STABLE}/optim.html#how-to-adjust-learning-rate",
    bad="""
import torch


def resume(optimizer, state):
    optimizer.load_state_dict(state["optimizer"])
    return torch.optim.lr_scheduler.StepLR(optimizer, 30)  # <--
""",
    good="""
import torch


def resume(optimizer, state):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    return scheduler
""",
    severity=Severity.WARNING,
)
def late_scheduler(module: Module) -> Iterator[Spot]:
    for load in module.calls.get("load_state_dict", ()):
        optimizer = receiver(load)
        if not is_optimizer(module, optimizer):
            continue
        scope = module.function(load)
        for call in own_calls(scope):
            late = "lr_scheduler." in module.qualified(call.func) and call.lineno > load.lineno
            if (
                late
                and not apart(module, load, call)
                and call.args
                and same(call.args[0], optimizer)
            ):
                resets = any(c.lineno > call.lineno for c in own_calls(scope, "load_state_dict"))
                # which keeps to the first rate, or has none
                closed = last_name(call.func) in ("LambdaLR", "ReduceLROnPlateau")
                goes_on = last_name(call.func) == "ExponentialLR"
                resets |= sets_rate_between(scope, load, call)
                if not (closed or says_where(call) or resets or has_stars(call)):
                    yield Spot(call, unsure=goes_on)


def sets_rate_between(scope: ast.AST, load: ast.Call, scheduler: ast.Call) -> bool:
    """Whether `group["lr"]` is set after an optimizer's state was loaded."""
    return any(
        isinstance(node, ast.Assign)
        and any(is_rate(one) for one in node.targets)
        and load.lineno < node.lineno < scheduler.lineno
        for node in own_nodes(scope)
    )


def says_where(call: ast.Call) -> bool:
    """Whether a scheduler is told the last epoch: it then begins with the rate of the first."""
    place = 2 if last_name(call.func) in ("LambdaLR", "ExponentialLR", "MultiplicativeLR") else 3
    told = argument(call, place, "last_epoch")
    return told is not None and not (isinstance(told, ast.UnaryOp) and ast.unparse(told) == "-1")


@rule(
    "TG690",
    "nothing checks which weights were not loaded",
    why="""With `strict=False` a misspelt or missing name is skipped silently, and that part of the
    model stays random. The call returns the missing and the unexpected names.""",
    remedy="check `missing_keys` and `unexpected_keys` of the result",
    source=f"{STABLE}/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict",
    bad="""
def load(model, weights):
    model.load_state_dict(weights, strict=False)  # <--
""",
    good="""
def load(model, weights):
    missing, unexpected = model.load_state_dict(weights, strict=False)
    if unexpected or set(missing) != {"head.weight", "head.bias"}:
        raise ValueError(f"missing: {missing}, unexpected: {unexpected}")
""",
    severity=Severity.HINT,
)
def unread_keys(module: Module) -> Iterator[ast.AST]:
    for call in module.calls.get("load_state_dict", ()):
        if is_constant(argument(call, 1, "strict"), False) and isinstance(
            module.parents[call], ast.Expr
        ):
            yield call
