"""Which files may read the flags of a parser, and whether one does."""

import ast
import re
import sys
from typing import NamedTuple

from ...kept import kept
from ...leads import holders, nearest_files
from ...naming import OPTIONS
from ...project import SHARED, Module
from ...syntax import (
    FUNCTIONS,
    is_constant,
    keyword,
    last_name,
    own_calls,
    parameters,
    receiver,
    written,
)
from ..checkpoint.in_place import SETTINGS
from .flag_places import attributes_of
from .flag_taken import is_kept_alike, is_of_other_class, is_used
from .flag_values import long_flag, reads_no_command
from .flag_whole import Fate, Whole
from .flag_words import evaluates, writes
from .weights_alone import is_script

KEPT = re.compile(rb"\[['\"](%s)['\"]\]" % "|".join(SETTINGS).encode())
BY_KEY = rb"\[|(get\w*|pop|setdefault)\(|"
# calls that bring in files by a name that is made
BY_NAME = {
    "__import__",
    "import_module",
    "exec",
    "run_module",
    "run_path",
    "spec_from_file_location",
}


def flag_names(call: ast.Call) -> set[str]:
    """What the parsed flag may be called; none where it acts at once."""
    name = long_flag(call).strip("-").replace("-", "_")
    action, dest = keyword(call, "action"), keyword(call, "dest")
    if not name or (isinstance(action, ast.Constant) and action.value in ("version", "help")):
        return set()
    if dest is not None:
        return {str(dest.value)} if isinstance(dest, ast.Constant) else set()
    return {name}


class Readers(NamedTuple):
    """What can read the flags of a parser."""

    files: list[Module]
    by_key: bool
    """Whether they are in a table too."""
    beside: list[Module]
    """Files with a parser of their own, to which the flags may be given as an argument."""
    by_word: bool
    """Whether the project's own code takes them in a way in which it must write their names."""


@kept
def readers(module: Module) -> Readers | None:
    """The files that can read the flags which a file declares; None where it cannot be told."""
    if "add_argument" not in module.calls or reads_no_command(module):
        return None
    code = module.project.code
    known = reachable(module) if is_started(module) else code
    handed = parsers_of(module) if is_started(module) else [module]
    files = [m for m in known if m in handed or not parses_own(m)]
    beside = [m for m in known if m not in files] if is_started(module) else []
    if not any("parse_args" in m.calls for m in files):
        return None
    whole = Whole(files)
    if whole.fate is Fate.ANY:
        return None
    if whole.fate is Fate.KEPT:
        files = files + [m for m in code if m not in files and takes_kept(m)]
    return Readers(
        files, whole.by_key, beside, whole.fate is Fate.WORDS or any(map(evaluates, files))
    )


def parsers_of(module: Module) -> list[Module]:
    """A file, and those to whose functions or classes it hands its parser, to be parsed there."""
    project = module.project
    found = [module]
    for call in (one for calls in module.calls.values() for one in calls):
        given = [*call.args, *(one.value for one in call.keywords)]
        if any(isinstance(one, ast.Name) and "parser" in one.id.lower() for one in given):
            taking = [*project.resolve(module, call)]
            classes = project.classes_named(module, call.func) or ()
            found += [m for m, _ in (*taking, *classes) if "parse_args" in m.calls]
    return found


def takes_kept(module: Module) -> bool:
    """Whether a file takes settings as a whole out of a checkpoint: `checkpoint["args"]`."""
    if not KEPT.search(module.project.contents[module.name]):
        return False
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and is_constant(node.slice, *SETTINGS)
        and not isinstance(around, ast.Attribute)
        and not (isinstance(around, ast.Call) and last_name(around.func) == "vars")
        for node, around in module.parents.items()
    )


def kept_reads(module: Module, name: str) -> bool:
    """Whether a file takes one setting out of a checkpoint: `checkpoint["args"].width`."""
    return any(
        isinstance(node.value, ast.Subscript) and is_constant(node.value.slice, *SETTINGS)
        for node in attributes_of(module).get(name, ())
    )


def is_started(module: Module) -> bool:
    """Whether a file parses its flags when it is started, and is imported by no other."""
    return "parse_args" in module.calls and (
        is_script(module)
        or not any(
            stem(module) in imported_words(one) for one in module.project.code if one is not module
        )
    )


