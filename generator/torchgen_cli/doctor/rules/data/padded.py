"""Evaluations over shares of the data that were filled up."""

import ast
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    has_stars,
    is_constant,
    keyword,
    last_name,
    mentions,
    parameters,
    walk,
    written,
)
from ..shared.callers import given_by_callers
from ..shared.programs import run_with
from .data import for_evaluation, in_evaluation_branch

TRAINING = ("train", "training", "is_train", "is_training", "istrain")


@rule(
    "TG203",
    "a DistributedSampler counts some samples of the evaluation twice",
    why="""It repeats samples until each rank has the same number: 9 samples on 8 ranks count as
    16. A metric over them depends on the number of processes.""",
    remedy="shard without padding: `range(rank, len(dataset), world_size)`, and divide sums once",
    source="https://github.com/pytorch/pytorch/issues/25162",
    bad="""
from torch.utils.data import DataLoader, DistributedSampler


def load(val_dataset):
    val_sampler = DistributedSampler(val_dataset, shuffle=False)  # <--
    return DataLoader(val_dataset, batch_size=8, sampler=val_sampler)
""",
    good="""
import torch.distributed as dist
from torch.utils.data import DataLoader, Subset


def load(val_dataset):
    share = range(dist.get_rank(), len(val_dataset), dist.get_world_size())
    return DataLoader(Subset(val_dataset, share), batch_size=8)
""",
    severity=Severity.WARNING,
)
def padded_evaluation(module: Module) -> Iterator[Spot]:
    for call in module.torch_calls("DistributedSampler"):
        drop_last = argument(call, 5, "drop_last")  # then the rest is another loader's
        kept_all = drop_last is None or is_constant(drop_last, False)
        if not kept_all or has_stars(call) or is_merged_by_number(module):
            continue
        evaluates = (
            for_evaluation(module, call)
            or in_evaluation_branch(module, call)
            or is_not_for_training(module, call)
            or is_of_each_of_a_list(module, call)
        )
        if evaluates:
            yield Spot(call, unsure=is_one_of_two(module, call))


def is_one_of_two(module: Module, call: ast.Call) -> bool:
    """Whether a setting of its own chooses between this sampler and one that repeats nothing."""
    return any(
        isinstance(around, ast.If)
        and not mentions(around.test, "distributed", "rank", "world", "ddp", "gpu", "initialized")
        and mentions(around, "sequentialsampler")
        for around in module.ancestors(call)
    )


def is_not_for_training(module: Module, call: ast.Call) -> bool:
    """Whether it is made in the `else` of `if mode == "train":`, and does not always shuffle."""
    shuffle = argument(call, 3, "shuffle")
    if shuffle is None or is_constant(shuffle, True):
        return False  # which an evaluation has no need of
    inner: ast.AST = call
    for around in module.ancestors(call):
        other = isinstance(around, ast.If) and inner in around.orelse
        if other and isinstance(around, ast.If) and asks_for_training(around.test):
            return not isinstance(inner, ast.If)  # or for another mode
        inner = around
    return False


def asks_for_training(test: ast.expr) -> bool:
    """Whether a condition is that this is the training."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        return is_constant(test.comparators[0], *TRAINING)
    return last_name(test).lower() in TRAINING


def is_of_each_of_a_list(module: Module, call: ast.Call) -> bool:
    """Whether it is made for each data set of a list, of which a caller has the first shuffled.

    As in `for data, shuffle in zip(datasets, shuffles)`, called with `[True, False]`.
    """
    shuffle = argument(call, 3, "shuffle")
    loop = next((one for one in module.loops_around(call) if isinstance(one, ast.For)), None)
    if shuffle is None or loop is None or not isinstance(loop.iter, ast.Call):
        return False
    names = [written(one) for one in walk(loop.target)]
    if last_name(loop.iter.func) != "zip" or written(shuffle) not in names:
        return False
    function = module.function(call)
    takes = parameters(function) if isinstance(function, FUNCTIONS) else []
    lists = [
        value
        for one in loop.iter.args
        if written(one) in takes
        for other, given, near in given_by_callers(module, function, written(one))
        for value in [given, *other.value_in(given, other.function(near))]
    ]
    return any(
        isinstance(one, ast.List | ast.Tuple)
        and any(is_constant(item, True) for item in one.elts)
        and any(is_constant(item, False) for item in one.elts)
        for one in lists
    )


@kept
def is_merged_by_number(module: Module) -> bool:
    """Whether an evaluation keeps one result for each sample: `np.unique(ids, return_index=True)`.

    It then counts none twice. Nor does one that gathers what it keeps by name: objects, not sums.
    """
    gathered = any("all_gather_object" in other.calls for other in run_with(module))
    return gathered or any(
        is_constant(keyword(call, "return_index"), True)
        and any(is_of_numbers(one) for one in call.args[:1])
        for other in run_with(module)
        for call in other.calls.get("unique", ())
    )


def is_of_numbers(value: ast.expr) -> bool:
    """Whether the name of a value says that it holds the numbers of samples: `image_ids`."""
    parts = {part for one in walk(value) for part in last_name(one).lower().split("_")}
    return not parts.isdisjoint({"id", "ids", "idx", "idxs", "index", "indices", "indexes"})
