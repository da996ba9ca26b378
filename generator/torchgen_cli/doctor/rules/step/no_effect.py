"""What is set, and changes nothing."""

import ast
import re
from collections.abc import Iterator

from ...documents import is_given
from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import is_constant, keyword, receiver, written
from ..data.data import EVALUATION
from ..model.flags import long_flag
from ..shared.flag_readers import flag_names, is_copy, is_started, is_unread, readers
from ..shared.loops import is_backward
from .flag_lost import overwritten

# what makes another run; a flag for a name or a folder that nothing reads is a matter of tidiness
TRAINING = re.compile(
    r"(^|_)(lr|learning_rate|weight_decay|wd|momentum|betas?|eps|dropout|drop_rate|epochs?|warm(up)?"
    r"|batch_?size|clip|grad_clip|max_norm|amp|fp16|bf16|half|resume|label_smoothing|smoothing|gamma"
    r"|step_size|milestones|patience|accum(ulat\w*)?|ema|sync_?bn|early_stop\w*|augment\w*|mixup"
    r"|cutmix|shuffle|pretrained|freeze|deterministic|mixed_precision"
    r"|arch|backbone|widen_factor|depth|hidden_(dim|size|units)|nhid|linear_size|d_model|dilation"
    r"|(num|n)_(layers?|stages?|heads?|blocks?|points)|emb(ed|edding)?_(dim|size)|(img|output)_ch"
    r"|optim|optimizer|margin|loss_(type|fn|func)|d_iters|n_critic|consistency(_\w+)?"
    r"|random_(scale|mirror|flip|crop)|colou?r_jitter|use_cpu(_only)?|no_(cuda|gpu))(_|$)"
    r"|^loss$|^use_cpu$|^cpu$",
    re.I,
)
# what only says when, or where, something is reported or kept; or what is done without training
ASIDE = re.compile(r"^(save|log|print|test|val|eval|vis\w*|display|plot|report|tb|snapshot)_", re.I)
# of a flag whose help says that it has no effect, or one value alone
NOT_YET = re.compile(
    r"only supports?\b|not (yet )?(used|supported|implemented)|unused|ignored|deprecated", re.I
)
# a function that trains; without arguments it may be `model.train()`
LEARNING = re.compile(r"train|fit|learn|optimi[sz]e|run|solve|epoch", re.I)


@rule(
    "TG418",
    "nothing reads this flag",
    why="""The command takes the flag, and the run is the same whatever it says. What was tuned by
    it, or reported with it, was never changed. A flag that does not change the training is
    a hint; so is one that is off by default, where no page, script or configuration gives it.""",
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
    if known is None or any("parse_known_args" in one.calls for one in known.files):
        return
    files = known.files
    if not any("backward" in one.calls for one in [*files, *module.project.near(module)]):
        return
    shown = trains(module) and not is_copy(module)
    for call in module.calls.get("add_argument", ()):
        names = flag_names(call)
        if not names or any("seed" in name for name in names):  # which has a rule of its own
            continue
        detail = long_flag(call) or f"--{min(names)}"
        matters = shown and is_of_training(names)
        if is_unread(module, known, names):
            yield Spot(call, detail, unsure=not matters or is_left_off(module, call))
        elif lost := overwritten(module, files, min(names)):
            where = next((m.name for m in files if m is not module and lost in m.parents), "")
            place = f"{where}:{lost.lineno}" if where else f"line {lost.lineno}"
            detail += f", which {place} overwrites before anything reads it"
            yield Spot(call, detail, unsure=not matters)


def is_left_off(module: Module, call: ast.Call) -> bool:
    """Whether a flag is off by default, or has no effect by its help, and nothing gives it."""
    default, action = keyword(call, "default"), keyword(call, "action")
    told = keyword(call, "help")
    if isinstance(told, ast.Constant) and NOT_YET.search(str(told.value)):
        return True
    switch = is_constant(action, "store_true")
    if (action is not None and not switch) or (switch and told):
        return False
    if default is not None and not is_constant(default, 0, 0.0, False, None, ""):
        return False
    return not is_given(module.project.root, long_flag(call))


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


def is_of_training(names: set[str]) -> bool:
    """Whether the names of a flag say that it makes another run, or another model."""
    return any(TRAINING.search(name) and not ASIDE.search(name) for name in names)


def is_of_own_class(module: Module, call: ast.Call) -> bool:
    """Whether a method is called on an object of one of the project's classes, as a trainer."""
    made = module.assigned.get(written(receiver(call) or call), ())
    return any(
        isinstance(one.value, ast.Call) and not module.project.is_module_class(where, owner)
        for one in made
        for where, owner in module.project.classes_named(module, getattr(one.value, "func", one))
        or ()
    )
