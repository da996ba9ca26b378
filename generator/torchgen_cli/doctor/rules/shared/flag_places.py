"""Where names and attributes are read, and what takes all flags at once."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...kept import kept
from ...lookup import imported
from ...project import Module
from ...syntax import FUNCTIONS, Function, last_name, parameters
from ..checkpoint.in_place import SETTINGS


@kept
def names_of(module: Module) -> dict[str, list[ast.Name]]:
    """Where each name of a file is read."""
    found: dict[str, list[ast.Name]] = {}
    for node in module.parents:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.setdefault(node.id, []).append(node)
    return found


@kept
def attributes_of(module: Module) -> dict[str, list[ast.Attribute]]:
    """Where each attribute of a file is read."""
    found: dict[str, list[ast.Attribute]] = {}
    for node in module.attributes:
        if isinstance(node.ctx, ast.Load):
            found.setdefault(node.attr, []).append(node)
    return found


@kept
def set_from_outside(module: Module) -> frozenset[str]:
    """The attributes that a file sets on other objects than settings: `model.head.x = 1`."""
    split = [name.rpartition(".") for name in module.assigned]
    return frozenset(
        last
        for before, _, last in split
        if before and before != "self" and before.rpartition(".")[2].lower() not in SETTINGS
    )


class Use(NamedTuple):
    """An expression that holds all flags."""

    module: Module
    node: ast.AST


class Places:
    """Expressions that hold all flags, and what they are bound to."""

    def __init__(self, files: list[Module]) -> None:
        """Nothing is known yet."""
        self.files = files
        self.pending: list[Use] = []
        self.seen: set[ast.AST] = set()
        self.names: set[str] = set()
        """The names and attributes under which the flags are known."""

    def add(self, module: Module, nodes: Iterable[ast.AST]) -> None:
        """Follow these too."""
        for node in nodes:
            if node not in self.seen:
                self.seen.add(node)
                self.pending.append(Use(module, node))

    def bind(self, module: Module, scope: ast.AST, target: ast.AST | str) -> None:
        """Follow every read of a name of a function or file, or of an attribute anywhere."""
        if isinstance(target, ast.Attribute):
            self.names.add(target.attr)
            for one in self.files:
                self.add(one, attributes_of(one).get(target.attr, ()))
            return
        name = target if isinstance(target, str) else last_name(target)
        self.names.add(name)
        shared = any(
            isinstance(n, ast.Global) and name in n.names for n in getattr(scope, "body", ())
        )
        if isinstance(scope, ast.Module) or shared:
            self.add(module, global_reads(module, name))
            self.exported(module, name)
        else:
            inside = names_of(module).get(name, ())
            self.add(module, (n for n in inside if scope in module.ancestors(n)))

    def exported(self, module: Module, name: str) -> None:
        """Follow a name of a file into those that import it, or the file."""
        stem = re.split(r"/", module.name.removesuffix("/__init__.py").removesuffix(".py"))[-1]
        for other in self.files:
            if other is module:
                continue
            if f"{stem}.{name}" in ".".join(other.imports.get(name, "").split(".")[-2:]) or any(
                one.rpartition(".")[2] == stem for one in other.starred
            ):
                self.add(other, global_reads(other, name))
            self.add(
                other,
                (
                    node
                    for node in attributes_of(other).get(name, ())
                    if other.qualified(node.value).endswith(stem)
                ),
            )


def own_functions(
    module: Module, meant: ast.expr, given: str
) -> list[tuple[Module, Function]] | None:
    """The project's functions that a call may run with all flags; None for those of others."""
    project, name = module.project, last_name(meant)
    if isinstance(meant, ast.Attribute) and name == "__init__":  # super().__init__(args)
        around = module.class_of(meant)
        bases = around.bases if around else []
        classes = [one for base in bases for one in project.classes_named(module, base) or ()]
        return initializers(classes)
    if not isinstance(meant, ast.Name | ast.Attribute):
        return []  # of a table, of which nothing but the project's own takes them
    classes = project.classes_named(module, meant) or []
    plain = project.functions.get(name, [])
    if isinstance(meant, ast.Name):
        found = [one for one in plain if one[0] is module] if meant.id not in module.imports else []
        called = ast.copy_location(ast.Call(meant, [], []), meant)
        found = found or project.resolve(module, called)
    else:
        found = plain if len(plain) == 1 else [o for o in plain if takes_settings(o[1], given)]
    if isinstance(meant, ast.Name) and not found and not classes:
        source, _, name = module.imports.get(meant.id, meant.id).rpartition(".")
        if name != meant.id:  # from model import AGCRN as Network
            found = imported(module, source, project.functions.get(name, []))
            classes = imported(module, source, project.classes.get(name, []))
    if found or classes:
        return found + initializers(classes)
    root = module.qualified(meant).partition(".")[0]
    local = isinstance(meant, ast.Name) and meant.id not in module.imports
    known = name in project.functions or name in project.classes
    return [] if local or known or root == "self" else None


def takes_settings(function: Function, given: str) -> bool:
    """Whether a function has a parameter that is called as settings are."""
    return any(one.lower() in SETTINGS or one == given for one in parameters(function))


def initializers(
    classes: list[tuple[Module, ast.ClassDef]],
) -> list[tuple[Module, Function]]:
    """The `__init__` of each class."""
    return [
        (module, part)
        for module, one in classes
        for part in one.body
        if isinstance(part, FUNCTIONS) and part.name == "__init__"
    ]


def global_reads(module: Module, name: str) -> Iterator[ast.Name]:
    """Where a file reads a name of its own top level, and no parameter that is called alike."""
    for node in names_of(module).get(name, ()):
        around = [one for one in module.ancestors(node) if isinstance(one, FUNCTIONS)]
        taken = {
            one.arg
            for function in around
            for one in (
                *function.args.args,
                *function.args.kwonlyargs,
                *filter(None, (function.args.vararg, function.args.kwarg)),
            )
        }
        if name not in taken:
            yield node
