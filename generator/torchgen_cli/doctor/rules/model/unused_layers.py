"""A dropout that a model makes and never applies."""

import ast
import re
from collections.abc import Iterator

from ...project import Module, Project
from ...rule import Severity, Spot, rule
from ...syntax import FUNCTIONS, argument, everything, is_constant, last_name, written
from ..shared.layers import DOCS, module_classes
from .dropout_rates import has_effect, is_given_to_others, is_left_at_zero

DROPOUTS = ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout")
# what reaches a layer without its name
ANY_LAYER = {"children", "named_children", "modules", "named_modules", "__dict__", "_modules"}
ANY_LAYER |= {"get_submodule"}
SETTINGS: tuple[str, ...] = ("args", "cfg", "conf", "config", "configs", "flags", "hp", "hparams")
SETTINGS += ("hps", "opt", "options", "opts", "params")
ROOTS = {"torch.nn.Module", "nn.Module", "torch.nn.modules.module.Module", "object"}

NOT_USED = re.compile(rb"#.*(\bnot\b.*\b(used|applied)|\bunused)", re.I)


@rule(
    "TG329",
    "the model has a dropout layer but never applies it",
    why="""The rate is accepted, stored, and has no effect: raising it against overfitting trains
    the same model. No method of the class, of its subclasses, or of any other file reads the
    attribute. It is a hint where a comment beside it says so, where the setting also drops
    elsewhere, and where the rate is 0 by default and nothing else is passed.""",
    remedy="apply it in `forward`, or remove it and its argument",
    source=f"{DOCS}/torch.nn.Dropout.html",
    bad="""
from torch import nn


class Net(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.dropout = nn.Dropout(rate)  # <--

    def forward(self, x):
        return self.layer(x)
""",
    good="""
from torch import nn


class Net(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.dropout = nn.Dropout(rate)

    def forward(self, x):
        return self.dropout(self.layer(x))
""",
    severity=Severity.WARNING,
    once=True,
)
def unused_dropout(module: Module) -> Iterator[Spot]:
    if not any(True for _ in module.torch_calls(*DROPOUTS)):
        return
    for node in module_classes(module):
        layers = list(dropouts_of(module, node))
        if not layers or not has_forward(node):
            continue
        family = related(module, node)
        if family is None or any(reaches_any(one) for one in family):
            continue
        for statement, name, call in layers:
            if not any(reads(one, name) for one in family) and not read_elsewhere(
                module.project, name
            ):
                rate = argument(call, 0, "p")
                known = has_effect(node, rate) or is_told(module, statement)
                known |= is_given_to_others(module, node, rate)
                yield Spot(statement, unsure=known or is_left_at_zero(module, node, rate))


def is_told(module: Module, statement: ast.Assign) -> bool:
    """Whether a comment on the line, or on the one before, says that something is not used."""
    beside = module.lines[max(statement.lineno - 2, 0) : statement.end_lineno]
    return any(NOT_USED.search(line) for line in beside)


def dropouts_of(module: Module, node: ast.ClassDef) -> Iterator[tuple[ast.Assign, str, ast.Call]]:
    """(statement, name, call) of `self.name = nn.Dropout(...)`, where it may drop anything."""
    for statement in everything(node):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        target, call = statement.targets[0], statement.value
        if (
            written(target) == f"self.{last_name(target)}"
            and len(statement.targets) == 1
            and module.class_of(statement) is node
            and module.is_torch(call.func, *DROPOUTS)
            and not is_constant(argument(call, 0, "p"), 0, 0.0)
        ):
            yield statement, last_name(target), call


def has_forward(node: ast.ClassDef) -> bool:
    """Whether a class says itself what it does with its layers."""
    return any(isinstance(one, FUNCTIONS) and one.name == "forward" for one in node.body)


def related(module: Module, node: ast.ClassDef) -> list[ast.ClassDef] | None:
    """A class, those it derives from and those that derive from it; None where one is unknown."""
    found = [node]
    pending = [(module, node)]
    for where, one in pending:  # it grows
        for base in one.bases:
            if where.qualified(base) in ROOTS:
                continue
            parents = where.project.classes_named(where, base)
            if not parents:
                return None
            pending += [p for p in parents if p[1] not in found]
            found += [p[1] for p in parents if p[1] not in found]
    names = {node.name}
    for _ in range(4):  # by name, and so rather too many
        for classes in module.project.classes.values():
            for _, one in classes:
                if one not in found and names & {last_name(base) for base in one.bases}:
                    found.append(one)
                    names.add(one.name)
    return found


def reaches_any(node: ast.ClassDef) -> bool:
    """Whether a class goes through its layers without their names."""
    return any(
        (isinstance(one, ast.Name) and one.id in ("getattr", "vars"))
        or (isinstance(one, ast.Attribute) and one.attr in ANY_LAYER)
        for one in everything(node)
    )


def reads(node: ast.ClassDef, name: str) -> bool:
    """Whether an attribute is read in a class, of whichever object but the settings."""
    return any(
        isinstance(one, ast.Attribute)
        and one.attr == name
        and isinstance(one.ctx, ast.Load)
        and not is_of_settings(one)
        for one in everything(node)
    )


def is_of_settings(node: ast.Attribute) -> bool:
    """Whether it is a part of the settings: `args.dropout`."""
    return written(node.value).lower().endswith(SETTINGS)


def read_elsewhere(project: Project, name: str) -> bool:
    """Whether any file reads an attribute of this name of another object than `self`."""
    return any(
        node.attr == name
        and isinstance(node.ctx, ast.Load)
        and not (written(node.value) == "self" and in_model(module, node))
        and not is_of_settings(node)
        for module in project.modules
        for node in module.attributes
    )


def in_model(module: Module, node: ast.AST) -> bool:
    """Whether a place is in a model's class: not in a mixin, nor in a method that is put in."""
    around = module.class_of(node)
    return around is not None and module.project.is_module_class(module, around)
