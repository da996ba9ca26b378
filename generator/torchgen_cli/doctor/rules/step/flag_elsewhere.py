"""Flags of a parser that several scripts share, which one of the scripts does not read."""

import ast
from pathlib import PurePath

from ...kept import kept
from ...project import Module
from ..shared.flag_reads import kept_reads, reads
from ..shared.flag_values import long_flag
from ..shared.flag_whole import Fate, Whole
from ..shared.scripts import imported_words, is_started, reachable, stem
from ..shared.weights_alone import is_script
from .flag_promised import is_given_otherwise


def left_to_others(module: Module, call: ast.Call, flag: str, names: set[str]) -> str:
    """The script that trains without a flag which a documented command gives it; or nothing."""
    for script in scripts_with(module):
        if is_given_otherwise(script, call, flag) and not is_read_by(script, names):
            return script.name
    return ""


@kept
def scripts_with(module: Module) -> list[Module]:
    """The scripts that train with the flags of a file, if it is one that scripts share."""
    if is_started(module) or is_script(module):
        return []
    code = module.project.code
    files = [PurePath(one.name).name for one in code]
    return [
        one
        for one in code
        if one is not module
        and is_started(one)
        and "backward" in one.calls
        and "add_argument" not in one.calls
        and stem(module) in imported_words(one)
        and files.count(PurePath(one.name).name) == 1  # commands name it without its folder
        and Whole(reachable(one)).fate is Fate.NAMED
    ]


def is_read_by(script: Module, names: set[str]) -> bool:
    """Whether a script, or a file that it imports, reads a flag."""
    files = reachable(script)
    return any(reads(one, names, by_key=True) for one in files) or any(
        kept_reads(one, name) for one in files for name in names
    )


def is_read_by_another(module: Module, flag: str, names: set[str]) -> bool:
    """Whether a script declares a flag of this name and reads it, of which a file has a copy.

    A file that it imports has such a flag to be tried out alone.
    """
    own = reachable(module)
    return any(
        other not in own
        and any(long_flag(one) == flag for one in other.calls.get("add_argument", ()))
        and reads(other, names, by_key=True)
        for other in module.project.code
    )
