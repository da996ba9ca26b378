"""What a `worker_init_fn` seeds from, where that is the same in each epoch."""

import ast

from ...project import Module
from ...syntax import last_name, mentions, own_calls, walk

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
