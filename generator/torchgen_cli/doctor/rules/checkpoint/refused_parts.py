"""What lies in a checkpoint beside plain data."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ...kept import kept
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    argument,
    is_constant,
    last_name,
    parameters,
    receiver,
    written,
)
from ..shared.callers import given_by_callers, is_given_states
from ..shared.loops import OPTIMIZERS, is_optimizer
from ..shared.origins import returned
from ..shared.states import (
    filled_in,
    handed_on,
    is_model,
    makes_or_names_module,
    saves,
    takes,
    value_before,
    values_of,
)
from .checkpoint import parts_of
from .lists_of_objects import class_of_items
from .numpy_values import ARRAYS, is_numpy, numpy_rate

WHOLE = "a whole module"
CONFIGURATIONS = {"addict.Dict", "easydict.EasyDict", "ml_collections.ConfigDict"}
CONFIGURATIONS |= {"omegaconf.OmegaConf.create", "omegaconf.OmegaConf.load", "yacs.config.CfgNode"}
CONFIGURATIONS |= {"omegaconf.OmegaConf.merge"}
OBJECT = "an object of the class"
LIST = "a list of objects of the class"


class Kept(NamedTuple):
    """What is saved beside plain data."""

    what: str
    """In words."""
    key: str
    """The key that it has in the dict which is saved; empty where it is all that is saved."""
    keys: frozenset[str]
    """The keys of that dict."""
    call: ast.Call
    """What saves it."""
    module: Module
    """The file that saves it."""
    is_module: bool = False
    is_object: bool = False
    """Whether it is an object of a class of the project."""
    is_state: bool = False
    """Whether it is the state of an optimizer."""


@kept
def objects(module: Module, own: bool) -> list[Kept]:
    """What a file saves beside plain data.

    `own` says that the same file loads it: numbers are then looked for in functions as well.
    """
    return list(find_objects(module, own))


def find_objects(module: Module, own: bool) -> Iterator[Kept]:
    """Each part of what a file saves that a newer torch does not load."""
    given_to = [(call, call.args[0]) for call in saves(module)]
    for call, given in [*given_to, *handed_on(module, ast.Name)]:
        scope, name = module.function(call), written(given)
        content = filled_in(module, scope, name, value_before(module, given, call))
        keys = keys_of(content)
        values = parts_of(content) or [given]
        for value, key in zip(values, keys or [""] * len(values), strict=True):
            what = kind_of(module, value, call, own)
            if what:
                yield Kept(
                    what,
                    key,
                    frozenset(keys),
                    call,
                    module,
                    is_module=what == WHOLE,
                    is_object=OBJECT in what or LIST in what,
                    is_state=optimizer_of(module, value) != "",
                )


def kind_of(module: Module, value: ast.expr, call: ast.Call, own: bool) -> str:
    """What a part is that is not loaded, in words; empty for plain data."""
    text = ast.unparse(value)
    state = optimizer_of(module, value)
    given = [(module, value, call), *given_at_first(module, value)]
    if is_model(module, value, call) or all_models(given[1:]):
        return WHOLE
    named = kind_of_name(module, value, given)
    if named:
        return f"`{text}`, {named},"
    if is_numpy(module, value, 4 if own else 1):
        return f"`{text}`, a numpy number,"
    if isinstance(value, ast.Call) and module.qualified(value.func) in ARRAYS:
        return f"`{text}`, a numpy array,"
    if state and is_of(numpy_rate(module), state):
        return f"the learning rate of `{state}`, a numpy number,"
    names = {class_of(*one) for one in given[1:] or given}
    name = names.pop() if len(names) == 1 else ""
    items = "" if name else class_of_items(module, value)
    what = f"{LIST} {items}" if items else f"{OBJECT} {name}"
    return f"`{text}`, {what}," if name or items else ""


def kind_of_name(
    module: Module, value: ast.expr, given: list[tuple[Module, ast.expr, ast.Call]]
) -> str:
    """An object of a library that a name stands for, in words; empty for others."""
    if is_optimizer_itself(module, value):
        return "an optimizer"
    if any(is_namespace(other, one) for other, one, _ in given):
        return "a Namespace"
    return "a configuration of a library" if is_configuration(module, value) else ""


def is_configuration(module: Module, value: ast.expr) -> bool:
    """Whether it is what a library for configurations makes, or hydra gives a program."""
    scope = module.function(value)
    if not isinstance(value, ast.Name):
        return False
    if takes(scope, value.id) and isinstance(scope, FUNCTIONS):
        return any(
            module.qualified(getattr(one, "func", one)) == "hydra.main"
            for one in scope.decorator_list
        )
    made = module.value_in(value, scope) or module.value_in(value, module.tree)
    return bool(made) and all(
        isinstance(one, ast.Call) and module.qualified(one.func) in CONFIGURATIONS for one in made
    )


def is_optimizer_itself(module: Module, value: ast.expr) -> bool:
    """Whether it is an optimizer by its name, or by what made it, and not its state."""
    if not isinstance(value, ast.Name):
        return False
    scope = module.function(value)
    if is_given_states(module, scope, value.id):
        return False
    given = module.value_in(value, scope)
    made = [isinstance(one, ast.Call) and module.is_torch(one.func, *OPTIMIZERS) for one in given]
    return all(made) and (bool(made) or value.id in ("optim", "optimizer"))


def all_models(given: list[tuple[Module, ast.expr, ast.Call]]) -> bool:
    """Whether there are values, and all of them are whole modules."""
    return bool(given) and all(makes_or_names_module(*one) for one in given)


def given_at_first(module: Module, value: ast.expr) -> list[tuple[Module, ast.expr, ast.Call]]:
    """What an attribute, `self.model`, is given by those who make the object."""
    around = module.class_of(value)
    if not isinstance(value, ast.Attribute) or written(value.value) != "self" or around is None:
        return []
    values = module.value_in(value, module.function(value))
    name = values[0] if len(values) == 1 else None
    first = module.function(name) if name is not None else None
    if not isinstance(name, ast.Name) or not isinstance(first, FUNCTIONS):
        return []
    if first.name != "__init__" or name.id not in parameters(first):
        return []
    place = parameters(first).index(name.id)
    return [
        (other, given, call)
        for other, call in module.project.callers.get(around.name, ())
        if (module, around) in (module.project.classes_named(other, call.func) or ())
        and (given := argument(call, place, name.id)) is not None
    ]


def is_of(name: str, state: str) -> bool:
    """Whether a rate, by the name of its optimizer, is in the state of one."""
    return name != "" and name.rpartition(".")[2] == state.rpartition(".")[2]


def optimizer_of(module: Module, value: ast.expr) -> str:
    """The name of the optimizer whose state it is, if it is wanted; empty for all else."""
    if isinstance(value, ast.Name):
        made = module.value_in(value, module.function(value))
        value = made[0] if len(made) == 1 else value
    if isinstance(value, ast.IfExp):
        value = value.body
    if not isinstance(value, ast.Call) or last_name(value.func) != "state_dict":
        return ""
    owner = receiver(value)
    return written(owner) if owner is not None and is_optimizer(module, owner) else ""


def keys_of(content: ast.expr | None) -> list[str]:
    """The keys of a dict that is written out; "" for what is no text."""
    keys = content.keys if isinstance(content, ast.Dict) else []
    return [str(one.value) if isinstance(one, ast.Constant) else "" for one in keys]


def is_namespace(module: Module, value: ast.expr, left: int = 3) -> bool:
    """Whether it is what argparse returned: made so in the file, or called `args` as usual."""
    scope = module.function(value)
    if isinstance(value, ast.Name) and takes(scope, value.id) and not module.value_in(value, scope):
        given = given_by_callers(module, scope, value.id)
        if any(not (written(one) or is_parsed(other, one)) for other, one, _ in given):
            return False  # `vars(args)`
        if given and left and all(is_namespace(other, one, left - 1) for other, one, _ in given):
            return True
    values = module.assigned.get(written(value), ()) if written(value) else ()
    # or taken out of a file again: `args = checkpoint["args"]`
    made = [one.value for one in values if not is_taken_back(one.value, written(value))]
    if made and all(is_parsed(module, one) for one in made):
        return True
    near = module.project.near(module)
    return written(value) == "args" and not made and any("parse_args" in m.calls for m in near)


def is_taken_back(value: ast.expr, name: str) -> bool:
    """Whether it is what a table holds under a name."""
    return isinstance(value, ast.Subscript) and is_constant(value.slice, name)


def is_parsed(module: Module, value: ast.expr, left: int = 2) -> bool:
    """Whether it is what argparse returns, to this place or to a function of the file."""
    if not isinstance(value, ast.Call) or not left:
        return False
    return last_name(value.func) == "parse_args" or any(
        other is module
        and any(
            is_parsed(module, made, left - 1)
            for made in (values_of(module, one, one) if written(one) else [one])
        )
        for other, one in returned(module, value)
    )


def class_of(module: Module, value: ast.expr, near: ast.Call) -> str:
    """The class of the project of which it is an object, no module; empty where that is unsure."""
    if not isinstance(value, ast.Name | ast.Attribute):
        return ""
    scope = module.function(near)
    values = module.value_in(value, scope)
    if not values and not takes(scope, written(value)):
        values = module.value_in(value, module.tree)
    names = {name_of_class(module, one) for one in values if not is_load(module, one)}
    return names.pop() if len(names) == 1 else ""


def is_load(module: Module, node: ast.AST) -> bool:
    """Whether it is a call of `torch.load`."""
    return isinstance(node, ast.Call) and module.qualified(node.func) == "torch.load"


def name_of_class(module: Module, value: ast.expr) -> str:
    """The class of the project that a call makes an object of; empty for other values."""
    if not isinstance(value, ast.Call):
        return ""
    found = module.project.classes_named(module, value.func)
    return found[0][1].name if found else ""
