"""Runs whose place is told by the name of a checkpoint."""

import ast
import re

from ...kept import kept
from ...project import Module
from ...syntax import last_name, mentions, own_calls, walk, written

COUNT = re.compile(r"epoch|step|iter", re.I)


@kept
def counts_from_name(module: Module) -> bool:
    """Whether a file loads something, and reads from its name how far the run was.

    `epoch = int(path.split("_")[-1]) + 1` says that the run goes on from there.
    """
    return any(
        isinstance(statement.value, ast.BinOp)
        and COUNT.search(name.rpartition(".")[2]) is not None
        and (any(is_part_of_name(one) for one in walk(statement.value)) or is_of_saves(statement))
        and any("load" in last_name(one.func) for one in own_calls(module.function(statement)))
        for name, statements in module.assigned.items()
        for statement in statements
    )


def is_of_saves(statement: ast.Assign) -> bool:
    """Whether it counts by how often was saved: `self.steps = number * self.save_every`."""
    value = statement.value
    times = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult)
    return times and mentions(value, "save_every", "save_interval", "save_freq", "save_step")


def is_part_of_name(node: ast.AST) -> bool:
    """Whether a number is read from a part of a path."""
    return (
        isinstance(node, ast.Call)
        and written(node.func) == "int"
        and any(
            isinstance(one, ast.Call) and last_name(one.func) in ("split", "basename", "stem")
            for argument in node.args
            for one in walk(argument)
        )
    )
