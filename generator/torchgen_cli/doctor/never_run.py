"""Networks whose `forward` nothing runs, as only other methods of theirs are called."""

import ast

from .kept import kept
from .methods import families
from .project import Module, Project
from .users import users_of

RUNNING = ("__call__", "forward")


@kept
def is_never_run(module: Module, node: ast.ClassDef) -> bool:
    """Whether attributes keep all objects of a class, and only their methods are called.

    As of a `crf` whose `loss` and `decode` are called, but that nothing calls itself.
    """
    if len(families(module.project)[node]) > 1:
        return False
    names = [kept_by(other, call) for other, call in users_of(module, node)]
    return bool(names) and all(name and name not in run(module.project) for name in names)


def kept_by(module: Module, call: ast.Call) -> str:
    """The attribute to which what a call makes is assigned; empty where it goes elsewhere."""
    around = module.parents[call]
    targets = around.targets if isinstance(around, ast.Assign) else []
    return targets[0].attr if len(targets) == 1 and isinstance(targets[0], ast.Attribute) else ""


@kept
def run(project: Project) -> frozenset[str]:
    """The attributes that are called or handed on, and not only asked for their own attributes."""
    return frozenset(
        node.attr
        for module in project.modules
        for node in module.attributes
        if isinstance(node.ctx, ast.Load)
        and getattr(module.parents[node], "attr", RUNNING[0]) in RUNNING
    )
