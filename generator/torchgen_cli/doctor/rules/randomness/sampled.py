"""What getting a sample draws from numpy's global generator."""

import ast
import re
from collections.abc import Callable, Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    last_name,
    own_calls,
    own_nodes,
    walk,
    written,
)
from ..shared.datasets import SAMPLE, with_helpers
from ..shared.origins import calls_behind, own_calls_of
from ..shared.switched_off import is_off

# what a dataset calls to change a sample: `self.transform(image)`, `self.augment(...)`
Draw = Callable[[Module, ast.Call], bool]
APPLIED = re.compile(r"transform|augment|preproc|(^|_)(aug|augs|tfm|tfms|t)$", re.I)


def draws_globally(module: Module, call: ast.Call) -> bool:
    """Whether it draws from numpy's global generator; torch seeds Python's in each worker."""
    whole = module.qualified(call.func)
    base, _, name = whole.rpartition(".")
    if base != "numpy.random":
        return False
    return name.islower() and name not in ("seed", "default_rng", "getstate", "get_state")


def draws_value(module: Module, call: ast.Call) -> bool:
    """Whether such a draw is more than an order of which nothing is cut off."""
    if not draws_globally(module, call):
        return False
    if last_name(call.func) not in ("shuffle", "permutation"):
        return True
    around = module.parents[call]
    kept = written(call.args[0]) if call.args and last_name(call.func) == "shuffle" else ""
    if isinstance(around, ast.Assign):
        kept = written(around.targets[0])
    return isinstance(around, ast.Subscript) or any(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Slice)
        and written(node.value) == kept
        and node.lineno > call.lineno
        and not is_limit(module, node)
        for node in (own_nodes(module.function(call)) if kept else ())
    )


def is_limit(module: Module, cut: ast.Subscript) -> bool:
    """Whether a list is cut only where it is too long: `if len(boxes) > n: boxes = boxes[:n]`."""
    name = written(cut.value)
    return any(
        isinstance(around, ast.If) and any(written(one) == name for one in walk(around.test))
        for around in module.ancestors(cut)
    )


def global_draws(module: Module, node: ast.ClassDef, holds: Draw = draws_globally) -> bool:
    """Whether getting a sample draws globally, itself or by a helper."""
    return any(draws(where, functions, holds) for where, functions in samplers(module, node))


def samplers(module: Module, node: ast.ClassDef) -> Iterator[tuple[Module, list[Function]]]:
    """The methods of a dataset that get a sample, or those of its base."""
    sample = [item for item in node.body if isinstance(item, FUNCTIONS) and item.name in SAMPLE]
    if sample:
        yield module, sample
        return
    for base in node.bases:
        for other, parent in module.project.classes_named(module, base) or ():
            if parent is not node:
                yield from samplers(other, parent)


def transforms_samples(module: Module, node: ast.ClassDef) -> bool:
    """Whether a dataset applies a transform to each sample, and seeds nothing before that."""
    return any(
        APPLIED.search(last_name(call.func))
        for where, sample in samplers(module, node)
        if not seeds(where, sample)
        for one in with_helpers(beside(where, sample[0]))
        for call in own_calls(one)
    )


def beside(module: Module, method: Function) -> list[Function]:
    """The methods of the class of a method."""
    node = module.class_of(method)
    return [item for item in (node.body if node else []) if isinstance(item, FUNCTIONS)]


def seeds(module: Module, functions: list[Function]) -> bool:
    """Whether a function seeds numpy for itself."""
    calls = own_calls_of(module, functions)
    return any(where.qualified(call.func) == "numpy.random.seed" for where, call in calls)


def after_error(module: Module, call: ast.Call) -> bool:
    """Whether it only makes up for a sample that cannot be read or used."""
    inner: ast.AST = call
    for around in module.ancestors(call):
        if isinstance(around, ast.ExceptHandler):
            return True
        if isinstance(around, ast.If) and any(gets_another(one) for one in around.body):
            return inner in around.body
        inner = around
    return False


def gets_another(statement: ast.stmt) -> bool:
    """Whether it returns another sample: `return self[other]`, `return self.__getitem__(other)`."""
    value = statement.value if isinstance(statement, ast.Return) else None
    if isinstance(value, ast.Subscript):
        return written(value.value) == "self"
    return isinstance(value, ast.Call) and last_name(value.func) in SAMPLE


def transforms(module: Module) -> Iterator[tuple[Module, list[Function]]]:
    """`__call__` of the same program's classes that are made somewhere, and are no modules."""
    for other in module.project.near(module):
        for node in other.classes:
            methods = [item for item in node.body if isinstance(item, FUNCTIONS)]
            calls = [item for item in methods if item.name == "__call__"]
            if calls and node.name in module.project.callers:
                yield other, calls


def draws(module: Module, functions: list[Function], holds: Draw = draws_globally) -> bool:
    """Whether one of these functions draws globally, itself or by a helper."""
    pending = list(functions)
    seen = {item.name for item in pending}
    own = {function.name: function for function in module.functions}
    if seeds(module, functions):
        return False
    for function in pending:  # it grows
        calls = own_calls_of(module, [function])
        if any(holds(*one) and not after_error(*one) for one in calls):
            return True
        for call in own_calls(function):
            name = "" if is_off(module, call) else last_name(call.func)
            if name in own and name not in seen:
                seen.add(name)
                pending.append(own[name])
    return False


def applied(module: Module, made: ast.Call) -> list[tuple[Module, ast.Call]] | None:
    """The calls behind a dataset's transforms, or None where they cannot be seen."""
    given = [one.value for one in made.keywords if APPLIED.search(one.arg or "")]
    given += [one for one in made.args if APPLIED.search(last_name(one))]
    given += [one for one in made.args if isinstance(one, ast.Call)]
    found = [one for value in given for one in calls_behind(module, value)]
    return found or None


def call_draws(module: Module, call: ast.Call, holds: Draw = draws_globally) -> bool:
    """Whether a call makes an object of the project's that draws when it is called."""
    return any(
        draws(other, [m], holds)
        for other, node in module.project.classes_named(module, call.func) or ()
        for m in node.body
        if isinstance(m, FUNCTIONS) and m.name == "__call__"
    )
