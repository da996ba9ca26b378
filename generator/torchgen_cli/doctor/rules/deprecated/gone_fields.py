"""Fields that torchvision's data sets had once."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import written

FIELDS = {
    "train_data": "data",
    "test_data": "data",
    "train_labels": "targets",
    "test_labels": "targets",
}
KINDS = ("CIFAR10", "CIFAR100")
NAMES = {
    f"torchvision.datasets.{kind}.{field}": instead
    for kind in KINDS
    for field, instead in FIELDS.items()
}


def fields_used(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """(the attribute, the name) of what is read from a CIFAR data set that has it no more."""
    for node in module.attributes:
        if node.attr in FIELDS and isinstance(node.ctx, ast.Load) and not is_set(module, node):
            kind = kind_of(module, node.value)
            if kind:
                yield node, f"torchvision.datasets.{kind}.{node.attr}"


def is_set(module: Module, node: ast.Attribute) -> bool:
    """Whether the code sets such a field itself, somewhere."""
    return any(
        target.rpartition(".")[2] == node.attr and "." in target
        for other in module.project.near(module)
        for target in other.assigned
    )


def kind_of(module: Module, owner: ast.expr) -> str:
    """Which data set an object is: of a class that derives from it, or made in the file."""
    around = module.class_of(owner)
    if isinstance(owner, ast.Name) and owner.id == "self" and around is not None:
        return next(
            (k for k in KINDS if module.project.derives(module, around, f"datasets.{k}")), ""
        )
    made = module.value_in(owner, module.function(owner)) or module.value_in(owner, module.tree)
    called = [module.qualified(one.func) for one in made if isinstance(one, ast.Call)]
    names = {f"torchvision.datasets.{kind}": kind for kind in KINDS}
    return names.get(called[0], "") if len(called) == len(made) == 1 and written(owner) else ""
