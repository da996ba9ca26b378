"""The rules, a folder per group and a file per topic: each with its reason, remedy and examples.

`shared` has what rules of several groups ask.

May import `rule`, `project`, `parsed` and `syntax` of the doctor. Open it to add a rule, or to mend
one that is wrong; the examples are its tests.
"""

from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from ..rule import Rule, registered


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by its id, in order."""
    for module in walk_packages(__path__, f"{__name__}."):
        import_module(module.name)
    return dict(sorted(registered.items()))
