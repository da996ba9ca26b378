"""The whole numbers that expressions are unless somebody asks for others."""

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import product

from ...documents import SUFFIXES, documents, values_given
from ...kept import kept
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    argument,
    defaults_of,
    has_stars,
    is_constant,
    keyword,
    last_name,
    parameters,
)
from ...variables import values_of
from .callers import is_set_in

NUMBER = re.compile(r"\d+(_\d+)*(\.0*)?(e\d\d?)?")
SETTINGS = (".cfg", ".conf", ".data", ".ini")
MOST = 12  # numbers for one expression
Numbers = frozenset[int]
NONE: Numbers = frozenset()


def numbers(module: Module, node: ast.AST | None, depth: int = 6) -> Numbers:
    """All that an expression may be by the defaults and the configurations; none if unknown."""
    if isinstance(node, ast.Constant):
        return whole([node.value])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return frozenset(-one for one in numbers(module, node.operand, depth))
    if isinstance(node, ast.BinOp):
        sides = product(numbers(module, node.left, depth), numbers(module, node.right, depth))
        return whole(combined(node.op, one, other) for one, other in sides)
    if isinstance(node, ast.Name) and depth:
        return of_variable(module, node, depth)
    return of_configuration(module, node, depth) if isinstance(node, ast.expr) and depth else NONE


def of_configuration(module: Module, node: ast.expr, depth: int) -> Numbers:
    """What a setting is: `args.epochs`, `int(cfg["epochs"])`, `config.get("epochs", 100)`."""
    if isinstance(node, ast.Call) and last_name(node.func) == "int" and len(node.args) == 1:
        return numbers(module, node.args[0], depth - 1)
    name, default = setting(node), NONE
    if isinstance(node, ast.Call) and len(node.args) > 1:
        default = numbers(module, node.args[1], depth - 1)
    found = of_setting(module, name) if name else None
    return NONE if found is None else found | default


def whole(values: Iterable[object]) -> Numbers:
    """The values if all of them are whole numbers, and not too many; else none."""
    found = list(values)
    known = [int(one) for one in found if isinstance(one, int | float) and one == int(one)]
    flags = any(isinstance(one, bool) for one in found)
    return frozenset(known) if not flags and 0 < len(known) == len(found) <= MOST else NONE


def combined(operator: ast.operator, one: int, other: int) -> int | None:
    """The result of an operation on two numbers; None for one that is not known here."""
    if isinstance(operator, ast.Add):
        return one + other
    if isinstance(operator, ast.Sub):
        return one - other
    if isinstance(operator, ast.Mult):
        return one * other
    if isinstance(operator, ast.FloorDiv | ast.Mod) and other > 0:
        return one // other if isinstance(operator, ast.FloorDiv) else one % other
    return None


def of_variable(module: Module, name: ast.Name, depth: int) -> Numbers:
    """What a variable is, or a parameter by all callers."""
    scope = module.function(name)
    if not isinstance(scope, FUNCTIONS) or name.id not in parameters(scope):
        values = values_of(module, name)
        return numbers(module, values[0], depth - 1) if len(values) == 1 else NONE
    if is_set_in(scope, name.id):
        return NONE
    place, default = parameters(scope).index(name.id), defaults_of(scope).get(name.id)
    calls = list(module.project.calls_of(module, scope))
    given = [(other, argument(one, place, name.id) or default) for other, one in calls]
    if any(has_stars(call) for _, call in calls):
        return NONE
    return together(
        numbers(other, value, depth - 1) for other, value in given or [(module, default)]
    )


def together(found: Iterable[Numbers]) -> Numbers:
    """All numbers of several places; none where one place is not known."""
    places = list(found)
    merged = NONE.union(*places)
    return merged if all(places) and len(merged) <= MOST else NONE


def setting(node: ast.AST) -> str:
    """The last part of what a configuration is asked for: `args.epochs`, `cfg["epochs"]`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call) and last_name(node.func) == "get":
        # config.get("epochs", 100), parser.get("train", "epochs")
        texts = [one.value for one in node.args[:2] if isinstance(one, ast.Constant)]
        return next((one for one in reversed(texts) if isinstance(one, str)), "")
    key = node.slice if isinstance(node, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


@kept
def of_setting(module: Module, name: str) -> Numbers | None:
    """What a setting is by its flag, in code that sets it, in configurations and in commands.

    None where one of the values is not known.
    """
    near = dict.fromkeys((module, *module.project.near(module)))
    folder = module.name.rpartition("/")[0]
    beside = [one for one in near if one.name.rpartition("/")[0] == folder]
    for closer in ([module], beside):
        if any(flags_called(one, name) for one in closer):
            near = dict.fromkeys(closer)  # a flag of another program has a default of its own
            break
    found = [value for other in near for value in set_in(other, name)]
    values = [getattr(one, "value", None) for one in found]
    line = rf"^[ \t]*['\"]?{re.escape(name)}['\"]?[ \t]*[:=][ \t]*([^\s,#]+)"
    texts = documents(module.project.root, (*SUFFIXES, *SETTINGS))
    written = re.findall(line.encode(), texts, re.M) if name.encode() in texts else []
    given = values_given(module.project.root, module.name, name)
    for text in (*(one.decode("utf-8", "replace") for one in written), *given):
        values.append(float(text) if NUMBER.fullmatch(text) else None)
    return (whole(values) or None) if values else NONE


def repeats(value: ast.expr, name: str) -> bool:
    """Whether it is the same setting, out of another object: `args.epochs = config.epochs`."""
    inner = value.args[0] if isinstance(value, ast.Call) and len(value.args) == 1 else value
    return name in (setting(value), setting(inner))


def flags_called(module: Module, name: str) -> list[ast.Call]:
    """Where a file adds a flag of this name."""
    flags = [f"{dashes}{name}" for dashes in ("--", "-")]
    flags += [one.replace("_", "-") for one in flags]
    return [
        call
        for call in module.calls.get("add_argument", ())
        if any(is_constant(one, *flags, name) for one in call.args)
        or is_constant(keyword(call, "dest"), name)
    ]


def set_in(module: Module, name: str) -> Iterator[ast.expr]:
    """What a file gives a setting: by a flag, an attribute, a key or a keyword."""
    yield from (keyword(call, "default") or call for call in flags_called(module, name))
    for target, statements in module.assigned.items():
        if target.rpartition(".")[2] != name:
            continue
        for one in statements:
            # a variable of a function is no setting
            if "." in target or not isinstance(module.function(one), FUNCTIONS):
                yield from () if repeats(one.value, name) else [one.value]
    for keyed in module.keywords:
        made = module.parents[keyed]
        if keyed.arg == name and isinstance(made, ast.Call) and last_name(made.func) in MAKING:
            yield keyed.value
    for node in dicts(module):
        for key, value in zip(node.keys, node.values, strict=True):
            if is_constant(key, name) and not is_constant(value, None):
                yield value


MAKING = {"dict", "set_defaults", "HParams", "EasyDict", "Namespace", "Munch"}


@kept
def dicts(module: Module) -> list[ast.Dict]:
    """The dictionaries that a file writes out."""
    return [one for one in module.parents if isinstance(one, ast.Dict)]
