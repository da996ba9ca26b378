"""Scripts that go on with a run, and save its weights alone."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePath

from ...kept import kept
from ...project import Module
from ...rule import Spot
from ...syntax import (
    FUNCTIONS,
    last_name,
    mentions,
    own_calls,
    receiver,
    same,
    written,
)
from ...unreached import is_unreached
from ...unused import in_unused_function
from .counts_in_names import counts_from_name
from .loops import OPTIMIZERS, is_optimizer
from .states import filled_in, plain_saves, saves, value_before

RESUMING = re.compile(
    r"^--?(resume|continue|(auto|load)[-_]resume|(resume|continue)[-_]train(ing)?"
    r"|resume[-_](from|path|iter|epoch|step)s?|start[-_](epoch|iter|step)s?)$"
)


@kept
def is_script(module: Module) -> bool:
    """Whether a file does something when it is started."""
    return any(
        isinstance(node, ast.If) and mentions(node.test, "__name__") for node in module.tree.body
    )


def resumed_without_optimizer(module: Module) -> Iterator[Spot]:
    """Where a script with a flag to resume saves weights, and no program saves its optimizer."""
    flagged = resuming_flags(module) or counts_from_name(module)
    by_methods = list(saved_by_methods(module)) if flagged else []
    if not by_methods and not any(saves(module)):
        return
    near = module.project.near(module)
    trains = "backward" in module.calls or "step" in module.calls
    if not trains and not module.functions and not by_methods:
        return  # a script that makes the weights to begin with
    own = [module] if resuming_flags(module) else [o for o in near if starts(o, module)]
    flags = [flag for other in own for flag in resuming_flags(other)]
    if not flags and counts_from_name(module):
        own, flags = [module], ["the epoch in a file's name"]
    if not flags:
        return
    states = [
        receiver(call)
        for other in near
        for name in ("state_dict", "load_state_dict")
        for call in other.calls.get(name, ())
        if is_optimizer(other, receiver(call)) or "opt" in written(receiver(call) or call).lower()
    ]
    steps = any(
        is_optimizer(other, receiver(call)) or makes_optimizer(other, last_of(call))
        for other in (own if resuming_flags(module) else near)
        for call in other.calls.get("step", ())
    )
    if states or not steps:
        return
    linked = any(
        o is module or imports(o, module) or imports(module, o)
        for o in own
        if o is module or resuming_flags(o)
    )
    for call in saves(module):
        around = module.class_of(call)
        if around is not None and "earlystop" in around.name.lower():
            continue  # which keeps the best weights, not those to go on with
        if is_made_to_be_saved(module, call):
            continue
        given = call.args[0]
        plain = isinstance(given, ast.Call) and last_name(given.func) == "state_dict"
        if plain or (linked and is_weights_alone(module, call)):
            yield Spot(call, f"only weights, though {flags[0]} resumes a run")
            return
    for call in by_methods[:1]:
        yield Spot(call, f"only weights, though {flags[0]} resumes a run")


def is_made_to_be_saved(module: Module, save: ast.Call) -> bool:
    """Whether a function makes the model that it saves, and trains nothing: it converts a file."""
    state = save.args[0]
    model = receiver(state) if isinstance(state, ast.Call) else None
    scope = module.function(save)
    made = isinstance(model, ast.Name) and bool(module.value_in(model, scope))
    return made and isinstance(scope, FUNCTIONS) and is_left_as_made(module, scope, model)


def is_left_as_made(module: Module, scope: ast.AST, model: ast.expr | None) -> bool:
    """Whether a function neither trains nor hands on a model, made by a class if it is made."""
    if model is None or own_calls(scope, "backward", "step", "train"):
        return False
    made = module.value_in(model, scope)
    handed = (one for call in own_calls(scope) for one in call.args)
    return not any(same(one, model) for one in handed) and all(
        isinstance(one, ast.Call)
        and (
            module.project.classes_named(module, one.func)
            or last_name(one.func)[:1].isupper()  # a class, though nothing tells which
        )
        for one in made
    )


def last_of(step: ast.Call) -> str:
    """The last part of what a scaler steps: D_opt of `scaler.step(self.gan.D_opt)`."""
    return last_name(step.args[0]) if len(step.args) == 1 else ""


def makes_optimizer(module: Module, name: str) -> bool:
    """Whether a file makes an optimizer of torch's for an attribute of this name."""
    return bool(name) and any(
        isinstance(statement := module.parents[call], ast.Assign)
        and name in map(last_name, statement.targets)
        for call in module.torch_calls(*OPTIMIZERS)
    )