def is_copy(module: Module) -> bool:
    """Whether a file is a part of scripts that have parsers of their own."""
    if is_started(module) or "parse_args" not in module.calls:
        return False
    return any(
        one is not module and parses_own(one) and stem(module) in imported_words(one)
        for one in module.project.code
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


def is_unread(module: Module, known: Readers, names: set[str]) -> bool:
    """Whether no file does anything with a flag."""
    if known.by_word and any(writes(one, names) for one in known.files[0].project.modules):
        return False
    return not (
        any(reads(one, names, known.by_key) for one in known.files)
        or any(reads_what_it_is_given(one, names) for one in known.beside)
        or any(kept_reads(one, name) for one in module.project.code for name in names)
        or is_parsed_before(module, names)
    )


def is_parsed_before(module: Module, names: set[str]) -> bool:
    """Whether a script that imports a file has the same flag in a parser of its own, and reads it.

    Both read one command, and the file has to know the flags that are for the script.
    """
    return not is_started(module) and any(
        is_started(one)
        and parses_own(one)
        and any(flag_names(call) & names for call in one.calls["add_argument"])
        and module in reachable(one)
        and reads(one, names, by_key=True)
        for one in module.project.code
        if one is not module
    )


def reads_what_it_is_given(module: Module, names: set[str]) -> bool:
    """Whether a function reads a setting of an argument, and others than its own file call it."""
    called = methods_called(module, names)
    return any(
        is_parameter(module, node) and is_read(module, node) and serves_others(module, node)
        for name in names
        for node in attributes_of(module).get(name, ())
        if node not in called
    )


def methods_called(module: Module, names: set[str]) -> set[ast.expr]:
    """The methods of other objects that have such a name: `net.eval()`, not `opts.loss(2)`."""
    return {
        call.func
        for name in names
        for call in module.calls.get(name, ())
        if not OPTIONS.match(last_name(receiver(call) or call))
    }


def is_parameter(module: Module, node: ast.Attribute) -> bool:
    """Whether it is an attribute of a parameter, or of what a method keeps of one."""
    function = module.function(node)
    if not isinstance(function, FUNCTIONS):
        return False
    owner = written(node.value)
    made = module.value_in(node.value, function)
    parsed = any(isinstance(one, ast.Call) and last_name(one.func) == "parse_args" for one in made)
    return owner in parameters(function) or (owner.startswith("self.") and not parsed)


def serves_others(module: Module, node: ast.Attribute) -> bool:
    """Whether a function is a method, or not only called where the file parses its own flags."""
    function = module.function(node)
    calls = list(module.project.calls_of(module, function))
    return module.class_of(function) is not None or not all(
        other is module
        and (
            isinstance(other.function(call), ast.Module)
            or bool(own_calls(other.function(call), "parse_args"))
        )
        for other, call in calls
    )


def reads(module: Module, names: set[str], by_key: bool) -> bool:
    """Whether a file reads a setting by its name, for more than to show it."""
    called = methods_called(module, names)
    if any(
        node not in called and is_read(module, node)
        for name in names
        for node in attributes_of(module).get(name, ())
    ):
        return True
    either = "|".join(names).encode()  # config["seed"], config.get("seed"), getattr(args, "seed")
    table = BY_KEY if by_key else b""
    quoted = rb"(%sgetattr\([^,()]+,|attrgetter\()\s*['\"](%s)['\"]" % (table, either)
    return re.search(quoted, module.project.contents[module.name]) is not None


def is_read(module: Module, node: ast.Attribute) -> bool:
    """Whether a setting is taken, and does something."""
    return not (
        of_a_library(module, node)
        or is_kept_alike(module, node)
        or is_of_other_class(module, node, None)
    ) and is_used(module, node)


def of_a_library(module: Module, node: ast.Attribute) -> bool:
    """Whether it is a part of a package, as `os.path`."""
    root = module.qualified(node).partition(".")[0]
    return root in sys.stdlib_module_names or root in ("torch", "numpy", "torchvision")


def is_left_unread(module: Module, call: ast.Call) -> bool:
    """Whether a file parses a flag, and no code reads it, alone or among all."""
    flags = [str(a.value) for a in call.args if isinstance(a, ast.Constant)]
    dest = keyword(call, "dest")
    name = dest.value if isinstance(dest, ast.Constant) else max(flags, key=len, default="")
    name = str(name).strip("-").replace("-", "_")
    project = module.project
    known = readers(module)
    if known is not None and (names := flag_names(call)) and is_unread(module, known, names):
        return True
    if "parse_args" not in module.calls or project.contains(b"vars(") or not name:
        return False
    read = any(node.attr == name for other in project.code for node in other.attributes)
    return not read and not any(project.contains(f"{q}{name}{q}".encode()) for q in "\"'")
