"""What the rules on models ask: what makes a module?"""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE
from ...syntax import last_name, receiver

DOCS = f"{STABLE}/generated"
MOVES = ("cuda", "cpu", "to", "train", "eval")  # they return the module itself


def module_classes(module: Module) -> Iterator[ast.ClassDef]:
    """The classes of the file that are `nn.Module`s."""
    for node in module.classes:
        if module.project.is_module_class(module, node):
            yield node


def makes_module(module: Module, node: ast.AST) -> bool:
    """Whether it makes a module or a parameter, for sure."""
    if not isinstance(node, ast.Call):
        return False
    whole, name = module.qualified(node.func), last_name(node.func)
    if whole.startswith("torch.nn.") and not whole.startswith(
        ("torch.nn.functional.", "torch.nn.init.", "torch.nn.utils.")
    ):
        return name[:1].isupper()
    found = module.project.classes.get(name, ())
    return bool(found) and all(module.project.is_module_class(*one) for one in found)


def unmoved(values: list[ast.expr]) -> Iterator[ast.expr]:
    """The values without `.to(device)` and the like."""
    for value in values:
        bare = value
        while isinstance(bare, ast.Call) and last_name(bare.func) in MOVES:
            inner = receiver(bare)
            if inner is None:
                break
            bare = inner
        yield bare
