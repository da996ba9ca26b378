"""Which files may read the flags of a parser, and whether one does."""

import ast
import re
from typing import NamedTuple

from ...kept import kept
from ...project import Module
from ...syntax import (
    is_constant,
    keyword,
    last_name,
)
from ..checkpoint.in_place import SETTINGS
from .flag_reads import kept_reads, reads, reads_what_it_is_given
from .flag_values import long_flag, reads_no_command
from .flag_whole import Fate, Whole
from .flag_words import evaluates, writes
from .scripts import imported_words, is_started, parses_own, reachable, stem

KEPT = re.compile(rb"\[['\"](%s)['\"]\]" % "|".join(SETTINGS).encode())


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


def is_copy(module: Module) -> bool:
    """Whether a file is a part of scripts that have parsers of their own."""
    if is_started(module) or "parse_args" not in module.calls:
        return False
    return any(
        one is not module and parses_own(one) and stem(module) in imported_words(one)
        for one in module.project.code
    )


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
