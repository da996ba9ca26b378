"""Data sets that are read as a whole, and then split."""

import ast
from collections.abc import Iterator

from ...project import Module
from ..shared.origins import origins


def splits_of_dataset(module: Module, statement: ast.stmt) -> Iterator[tuple[Module, ast.Call]]:
    """Where `random_split` splits a data set whose class runs a statement when it is made."""
    owner, scope = module.class_of(statement), module.function(statement)
    if owner is None or getattr(scope, "name", "") != "__init__":
        return
    for other, call in module.project.callers.get("random_split", ()):
        for place, made in origins(other, call.args[0]) if call.args else ():
            if isinstance(made, ast.Call):
                named = place.project.classes_named(place, made.func) or ()
                if (module, owner) in named:
                    yield other, call
