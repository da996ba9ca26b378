"""Runs that are seeded less than they look."""

import ast
import re
import sys
from collections.abc import Iterator

from ..project import Module
from ..rule import STABLE, Severity, rule
from ..syntax import keyword, last_name, own_calls
from .in_place import SETTINGS
from .loops import OPTIMIZERS
from .randomness import SEED_NAMES
from .weights_alone import is_script

SHOWING = {"print", "pprint", "str", "format", "info", "dump", "dumps", "log", "write", "debug"}
RANDOMNESS = f"{STABLE}/notes/randomness.html"


@rule(
    "TG108",
    "nothing reads the flag for the seed",
    why="The script takes a seed, and each seed gives the same run, or none gives the same twice.",
    remedy="seed with it before the model and the loaders are made",
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
def unread_seed(module: Module) -> Iterator[ast.AST]:
    for call in module.calls.get("add_argument", ()):
        flags = (str(a.value) for a in call.args if isinstance(a, ast.Constant))
        names = {flag.strip("-").replace("-", "_") for flag in flags}
        if not SEED_NAMES.intersection(names) or keyword(call, "dest") is not None:
            continue
        near = module.project.near(module)
        if is_script(module):
            near = [one for one in near if one is module or not is_script(one)]
        if not any(reads(one, names) for one in near):
            yield call


def reads(module: Module, names: set[str]) -> bool:
    """Whether a file may read a setting: by its name, or as one of all."""
    called = {call.func for name in names for call in module.calls.get(name, ())}
    if any(
        node.attr in names and node not in called and is_read(module, node)
        for node in module.attributes
    ):
        return True
    if any(
        not is_shown(module, call)
        for name in ("vars", "asdict", "_get_kwargs")
        for call in module.calls.get(name, ())
    ) or any(
        node.attr == "__dict__" and last_name(node.value).lower() in SETTINGS
        for node in module.attributes
    ):
        return True
    if any(k.arg is None and last_name(k.value).lower() in SETTINGS for k in module.keywords):
        return True
    either = "|".join(names).encode()  # config["seed"], config.get("seed"), getattr(args, "seed")
    quoted = rb"(\[|get\w*\(|getattr\([^,()]+,)\s*['\"](%s)['\"]" % either
    return re.search(quoted, module.project.contents[module.name]) is not None


def is_shown(module: Module, node: ast.AST) -> bool:
    """Whether it is printed or kept for people to read."""
    for around in module.ancestors(node):
        if isinstance(around, ast.Call) and last_name(around.func) in SHOWING:
            return True
        if isinstance(around, ast.For):  # for name, value in vars(args).items(): file.write(...)
            calls = [call for statement in around.body for call in own_calls(statement)]
            return bool(calls) and all(last_name(call.func) in SHOWING for call in calls)
        if isinstance(around, ast.stmt):
            return False
    return False


def is_read(module: Module, node: ast.Attribute) -> bool:
    """Whether a setting is taken, and not only set or kept under its own name."""
    if isinstance(node.ctx, ast.Store) or of_a_library(module, node):
        return False
    kept = module.parents[node]
    if not isinstance(kept, ast.Assign) or kept.value is not node:
        return True
    target = kept.targets[0]
    return not (isinstance(target, ast.Attribute) and target.attr == node.attr)


def of_a_library(module: Module, node: ast.Attribute) -> bool:
    """Whether it is a part of a package, as `os.path`."""
    root = module.qualified(node).partition(".")[0]
    return root in sys.stdlib_module_names or root in ("torch", "numpy", "torchvision")


@rule(
    "TG109",
    "nothing is seeded, so no run can be repeated",
    why="""Weights, the order of samples and augmentation differ at each start. Whether a change
    helped or the chance did, a second run cannot tell.""",
    remedy="call `torch.manual_seed` before the model is made, with a flag for the seed",
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
