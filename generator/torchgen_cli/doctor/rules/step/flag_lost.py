"""Flags whose values are overwritten before anything reads them."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    asks_main,
    last_name,
    parameters,
    receiver,
    same,
    walk,
    written,
)
from ..shared.flag_shown import RECORDING, may_hand_on, watched

SETTLED = {"hasattr", "isinstance", "len", "type"}


def overwritten(
    module: Module, files: list[Module], declared: ast.Call, name: str
) -> ast.Assign | None:
    """The statement that sets a flag after it is parsed and before it is read, in every run."""
    own = [module] if "parse_args" in module.calls else files
    for where, call in [
        *((one, call) for one in own for call in one.calls.get("parse_args", ())),
        *((one, call) for one in own for call in parsing(one, files)),
    ]:
        if len(where.calls["parse_args"]) > 1 and not same(receiver(call), receiver(declared)):
            continue  # of another parser of the file
        statement = where.parents[call]
        args = written(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
        if isinstance(statement, ast.Assign) and args:
            found = first_use(where, statement, args, name)
            if isinstance(found, ast.Assign):
                return found
    return None


def parsing(module: Module, files: list[Module]) -> Iterator[ast.Call]:
    """Calls of the functions that return what `parse_args` gives."""
    for one in files:
        for call in one.calls.get("parse_args", ()):
            function = one.function(call)
            if isinstance(function, FUNCTIONS) and isinstance(one.parents[call], ast.Return):
                yield from (
                    made
                    for made in module.calls.get(function.name, ())
                    if (one, function) in module.project.resolve(module, made)
                )


def first_use(module: Module, after: ast.stmt, args: str, name: str) -> ast.AST | None:
    """The first statement behind this one that sets or reads a flag; reads are other nodes."""
    around = module.parents[after]
    if not isinstance(around, ast.Module | ast.If | Function):
        return None
    if isinstance(around, ast.If) and not asks_main(around):
        return None
    block = around.body
    if after not in block:
        return None
    return first_in(module, block[block.index(after) + 1 :], args, name, depth=3)


def first_in(
    module: Module, block: list[ast.stmt], args: str, name: str, depth: int
) -> ast.AST | None:
    """The same in a list of statements."""
    for statement in block:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue
        if isinstance(statement, ast.If) and asks_main(statement):
            found = first_in(module, statement.body, args, name, depth)
            if found is not None:
                return found
            continue
        if inner := started(module, statement, args):
            found = first_in(module, inner.body, args, name, depth - 1) if depth else None
            if found is not None:
                return found
        reads = [node for node in walk(statement) if may_read(module, node, args, name)]
        if reads:
            found = followed(module, statement, reads, args, name, depth)
            if found is not None:
                return found
        if sets(statement, args, name):
            return statement
        if isinstance(statement, ast.If):
            found = set_for_each(statement, args, name)
            if found is not None:
                return found
    return None


def sets(statement: ast.stmt, args: str, name: str) -> bool:
    """Whether a statement gives a flag another value."""
    return isinstance(statement, ast.Assign) and any(
        written(t) == f"{args}.{name}"
        for target in statement.targets
        for t in (target.elts if isinstance(target, ast.Tuple) else [target])
    )


def started(module: Module, statement: ast.stmt, args: str) -> Function | None:
    """The function of the file that is called with nothing, and uses the flags of the file."""
    call = getattr(statement, "value", None)
    if not isinstance(statement, ast.Expr | ast.Assign) or not isinstance(call, ast.Call):
        return None
    if call.args or call.keywords or not isinstance(call.func, ast.Name):
        return None
    found = [
        one
        for one in module.tree.body
        if isinstance(one, FUNCTIONS) and one.name == call.func.id and args in names_in(one)
    ]
    return found[0] if len(found) == 1 else None


def names_in(function: Function) -> set[str]:
    """The names that a function reads and does not set."""
    names = [one for one in walk(function) if isinstance(one, ast.Name)]
    stored = {one.id for one in names if isinstance(one.ctx, ast.Store)}
    return {one.id for one in names} - stored - set(parameters(function))


def set_for_each(chosen: ast.If, args: str, name: str) -> ast.stmt | None:
    """The first statement of those that set a flag for each text that another flag may be."""
    found: list[ast.stmt] = []
    asked: set[str] = set()
    rest: list[ast.stmt] = [chosen]
    while len(rest) == 1 and isinstance(rest[0], ast.If):
        branch = rest[0]
        test = branch.test
        setting = next((one for one in branch.body if sets(one, args, name)), None)
        if setting is None or not isinstance(test, ast.Compare):
            return None
        if not isinstance(test.ops[0], ast.Eq) or not isinstance(test.comparators[0], ast.Constant):
            return None
        found.append(setting)
        asked.add(written(test.left))
        rest = branch.orelse
    of_a_flag = len(asked) == 1 and min(asked).startswith(f"{args}.")
    return found[0] if of_a_flag and len(found) > 1 else None


def followed(
    module: Module, statement: ast.stmt, reads: list[ast.AST], args: str, name: str, depth: int
) -> ast.AST | None:
    """What a function of the file does first, where the flags are only given to it."""
    call = getattr(statement, "value", None)
    if (
        depth
        and isinstance(statement, ast.Expr | ast.Assign)
        and isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and len(reads) == 1
        and reads[0] in call.args
    ):
        for where, function in module.project.resolve(module, call):
            taken, place = parameters(function), call.args.index(reads[0])
            if place < len(taken):
                return first_in(where, function.body, taken[place], name, depth - 1)
    return reads[0]


def may_read(module: Module, node: ast.AST, args: str, name: str) -> bool:
    """Whether a node may take the flag: by its name, or with all others, but to show them."""
    if "." in args and may_hand_on(module, node, args.partition(".")[0]):
        return True
    if written(node) != args or not isinstance(getattr(node, "ctx", None), ast.Load):
        return False
    around = module.parents[node]
    if isinstance(around, ast.Attribute):
        return (around.attr == name and isinstance(around.ctx, ast.Load)) or around.attr in (
            "__dict__",
            "_get_kwargs",
        )
    return not any(is_harmless(one) for one in ancestors_of_expression(module, node))


def is_harmless(node: ast.AST) -> bool:
    """Whether a call shows its arguments, or asks what they are."""
    if not isinstance(node, ast.Call):
        return False
    return last_name(node.func) in RECORDING | SETTLED or watched(node)


def ancestors_of_expression(module: Module, node: ast.AST) -> Iterator[ast.AST]:
    """What is around a node within its statement."""
    for around in module.ancestors(node):
        if isinstance(around, ast.stmt):
            return
        yield around
