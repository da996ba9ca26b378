"""Generators of parameters that are gone through a second time, when nothing is left."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    LEAVING,
    Function,
    argument,
    last_name,
    own_nodes,
    parameters,
    walk,
    written,
)
from ..randomness.reach_of_seeds import excludes
from ..shared.loops import CLIPPING, OPTIMIZERS
from ..shared.origins import called, given

EMPTYING = (*CLIPPING, "list", "parameters_to_vector", "tuple")


def gone_through_again(module: Module) -> Iterator[ast.AST]:
    """Where a name is gone through that holds a generator which is used up by then."""
    if "parameters" in module.project.functions:
        return  # which may return a list
    for function in [*module.functions, module.tree]:
        for name, made in generators(module, function):
            uses = [one for node in own_nodes(function) for one in uses_in(module, node, name)]
            uses.sort(key=lambda one: (one.lineno, one.col_offset))
            again = [one for one in uses if is_second(module, one, uses, made)]
            yield from again[:1]


def generators(module: Module, function: ast.AST) -> Iterator[tuple[str, ast.Assign | None]]:
    """(name, what assigns it) of each name in a function that surely is a generator."""
    nodes = list(own_nodes(function))
    stored = [
        one.id for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)
    ]
    for node in nodes:
        if isinstance(node, ast.Assign) and makes_generator(node.value):
            name = written(node.targets[0])
            if stored.count(name) == 1:
                yield name, node
    if not isinstance(function, FUNCTIONS):
        return
    emptied = {
        written(one)
        for node in nodes
        if isinstance(node, ast.Call) and last_name(node.func) in CLIPPING
        for one in node.args[:1]
    }
    for name in parameters(function):
        if name in emptied and name not in stored:
            values = list(values_given(module, function, name))
            if values and all(value is not None and makes_generator(value) for value in values):
                yield name, None


def makes_generator(value: ast.expr) -> bool:
    """Whether it is `model.parameters()`, as it is or filtered."""
    if isinstance(value, ast.GeneratorExp):
        return makes_generator(value.generators[0].iter)
    if isinstance(value, ast.Call) and written(value.func) == "filter":
        return makes_generator(value.args[-1])
    return isinstance(value, ast.Call) and last_name(value.func) == "parameters"


def values_given(module: Module, function: Function, name: str) -> Iterator[ast.expr | None]:
    """What callers pass for a parameter, be it of a function or of an object that is called."""
    around = module.class_of(function)
    if function.name != "__call__" or around is None:
        yield from (value for _, value in given(module, function, name))
        return
    place = parameters(function).index(name)
    for other in module.project.near(module):
        for target, statements in other.assigned.items():
            made = [one.value for one in statements if isinstance(one.value, ast.Call)]
            if any(last_name(one.func) == around.name for one in made):
                calls = other.calls.get(target.rpartition(".")[2], ())
                yield from (argument(one, place, name) for one in calls)


def uses_in(module: Module, node: ast.AST, name: str) -> list[ast.Name]:
    """Where a node itself goes through what a name holds."""
    if isinstance(node, ast.For | ast.comprehension):
        places = [node.iter]
    elif isinstance(node, ast.Call):
        all_of_it = last_name(node.func) in EMPTYING or module.is_torch(node.func, *OPTIMIZERS)
        given_on = [one for one in node.args if written(one) == name]
        places = given_on if all_of_it or (given_on and goes_on(module, node, name)) else []
    else:
        places = []
    return [one for one in places if isinstance(one, ast.Name) and one.id == name]


def goes_on(module: Module, call: ast.Call, name: str) -> bool:
    """Whether a function of the project goes through what it is given under a name."""
    found = called(module, call)
    place = [written(one) for one in call.args].index(name)
    return bool(found) and all(
        place < len(parameters(function))
        and any(
            isinstance(node, ast.For | ast.comprehension)
            and written(node.iter) == parameters(function)[place]
            for node in own_nodes(function)
        )
        for _, function in found
    )


def is_second(module: Module, use: ast.Name, uses: list[ast.Name], made: ast.Assign | None) -> bool:
    """Whether nothing is left at a place: something went through before, or a round of a loop."""
    around = set(module.loops_around(made)) if made is not None else set()
    repeated = any(
        loop not in around
        and use not in walk(getattr(loop, "iter", use.ctx))
        and not isinstance(loop.body[-1], LEAVING)
        for loop in module.loops_around(use)
    )
    statement = module.statement(use)
    return repeated or any(
        module.statement(one) is not statement
        and one.lineno < use.lineno
        and not excludes(module, one, use)
        and not leaves(module, module.statement(one), use)
        for one in uses
    )


def leaves(module: Module, statement: ast.stmt, use: ast.Name) -> bool:
    """Whether the block of a statement is left at its end, before the place of a use."""
    block = [statement, *module.following(statement)]
    around = {use, *module.ancestors(use)}
    return isinstance(block[-1], LEAVING) and around.isdisjoint(block)
