"""Which files run together: a script that is started, and all that it imports."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from ...kept import kept
from ...lookup import imported, path_of
from ...project import Module, Project
from .weights_alone import is_script

ENOUGH = 12  # programs of those that share a file: each is followed from its start
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
    by_part = files_by_part(module.project)
    near = set(module.project.near(module))
    found: dict[Module, None] = {}
    for source in sources_of(module):
        parts = [part for part in source.split(".") if part]
        if parts:
            files = [(o, o.tree) for o in by_part.get(parts[-1], ()) if o in near]
            found.update(dict.fromkeys(other for other, _ in imported(module, source, files)))
    found.pop(module, None)
    return list(found)


def sources_of(module: Module) -> Iterator[str]:
    """What the import statements of a file name; of `from a import b` both "a" and "a.b"."""
    for statement in module.import_statements:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        else:
            base = "." * statement.level + (statement.module or "")
            joint = "" if base.endswith(".") else "."
            yield base
            yield from (f"{base}{joint}{alias.name}" for alias in statement.names)


def starts(module: Module) -> list[Module]:
    """The files that are started and surely come to a file; of hundreds the first few."""
    return started_for(module.project).get(module, [])[:ENOUGH]


@kept
def started_for(project: Project) -> dict[Module, list[Module]]:
    """The files that are started, for each file to which they come."""
    brought = {other for one in project.code for other in imported_by(one)}
    found: dict[Module, list[Module]] = defaultdict(list)
    for one in project.code:
        if is_script(one) or one not in brought:
            for module in run_at_start(one):
                found[module].append(one)
    return found


@kept
def run_at_start(start: Module) -> dict[Module, None]:
    """A script, and the files that it surely imports, directly or not."""
    found: dict[Module, None] = {start: None}
    pending = [start]
    for module in pending:  # it grows
        for source in sources_of(module):
            brought = brought_by(start, module, source)
            if brought is not None and brought not in found:
                found[brought] = None
                pending.append(brought)
    return found


def brought_by(start: Module, module: Module, source: str) -> Module | None:
    """The file that an import brings: of several that Python finds from the script's folder.

    Where the path for imports was changed it is the only one with the name.
    """
    files = files_by_part(start.project)
    level = len(source) - len(source.lstrip("."))
    parts = [part for part in source.split(".") if part]
    own = module.name.split("/")[:-1]
    bases = [own[: len(own) - level + 1]] if level else [start.name.split("/")[:-1], own, []]
    for end in range(len(parts), 0, -1):  # of "a.b" the folder a, where b is no file
        named = {tuple(path_of(one)): one for one in files.get(parts[end - 1], ())}
        for base in bases:
            if (*base, *parts[:end]) in named:
                return named[*base, *parts[:end]]
    if len(parts) != 1:
        return None
    near = start.project.near(start)
    last = [o for o in files.get(parts[0], ()) if path_of(o)[-1] == parts[0] and o in near]
    return last[0] if len(last) == 1 else None


@kept
def files_by_part(project: Project) -> dict[str, list[Module]]:
    """The files of a project, by each part of their paths."""
    found: dict[str, list[Module]] = defaultdict(list)
    for other in project.code:
        for part in set(path_of(other)):
            found[part].append(other)
    return found
