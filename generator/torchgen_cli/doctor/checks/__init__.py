"""The checks: a function each, whose docstring is the rule's page and its test."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..rule import Rule, registered


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by its id, in order."""
    for module in iter_modules(__path__, f"{__name__}."):
        import_module(module.name)
    return dict(sorted(registered.items()))
