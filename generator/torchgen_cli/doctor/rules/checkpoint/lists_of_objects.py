"""Lists of objects of the project's classes, as caches of examples hold."""

import ast

from ...project import Module
from ..shared.layers import makes_module
from ..shared.origins import origins


def class_of_items(module: Module, value: ast.expr) -> str:
    """The class of the project of which all items are that a list is given; empty if unsure.

    The list is filled in the function, or in one that returns it; or it was read from a file.
    """
    if not isinstance(value, ast.Name):
        return ""
    names, begun = set(), False
    for where, item in origins(module, value):
        if isinstance(item, ast.List) and not item.elts:
            begun = True
            continue
        if not isinstance(item, ast.Call):
            return ""
        if where.qualified(item.func) == "torch.load":
            continue
        found = where.project.classes_named(where, item.func) or ()
        names.update({node.name for _, node in found} or {""})
        if makes_module(where, item):
            return ""
    return names.pop() if begun and len(names) == 1 else ""
