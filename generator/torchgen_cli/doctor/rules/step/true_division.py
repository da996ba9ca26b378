"""Whole numbers that a division makes floats."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import Scope, keyword, last_name, own_nodes, receiver, same, written

# what returns places alone, or as the second of two
PLACES = ("argmax", "argmin", "argsort")
PAIRS = ("kthvalue", "max", "median", "min", "mode", "sort", "topk")
# what leaves the type as it is
KEEPS = {"clone", "contiguous", "expand", "flatten", "repeat", "reshape", "squeeze", "t"}
KEEPS |= {"transpose", "unsqueeze", "view"}
# which argument is the index
INDEXED = {"gather": 1, "index_select": 1, "index_copy_": 1, "index_add_": 1, "index_fill_": 1}


@rule(
    "TG427",
    "an index is divided by `/`, which makes it a float",
    why="""Since torch 1.6 `/` of integers gives floats, and a float tensor cannot be an index: the
    program fails with an IndexError. Before, it was rounded.""",
    remedy='use `//`, or `torch.div(..., rounding_mode="floor")`',
    source=f"{STABLE}/generated/torch.div.html",
    bad="""
import torch


def search(scores, beams, width, words):
    best, places = scores.view(-1).topk(width)
    origin = places / words  # <--
    return torch.cat([beams[origin], (places % words).unsqueeze(1)], dim=1)
""",
    good="""
import torch


def search(scores, beams, width, words):
    best, places = scores.view(-1).topk(width)
    origin = places // words
    return torch.cat([beams[origin], (places % words).unsqueeze(1)], dim=1)
""",
)
def float_index(module: Module) -> Iterator[Spot]:
    old = module.project.stays_before_torch("1.6")
    scopes: dict[Scope, set[str]] = {}
    for name in (*PLACES, *PAIRS):
        for call in module.calls.get(name, ()):
            if places := places_of(module, call):
                scopes.setdefault(module.function(call), set()).add(places)
    for scope, names in scopes.items():
        yield from (Spot(node, unsure=old) for node in divided(module, scope, names))


def places_of(module: Module, call: ast.Call) -> str:
    """The name that a call's places of the largest, and the like, are given; empty without one."""
    statement = module.parents[call]
    owner = receiver(call)
    if owner is None or module.qualified(owner).startswith("numpy"):
        return ""
    number = ""
    if isinstance(statement, ast.Subscript) and isinstance(statement.slice, ast.Constant):
        number, statement = str(statement.slice.value), module.parents[statement]
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return ""
    target = statement.targets[0]
    if last_name(call.func) in PLACES or number == "1":
        return written(target)
    pair = isinstance(target, ast.Tuple) and len(target.elts) == 2 and not number
    return written(target.elts[1]) if pair and isinstance(target, ast.Tuple) else ""


def divided(module: Module, scope: ast.AST, names: set[str]) -> Iterator[ast.AST]:
    """Where one of these is divided, and what comes of it is an index in the same function."""
    nodes = list(own_nodes(scope))
    for node in nodes:
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
            continue
        if written(node.left) not in names or module.qualified(node.right).startswith("numpy"):
            continue
        whole = outermost(module, node)
        around = module.parents[whole]
        if is_index(module, whole):
            yield node
        elif isinstance(around, ast.Assign) and isinstance(around.targets[0], ast.Name):
            name = around.targets[0]
            others = [a for a in module.assigned[name.id] if scope in module.ancestors(a)]
            reads = [n for n in nodes if same(n, name) and n is not name]
            if len(others) == 1 and any(is_index(module, outermost(module, n)) for n in reads):
                yield node


def outermost(module: Module, node: ast.AST) -> ast.AST:
    """What is made of a value by sums, and by methods that leave its type as it is."""
    while True:
        around = module.parents[node]
        called = module.parents.get(around)
        if isinstance(around, ast.BinOp) and isinstance(around.op, ast.Add | ast.Sub | ast.Mult):
            node = around
        elif (
            isinstance(around, ast.Attribute)
            and around.attr in KEEPS
            and isinstance(called, ast.Call)
            and called.func is around
        ):
            node = called
        else:
            return node


def is_index(module: Module, node: ast.AST) -> bool:
    """Whether it is the index of a tensor, as it is."""
    around = module.parents[node]
    if isinstance(around, ast.Subscript):
        return around.slice is node and isinstance(around.ctx, ast.Load)
    if isinstance(around, ast.Tuple) and isinstance(above := module.parents[around], ast.Subscript):
        return above.slice is around
    if not isinstance(around, ast.Call) or last_name(around.func) not in INDEXED:
        return False
    place = INDEXED[last_name(around.func)] + module.is_torch(around.func)
    given = around.args[place] if place < len(around.args) else keyword(around, "index")
    return given is node
