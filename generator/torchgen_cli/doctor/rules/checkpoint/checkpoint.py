"""What is written."""

import ast
import re
from collections.abc import Iterator

from ...naming import OPTIONS
from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    last_name,
    own_calls,
    receiver,
    same,
    walk,
    written,
)
from ..shared.any_states import handles_any_state
from ..shared.loops import OPTIMIZERS, is_optimizer, is_scheduler, schedulers_made
from ..shared.programs import run_with
from ..shared.states import filled_in, handed_on, is_model, put_aside, saves, value_before
from ..shared.weights_alone import is_script, optimizers_left_out, resumed_without_optimizer
from .keys_read import PROGRESS
from .loading import late_scheduler
from .lost_place import is_optimizer_state, lost_place
from .records import hands_on_options, records
from .resuming import (
    brings_optimizer,
    follows_from_the_epoch,
    is_gone_on_with,
)
from .unread_state import brings_back_less
from .what_matters import (
    all_follow_from_the_rate,
    comes_back_soon,
    is_never_made,
    is_replayed,
    keeps_state,
)

RATE = re.compile(r"(^|_)(lr|rate)s?($|_)|learning_?rate", re.I)
SAVING = "https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html"


def parts_of(content: ast.expr | None) -> list[ast.expr]:
    """The values of a dict, a list or a tuple that is written out."""
    if isinstance(content, ast.Dict):
        return content.values
    return content.elts if isinstance(content, ast.List | ast.Tuple) else []


def checkpoints(module: Module) -> Iterator[tuple[ast.Call, ast.Dict, set[str]]]:
    """(the save, its dict, its keys) of what is saved to go on later: a model and a count."""
    given_to = [(call, call.args[0]) for call in saves(module)]
    for call, given in [*given_to, *handed_on(module, ast.Name)]:
        name = written(given)
        scope = module.function(call)
        content = filled_in(module, scope, name, value_before(module, given, call))
        if not isinstance(content, ast.Dict):
            continue
        if any(key is None for key in content.keys):  # {**others}
            continue
        keys = {str(key.value) for key in content.keys if isinstance(key, ast.Constant)}
        if name and any(written(receiver(c) or c) == name for c in own_calls(scope, "update")):
            continue
        has_model = any(
            (isinstance(one, ast.Call) and last_name(one.func) == "state_dict")
            or is_model(module, value, call)
            for value in content.values
            for one in [value, *put_aside(module, value, call)]
        )
        counts = {
            str(key.value)
            for key, value in zip(content.keys, content.values, strict=True)
            if isinstance(key, ast.Constant) and not isinstance(value, ast.Constant)
        }
        told = any(PROGRESS.match(key) for key in counts) or keys.intersection(records(module))
        if has_model and told:
            yield call, content, keys


@rule(
    "TG604",
    "the checkpoint does not fully restore the run",
    why="""It records how far the run got, and the program resumes from there; but the optimizer's
    moments or the scheduler start over, so the resumed run differs. It is a hint in a program that
    never resumes, for a scaler alone, and for SGD's momentum where the rate follows from the epoch:
    both soon recover. A scheduler that only multiplies the rate at each step needs no state beside
    the optimizer's.""",
    remedy="save the `state_dict()` of the optimizer, the scheduler and the scaler too",
    source=SAVING,
    bad="""
import torch


def save(model, optimizer, scheduler, epoch, path):
    optimizer.step()
    scheduler.step()
    torch.save({"model": model.state_dict(), "epoch": epoch}, path)  # <--


def resume(model, path):
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    return state["epoch"]
""",
    good="""
import torch


def save(model, optimizer, scheduler, epoch, path):
    optimizer.step()
    scheduler.step()
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "epoch": epoch,
    }
    torch.save(state, path)


def resume(model, optimizer, scheduler, path):
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    return state["epoch"]
""",
    severity=Severity.WARNING,
)
def incomplete_checkpoint(module: Module) -> Iterator[ast.AST | Spot]:
    if any(map(handles_any_state, run_with(module))):
        return
    yield from weights_alone(module)
    yield from lost_place(module)
    if not any(True for _ in checkpoints(module)):
        return
    near = module.project.near(module)  # a trainer may be spread over files
    alone = sum(any(True for _ in checkpoints(other)) for other in near) == 1
    # another script that can be started is another program
    where = [o for o in run_with(module) if o is module or not is_script(o)] if alone else [module]
    told: set[ast.Dict | str] = set()
    for call, content, keys in checkpoints(module):
        if content in told:  # the same again as best.pt
            continue
        told.add(content)
        function = module.function(call)
        if isinstance(function, FUNCTIONS) and hands_on_options(module, function):
            continue  # whatever callers give is saved too
        callers = [other for other, _ in module.project.calls_of(module, module.function(call))]
        program = [*run_with(module), *callers]
        held = [
            other
            for value in content.values
            for other in [value, *put_aside(module, value, call)]
            if not is_rate_of(other) and not are_options(module, other)
        ]
        settings = {
            str(key.value)
            for key, value in zip(content.keys, content.values, strict=True)
            if isinstance(key, ast.Constant) and are_options(module, value)
        }
        named = keys - settings  # "opt": args
        text = " ".join([*named, *map(ast.unparse, held), *saved_beside(program)]).lower()
        if any(is_optimizer_state(module, one) for one in held):  # self.trainer.state_dict()
            text += " optimizer"
        if brings_back_less(module, content) and keeps_state(program):
            soon = comes_back_soon(program)
            yield Spot(call, "no code reads the optimizer's state", soon)
        missing = []
        if "opt" not in text and optimizes(module, [*where, *callers]) and keeps_state(program):
            missing.append("the optimizer")
        loses = "sched" not in text and loses_schedule(module, [*where, *callers])
        loses &= "opt" not in text or not all_follow_from_the_rate(program)
        if loses and not all_tell_the_place(run_with(module)):
            missing.append("the scheduler")
        if "scaler" not in text and scales([*where, *callers]):
            missing.append("the scaler")
        matters = "the scheduler" in missing or (
            "the optimizer" in missing and not comes_back_soon(program)
        )
        counts = frozenset(filter(PROGRESS.match, keys))
        detail = f"without {' and '.join(missing)}"
        if missing and detail not in told:  # the same again in another function
            told.add(detail)
            yield Spot(call, detail, not matters or not is_gone_on_with(module, counts))


