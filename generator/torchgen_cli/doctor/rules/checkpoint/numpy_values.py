"""Numbers and arrays of numpy, where plain ones are expected: a score, a learning rate."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from ...kept import kept
from ...project import Module
from ...syntax import FUNCTIONS, argument, last_name, own_nodes, receiver, walk, written
from ...unused import in_unused_function
from ..shared.callers import given_by_callers
from ..shared.loops import is_rate, is_scheduler
from ..shared.origins import Place, assigned, returned
from ..shared.programs import run_with

# what gives a number or an array of numpy, whatever plain numbers it is given
REDUCING = {"mean", "max", "min", "sum", "average", "float64", "median", "std"}
MAKING = {"arange", "array", "asarray", "concatenate", "hstack", "linspace", "logspace", "ones"}
MAKING |= {"zeros"}
# these give a tensor for a tensor, so that they tell only where a learning rate is computed
ELEMENTWISE = {"abs", "ceil", "clip", "cos", "exp", "floor", "interp", "log", "log10", "maximum"}
ELEMENTWISE |= {"minimum", "power", "sin", "sqrt", "tanh"}
ARRAYS = {f"numpy.{name}" for name in ("array", "asarray", "random.get_state", "stack")}
NUMBERS = {f"numpy.{name}" for name in REDUCING}
RATES = {f"numpy.{name}" for name in REDUCING | MAKING | ELEMENTWISE}
PLAIN = ("float", "int", "item", "round", "tolist")  # they make a plain number of one of numpy
FAR = 6  # names, arguments and returns


def is_numpy(module: Module, value: ast.expr, left: int) -> bool:
    """Whether it is a number that a function of numpy returned, to this file or to a function."""
    if isinstance(value, ast.UnaryOp):
        return is_numpy(module, value.operand, left)
    if isinstance(value, ast.Call):
        further = [] if module.qualified(value.func) in NUMBERS else returned(module, value)
        return module.qualified(value.func) in NUMBERS or surely_numpy(further, left)
    if not isinstance(value, ast.Name):
        return False
    return surely_numpy(assigned(module, module.function(value), value.id), left)


def surely_numpy(values: Iterable[tuple[Module, ast.expr]], left: int) -> bool:
    """Whether one of the values is a number of numpy, and none of them made a plain one of it."""
    found = list(values) if left else []
    return not any(makes_plain(one) for _, one in found) and any(
        is_numpy(other, one, left - 1) for other, one in found
    )


def makes_plain(value: ast.expr) -> bool:
    """Whether it makes a plain number."""
    return isinstance(value, ast.Call) and last_name(value.func) in PLAIN


@kept
def numpy_rate(module: Module) -> str:
    """Whose learning rate the programs of a file compute by numpy; empty where none does.

    A scheduler beside that, as after a warm-up, gives plain numbers in its steps.
    """
    program = run_with(module)
    scheduled = any(
        is_scheduler(one, receiver(call)) for one in program for call in one.calls.get("step", ())
    )
    return next(
        (name for one in program if (name := sets_numpy_rate(one, not scheduled))),
        "",
    )


@kept
def sets_numpy_rate(module: Module, itself: bool) -> str:
    """The name of the optimizer to which a file gives a rate of numpy; empty where none is.

    `itself` says that no scheduler sets the rate.
    """
    groups = [n for n in module.attributes if n.attr == "param_groups"]
    for node in groups if itself and "numpy" in module.libraries else ():
        scope = module.function(node)
        if any(
            isinstance(one, ast.Assign)
            and is_rate(one.targets[0])
            and is_rate_of_numpy(module, one.value, FAR)
            and not in_unused_function(module, one)
            for one in own_nodes(scope)
        ):
            return written(node.value)
    for call in module.torch_calls("LambdaLR"):
        factor = argument(call, 1, "lr_lambda")
        if (
            call.args
            and factor is not None
            and any(is_rate_of_numpy(module, one, FAR) for one in factors(module, factor))
        ):
            return written(call.args[0])
    return ""


def factors(module: Module, function: ast.expr) -> list[ast.expr]:
    """What a function that is written out, or one of the file by its name, returns."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    return [
        node.value
        for one in module.functions
        if isinstance(function, ast.Name) and one.name == function.id
        for node in own_nodes(one)
        if isinstance(node, ast.Return) and node.value is not None
    ]


def is_rate_of_numpy(module: Module, value: ast.expr, left: int) -> bool:
    """Whether a rate is computed by numpy, or taken from an array, and not made plain."""
    if isinstance(value, ast.Call) and module.qualified(value.func).startswith("numpy."):
        return module.qualified(value.func) in RATES
    if isinstance(value, ast.Name | ast.Attribute | ast.Call) and left:
        found = sources(module, value)
        return not any(makes_plain(one) for _, one in found) and any(
            is_rate_of_numpy(other, one, left - 1) for other, one in found
        )
    if any(isinstance(n, ast.Call) and module.is_torch(n.func) for n in walk(value)):
        return False
    return any(is_rate_of_numpy(module, one, left) for one in parts(value))


def parts(value: ast.expr) -> list[ast.expr]:
    """What a value is computed, chosen or taken from; nothing where a key tells it."""
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    if isinstance(value, ast.UnaryOp):
        return [value.operand]
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    if isinstance(value, ast.Compare):
        return [value.left, *value.comparators]
    texts = isinstance(value, ast.Subscript) and isinstance(getattr(value.slice, "value", 0), str)
    return [value.value] if isinstance(value, ast.Subscript) and not texts else []


def sources(module: Module, value: ast.Name | ast.Attribute | ast.Call) -> list[Place]:
    """What a name is given, in its function, by callers or in the file, or what a call gives."""
    if isinstance(value, ast.Call):
        whole = written(value.func) in ("sum", "max", "min")
        if whole:
            return [(module, one) for one in value.args]
        return [*returned(module, value), *chosen_by_name(module, value)]
    scope = module.function(value)
    if isinstance(value, ast.Attribute):
        own = module.value_in(value, scope) if written(value.value) == "self" else []
        return [(module, one) for one in own]
    given = [(other, one) for other, one, _ in given_by_callers(module, scope, value.id)]
    found = [*assigned(module, scope, value.id), *given]
    around = module.function(scope) if isinstance(scope, FUNCTIONS) else scope
    further = found or [*assigned(module, around, value.id)]
    return further or [*assigned(module, module.tree, value.id)]


def chosen_by_name(module: Module, call: ast.Call) -> Iterator[Place]:
    """What functions of a file return, one of which is called by a name that the code has as text.

    `getattr(schedules, options.schedule)(step)` takes one of them.
    """
    made = module.value_in(call.func, module.function(call)) if written(call.func) else []
    for one in made:
        if not isinstance(one, ast.Call) or written(one.func) != "getattr" or not one.args:
            continue
        stem = module.qualified(one.args[0]).rpartition(".")[2]
        for other in module.project.near(module):
            if not stem or PurePath(other.name).stem != stem:
                continue
            for function in other.functions:
                name = function.name.encode()
                named = any(module.project.contains(q + name + q) for q in (b'"', b"'"))
                for node in own_nodes(function) if named else ():
                    if isinstance(node, ast.Return) and node.value is not None:
                        yield other, node.value
