"""Which files are started, and which files a script imports."""

import ast
import sys

from ...kept import kept
from ...leads import holders, nearest_files
from ...project import SHARED, Module
from .weights_alone import is_script

# calls that bring in files by a name that is made
BY_NAME = {
    "__import__",
    "import_module",
    "exec",
    "run_module",
    "run_path",
    "spec_from_file_location",
}


def is_started(module: Module) -> bool:
    """Whether a file parses its flags when it is started, and is imported by no other."""
    return "parse_args" in module.calls and (
        is_script(module)
        or not any(
            stem(module) in imported_words(one) for one in module.project.code if one is not module
        )
    )


def parses_own(module: Module) -> bool:
    """Whether a file has a parser of its own, and what it reads comes from that."""
    return "parse_args" in module.calls and "add_argument" in module.calls


def reachable(module: Module) -> list[Module]:
    """The files that a script imports, at first or second hand, and perhaps some more."""
    project = module.project
    found, names = [module], {module.name}
    for one in found:  # it grows
        if not BY_NAME.isdisjoint(one.calls):
            return project.code
        more = {m.name: m for m in brought_by(one) if m.name not in names}
        names.update(more)
        found += more.values()
    return found


@kept
def brought_by(module: Module) -> list[Module]:
    """The files that a file imports: the nearest ones, or else all that have such a name."""
    code = module.project.code
    found = []
    for statement in module.import_statements:
        if exact := nearest_files(module, statement):
            found += exact
        elif not is_of_library(module, statement):
            words = words_of(module, statement)
            found += [one for one in code if stem(one) in words]
    return found


@kept
def imported_words(module: Module) -> frozenset[str]:
    """Every part of every name in the imports of a file."""
    return frozenset(word for one in module.import_statements for word in words_of(module, one))


def is_of_library(module: Module, node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import is of torch or Python alone: `torch.utils.data` is no file called data."""
    if isinstance(node, ast.ImportFrom):
        sources = ["" if node.level else node.module or ""]
    else:
        sources = [alias.name for alias in node.names]
    roots = {one.partition(".")[0] for one in sources}
    return roots <= SHARED | sys.stdlib_module_names and roots.isdisjoint(holders(module.project))


def words_of(module: Module, node: ast.Import | ast.ImportFrom) -> set[str]:
    """Every part of every name in an import."""
    words = {part for alias in node.names for part in alias.name.split(".")}
    if isinstance(node, ast.ImportFrom):
        words.update((node.module or "").split("."))
        if node.level:  # from . import x: the folder's own file
            words.update(module.name.split("/")[-2:-1])
    return words


def stem(module: Module) -> str:
    """The last part of a file's name as an import has it."""
    return module.name.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