def saved_beside(program: list[Module]) -> set[str]:
    """What a program saves the state of, by names: in a file to go on with, next to the best."""
    found = {
        written(owner)
        for module in program
        for call in module.calls.get("state_dict", ())
        if (owner := receiver(call)) is not None
        and not isinstance(module.parents[call], ast.Assign | ast.Attribute)
    }
    whole = any(name in module.calls for module in program for name in ("save_state", "load_state"))
    return found | {"optimizer scheduler scaler" if whole else ""}


def weights_alone(module: Module) -> Iterator[Spot]:
    """Where weights are saved without the state of their optimizer, or of one of several."""
    program = run_with(module)
    for call, detail, _ in resumed_without_optimizer(module):
        if keeps_state(program):
            yield Spot(call, detail, comes_back_soon(program))
    for call, detail, _ in optimizers_left_out(module):
        yield Spot(call, detail, not any(map(brings_optimizer, program)))


def optimizes(module: Module, program: list[Module]) -> bool:
    """Whether a file makes an optimizer, or one of a program moves one on."""
    return any(True for _ in module.torch_calls(*OPTIMIZERS)) or any(
        is_optimizer(*one) for one in stepped(program)
    )


def loses_schedule(module: Module, program: list[Module]) -> bool:
    """Whether a scheduler of a program is moved on, and nothing tells it where it was.

    A scheduler that is built late is what TG606 speaks of.
    """
    moved = [(o, one) for o, one in stepped(program) if is_scheduler(o, one)]
    told = any(follows_from_the_epoch(one) or is_replayed(one) for one in program)
    made = not all(is_never_made(program, one) for _, one in moved)
    return bool(moved) and made and not told and not any(True for _ in late_scheduler(module))


def all_tell_the_place(program: list[Module]) -> bool:
    """Whether schedulers are made, and each file that makes one tells it where it was."""
    makers = list(filter(schedulers_made, program))
    return bool(makers) and all(map(follows_from_the_epoch, makers))


def scales(program: list[Module]) -> bool:
    """Whether a scaler of the gradients is used."""
    return any(last_name(one).endswith("scaler") for _, one in stepped(program))


def stepped(program: list[Module]) -> Iterator[tuple[Module, ast.expr]]:
    """What a program calls `step` on, each with its file."""
    for module in program:
        for call in module.calls.get("step", ()):
            if (owner := receiver(call)) is not None:
                yield module, owner


def are_options(module: Module, value: ast.expr) -> bool:
    """Whether it is the settings of a run, or a table of them: `opt`, `vars(args)`."""
    if isinstance(value, ast.Call) and last_name(value.func) == "vars" and value.args:
        return True
    if not isinstance(value, ast.Name) or not OPTIONS.match(value.id):
        return False
    methods = ("state_dict", "step", "zero_grad")  # opt may be the optimizer
    return not any(same(receiver(c), value) for name in methods for c in module.calls.get(name, ()))


def is_rate_of(value: ast.expr) -> bool:
    """Whether it asks an optimizer for its learning rate, and not for its state."""
    asked = isinstance(value, ast.Call) and RATE.search(last_name(value.func)) is not None
    return asked or any(
        isinstance(n, ast.Attribute) and n.attr == "param_groups" for n in walk(value)
    )
