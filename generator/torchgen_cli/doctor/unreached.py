"""Functions, methods and classes that no program of a project runs, as far as names tell."""

import ast
from collections import defaultdict
from dataclasses import dataclass, field

from .absent import stops, unable_to_start
from .demonstrations import demonstration
from .kept import kept
from .lookup import path_of
from .meant import DEFINITIONS, may_be_named
from .methods import ANY_METHOD, Asked, asked_by, bases_of_libraries
from .naming import (
    ANY_FUNCTION,
    IN_FILE,
    OF_FILE,
    named_by,
)
from .never_run import is_never_run
from .project import Module, Project
from .syntax import FUNCTIONS, is_constant, walk
from .unused import (
    is_cut_off,
    is_distributed,
    is_open,
    is_registered,
    is_unused,
)
from .variables import is_local
from .words import WORD, is_public

# classes of libraries that call no other methods than these, and those with two underscores
KNOWN_BASES = {"ABC", "Dataset", "Function", "IterableDataset", "Module", "Sampler", "object"}
CALLED_BY_BASES = {"apply", "backward", "eval", "extra_repr", "forward", "jvp", "load_state_dict"}
CALLED_BY_BASES |= {"setup_context", "state_dict", "train", "vmap"}
CALLED_BY_BASES |= {"_apply", "_load_from_state_dict", "_save_to_state_dict", "named_parameters"}
CALLED_BY_BASES |= {"named_modules", "parameters"}
TRAINING = {"backward", "fit"}
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def is_unreached(module: Module, node: ast.AST) -> bool:
    """Whether a place is in a function, a method or a class that no program runs."""
    if stops(module, node):
        return False  # which is why nothing else of the file is reached
    found = unreached(module.project)
    return bool(found) and not found.isdisjoint((node, *module.ancestors(node)))


@dataclass(eq=False)
class Part:
    """What runs as one: the top of a file, the body of a class, or a function."""

    module: Module
    node: ast.AST
    owner: "Part | None" = None
    """The class of a method."""
    replaced: bool = False
    """Whether the same block defines its name once more, further down."""
    names: set[str] = field(default_factory=set)
    """The functions and classes that it names; ANY_FUNCTION where it may use any."""
    asked: list[Asked] = field(default_factory=list)
    """The methods that it asks for."""


@kept
def unreached(project: Project) -> frozenset[ast.AST]:
    """The definitions that nothing names which is run itself; none where nothing trains.

    Where the class of an object is not known, the names of methods are compared, and the arguments
    of their calls; so some dead code is taken for alive.
    """
    parts = [part for module in project.modules for part in parts_of(module)]
    stopped = {part for part in parts if part.module in unable_to_start(project)}
    pending = [part for part in parts if part not in stopped]
    alive: set[Part] = set()
    named = {ANY_FUNCTION} if is_open(project) else set()
    for text in project.unread.values():  # which does not parse
        named.update(WORD.findall(text.decode("utf-8", "replace")))
    asked: dict[str, list[Asked]] = defaultdict(list)
    found = set(filter(is_begun, pending))
    while found:
        alive |= found
        named.update(*(part.names for part in found))
        for one in (one for part in found for one in part.asked):
            asked[one.name].append(one)
        pending = [part for part in pending if part not in found]
        found = {
            part
            for part in pending
            if (is_asked(part, alive, asked) if part.owner else is_named(part, named))
        }
    trains = not TRAINING.isdisjoint(asked)
    return frozenset(part.node for part in (*pending, *stopped) if trains)


def is_begun(part: Part) -> bool:
    """Whether a part runs by itself, or what does not name it here may run it."""
    module, node = part.module, part.node
    if isinstance(node, ast.Module):
        return not is_unused(module)
    if part.owner is not None or part.replaced:
        return False
    public = is_packaged(module) and not getattr(node, "name", "_").startswith("_")
    return public or module.is_test or module.name == "hubconf.py" or is_registered(node)


