"""What is set, and changes nothing."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import is_constant, keyword, last_name, receiver, same, walk, written
from ..checkpoint.in_place import SETTINGS
from ..data.data import EVALUATION
from ..shared.flag_readers import flag_names, is_copy, is_unread, readers
from ..shared.flag_values import long_flag, reads_no_command
from ..shared.loops import OPTIMIZERS, is_backward
from ..shared.scripts import is_started
from .flag_elsewhere import is_read_by_another, left_to_others
from .flag_kinds import ASIDE, FOR_ORDER, acts_at_once, is_of_training, is_other_phase
from .flag_lost import overwritten
from .flag_promised import is_given_otherwise, is_switched_on, promised

# of a flag whose help says that it has no effect, or one value alone
NOT_YET = re.compile(
    r"only supports?\b|not (yet )?(used|supported|implemented)|unused|ignored|deprecated", re.I
)
# a flag for the course of the rate, and what sets that otherwise
SCHEDULE = re.compile(r"step|milestone|decay_epoch|lr_decay|warm|gamma", re.I)
# what the data alone tell, so that another value would fail
OF_DATA = re.compile(r"class(es)?$|(^|_)(in_ch|channels?|vocab|feats?|features|nodes?)(_|$)")
SCHEDULERS = (
    *("CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR", "LambdaLR"),
    *("MultiStepLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "StepLR"),
)
# a function that trains; without arguments it may be `model.train()`
LEARNING = re.compile(r"train|fit|learn|optimi[sz]e|run|solve|epoch", re.I)


@rule(
    "TG418",
    "nothing reads this flag",
    why="""The program accepts the flag, and its value changes nothing. Whatever was tuned or
    reported with it never changed. It is a hint where nothing shows that it matters: the code does
    not hard-code what the flag promises, no documented command sets it to another value, and its
    help does not say what it changes in training. So is one that no command sets and that another
    script with the same flag reads, and one that is overwritten by what the run computes.""",
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
    known = readers(module)
    files = known.files if known is not None else [module]
    parsed = known is not None or ("parse_args" in module.calls and not reads_no_command(module))
    if not parsed or any("parse_known_args" in one.calls for one in files):
        return
    if not any("backward" in one.calls for one in [*files, *module.project.near(module)]):
        return
    shown = trains(module) and not is_copy(module)
    declared = [(call, flag_names(call)) for call in module.calls.get("add_argument", ())]
    idle = [call for call, names in declared if known and names and is_unread(module, known, names)]
    everywhere = [*files, *(known.beside if known else ())]
    few = len(idle) <= max(2, len(declared) // 8)  # of a parser that was not copied
    for call, names in declared:
        if not names or any("seed" in name for name in names):  # which has a rule of its own
            continue
        flag = long_flag(call) or f"--{min(names)}"
        if call in idle:
            instead = promised(module, everywhere, call, names) if shown else ""
            given = shown and is_given_otherwise(module, call, flag)
            if given and not instead:
                instead = "which a documented command or a script sets"
            told = few and is_of_training(names) and tells(module, files, call, names)
            asked = given or is_switched_on(module, call, flag)
            copied = not asked and is_read_by_another(module, flag, names)
            matters = shown and (bool(instead) or told)
            matters &= not copied or acts_at_once(names)
            detail = f"{flag}, {instead}" if instead else flag
            matters &= not is_of_another_optimizer(files, names)
            yield Spot(call, detail, unsure=not matters or has_no_effect_yet(module, call))
        elif lost := overwritten(module, files, call, min(names)):
            owner = next((one for one in files if lost in one.parents), module)
            place = f"{owner.name}:{lost.lineno}" if owner is not module else f"line {lost.lineno}"
            detail = f"{flag}, which {place} overwrites before anything reads it"
            aside = any(ASIDE.search(name) or FOR_ORDER.search(name) for name in names)
            aside |= any(map(OF_DATA.search, names)) and follows_from_another(owner, lost)
            aside |= follows_from_the_run(owner, lost)
            yield Spot(call, detail, unsure=not shown or aside)
        elif known and (script := left_to_others(module, call, flag, names)):
            detail = f"{flag} in {script}, which a documented command sets"
            yield Spot(call, detail, unsure=has_no_effect_yet(module, call))


def follows_from_another(module: Module, setting: ast.Assign) -> bool:
    """Whether a flag gets a constant for what another flag says: `if args.dataset == "cifar10"`."""
    around = module.parents[setting]
    test = around.test if isinstance(around, ast.If) else None
    asks = isinstance(test, ast.Compare) and isinstance(test.left, ast.Attribute)
    return asks and isinstance(setting.value, ast.Constant)


def follows_from_the_run(module: Module, setting: ast.Assign) -> bool:
    """Whether a flag gets what the run computed: `args.epochs = int(160 * full / pruned)`."""
    scope = module.function(setting)
    names = [one for one in walk(setting.value) if isinstance(one, ast.Name)]
    others = [one for one in names if one.id.lower() not in SETTINGS]
    values = (value for one in others for value in module.value_in(one, scope))
    return any(isinstance(one, ast.Call) for one in values)


def is_of_another_optimizer(files: list[Module], names: set[str]) -> bool:
    """Whether it is the momentum of SGD in a program that has other optimizers alone."""
    optimizers = {last_name(one.func) for file in files for one in file.torch_calls(*OPTIMIZERS)}
    return "momentum" in names and bool(optimizers) and "SGD" not in optimizers


def has_no_effect_yet(module: Module, call: ast.Call) -> bool:
    """Whether a flag has no effect by its help, or by a comment beside it."""
    told = keyword(call, "help")
    lines = module.lines[call.lineno - 1 : call.end_lineno]
    comments = b" ".join(line.partition(b"#")[2] for line in lines).decode("utf-8", "replace")
    helped = isinstance(told, ast.Constant) and NOT_YET.search(str(told.value)) is not None
    return helped or NOT_YET.search(comments) is not None


def tells(module: Module, files: list[Module], call: ast.Call, names: set[str]) -> bool:
    """Whether the help of a flag says what it does in a run, and nothing else does that."""
    told, default = keyword(call, "help"), keyword(call, "default")
    if not isinstance(told, ast.Constant) or len(str(told.value).split()) < 2:
        return False
    helps = [keyword(one, "help") for one in module.calls["add_argument"]]
    if sum(same(one, told) for one in helps) > 1 or any(map(is_other_phase, names)):
        return False  # it was copied with another flag; or another one counts the epochs
    switch = is_constant(keyword(call, "action"), "store_true")
    if not switch and (default is None or is_constant(default, 0, 0.0, False, None, "")):
        return False
    rates = any(map(SCHEDULE.search, names))
    return not (rates and any(True for one in files for _ in one.torch_calls(*SCHEDULERS)))


def trains(module: Module) -> bool:
    """Whether a file computes gradients, itself or by what it calls; or is none that is started."""
    if "backward" in module.calls or not is_started(module):
        return not EVALUATION.search(module.name)
    project = module.project
    return any(
        project.reaches(other, function, is_backward)
        for name, calls in module.calls.items()
        for other, function in project.functions.get(name, ())
        for call in calls
        if (LEARNING.search(name) and (call.args or is_of_own_class(module, call)))
        or (isinstance(call.func, ast.Name) and (other, function) in project.resolve(module, call))
    )


def is_of_own_class(module: Module, call: ast.Call) -> bool:
    """Whether a method is called on an object of one of the project's classes, as a trainer."""
    made = module.assigned.get(written(receiver(call) or call), ())
    return any(
        isinstance(one.value, ast.Call) and not module.project.is_module_class(where, owner)
        for one in made
        for where, owner in module.project.classes_named(module, getattr(one.value, "func", one))
        or ()
    )
