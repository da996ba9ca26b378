"""What a `worker_init_fn` seeds from, where that is the same in each epoch."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot
from ...syntax import is_constant, last_name, mentions, own_calls, receiver, walk, written
from ..shared.datasets import SAMPLE, is_dataset

SEEDING = ("numpy.random.seed", "random.seed", "torch.manual_seed")
NUMBERS = ("int", "uint32", "hash")


def seeds_by_worker_alone(module: Module, function: ast.AST) -> bool:
    """Whether a `worker_init_fn` seeds, and from nothing that differs from epoch to epoch."""
    if mentions(function, "initial_seed", "worker_info", "epoch", "urandom", "time", "entropy"):
        return False
    seeding = [call for call in own_calls(function) if module.qualified(call.func) in SEEDING]
    for call in seeding:
        if not call.args:
            return False  # from the system's entropy
        constant = within_first_numbers(module, call.args[0])
        for node in walk(call.args[0]):
            if node in constant:
                continue
            called = isinstance(node, ast.Call) and last_name(node.func) not in NUMBERS
            if called or isinstance(node, ast.Subscript):
                return False
    return bool(seeding) and only_plain_values(module, function)


def only_plain_values(module: Module, function: ast.AST) -> bool:
    """Whether all that the function computes itself comes without a call to something unknown."""
    values = [n.value for n in walk(function) if isinstance(n, ast.Assign)]
    return not any(
        isinstance(n, ast.Call) and n not in within_first_numbers(module, value)
        for value in values
        for n in walk(value)
    )


def first_number_of_state(module: Module, function: ast.AST) -> bool:
    """Whether a function takes the first number of numpy's state, as if it were the seed."""
    return bool(within_first_numbers(module, function))


def within_first_numbers(module: Module, node: ast.AST) -> set[ast.AST]:
    """The nodes of each `np.random.get_state()[1][0]` below."""
    return {
        inner
        for one in walk(node)
        if isinstance(one, ast.Subscript) and is_first_number(module, one)
        for inner in walk(one)
    }


def is_first_number(module: Module, node: ast.Subscript) -> bool:
    """Whether it is `np.random.get_state()[1][0]`."""
    keys = node.value
    if not isinstance(keys, ast.Subscript):
        return False
    state, numbers = keys.value, (keys.slice, node.slice)
    return (
        isinstance(state, ast.Call)
        and module.qualified(state.func) == "numpy.random.get_state"
        and [getattr(one, "value", None) for one in numbers] == [1, 0]
    )


def seeded_in_samples(module: Module) -> Iterator[Spot]:
    """Where reading a sample seeds each worker with `get_worker_info().id`, when it is new."""
    if "get_worker_info" not in module.calls or keeps_workers(module):
        return
    for node in module.classes:
        methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
        sampling = [one for one in methods if one.name in SAMPLE]
        called = {  # self.fetch(index)
            last_name(call.func)
            for one in sampling
            for call in own_calls(one)
            if written(receiver(call) or call) == "self"
        }
        for method in [*sampling, *(one for one in methods if one.name in called)]:
            if mentions(method, "epoch", "initial_seed"):
                continue
            if not own_calls(method, "get_worker_info") or not is_dataset(module, node):
                continue
            for call in own_calls(method, "seed"):
                seeds = bool(call.args) and is_number_of_worker(call.args[0])
                if seeds and module.qualified(call.func) == "numpy.random.seed":
                    yield Spot(call)


def is_number_of_worker(seed: ast.expr) -> bool:
    """Whether a seed is made of the `id` that a worker is given, and of nothing that changes."""
    read = [one for one in walk(seed) if isinstance(one, ast.Attribute)]
    changes = any(one.attr == "seed" and "info" in written(one.value) for one in read)
    calls = [one for one in walk(seed) if isinstance(one, ast.Call)]
    plain = all(last_name(one.func) in ("get_worker_info", *NUMBERS) for one in calls)
    return any(one.attr == "id" for one in read) and plain and not changes


def keeps_workers(module: Module) -> bool:
    """Whether a loader of the program keeps its workers from epoch to epoch."""
    return any(
        one.arg == "persistent_workers" and not is_constant(one.value, False)
        for other in module.project.near(module)
        for one in other.keywords
    )
