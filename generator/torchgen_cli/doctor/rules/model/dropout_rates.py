"""The rates of dropout layers, and what else they do."""

import ast

from ...project import Module
from ...syntax import (
    argument,
    defaults_of,
    everything,
    is_constant,
    last_name,
    method_of,
    parameters,
    written,
)


def is_left_at_zero(module: Module, node: ast.ClassDef, rate: ast.expr | None) -> bool:
    """Whether a rate is 0 unless it is given, and calls give 0 or hand on what they were given."""
    init = method_of(node, "__init__")
    if init is None or rate is None:
        return False
    default = defaults_of(init).get(written(rate))
    project = module.project
    made = [call for name in project.classes for _, call in project.callers.get(name, ())]
    if any(one.arg is None for call in made for one in call.keywords):
        return False  # `**config` may give any
    keywords = (one for other in project.code for one in other.keywords)
    given = [one.value for one in keywords if one.arg == written(rate)]
    return is_constant(default, 0, 0.0) and all(
        isinstance(one, ast.Name) or is_constant(one, 0, 0.0) for one in given
    )


def has_effect(node: ast.ClassDef, rate: ast.expr | None) -> bool:
    """Whether a rate is no setting, or is used for something else as well."""
    if rate is None or not written(rate):
        return True
    return sum(written(one) == written(rate) for one in everything(node)) > 1


def is_given_to_others(module: Module, node: ast.ClassDef, rate: ast.expr | None) -> bool:
    """Whether the setting that is handed on as the rate has an effect elsewhere: `args.dropout`."""
    init = method_of(node, "__init__")
    name = written(rate) if rate is not None else ""
    if isinstance(rate, ast.Attribute):
        readers = (one for other in module.project.near(module) for one in other.attributes)
        return sum(written(one) == name for one in readers) > 1
    if init is None or name not in parameters(init):
        return False
    place = parameters(init).index(name)
    for other, call in module.project.callers.get(node.name, ()):
        given = argument(call, place, name)
        setting = last_name(given) if isinstance(given, ast.Attribute) else ""
        if sum(one.attr == setting for one in other.attributes) > 1:
            return True
    return False
