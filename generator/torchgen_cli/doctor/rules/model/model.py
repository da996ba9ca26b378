"""What an `nn.Module` knows of its parts."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import (
    FUNCTIONS,
    everything,
    is_constant,
    keyword,
    last_name,
    parameters,
    receiver,
    walk,
    written,
)
from ..shared.layers import DOCS, module_classes
from ..shared.loops import OPTIMIZERS
from .plain_modules import REGISTERING_METHODS, has_parameters, loses_by_it

REGISTER = {"Parameter", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "Sequential"}
PLAIN = (ast.List, ast.Dict, ast.Tuple, ast.ListComp, ast.DictComp, ast.BinOp)


def held_modules(module: Module, value: ast.AST) -> list[ast.expr]:
    """The new modules and parameters that a plain list, tuple, dict or comprehension holds."""
    items: list[ast.expr] = []
    if isinstance(value, ast.List | ast.Tuple):
        items = value.elts
    if isinstance(value, ast.Dict):
        items = value.values
    if isinstance(value, ast.ListComp):
        items = [value.elt]
    if isinstance(value, ast.DictComp):
        items = [value.value]
    if isinstance(value, ast.BinOp):  # [nn.Linear(8, 8)] * 3
        return held_modules(module, value.left) + held_modules(module, value.right)
    return [item for item in items if loses_by_it(module, item)]


@rule(
    "TG301",
    "modules in a plain list or dict are not part of the model",
    why="""`parameters()`, `to(device)`, `state_dict()` and `train()` see only what is registered.
    What a plain list or dict holds is not trained, moved or saved. A list of a single module is a
    hint: some hide one this way on purpose. So are modules that are not known to have
    parameters.""",
    remedy="use nn.ModuleList, nn.ModuleDict, nn.ParameterList or nn.ParameterDict",
    source=f"{DOCS}/torch.nn.ModuleList.html",
    bad="""
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(3)]  # <--
""",
    good="""
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
""",
)
def plain_list(module: Module) -> Iterator[ast.AST | Spot]:
    for node in module_classes(module):
        held: dict[str, tuple[ast.stmt, ast.expr]] = {}
        for statement in everything(node):
            if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(
                statement.value, PLAIN
            ):
                target = (
                    statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
                )
                if written(target).startswith("self."):
                    held[written(target)] = statement, statement.value
        for name, (statement, value) in held.items():
            if registered_later(node, name):
                continue
            if held_here := held_modules(module, value):
                alone = isinstance(value, ast.List) and len(value.elts) == 1
                learnt = any(has_parameters(module, one) for one in held_here)
                # a single one may be hidden on purpose
                yield Spot(statement, unsure=alone or not learnt or is_frozen(node, name))
            else:
                yield from filled_with_modules(module, node, name)


def registered_later(node: ast.ClassDef, name: str) -> bool:
    """Whether the list is handed to something that may register what it holds."""
    for inner in everything(node):
        if isinstance(inner, ast.Delete) and name in map(written, inner.targets):
            return True  # it is there for a while, to be made something else
        if isinstance(inner, ast.Attribute) and inner.attr == "_modules":
            return True
        if isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Tuple):
            if written(inner.value) == name:  # self.first, self.second = self.both
                return True
            continue
        if isinstance(inner, ast.Call):
            given = [*inner.args, *(k.value for k in inner.keywords)]
            registers = last_name(inner.func) in REGISTER or last_name(inner.func) in (
                REGISTERING_METHODS
            )
            if registers and any(written(n) == name for value in given for n in walk(value)):
                return True
        if isinstance(inner, ast.For) and any(written(n) == name for n in walk(inner.iter)):
            methods = (last_name(n.func) for n in walk(inner) if isinstance(n, ast.Call))
            if not REGISTERING_METHODS.isdisjoint(methods):
                return True
    return False


def is_frozen(node: ast.ClassDef, name: str) -> bool:
    """Whether the gradients of what a list holds are turned off: teachers, kept out on purpose."""
    return any(
        isinstance(loop, ast.For)
        and any(written(one) == name for one in walk(loop.iter))
        and any(last_name(one) in ("requires_grad", "requires_grad_") for one in walk(loop))
        for loop in everything(node)
    )


def filled_with_modules(module: Module, node: ast.ClassDef, name: str) -> Iterator[Spot]:
    """Where new modules are put into the list or dict; the first place is enough."""
    for inner in everything(node):
        if isinstance(inner, ast.Call) and last_name(inner.func) == "append":
            held, value = receiver(inner), inner.args[0] if inner.args else None
        elif isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Subscript):
            held, value = inner.targets[0].value, inner.value
        else:
            continue
        if (
            held is not None
            and value is not None
            and written(held) == name
            and loses_by_it(module, value)
        ):
            yield Spot(inner, unsure=not has_parameters(module, value))
            return


@rule(
    "TG302",
    "this tensor is not a parameter of the model",
    why="""Only a directly assigned `nn.Parameter` is registered. A plain tensor with
    `requires_grad`, or the result of `.to()` or `.cuda()` on a parameter, is not trained, moved or
    saved.""",
    remedy="assign `nn.Parameter(tensor)` and move the whole module afterwards",
    source=f"{DOCS}/torch.nn.parameter.Parameter.html",
    bad="""
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(8, requires_grad=True)  # <--
        self.shift = nn.Parameter(torch.zeros(8)).cuda()  # <--
""",
    good="""
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(8))
        self.shift = nn.Parameter(torch.zeros(8))
""",
)
def lost_parameter(module: Module) -> Iterator[Spot]:
    for node in module_classes(module):
        for statement in everything(node):
            if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
                continue
            target = statement.targets[0]
            if not written(target).startswith("self.") or is_set_from_outside(module, node, target):
                continue
            call = statement.value
            inner = receiver(call) if last_name(call.func) in ("to", "cuda") else None
            if module.is_torch(call.func) and is_constant(keyword(call, "requires_grad"), True):
                made = module.qualified(call.func).rpartition(".")[2]  # by whatever name
                if made not in ("Parameter", "UninitializedParameter") and not is_optimized(
                    node, written(target)
                ):
                    yield Spot(statement)
            elif isinstance(inner, ast.Call) and module.is_torch(inner.func, "Parameter"):
                value = inner.args[0] if inner.args else inner
                moved = isinstance(value, ast.Call) and last_name(value.func) == "to"
                if not moved or not given_alike(value, call):
                    # of a name nobody knows where it lies: there `.to` may be nothing
                    yield Spot(statement, unsure=isinstance(value, ast.Name))


def is_set_from_outside(module: Module, node: ast.ClassDef, kept: ast.expr) -> bool:
    """Whether a method replaces a tensor by what it is given, as a model is given its target."""
    return any(
        isinstance(one.value, ast.Name)
        and isinstance(method := module.function(one), FUNCTIONS)
        and method.name != "__init__"
        and one.value.id in parameters(method)
        and module.class_of(one) is node
        for one in module.assigned.get(written(kept), ())
    )


def is_optimized(node: ast.ClassDef, name: str) -> bool:
    """Whether a class gives a tensor of its own to an optimizer."""
    return any(
        isinstance(call, ast.Call)
        and last_name(call.func) in OPTIMIZERS
        and any(written(one) == name for value in call.args for one in walk(value))
        for call in everything(node)
    )


def given_alike(one: ast.expr, other: ast.Call) -> bool:
    """Whether two calls have the same arguments."""
    return isinstance(one, ast.Call) and [*map(ast.unparse, one.args)] == [
        *map(ast.unparse, other.args)
    ]
