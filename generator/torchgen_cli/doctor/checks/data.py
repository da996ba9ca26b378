"""Checks of samplers, loaders, splits and seeds."""

import ast
import re
from collections.abc import Iterator

from ..file import LOOPS, File, constant, has_keyword, keyword, last, words
from ..rule import Place, Severity, rule

HELD_OUT = re.compile("val|test|eval|dev", re.IGNORECASE)
FRAMEWORKS = r"(?m)^\s*(import|from) (lightning|pytorch_lightning|accelerate|ignite|composer)\b"


def is_held_out(file: File, call: ast.Call) -> bool:
    """Whether a loader or sampler is for an evaluation, by the names around it."""
    statement = file.around(call, ast.Assign)
    target = words(statement.targets[0]) if statement else ""
    given = words(keyword(call, "dataset", 0))
    return bool(HELD_OUT.search(target) or HELD_OUT.search(given)) and "train" not in target + given


@rule("TG111")
def only_the_gpu_is_seeded(file: File) -> Iterator[Place]:
    """The seed does not reach torch's CPU generator.

    The weights are created on the CPU, and the sample order is drawn there, from a generator that
    `torch.cuda.manual_seed` does not affect: two runs with one seed differ from the first step on.
    Remedy: Call `torch.manual_seed`, which seeds the CPU and every GPU.
    Source: https://docs.pytorch.org/docs/stable/notes/randomness.html

    - if torch.cuda.is_available():
    -     torch.cuda.manual_seed(123)  # <--
    - else:
    -     torch.manual_seed(123)
    + torch.manual_seed(123)
    """
    both = file.calls("torch.manual_seed", "torch.random.manual_seed")
    seeded = r"(?<!cuda)\.manual_seed\(|(?<!\.)\bmanual_seed\(|seed_everything|set_seed"
    for call in file.calls("torch.cuda.manual_seed", "torch.cuda.manual_seed_all"):
        choice = file.around(call, ast.If)
        instead = {c for s in choice.orelse for c in ast.walk(s)} if choice else set()
        if instead.issuperset(both) if both else not file.project.says(seeded):
            yield call


@rule("TG202")
def never_set_epoch(file: File) -> Iterator[Place]:
    """`set_epoch` is never called, so each epoch has the same order.

    A DistributedSampler shuffles by (seed, epoch), and learns the epoch only from `set_epoch`.
    Remedy: Call `sampler.set_epoch(epoch)` at the start of each epoch.
    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler

      sampler = DistributedSampler(dataset)  # <--
      loader = DataLoader(dataset, batch_size=8, sampler=sampler)
      for epoch in range(9):
    +     sampler.set_epoch(epoch)
          train(model, loader)
    """
    if file.project.says("set_epoch") or file.project.says(FRAMEWORKS):
        return
    for call in file.all(ast.Call):
        name = file.dotted(call.func)
        torch_s = name.startswith("torch.") and last(name) == "DistributedSampler"
        shuffled = constant(keyword(call, "shuffle", 3)) is not False
        anew = has_keyword(call, "seed") or file.around(call, *LOOPS)
        if torch_s and shuffled and not is_held_out(file, call) and not anew:
            yield call


@rule("TG204", Severity.WARNING)
def evaluation_skips_samples(file: File) -> Iterator[Place]:
    """The evaluation skips samples.

    `drop_last=True` drops the last, incomplete batch: the metric does not cover the whole set, and
    changes with the batch size.
    Remedy: Omit `drop_last` in the evaluation.
    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader

    - loader = DataLoader(test_set, batch_size=64, drop_last=True)
    + loader = DataLoader(test_set, batch_size=64)
    """
    for call in file.all(ast.Call):
        size = words(keyword(call, "batch_size", 1))
        dropped = constant(keyword(call, "drop_last")) is True and not re.match(r"1$|len\(", size)
        if dropped and last(file.dotted(call.func)) == "DataLoader" and is_held_out(file, call):
            yield call


@rule("TG816")
def no_method_next(file: File) -> Iterator[Place]:
    """A DataLoader iterator has no method `next`.

    Torch 1.13 removed it. The first batch fails with an AttributeError, or the `except` around it
    mistakes that for the end of an epoch.
    Remedy: Write `next(iterator)`.
    Source: https://github.com/pytorch/pytorch/releases/tag/v1.13.0

      batches = iter(train_loader)
    - images, labels = batches.next()
    + images, labels = next(batches)
    """
    if not file.project.allows_torch(1, 13):
        return
    for call in file.calls(".next"):
        owner = call.func.value  # type: ignore[attr-defined]
        values = map(words, file.values(owner) or [owner])
        if not call.args and all(re.match(r"iter\(.*load", value) for value in values):
            yield call
