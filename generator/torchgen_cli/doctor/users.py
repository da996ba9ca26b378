"""The calls of a function, and those that make objects of a class, where there are no others."""

import ast

from .kept import kept
from .meant import may_be_named
from .methods import family_of
from .project import Module, Project
from .syntax import FUNCTIONS, Function, last_name, receiver
from .unused import is_open, is_registered
from .words import WORD

# methods that libraries call with arguments of their own
OF_LIBRARIES = {"apply", "backward", "eval", "forward", "load_state_dict", "state_dict", "step"}
OF_LIBRARIES |= {"train", "zero_grad"}


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
    named = node.name in handed_on(project) or (is_open(project) and may_be_named(module, node))
    library = node.name.startswith("__") or node.name in OF_LIBRARIES
    if named or library or is_registered(node):
        return []
    if isinstance(node, FUNCTIONS):
        return [one for one in project.calls_of(module, node) if may_be_of(around, *one)]
    return makers_of(module, node)


def makers_of(module: Module, node: ast.ClassDef) -> list[tuple[Module, ast.Call]]:
    """The calls that make objects of a class; none where it may be of another of its name."""
    project = module.project
    calls = project.callers.get(node.name, []) if node.name not in project.functions else []
    if len(project.classes[node.name]) == 1:
        return calls
    meant = [project.classes_named(other, call.func) for other, call in calls]
    found = [
        one for one, kinds in zip(calls, meant, strict=True) if (module, node) in (kinds or ())
    ]
    return [] if None in meant else found


def may_be_of(around: ast.AST, module: Module, call: ast.Call) -> bool:
    """Whether a call may be of a method of this class, and not of another's of the same name."""
    owner = receiver(call)
    kinds = family_of(module, owner) if owner is not None else None
    return kinds is None or not isinstance(around, ast.ClassDef) or around in kinds


@kept
def handed_on(project: Project) -> frozenset[str]:
    """The names that the code uses otherwise than to call them, also in a text or as an alias."""
    unread = (text.decode("utf-8", "replace") for text in project.unread.values())
    found = {name for text in unread for name in WORD.findall(text)}
    for module in project.modules:
        for node, parent in module.parents.items():
            if isinstance(node, ast.Name | ast.Attribute):
                if last_name(getattr(parent, "func", parent)) in ("super", "isinstance"):
                    continue
                if isinstance(node.ctx, ast.Load) and getattr(parent, "func", None) is not node:
                    found.add(last_name(node))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                asked = isinstance(parent, ast.Compare)  # if args.model == "Net": net = Net()
                own = node.value in project.classes and names_itself(module, node)
                told = node.value.isidentifier() and not asked and not own
                found.update([node.value] if told else [])
            elif isinstance(node, ast.alias) and node.asname is not None:
                found.add(node.name.rpartition(".")[2])
    return frozenset(found)


def names_itself(module: Module, node: ast.Constant) -> bool:
    """Whether a text is in the class that it names: `super().__init__(prefix="Net")`."""
    around = module.class_of(node)
    return around is not None and around.name == node.value


def is_of_timm(module: Module, call: ast.Call) -> bool:
    """Whether timm makes a model, by the name of a function that it keeps."""
    whole = module.qualified(call.func)
    return whole.startswith("timm.") and whole.endswith(".create_model")


def is_kept_by_timm(node: Function | ast.ClassDef) -> bool:
    """Whether a function makes a model of a name that timm knows."""
    return any(last_name(one) == "register_model" for one in node.decorator_list)
