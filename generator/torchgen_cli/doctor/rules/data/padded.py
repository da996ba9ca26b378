"""Evaluations over shares of the data that were filled up."""

import ast
import re
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
    own_calls,
    parameters,
    walk,
    written,
)
from ..evaluation.evaluating import evaluation_loops
from ..shared.callers import given_by_callers
from ..shared.even import takes_one
from ..shared.programs import run_with
from .data import EVALUATION, for_evaluation, in_evaluation_branch

JOINS = re.compile(r"reduce|gather")
TRAINING = ("train", "training", "is_train", "is_training", "istrain")


@rule(
    "TG203",
    "a DistributedSampler counts some samples of the evaluation twice",
    why="""It repeats samples until each rank has the same number: 9 samples on 8 ranks count as 16.
    A metric over them depends on the number of processes. It is a hint unless an evaluation in the
    program sums or gathers over the processes, and the best is chosen by it.""",
    remedy="shard without padding: `range(rank, len(dataset), world_size)`, and divide sums once",
    source="https://github.com/pytorch/pytorch/issues/25162",
    bad="""
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def load(val_dataset):
    val_sampler = DistributedSampler(val_dataset, shuffle=False)  # <--
    return DataLoader(val_dataset, batch_size=8, sampler=val_sampler)


@torch.no_grad()
def validate(model, val_loader):
    model.eval()
    sums = torch.zeros(2)
    for images, labels in val_loader:
        sums += torch.tensor([(model(images).argmax(1) == labels).sum(), len(labels)])
    dist.all_reduce(sums)
    return sums[0] / sums[1]


def fit(model, epochs, run_epoch, val_dataset, path):
    best_score = 0.0
    for epoch in range(epochs):
        run_epoch(model)
        score = validate(model, load(val_dataset))
        if score > best_score:
            best_score = score
            if dist.get_rank() == 0:
                torch.save(model.state_dict(), path)
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
        if is_of_training(module, call) or is_cut_short(module, call) or shards(module):
            continue
        evaluates = (
            for_evaluation(module, call)
            or in_evaluation_branch(module, call)
            or is_not_for_training(module, call)
        )
        if evaluates or is_of_each_of_a_list(module, call):
            unsure = not evaluates or is_one_of_two(module, call)
            yield Spot(call, unsure=unsure or not is_summed_and_chosen_by(module))


def is_of_training(module: Module, call: ast.Call) -> bool:
    """Whether the data set of a sampler is the training's, by its name or by what makes it."""
    dataset = argument(call, 0, "dataset")
    if dataset is None or EVALUATION.search(written(dataset)):
        return False
    made = [
        one
        for one in (dataset, *module.value_in(dataset, module.function(call)))
        if isinstance(one, ast.Call)
    ]
    return "train" in last_name(dataset).lower() or any(
        is_constant(keyword(one, "train"), True)
        or any(is_constant(given, *TRAINING) for given in one.args)
        for one in made
    )


def is_cut_short(module: Module, call: ast.Call) -> bool:
    """Whether the loader of a sampler drops its last batch, and so what was repeated."""
    statement = module.parents[call]
    name = written(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    return any(
        sampler is not None
        and (sampler is call or (name and written(sampler) == name))
        and is_constant(argument(loader, 8, "drop_last"), True)
        and not takes_one(loader)
        for loader in own_calls(module.function(call), "DataLoader")
        for sampler in [argument(loader, 3, "sampler")]
    )


@kept
def shards(module: Module) -> bool:
    """Whether the model of a program is sharded: all processes need the same number of passes."""
    imported = (whole for one in run_with(module) for whole in one.imports.values())
    return any("fsdp" in whole or "FullyShardedDataParallel" in whole for whole in imported)


@kept
def is_summed_and_chosen_by(module: Module) -> bool:
    """Whether an evaluation of the program adds up over the processes, and the best is kept by it.

    Not by a table of confusions: a few of its very many pixels change little.
    """
    for other in run_with(module):
        for _, _, scope in evaluation_loops(other):
            reached = list(other.project.reached(other, scope))
            calls = (last_name(one.func) for one in reached if isinstance(one, ast.Call))
            if not any(map(JOINS.search, calls)) or mentions(scope, "confusion", "hist", "union"):
                continue
            if any(map(cuts_to_length, reached)):
                continue
            callers = (where.function(one) for where, one in other.project.calls_of(other, scope))
            if any(mentions(one, "best") for one in (scope, *callers)):
                return True
    return False


def cuts_to_length(node: ast.AST) -> bool:
    """Whether it is cut to as many as the data set has: `scores[: len(loader.dataset)]`."""
    if not isinstance(node, ast.Slice) or node.lower is not None or node.upper is None:
        return False
    return isinstance(node.upper, ast.Call) and written(node.upper.func) == "len"


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
