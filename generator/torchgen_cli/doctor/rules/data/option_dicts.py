"""Arguments that a call gets by `**options`."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import is_constant, last_name, own_nodes, receiver, written


def in_options(module: Module, call: ast.Call, name: str) -> ast.expr | None:
    """An argument that a call gets by `**options`, where a dict in the same function has it."""
    for star in (one.value for one in call.keywords if one.arg is None):
        for options in dicts(module, star):
            for key, value in items(options):
                if key == name and not is_changed(module, star, name):
                    return value
    return None


def dicts(module: Module, node: ast.expr, depth: int = 3) -> Iterator[ast.expr]:
    """The dicts that are written out where a value comes from; of a choice, both."""
    if isinstance(node, ast.Dict) or (isinstance(node, ast.Call) and written(node.func) == "dict"):
        yield node
    elif isinstance(node, ast.IfExp):
        yield from (*dicts(module, node.body, depth), *dicts(module, node.orelse, depth))
    elif isinstance(node, ast.Call) and last_name(node.func) == "copy":
        copied = receiver(node)
        yield from dicts(module, copied, depth) if copied is not None else ()
    elif isinstance(node, ast.Name) and depth:
        values = module.value_in(node, module.function(node))
        if len(values) == 1:
            yield from dicts(module, values[0], depth - 1)


def items(options: ast.expr) -> Iterator[tuple[object, ast.expr]]:
    """The keys of a dict with their values, as it is written."""
    if isinstance(options, ast.Dict):
        for key, value in zip(options.keys, options.values, strict=True):
            if isinstance(key, ast.Constant):
                yield key.value, value
    elif isinstance(options, ast.Call):
        yield from ((one.arg, one.value) for one in options.keywords)


def is_changed(module: Module, options: ast.expr, name: str) -> bool:
    """Whether a function sets or removes one of the options once more."""
    kept = written(options)
    for node in own_nodes(module.function(options)) if kept else ():
        if isinstance(node, ast.Subscript) and written(node.value) == kept:
            if is_constant(node.slice, name) and not isinstance(node.ctx, ast.Load):
                return True
        elif isinstance(node, ast.Call) and last_name(node.func) in ("pop", "update"):
            owner = receiver(node)
            if owner is not None and written(owner) == kept:
                return True
    return False
