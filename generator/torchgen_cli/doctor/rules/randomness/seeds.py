"""Runs that are seeded less than they look."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import FUNCTIONS, is_constant, keyword
from ...unused import is_never_named
from ..data.data import EVALUATION
from ..shared.flag_readers import Readers, flag_names, is_copy, is_unread, readers
from ..shared.flag_values import reads_no_command
from ..shared.layers import module_classes
from ..shared.loops import OPTIMIZERS
from ..shared.programs import run_with
from ..shared.weights_alone import is_script

COUNT = re.compile(r"(^|_)(n|num|nr|number|count)_?(of_)?seed$", re.I)
SOURCES = ("numpy.random.", "random.")
RANDOMNESS = f"{STABLE}/notes/randomness.html"


@rule(
    "TG108",
    "nothing reads the seed flag",
    why="""The script takes a seed, but every seed gives the same run, or none gives the same run
    twice. It is a hint in a program that is not known to train or draw anything.""",
    remedy="seed with it before the model and the loaders are created",
    source=RANDOMNESS,
    bad="""
import argparse

import torch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)  # <--
    parser.add_argument("--width", type=int, default=8)
    args = parser.parse_args()
    return torch.nn.Linear(args.width, 2)
""",
    good="""
import argparse

import torch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--width", type=int, default=8)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    return torch.nn.Linear(args.width, 2)
""",
)
def unread_seed(module: Module) -> Iterator[Spot]:
    for call in () if reads_no_command(module) else module.calls.get("add_argument", ()):
        names = flag_names(call)
        if any(map(is_seed, names)) and not is_switch(call):
            known = readers(module)
            unread = known is not None and is_unread(module, known, names)
            unread = unread or (known is not None and is_in_unused_seeders(known, names))
            if unread or is_never_spoken_of(module, call):
                yield Spot(call, unsure=is_demo(module) or not has_chance(module))


def is_never_spoken_of(module: Module, call: ast.Call) -> bool:
    """Whether no code has the word "seed" in it but where the flag is declared."""
    lines = module.lines[call.lineno - 1 : call.end_lineno]
    own = sum(line.lower().count(b"seed") for line in lines)
    return own == sum(text.lower().count(b"seed") for text in module.project.contents.values())


def is_in_unused_seeders(known: Readers, names: set[str]) -> bool:
    """Whether all that read a flag are functions such as `set_seed(args)` that nobody calls."""
    reads = [(one, n) for one in known.files for n in one.attributes if n.attr in names]
    around = [(one, one.function(node)) for one, node in reads]
    return bool(reads) and all(
        isinstance(function, FUNCTIONS)
        and "seed" in function.name.lower()
        and one.class_of(function) is None
        and is_never_named(one.project, function.name)
        for one, function in around
    )


def is_seed(flag: str) -> bool:
    """Whether a flag is a seed by its last word, and not the number of them."""
    return flag.lower().endswith("seed") and not COUNT.search(flag)


def has_chance(module: Module) -> bool:
    """Whether the programs in which a file runs train, make layers or draw anything."""
    return any(
        "backward" in other.calls
        or any(module_classes(other))
        or any(
            other.qualified(call.func).startswith(("torch.nn.", "torch.rand", *SOURCES))
            for calls in other.calls.values()
            for call in calls
        )
        for other in run_with(module)
    )


def is_demo(module: Module) -> bool:
    """Whether a file of models is started to try them."""
    trains = "backward" in module.calls or "step" in module.calls
    models = any(module.project.is_module_class(module, one) for one in module.classes)
    name = module.name.split("/")[-1]
    evaluates = EVALUATION.search(module.name) or name.startswith(("infer", "predict", "test"))
    return bool(evaluates) or (models and not trains) or is_copy(module)


def is_switch(call: ast.Call) -> bool:
    """Whether a flag is only given or not."""
    return is_constant(keyword(call, "action"), "store_true", "store_false")


@rule(
    "TG109",
    "nothing is seeded, so no run can be reproduced",
    why="""Weights, sample order and augmentation differ in each run. A second run cannot tell
    whether a change helped or chance did.""",
    remedy="call `torch.manual_seed` before the model is created, with a flag for the seed",
    source=RANDOMNESS,
    bad="""
import torch
from torch.utils.data import DataLoader

from project import Model, dataset, loss_of


def main():
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in DataLoader(dataset, batch_size=8, shuffle=True):
        optimizer.zero_grad()
        loss_of(model, batch).backward()  # <--
        optimizer.step()


if __name__ == "__main__":
    main()
""",
    good="""
import torch
from torch.utils.data import DataLoader

from project import Model, dataset, loss_of


def main():
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in DataLoader(dataset, batch_size=8, shuffle=True):
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
""",
    severity=Severity.HINT,
    once=True,
)
def nothing_seeded(module: Module) -> Iterator[ast.AST]:
    project = module.project
    if project.has_framework(module) or any(map(project.contains, (b"seed", b"SEED", b"Seed"))):
        return
    near = project.near(module)
    runs = any(is_script(other) or "parse_args" in other.calls for other in near)
    loads = any("DataLoader" in other.calls for other in near)
    if runs and loads and any(any(other.torch_calls(*OPTIMIZERS)) for other in near):
        yield from module.calls.get("backward", ())[:1]
