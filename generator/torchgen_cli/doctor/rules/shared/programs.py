"""Which files run together: a script that is started, and all that it imports."""

import ast
from collections import defaultdict

from ...kept import kept
from ...lookup import imported, path_of
from ...project import Module
from .weights_alone import is_script

DYNAMIC = ("import_module", "__import__", "instantiate", "exec", "run_module", "run_path")


@kept
def run_with(module: Module) -> list[Module]:
    """The files of the programs in which a file runs.

    What one script defines is no part of another one's run, although both lie in one folder. Where
    a program imports files by names that it makes, these may be any but other scripts.
    """
    near = module.project.near(module)
    brought = {other for one in near for other in imported_by(one)}
    starts = [one for one in near if is_script(one) or one not in brought]
    reaching = [one for one in starts if one is module or module in reached_from(one)]
    found = {one: None for start in reaching or [module] for one in reached_from(start)}
    if not is_script(module) and reaching in ([], [module]):  # who uses it is not seen
        return [one for one in near if one is module or not is_script(one)]
    if any(name in one.calls for name in DYNAMIC for one in found):
        found.update(dict.fromkeys(one for one in near if not is_script(one)))
    return list(found)


@kept
def reached_from(start: Module) -> dict[Module, None]:
    """A file, and those that it imports, directly or not."""
    found: dict[Module, None] = {start: None}
    pending = [start]
    for one in pending:  # it grows
        further = [other for other in imported_by(one) if other not in found]
        found.update(dict.fromkeys(further))
        pending += further
    return found


@kept
def imported_by(module: Module) -> list[Module]:
    """The files of a program that the import statements of one of them name."""
    by_part = files_by_part(module.project.near(module)[0])
    found: dict[Module, None] = {}
    for statement in module.import_statements:
        if isinstance(statement, ast.Import):
            sources = [alias.name for alias in statement.names]
        else:
            base = "." * statement.level + (statement.module or "")
            joint = "" if base.endswith(".") else "."
            sources = [base, *(f"{base}{joint}{alias.name}" for alias in statement.names)]
        for source in sources:
            parts = [part for part in source.split(".") if part]
            if not parts:
                continue
            files = [(other, other.tree) for other in by_part.get(parts[-1], ())]
            found.update(dict.fromkeys(other for other, _ in imported(module, source, files)))
    found.pop(module, None)
    return list(found)


@kept
def files_by_part(first: Module) -> dict[str, list[Module]]:
    """The files of the program of its first file, by each part of their paths."""
    found: dict[str, list[Module]] = defaultdict(list)
    for other in first.project.near(first):
        for part in set(path_of(other)):
            found[part].append(other)
    return found
