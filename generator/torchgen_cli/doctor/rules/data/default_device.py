"""Shuffling where tensors are made on the GPU by default."""

import ast
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import Spot, rule
from ...syntax import Function, argument, has_stars, is_constant, mentions, own_calls
from ..shared.origins import called

# at which place the generator is an argument
GENERATOR_PLACES = {"DataLoader": 12, "RandomSampler": 3, "random_split": 2}
SETTERS = ("set_default_tensor_type", "set_default_device")


@rule(
    "TG210",
    "the loader shuffles on the CPU, but the default device is the GPU",
    why="""A sampler draws the order with a CPU generator. Where the default device is the GPU,
    torch creates the order there and rejects that generator: since torch 1.9 the first batch fails
    with "Expected a 'cuda' device type for generator but found 'cpu'".""",
    remedy="""pass `generator=torch.Generator(device="cuda")`, or keep the CPU as the default and
    move the tensors with `to(device)`""",
    source="https://github.com/dbolya/yolact/issues/664",
    bad="""
import torch
from torch.utils.data import DataLoader

torch.set_default_tensor_type("torch.cuda.FloatTensor")


def load(dataset):
    return DataLoader(dataset, batch_size=8, shuffle=True)  # <--
""",
    good="""
import torch
from torch.utils.data import DataLoader

torch.set_default_tensor_type("torch.cuda.FloatTensor")


def load(dataset):
    order = torch.Generator(device="cuda")
    return DataLoader(dataset, batch_size=8, shuffle=True, generator=order)
""",
)
def refused_generator(module: Module) -> Iterator[Spot]:
    near = module.project.near(module)
    setters = [(other, call) for other in near for call in on_the_gpu(other)]
    for call in shuffling(module) if setters else ():
        if any(comes_before(*setter, module, call) for setter in setters):
            yield Spot(call, unsure=module.project.stays_before_torch("1.9"))


def on_the_gpu(module: Module) -> Iterator[ast.Call]:
    """Where a file makes the GPU the default for new tensors."""
    for call in module.torch_calls(*SETTERS):
        if call.args and is_cuda(module, call.args[0]):
            yield call


def is_cuda(module: Module, value: ast.expr) -> bool:
    """Whether a device or a type of tensors is one of the GPU's."""
    scope = module.function(value)
    values = module.value_in(value, scope) if isinstance(value, ast.Name) else []
    return any(mentions(one, "cuda") for one in [value, *values])


def shuffling(module: Module) -> Iterator[ast.Call]:
    """The calls whose order is drawn with a generator that nobody gives."""
    for name, place in GENERATOR_PLACES.items():
        for call in module.torch_calls(name):
            shuffles = name != "DataLoader" or is_constant(argument(call, 2, "shuffle"), True)
            if shuffles and argument(call, place, "generator") is None and not has_stars(call):
                yield call
    for call in module.torch_calls("DistributedSampler"):
        shuffle = argument(call, 3, "shuffle")
        if not has_stars(call) and (shuffle is None or is_constant(shuffle, True)):
            yield call


def comes_before(where: Module, setter: ast.Call, module: Module, call: ast.Call) -> bool:
    """Whether the GPU is the default where a loader is made."""
    scope = where.function(setter)
    if where is module and scope in (module.tree, module.function(call)):
        return not is_undone(module, setter, call)
    if is_undone(where, setter, None):
        return False  # the function gives the default back
    return any({setter, call} <= made_calls(one) for one in module.project.near(module))


@kept
def made_calls(module: Module) -> frozenset[ast.Call]:
    """The calls that a file surely comes to when it is started."""
    pending: list[tuple[Module, ast.Module | Function]] = [(module, module.tree)]
    seen: set[ast.AST] = {module.tree}
    found: list[ast.Call] = []
    for where, scope in pending:  # it grows
        calls = own_calls(scope)
        found += calls
        for other, function in (one for call in calls for one in called(where, call)):
            if function not in seen:
                seen.add(function)
                pending.append((other, function))
    return frozenset(found)


def is_undone(module: Module, setter: ast.Call, call: ast.Call | None) -> bool:
    """Whether the default is the CPU again before a loader is made, or the function ends."""
    around = [module.function(one) for one in (setter, call) if one is not None]
    return any(
        setter.lineno < one.lineno
        and (call is None or one.lineno < call.lineno)
        and module.function(one) in around
        and not any(isinstance(around, ast.If | ast.Try) for around in module.ancestors(one))
        for one in module.torch_calls(*SETTERS)
        if one.args and not is_cuda(module, one.args[0])
    )
