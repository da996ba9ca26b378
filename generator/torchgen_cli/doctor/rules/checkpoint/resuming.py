"""Whether anything goes on with what a program saves."""

import ast
import re
from pathlib import PurePath

from ...kept import kept
from ...project import Module
from ...syntax import keyword, last_name, mentions, receiver, written
from ..shared.loops import is_optimizer, is_scheduler
from ..shared.programs import run_with
from ..shared.weights_alone import is_script
from .keys_read import keys_read
from .loading import says_where
from .never_asked import is_never_asked
from .resume import is_handed_down, program_of

BRINGING = re.compile(r"load|resum|restor|restart|checkpoint", re.I)
# a flag or a setting that says so; one of `--load_weights` may be there to finetune
GOES_ON = re.compile(
    r"^(auto_?)?resum|_resum|(begin|start)_?(epoch|iter(?!able)|step)|continue_?(train|from|run)"
    r"|train_?continue|(epoch|step|iter)s?_?(start|begin)(?!_?time)",
    re.I,
)
SCORES = ("loss", "metric", "acc", "score")  # which a schedule follows that waits for progress
WRITING = re.compile(r"save|write|store_|dump|loader", re.I)


@kept
def is_gone_on_with(module: Module, counts: frozenset[str]) -> bool:
    """Whether a program brings a run back, or reads one of these keys, as far as can be told."""
    program = module.project.near(module)
    if "backward" in module.calls:  # other scripts that train are other programs
        brought = module.project.imported_parts
        program = [o for o in program_of(module) if not trains_apart(o, brought)]
    program = [one for one in program if one is not module and not only_evaluates(one)]
    return module.project.has_framework(module) or any(
        has_resuming_flag(other)
        or any(
            not is_for_others(module, other, node)
            for node in [*optimizers_brought(other), *keys_read(other, counts)]
        )
        for other in [module, *program]
    )


def is_for_others(module: Module, other: Module, node: ast.AST) -> bool:
    """Whether only programs in which a file has no part call the function that a place is in."""
    callers = {one for one, _ in other.project.calls_of(other, other.function(node))}
    return bool(callers) and other is not module and callers.isdisjoint(run_with(module))


def only_evaluates(module: Module) -> bool:
    """Whether a script speaks of no optimizer, so that its `--resume` is there to load weights."""
    content = module.project.contents[module.name].lower()
    return is_script(module) and b"optim" not in content and "backward" not in module.calls


def trains_apart(module: Module, brought: set[str]) -> bool:
    """Whether a file trains, and no file imports it."""
    return "backward" in module.calls and PurePath(module.name).stem not in brought


def brings_optimizer(module: Module) -> bool:
    """Whether a file reads an optimizer's state, or gives an optimizer to what loads."""
    return bool(optimizers_brought(module))


@kept
def optimizers_brought(module: Module) -> list[ast.Call]:
    """Where a file reads an optimizer's state, or gives an optimizer to what loads."""
    read = [
        call
        for call in module.calls.get("load_state_dict", ())
        if is_of_optimizer(module, call)
        and not is_handed_down(module, call)
        and not is_never_asked(module, call)
    ]
    handed = [
        call
        for name, calls in module.calls.items()
        if brings(name) and name != "load_state_dict"
        for call in calls
        for one in [*call.args, *(k.value for k in call.keywords)]
        if is_optimizer(module, one) and last_name(one) != "opt"  # which may be the options
    ]
    return [*read, *handed]


def brings(name: str) -> bool:
    """Whether a function brings something back, by its name; `save_checkpoint` does not."""
    return BRINGING.search(name) is not None and not WRITING.search(name)


def is_of_optimizer(module: Module, call: ast.Call) -> bool:
    """Whether a state that is read is that of an optimizer, by its names."""
    owner = receiver(call)
    named = "opt" in written(owner or call).lower() or "optim" in ast.unparse(call).lower()
    return named or is_optimizer(module, owner)


@kept
def has_resuming_flag(module: Module) -> bool:
    """Whether a flag or a setting of a file says that a run is gone on with: `args.resume`."""
    flags = [
        one.value.lstrip("-").replace("-", "_")
        for call in module.calls.get("add_argument", ())
        for one in call.args
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]
    read = (one.attr for one in module.attributes if isinstance(one.ctx, ast.Load))
    return any(map(GOES_ON.search, [*flags, *read]))


def follows_from_the_epoch(module: Module) -> bool:
    """Whether a scheduler is told where it is: it then has no state that could be lost."""
    told = any(
        node.arg == "last_epoch" and not isinstance(node.value, ast.UnaryOp)  # -1, the default
        for node in module.keywords
    )
    told |= any(n.attr == "last_epoch" and isinstance(n.ctx, ast.Store) for n in module.attributes)
    told |= any(
        "lr_scheduler." in module.qualified(call.func) and says_where(call)
        for calls in module.calls.values()
        for call in calls
    )
    told |= any(  # by a keyword that no optimizer has
        keyword(call, "epoch") is not None
        for other in module.project.near(module)
        for call in other.calls.get("step", ())
    )
    steps = module.calls.get("step", ())
    return told or any(
        call.args and not mentions(call.args[0], *SCORES) and is_scheduler(module, receiver(call))
        for call in steps
    )
