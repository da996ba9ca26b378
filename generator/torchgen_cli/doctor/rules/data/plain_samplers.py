"""Samplers that are told the epoch, and have no method for it."""

import ast
from collections.abc import Iterator
from itertools import takewhile

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import (
    asks_main,
    has_stars,
    is_constant,
    keyword,
    last_name,
    mentions,
    own_nodes,
    receiver,
    written,
)
from ..distributed.groupless import SEVERAL, gives_up, is_optional
from ..shared.origins import Place, origins
from ..shared.switched_off import is_switched_off

PLAIN = ("RandomSampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler")
ASKING = (ast.If, ast.IfExp, ast.BoolOp, ast.Try, ast.With, ast.Match)


@rule(
    "TG224",
    "this sampler has no `set_epoch`",
    why="""`set_epoch` is a method of DistributedSampler. Where the program runs as one process,
    the sampler is None, or the loader's own random one: an AttributeError at the first epoch.""",
    remedy="call it only if the sampler is a DistributedSampler",
    source=f"{STABLE}/data.html#torch.utils.data.distributed.DistributedSampler",
    bad="""
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def fit(dataset, args, run_epoch):
    if args.distributed:
        sampler = DistributedSampler(dataset)
    else:
        sampler = None
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)  # <--
        run_epoch(loader)
""",
    good="""
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def fit(dataset, args, run_epoch):
    if args.distributed:
        sampler = DistributedSampler(dataset)
    else:
        sampler = None
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(args.epochs):
        if args.distributed:
            sampler.set_epoch(epoch)
        run_epoch(loader)
""",
)
def told_in_vain(module: Module) -> Iterator[ast.AST]:
    calls = module.calls.get("set_epoch", ())
    if not calls or module.project.has_framework(module) or has_group(module):
        return
    for call in calls:
        sampler = receiver(call)
        if sampler is None or is_guarded(module, call) or is_for_several(module, call):
            continue
        found = list(samplers(module, sampler))
        if found and all(is_torch_sampler(*one) for one in found) and any(map(is_plain, found)):
            yield call


def has_group(module: Module) -> bool:
    """Whether a program sets up a group of processes whatever happens, so that there is one."""
    near = module.project.near(module)
    made = [(other, call) for other in near for call in other.calls.get("init_process_group", ())]
    return not all(is_optional(*one) or is_for_several(*one) for one in made)


def is_guarded(module: Module, call: ast.Call) -> bool:
    """Whether something is asked around a call in its function, or may leave that before."""
    scope = module.function(call)
    around = takewhile(lambda one: one is not scope, module.ancestors(call))
    return any(isinstance(one, ASKING) and not asks_main(one) for one in around) or any(
        isinstance(one, ast.If) and one.lineno < call.lineno and gives_up(module, one, call)
        for one in own_nodes(scope)
    )


def is_for_several(module: Module, call: ast.Call, left: int = 3) -> bool:
    """Whether all that call a function do so under a condition on processes."""
    calls = list(module.project.calls_of(module, module.function(call)))
    return bool(calls and left) and all(
        asks_for_several(other, one) or is_for_several(other, one, left - 1) for other, one in calls
    )


def asks_for_several(module: Module, call: ast.Call) -> bool:
    """Whether a call is made if there are several processes: `if args.distributed:`."""
    inner: ast.AST = call
    for around in module.ancestors(call):
        asked = around.test if isinstance(around, ast.If) and inner in around.body else None
        if asked is not None and not asks_main(around) and mentions(asked, *SEVERAL):
            return True
        inner = around
    return False


def samplers(module: Module, sampler: ast.expr) -> Iterator[Place]:
    """What a sampler may be, or what the loaders are that make their own."""
    if not isinstance(sampler, ast.Attribute) or sampler.attr != "sampler":
        yield from last_origins(module, sampler)
        return
    for other, loader in last_origins(module, sampler.value):
        given = keyword(loader, "sampler") if isinstance(loader, ast.Call) else None
        yield from last_origins(other, given) if given is not None else [(other, loader)]


def last_origins(module: Module, value: ast.expr) -> Iterator[Place]:
    """What a value may be, where a name is given no other value after the choice between them."""
    statements = module.assigned.get(written(value), ())
    own = [one for one in statements if module.function(one) is module.function(value)]
    chosen = [module.parents[one] for one in own]
    if len(own) > 1 and not (isinstance(chosen[0], ast.If) and len({*chosen}) == 1):
        yield module, value
        return
    yield from origins(module, value)


def is_torch_sampler(module: Module, value: ast.expr) -> bool:
    """Whether it is None, a sampler of torch or a loader of torch with one of its own."""
    if is_constant(value, None):
        return True
    if not isinstance(value, ast.Call) or has_stars(value):
        return False
    loader = len(value.args) < 4 and keyword(value, "batch_sampler") is None
    return module.is_torch(value.func, *PLAIN, "DistributedSampler") or (
        loader and module.is_torch(value.func, "DataLoader")
    )


def is_plain(place: Place) -> bool:
    """Whether a sampler has no epoch, where it is not under a switch that is never turned on."""
    module, value = place
    told = isinstance(value, ast.Call) and last_name(value.func) == "DistributedSampler"
    return not told and not is_switched_off(module, value)
