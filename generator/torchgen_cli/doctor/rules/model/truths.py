"""Values that are plainly True or False."""

import ast

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    defaults_of,
    is_constant,
    keyword,
    last_name,
    parameters,
    walk,
    written,
)
from ..checkpoint.in_place import SETTINGS
from ..shared.flag_readers import flag_names

CALLS = {"bool", "isinstance", "hasattr", "callable", "any", "all"}
METHODS = {
    "exists",
    "isfile",
    "isdir",
    "is_file",
    "is_dir",
    "is_available",
    "is_initialized",
    "startswith",
    "endswith",
}
ROOTS = {*SETTINGS, "self", "c", "hps", "arguments"}


def is_truth(module: Module, node: ast.expr, depth: int = 2) -> bool:
    """Whether a value can only be True or False."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bool)
    if isinstance(node, ast.Call):
        return is_true_or_false(module, node)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.Name) and depth:
        return is_truth_by_name(module, node, depth)
    if isinstance(node, ast.Attribute):
        return is_setting(node) and is_switch(module, node.attr)
    return False


def is_true_or_false(module: Module, call: ast.Call) -> bool:
    """Whether a call of Python's or of torch's returns a bool."""
    name = last_name(call.func)
    if isinstance(call.func, ast.Name):
        # a project, or numpy by a star, may have an `any` of its own
        own = name in module.imports or name in module.project.functions
        return name in CALLS and not own
    return name in METHODS and module.qualified(call.func).startswith(("os.path.", "torch."))


def is_truth_by_name(module: Module, name: ast.Name, depth: int) -> bool:
    """Whether all that is assigned to a name is True or False."""
    scope: ast.AST = module.function(name)
    if isinstance(scope, FUNCTIONS) and name.id in parameters(scope):
        given = is_truth_parameter(module, scope, name)
    else:
        given = True
        if not module.value_in(name, scope):
            scope = module.tree
    values = module.value_in(name, scope)
    # the targets of loops, and what is added to, are none of the values
    stores = [n for n in walk(scope) if isinstance(n, ast.Name) and n.id == name.id and is_set(n)]
    if not given or len(stores) != len(values):
        return False
    bound = bool(values) or scope is not module.tree
    return bound and all(is_truth(module, one, depth - 1) for one in values)


def is_set(node: ast.Name) -> bool:
    """Whether a name gets a value there."""
    return isinstance(node.ctx, ast.Store)


def is_truth_parameter(module: Module, function: Function, name: ast.Name) -> bool:
    """Whether a parameter is said to be a bool, or is one by default and asked for as a truth."""
    arguments = function.args.args
    one = next(argument for argument in arguments if argument.arg == name.id)
    if one.annotation is not None:
        return written(one.annotation) == "bool"
    defaults = defaults_of(function)
    tests = (ast.If, ast.IfExp, ast.While)
    inner: ast.AST = name
    for around in module.ancestors(name):
        if isinstance(around, tests) and around.test is inner:
            return is_constant(defaults.get(name.id), True, False)
        inner = around
    return False


def is_setting(node: ast.Attribute) -> bool:
    """Whether it is a part of the settings, as `args.x` or `cfg.TRAIN.X`."""
    parts = written(node).lower().split(".")
    return any(part.strip("_") in ROOTS for part in parts[:-1][:2])


def is_switch(module: Module, name: str) -> bool:
    """Whether the program declares a setting of this name, and only as True or False."""
    declared: list[bool] = []
    for other in module.project.near(module):
        for call in other.calls.get("add_argument", ()):
            if name in flag_names(call):
                switched = is_constant(keyword(call, "action"), "store_true", "store_false")
                declared.append(switched or written(keyword(call, "type") or call) == "bool")
        for target, statements in other.assigned.items():
            if target.endswith(f".{name}"):
                declared += [is_constant(one.value, True, False) for one in statements]
    return bool(declared) and all(declared)
