"""Which networks a name may be, through the functions of the project that build them."""

import ast
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...syntax import is_constant, last_name
from .layers import makes_module, unmoved
from .origins import Place, origins

WRAPPERS = ("DataParallel", "DistributedDataParallel")


def classes_of_network(module: Module, node: ast.expr) -> Iterator[tuple[Module, ast.ClassDef]]:
    """The `nn.Module`s of the project that a name may be, be they wrapped for several GPUs."""
    for where, made in built(module, node):
        if isinstance(made, ast.Call):
            for other, one in where.project.classes_named(where, made.func) or ():
                if where.project.is_module_class(other, one):
                    yield other, one


def is_built(module: Module, node: ast.expr) -> bool:
    """Whether all that a name may be are modules: `net = define_net(options)`."""
    found = [(o, one) for o, one in built(module, node) if not is_constant(one, None)]
    return bool(found) and all(makes_module(*one) for one in found)


@kept
def built(module: Module, node: ast.expr) -> list[Place]:
    """The calls that make what a name may be, without wrappers and moves to a device."""
    pending = list(origins(module, node))
    found = []
    for where, value in pending:  # it grows
        made = next(unmoved([value]))
        if isinstance(made, ast.Call) and last_name(made.func) in WRAPPERS and made.args:
            made = made.args[0]
        if made is value:
            found.append((where, made))
        else:
            pending += origins(where, made) if len(pending) < 50 else ()
    return found
