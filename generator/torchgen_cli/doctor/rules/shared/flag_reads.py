"""Where a setting is read by its name."""

import ast
import re
import sys

from ...naming import OPTIONS
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    is_constant,
    last_name,
    own_calls,
    parameters,
    receiver,
    written,
)
from ..checkpoint.in_place import SETTINGS
from .flag_places import attributes_of
from .flag_taken import is_kept_alike, is_of_other_class, is_used

BY_KEY = rb"\[|(get\w*|pop|setdefault)\(|"


def kept_reads(module: Module, name: str) -> bool:
    """Whether a file takes one setting out of a checkpoint: `checkpoint["args"].width`."""
    return any(
        isinstance(node.value, ast.Subscript) and is_constant(node.value.slice, *SETTINGS)
        for node in attributes_of(module).get(name, ())
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
