"""Whether anything goes on with what a program saves."""

import ast
import re
from pathlib import PurePath

from ...kept import kept
from ...project import Module
from ...syntax import everything, is_constant, keyword, last_name, mentions, receiver, written
from ..shared.loops import is_optimizer, is_scheduler
from ..shared.weights_alone import is_script
from .loading import says_where
from .resume import goes_on, is_handed_down, program_of

BRINGING = re.compile(r"load|resum|restor|restart|checkpoint", re.I)
# a flag or a setting that says so; one of `--load_weights` may be there to finetune
GOES_ON = re.compile(
    r"^(auto_?)?resum|_resum|(begin|start)_?(epoch|iter(?!able)|step)|continue_?(train|from|run)"
    r"|train_?continue|(epoch|step|iter)s?_?(start|begin)(?!_?time)",
    re.I,
)
# a flag for a file that a run of the same program wrote
SNAPSHOT = re.compile(r"--(snapshot|checkpoint|ckpt)([-_](path|file))?$")
SCORES = ("loss", "metric", "acc", "score")  # which a schedule follows that waits for progress
TELLING = re.compile(r"print|info|debug|warn|format|write|log", re.I)


@kept
def is_gone_on_with(module: Module, counts: frozenset[str]) -> bool:
    """Whether a program brings a run back, or reads one of these keys, as far as can be told."""
    program = module.project.near(module)
    if "backward" in module.calls:  # other scripts that train are other programs
        brought = module.project.imported_parts
        program = [o for o in program_of(module) if not trains_apart(o, brought)]
    program = [one for one in program if one is not module and not only_evaluates(one)]
    return module.project.has_framework(module) or any(
        brings_optimizer(other) or has_resuming_flag(other) or reads_a_key(other, counts)
        for other in [module, *program]
    )


def only_evaluates(module: Module) -> bool:
    """Whether a script speaks of no optimizer, so that its `--resume` is there to load weights."""
    content = module.project.contents[module.name].lower()
    return is_script(module) and b"optim" not in content and "backward" not in module.calls


def trains_apart(module: Module, brought: set[str]) -> bool:
    """Whether a file trains, and no file imports it."""
    return "backward" in module.calls and PurePath(module.name).stem not in brought


@kept
def brings_optimizer(module: Module) -> bool:
    """Whether a file reads an optimizer's state, or gives an optimizer to what loads."""
    if any(
        is_of_optimizer(module, call)
        and not is_handed_down(module, call)
        and not is_never_asked(module, call)
        for call in module.calls.get("load_state_dict", ())
    ):
        return True
    return any(
        is_optimizer(module, one) and last_name(one) != "opt"  # which may be the options
        for name, calls in module.calls.items()
        if BRINGING.search(name) and name != "load_state_dict"
        for call in calls
        for one in [*call.args, *(k.value for k in call.keywords)]
    )


def is_of_optimizer(module: Module, call: ast.Call) -> bool:
    """Whether a state that is read is that of an optimizer, by its names."""
    owner = receiver(call)
    named = "opt" in written(owner or call).lower() or "optim" in ast.unparse(call).lower()
    return named or is_optimizer(module, owner)


def is_never_asked(module: Module, node: ast.AST) -> bool:
    """Whether it is under the condition that a name is set, which the file says never to be."""
    return any(
        isinstance(around, ast.If)
        and any(
            isinstance(one, ast.Name) and is_never_set(module, one)
            for one in (around.test, *compared_with_none(around.test))
        )
        and any(node in everything(statement) for statement in around.body)
        for around in module.ancestors(node)
    )


def compared_with_none(test: ast.expr) -> list[ast.expr]:
    """The name in `name is not None`."""
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot | ast.NotEq):
        return [test.left] if is_constant(test.comparators[0], None, "", False) else []
    return []


def is_never_set(module: Module, name: ast.Name) -> bool:
    """Whether a name of a file is given None, False or nothing, and nothing else."""
    given = module.assigned.get(name.id, ())
    stores = sum(
        isinstance(one, ast.Name) and one.id == name.id and isinstance(one.ctx, ast.Store)
        for one in everything(module.tree)
    )
    taken = any(isinstance(one, ast.arg) and one.arg == name.id for one in everything(module.tree))
    if taken or stores != len(given) or not given:
        return False
    return all(is_constant(one.value, None, False, "") for one in given)


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


@kept
def reads_a_key(module: Module, keys: frozenset[str]) -> bool:
    """Whether a file reads one of the keys, for more than to tell it."""
    for one in everything(module.tree):
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load):
            key: ast.expr | None = one.slice
        elif isinstance(one, ast.Call) and last_name(one.func) in ("get", "pop") and one.args:
            key = one.args[0]
        else:
            continue
        if not isinstance(key, ast.Constant) or key.value not in keys or is_saved(module, one):
            continue
        if not is_told(module, one) and not is_never_asked(module, one):
            return True
    return False


def is_saved(module: Module, value: ast.expr) -> bool:
    """Whether it is put under the same key: `"epoch": counts["epoch"]`."""
    around = module.parents[value]
    return isinstance(around, ast.Dict) and any(
        isinstance(key, ast.Constant) and held is value and mentions(value, str(key.value))
        for key, held in zip(around.keys, around.values, strict=True)
    )


def is_told(module: Module, node: ast.AST) -> bool:
    """Whether it is printed or logged, and put to no other use."""
    for around in module.ancestors(node):
        if isinstance(around, ast.Call) and TELLING.search(last_name(around.func)):
            return written(receiver(around) or around) != written(node)
        if isinstance(around, ast.stmt):
            return False
    return False


def brings_back_less(module: Module, content: ast.Dict) -> bool:
    """Whether an optimizer's state is kept, and no code that goes on with a run reads it."""
    kept = any(
        isinstance(value, ast.Call)
        and last_name(value.func) == "state_dict"
        and is_optimizer(module, receiver(value))
        for value in content.values
    )
    near = module.project.near(module)
    read = any(
        "opt" in ast.unparse(call).lower()
        for other in near
        for call in other.calls.get("load_state_dict", ())
    )
    handed = any(
        is_optimizer(other, one)
        for other in near
        for name, calls in other.calls.items()
        if BRINGING.search(name)
        for call in calls
        for one in [*call.args, *(k.value for k in call.keywords)]
    )
    program = program_of(module)
    again = any(map(goes_on, program)) or any(begins_with(other, content) for other in program)
    return kept and not read and not handed and again


def begins_with(module: Module, content: ast.Dict) -> bool:
    """Whether a file that trains takes a snapshot by a flag, and reads one of these models."""
    keys = {
        one.value: last_name(receiver(value) or value)
        for one, value in zip(content.keys, content.values, strict=True)
        if isinstance(one, ast.Constant) and isinstance(value, ast.Call)
    }
    asked = any(
        isinstance(one, ast.Constant) and SNAPSHOT.match(str(one.value))
        for call in module.calls.get("add_argument", ())
        for one in call.args
    )
    return (
        asked
        and "backward" in module.calls
        and any(
            isinstance(one, ast.Subscript)
            and isinstance(one.slice, ast.Constant)
            and keys.get(one.slice.value) == last_name(receiver(call) or call)
            for call in module.calls.get("load_state_dict", ())
            for one in call.args[:1]
        )
    )


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