def saved_by_methods(module: Module) -> Iterator[ast.Call]:
    """The calls in a file of methods of models that save the model's own state, and no more."""
    for other in module.project.near(module):
        for save in plain_saves(other):
            method, around = other.function(save), other.class_of(save)
            state = save.args[0]
            if not isinstance(method, FUNCTIONS) or around is None or not is_own_state(state):
                continue
            if module.project.is_module_class(other, around):
                for call in module.calls.get(method.name, ()):
                    if (other, method) in module.project.resolve(module, call):
                        yield call


def is_own_state(value: ast.expr) -> bool:
    """Whether it is `self.state_dict()`."""
    return isinstance(value, ast.Call) and written(value.func) == "self.state_dict"


def starts(script: Module, module: Module) -> bool:
    """Whether flags of a file may be those of another: it is no script, or one that imports it."""
    return not is_script(script) or (not is_script(module) and imports(script, module))


def imports(module: Module, other: Module) -> bool:
    """Whether a file imports another, or something of it, by the name of the file."""
    stem = PurePath(other.name).stem
    return any(stem in whole.split(".") for whole in module.imports.values())


def is_weights_alone(module: Module, call: ast.Call) -> bool:
    """Whether the states of models are saved, and nothing beside them."""
    given = call.args[0]
    content = filled_in(
        module, module.function(call), written(given), value_before(module, given, call)
    )
    values = content.values if isinstance(content, ast.Dict) else [content or given]
    states = [one for one in values if last_name(one) != "__version__"]
    return bool(states) and all(map(is_state, states))


def is_state(value: ast.expr) -> bool:
    """Whether it is `model.state_dict()`, or one of several of these."""
    if isinstance(value, ast.IfExp):
        return is_state(value.body) and is_state(value.orelse)
    return isinstance(value, ast.Call) and last_name(value.func) == "state_dict"


@kept
def resuming_flags(module: Module) -> list[str]:
    """The flags of a file with which a run is gone on with."""
    return [
        a.value
        for call in module.calls.get("add_argument", ())
        for a in call.args
        if isinstance(a, ast.Constant)
        and isinstance(a.value, str)
        and RESUMING.match(a.value)
        and not in_unused_function(module, call)
        and not is_unreached(module, call)
        and is_asked_for(module, a.value)
    ]


def is_asked_for(module: Module, flag: str) -> bool:
    """Whether code has the name of a flag as an attribute or a text, or hands all flags on."""
    name = re.escape(flag.strip("-").replace("-", "_")).encode()
    word = re.compile(rb"\.%s\b|['\"]%s['\"]|\bvars\(|__dict__" % (name, name))
    return any(word.search(text) for text in module.project.contents.values())


def optimizers_left_out(module: Module) -> Iterator[Spot]:
    """Where the states of some optimizers of a class are saved, and of another one never."""
    near = module.project.near(module)
    kept = {
        last_name(owner)
        for other in near
        for call in other.calls.get("state_dict", ())
        if (owner := receiver(call)) is not None
    }
    for call in plain_saves(module):
        content = value_before(module, call.args[0], call)
        around = module.class_of(call) or module.function(call)
        if not isinstance(content, ast.Dict) or "" in kept or isinstance(around, ast.Module):
            continue
        targets = [
            statement.targets[0]
            for made in module.torch_calls(*OPTIMIZERS)
            if isinstance(statement := module.parents[made], ast.Assign)
            and around in (module.class_of(made), module.function(made))
        ]
        owned = isinstance(around, ast.ClassDef)
        made = {last_name(one) for one in targets if ("self." in written(one)) == owned}
        saved = {last_name(receiver(v) or v) for v in content.values if isinstance(v, ast.Call)}
        stepped = {last_name(receiver(c) or c) for c in module.calls.get("step", ())}
        missing = sorted((made & stepped) - kept)
        if made & saved and missing:
            yield Spot(call, f"without {' and '.join(missing)}")
