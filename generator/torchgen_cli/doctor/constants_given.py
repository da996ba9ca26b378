"""The constants that the callers of a function give its parameters, where they give no others."""

import ast

from .kept import kept
from .methods import stored
from .naming import WORD, is_written_elsewhere
from .project import Module, Project
from .syntax import (
    FUNCTIONS,
    Function,
    defaults_of,
    has_stars,
    keyword,
    last_name,
    parameters,
    written,
)
from .unreached import may_be_named
from .unused import is_open, is_registered
from .variables import stored_in

LEFT_OUT = ...  # stands for an argument that a call does not give
FAR = 3  # functions that hand an argument on, or that call each other
# methods that libraries call with arguments of their own
OF_LIBRARIES = {"apply", "backward", "eval", "forward", "load_state_dict", "state_dict", "step"}
OF_LIBRARIES |= {"train", "zero_grad"}


def values_of_argument(module: Module, asked: ast.expr) -> set[object] | None:
    """The constants that a parameter gets, or an attribute that keeps one; None for others."""
    function = module.function(asked)
    if isinstance(asked, ast.Name) and isinstance(function, FUNCTIONS):
        if asked.id not in parameters(function):
            return None
        return given_to(module, function, asked.id, FAR)
    node = module.class_of(asked)
    if node is None or not written(asked).startswith("self."):
        return None
    name = written(asked)[5:]
    makers = (one for one in node.body if isinstance(one, FUNCTIONS) and one.name == "__init__")
    maker = next(makers, None)
    kept_as = [one.value for one in module.assigned.get(f"self.{name}", ())]
    if maker is None or len(kept_as) != 1 or module.function(kept_as[0]) is not maker:
        return None
    value = kept_as[0]
    once = isinstance(value, ast.Name) and len(stored(module.project).get(name, ())) == 1
    return given_to(module, maker, value.id, FAR) if once else None  # type: ignore[attr-defined]


def given_to(module: Module, function: Function, name: str, depth: int) -> set[object] | None:
    """The constants that callers give a parameter; None where anything else may be given."""
    users = users_of(module, function) if depth else []
    changed = stored_in(function)
    takes, found = name in parameters(function), set[object]()
    if not users or name in changed or name_of_rest(function) in changed:
        return None
    if not takes and not name_of_rest(function):
        return None  # which is no parameter
    place = parameters(function).index(name) if takes else None
    for other, call in users:
        values = given_by(other, call, name, place_in(other, call, place), depth - 1)
        if values is None and has_stars(call) and not is_spoken_of(module, function, name):
            values = {LEFT_OUT}
        if values is None:
            return None
        found |= values
    default = defaults_of(function).get(name)
    if takes and LEFT_OUT in found:
        if not isinstance(default, ast.Constant):
            return None
        found = found - {LEFT_OUT} | {default.value}
    return found


def given_by(
    module: Module, call: ast.Call, name: str, place: int | None, depth: int
) -> set[object] | None:
    """The constants that one call may give a parameter; LEFT_OUT where it may give none."""
    scope, value = module.function(call), keyword(call, name)
    if value is None and any(isinstance(one, ast.Starred) for one in call.args):
        return None
    if value is None and place is not None and place < len(call.args):
        value = call.args[place]
    if isinstance(value, ast.Constant):
        return {value.value}
    if value is None and not has_stars(call):
        return {LEFT_OUT}
    if not isinstance(scope, FUNCTIONS):
        return None
    if isinstance(value, ast.Name) and value.id in parameters(scope):
        return given_to(module, scope, value.id, depth)
    rest = [written(one.value) for one in call.keywords if one.arg is None]
    handed_on = value is None and rest == [name_of_rest(scope)]
    return given_to(module, scope, name, depth) if handed_on else None


def place_in(module: Module, call: ast.Call, place: int | None) -> int | None:
    """The place of an argument in a call; timm takes a name first, and one more that way."""
    if place is None or not is_of_timm(module, call):
        return place
    return 1 if place == 0 else None


def is_of_timm(module: Module, call: ast.Call) -> bool:
    """Whether timm makes a model, by the name of a function that it keeps."""
    whole = module.qualified(call.func)
    return whole.startswith("timm.") and whole.endswith(".create_model")


def is_kept_by_timm(node: Function | ast.ClassDef) -> bool:
    """Whether a function makes a model of a name that timm knows."""
    return any(last_name(one) == "register_model" for one in node.decorator_list)


def name_of_rest(function: Function) -> str:
    """The name of what takes all further arguments: of `**options`."""
    return function.args.kwarg.arg if function.args.kwarg is not None else ""


def is_spoken_of(module: Module, function: Function, name: str) -> bool:
    """Whether a parameter's name stands anywhere but in its function, or in its class."""
    whole = module.class_of(function) or function
    lines = module.project.contents[module.name].splitlines()
    own = b"\n".join(lines[whole.lineno - 1 : whole.end_lineno])
    return is_written_elsewhere(module.project, name, own)


@kept
def users_of(module: Module, node: Function | ast.ClassDef) -> list[tuple[Module, ast.Call]]:
    """All calls of a function, or that make objects of a class; none where there may be others."""
    project, around = module.project, module.parents[node]
    if isinstance(around, ast.ClassDef) and node.name == "__init__":
        return users_of(module, around)
    if is_kept_by_timm(node):
        models = project.callers.get("create_model", ())
        by_name = [one for one in models if is_of_timm(*one)]
        return [*project.calls_of(module, node), *by_name] if by_name else []
    library = node.name.startswith("__") or node.name in OF_LIBRARIES
    if node.name in handed_on(project) or is_registered(node) or library:
        return []
    if is_open(project) and may_be_named(module, node):
        return []
    if isinstance(node, FUNCTIONS):
        return list(project.calls_of(module, node))
    alone = len(project.classes[node.name]) == 1 and node.name not in project.functions
    return list(project.callers.get(node.name, ())) if alone else []


@kept
def handed_on(project: Project) -> frozenset[str]:
    """The names that the code uses otherwise than to call them, also in a text or as an alias."""
    unread = (text.decode("utf-8", "replace") for text in project.unread.values())
    found = {name for text in unread for name in WORD.findall(text)}
    for module in project.modules:
        for node, parent in module.parents.items():
            if isinstance(node, ast.Name | ast.Attribute):
                if isinstance(node.ctx, ast.Load) and getattr(parent, "func", None) is not node:
                    found.add(last_name(node))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                asked = isinstance(parent, ast.Compare)  # if args.model == "Net": net = Net()
                found.update([node.value] if node.value.isidentifier() and not asked else [])
            elif isinstance(node, ast.alias) and node.asname is not None:
                found.add(node.name.rpartition(".")[2])
    return frozenset(found)