def is_packaged(module: Module) -> bool:
    """Whether a file is in a package that other projects may install."""
    package = module.name.partition("/")[0]
    return is_distributed(module.project) and package in packages(module.project)


@kept
def packages(project: Project) -> frozenset[str]:
    """The topmost folders of the packages."""
    names = [name for name in project.contents if name.endswith("/__init__.py")]
    return frozenset(name.partition("/")[0] for name in names)


def is_named(part: Part, named: set[str]) -> bool:
    """Whether a function or a class is among what is named."""
    name = getattr(part.node, "name", "")
    if part.replaced:
        return False
    files = [IN_FILE + one for one in path_of(part.module)] if shows(part.module, name) else []
    by_any = ANY_FUNCTION in named and may_be_meant(part)
    by_name = not named.isdisjoint((name, name + OF_FILE + part.module.name))
    return by_name or by_any or not named.isdisjoint(files)


def is_asked(part: Part, alive: set[Part], asked: dict[str, list[Asked]]) -> bool:
    """Whether what a class defines is asked for, and the class itself is alive."""
    name, owner = getattr(part.node, "name", ""), part.owner
    if part.replaced or owner not in alive:
        return False
    by_base = name.startswith("__") or name in CALLED_BY_BASES or has_unknown_base(owner)
    if name == "forward" and isinstance(owner.node, ast.ClassDef):
        by_base = has_unknown_base(owner) or not is_never_run(owner.module, owner.node)
    by_base |= is_packaged(part.module) and not name.startswith("_")
    if by_base or is_registered(part.node) or name in owner.names:
        return True
    by_name = any(one.may_be(owner.node, part.node) for one in asked.get(name, ()))
    by_any = any(one.may_be(owner.node, part.node) for one in asked.get(ANY_METHOD, ()))
    return by_name or (by_any and may_be_meant(part))


def may_be_meant(part: Part) -> bool:
    """Whether a name that is looked up as a text may be that of a part."""
    return may_be_named(part.module, part.node)


def shows(module: Module, name: str) -> bool:
    """Whether a file has no `__all__`, or this name is in it."""
    lists = [one.value for one in module.assigned.get("__all__", ())]
    return not lists or any(is_constant(node, name) for one in lists for node in walk(one))


def has_unknown_base(part: Part) -> bool:
    """Whether a class derives, if by others, from one of a library that may call its methods."""
    node = part.node
    if not isinstance(node, ast.ClassDef):
        return False
    return not bases_of_libraries(part.module.project, node) <= KNOWN_BASES


def parts_of(module: Module) -> list[Part]:
    """The parts of a file, with what each of them names."""
    found = [Part(module, module.tree)]
    part_of: dict[ast.AST, Part | None] = {module.tree: found[0]}
    shown = demonstration(module)
    for node, parent in module.parents.items():  # the outer ones come first
        part = part_of[parent]
        cut_off = isinstance(node, ast.stmt) and is_cut_off(module, node, parent)
        if node is shown or is_public(node) or cut_off:
            part = None  # which uses nothing
        elif part is not None and isinstance(node, DEFINITIONS) and not is_function(part.node):
            owner = part if isinstance(part.node, ast.ClassDef) else None
            part = Part(module, node, owner, is_replaced(node, parent))
            found.append(part)
        part_of[node] = part
        if part is not None and not (isinstance(node, ast.Name) and is_local(module, node)):
            part.names.update(named_by(module, node))
            part.asked += asked_by(module, node)
    return found


def is_function(node: ast.AST) -> bool:
    """Whether it is a function, within which all runs as one."""
    return isinstance(node, FUNCTIONS)


def is_replaced(node: Definition, parent: ast.AST) -> bool:
    """Whether the same block defines a function of this name once more, further down."""
    block = getattr(parent, "body", [])
    after = block[block.index(node) + 1 :] if node in block else []
    return not node.decorator_list and any(
        isinstance(one, DEFINITIONS) and one.name == node.name for one in after
    )
