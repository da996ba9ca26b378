"""The rules, a file per topic: each with its reason, its remedy and its examples.

May import `rule`, `project`, `parsed` and `syntax` of the doctor. Open it to add a rule, or to mend
one that is wrong; the examples are its tests.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..rule import Rule, registered


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by its id, in order."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return dict(sorted(registered.items()))
