"""Whether all batches of an evaluation have one size."""

import ast
import re

from ...project import Module
from ...syntax import argument, has_stars, is_constant, keyword, mentions
from ..data.data import for_evaluation
from .callers import given_through
from .origins import origins

PADDED = re.compile(r"pad.*last|last.*pad|pad.*batch")


def even_batches(module: Module) -> bool:
    """Whether an incomplete batch may be dropped or filled, or each batch is one sample."""
    if any(is_constant(one.value, True) for one in module.assigned.get("drop_last", ())):
        return True
    near = with_loaders(module)
    loaders = evaluation_loaders(module) or [
        call for one in near for call in evaluation_loaders(one)
    ]
    if loaders and all(map(is_even, loaders)):
        return True
    if any(may_drop(one, call) for one in near for call in one.torch_calls("DataLoader")):
        return True
    functions = (one for each in module.project.modules for one in each.functions)
    return any(PADDED.search(one.arg) for function in functions for one in function.args.args)


def may_be_even(module: Module, loop: ast.For) -> bool:
    """Whether the batches of a loop may be of one size, by what makes its loader.

    So it is where a class of the project, or options that are not seen here, say how.
    """
    made = [(where, one) for where, one in origins(module, loop.iter) if isinstance(one, ast.Call)]
    loaders = [one for where, one in made if where.is_torch(one.func, "DataLoader")]
    own = any(where.project.classes_named(where, one.func) for where, one in made)
    # `loader(epoch)` of an object that makes the loaders
    makers = (o for w, one in made if isinstance(one.func, ast.Name) for o in origins(w, one.func))
    single = any(
        isinstance(one, ast.Call) and is_constant(keyword(one, "batch_size"), 1)
        for _, one in makers
    )
    return own or single or any(is_even(one) or has_stars(one) for one in loaders)


def evaluation_loaders(module: Module) -> list[ast.Call]:
    """The loaders of a file that serve evaluation."""
    return [call for call in module.torch_calls("DataLoader") if for_evaluation(module, call)]


def is_even(call: ast.Call) -> bool:
    """Whether a loader drops an incomplete batch, or takes one sample at a time."""
    return is_constant(keyword(call, "drop_last"), True) or takes_one(call)


def with_loaders(module: Module) -> list[Module]:
    """The files of the same program, or of all of them where no loader is made in these."""
    near = module.project.near(module)
    made = any(True for one in near for _ in one.torch_calls("DataLoader"))
    return near if made else module.project.code


def may_drop(module: Module, loader: ast.Call) -> bool:
    """Whether a loader that may serve an evaluation may drop an incomplete batch."""
    dropped = argument(loader, 8, "drop_last")
    for where, call, given in given_through(module, loader, dropped):
        if given is None or is_constant(given, False):
            continue
        training = mentions(where.statement(call), "train") and not for_evaluation(where, call)
        if not (is_constant(given, True) and training):
            return True
    return False


def takes_one(call: ast.Call) -> bool:
    """Whether a loader makes batches of one sample."""
    size = argument(call, 1, "batch_size")
    if size is None:
        return not has_stars(call) and keyword(call, "batch_sampler") is None
    return is_constant(size, 1)
