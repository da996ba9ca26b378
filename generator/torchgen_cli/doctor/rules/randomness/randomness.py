"""Seeds: which numbers follow from them."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import (
    argument,
    has_stars,
    is_constant,
    keyword,
    last_name,
    receiver,
    same,
    walk,
    written,
)
from ..shared.programs import run_with
from ..shared.splits import drawn_splits

SEEDERS = {"manual_seed", "manual_seed_all", "seed", "seed_all", "seed_everything", "set_seed"}
# "0 = no random seed", "random if zero"
NO_SEED = re.compile(
    r"\b(0|zero)\b.*\b(no|none|not|without|random|off|disable[sd]?|unset)\b"
    r"|\b(no|none|not|without|random|off|disable[sd]?|unset)\b.*\b(0|zero)\b",
    re.I,
)
SEED_NAMES = {"seed", "random_seed", "manual_seed", "rng_seed", "manualseed", "random_state"}


@rule(
    "TG104",
    "seed 0 is treated as no seed",
    why="""0 is false in Python, so seed 0 seeds nothing: the run only looks seeded. It is a hint
    for a torch.Generator, which has one seed of its own in each run.""",
    remedy="compare with None: `if seed is not None`",
    source="https://docs.python.org/3/library/stdtypes.html#truth-value-testing",
    bad="""
import torch


def main(args):
    if args.seed:  # <--
        torch.manual_seed(args.seed)
""",
    good="""
import torch


def main(args):
    if args.seed is not None:
        torch.manual_seed(args.seed)
""",
    severity=Severity.WARNING,
)
def seed_zero(module: Module) -> Iterator[Spot]:
    for name in SEEDERS:
        for call in module.calls.get(name, ()):
            if not call.args or not isinstance(module.parents[call], ast.Expr):
                continue
            for around in module.ancestors(call):
                if isinstance(around, ast.If) and tests_seed(around.test, call.args[0]):
                    if not is_documented(module, around.test):
                        yield Spot(around.test, unsure=is_of_a_generator(module, call))
                    break
    for node in module.assigned.get("seed", []):
        value = node.value
        if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
            first, last = value.values[0], value.values[-1]
            if is_seed(first) and not is_constant(last, 0, None):
                yield Spot(value)


def is_of_a_generator(module: Module, call: ast.Call) -> bool:
    """Whether an object is seeded that the code made: torch's have one seed until they get one."""
    owner = receiver(call)
    own = owner is not None and written(owner).partition(".")[0] not in module.imports
    return own and last_name(call.func) == "manual_seed"


def is_documented(module: Module, test: ast.expr) -> bool:
    """Whether a comment or a help text says that 0 means no seed."""
    names = {written(one) for one in walk(test) if written(one) and is_seed(one)}
    places: list[ast.expr | ast.stmt] = [test]
    places += [one for name in names for one in module.assigned.get(name, ())]
    above = [line for one in places for line in module.lines[one.lineno - 2 : one.lineno]]
    comments = [line.partition(b"#")[2].decode("utf-8", "replace") for line in above]
    flags = {f"--{last_name(one).replace('_', sign)}" for one in walk(test) for sign in "-_"}
    helps = [
        str(text.value)
        for other in module.project.near(module)
        for call in other.calls.get("add_argument", ())
        if any(isinstance(one, ast.Constant) and one.value in flags for one in call.args)
        and isinstance(text := keyword(call, "help"), ast.Constant)
    ]
    return any(NO_SEED.search(text) for text in [*comments, *helps])


def is_seed(node: ast.AST) -> bool:
    """Whether it is a seed by its name: `seed`, `args.seed`, `config["seed"]`."""
    if isinstance(node, ast.Call) and last_name(node.func) == "get" and len(node.args) == 1:
        return is_constant(node.args[0], "seed")
    if isinstance(node, ast.Subscript):
        return is_constant(node.slice, "seed")
    return last_name(node).lower() in SEED_NAMES


def tests_seed(test: ast.expr, seed: ast.expr) -> bool:
    """Whether a condition takes the very seed for true or false."""
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    for part in parts:
        if not is_seed(part):
            continue
        if isinstance(part, ast.Call) or any(same(part, inner) for inner in walk(seed)):
            return True
    return False


@rule(
    "TG105",
    "`hash` of a string differs in each process",
    why="""Python salts string hashes at each start, so a seed made from one differs in every run,
    and on every rank.""",
    remedy="seed with a plain number, or with `zlib.crc32(text.encode())`",
    source="https://docs.python.org/3/using/cmdline.html#envvar-PYTHONHASHSEED",
    bad="""
import torch

torch.manual_seed(hash("by removing chance") % 2**32)  # <--
""",
    good="""
import zlib

import torch

torch.manual_seed(zlib.crc32(b"by removing chance"))
""",
)
def hashed_seed(module: Module) -> Iterator[ast.AST]:
    for name in SEEDERS:
        for call in module.calls.get(name, ()):
            for node in (n for a in call.args for n in walk(a)):
                if not (isinstance(node, ast.Call) and written(node.func) == "hash" and node.args):
                    continue
                if isinstance(node.args[0], ast.JoinedStr) or (
                    isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
                ):
                    yield call


@rule(
    "TG106",
    "the data is split differently in each run",
    why="""Nothing seeds the generator of the split, so each run puts other samples into validation.
    A resumed run, or a checkpoint evaluated later, is measured on samples that it was trained
    on.""",
    remedy="""pass `random_split` a generator: `generator=torch.Generator().manual_seed(0)`; shuffle
    with `random.Random(0).shuffle`, or pass `random_state=0`""",
    source=f"{STABLE}/data.html#torch.utils.data.random_split",
    bad="""
from torch.utils.data import random_split


def split(dataset):
    return random_split(dataset, [0.9, 0.1])  # <--
""",
    good="""
import torch
from torch.utils.data import random_split


def split(dataset):
    return random_split(dataset, [0.9, 0.1], generator=torch.Generator().manual_seed(0))
""",
)
def unseeded_split(module: Module) -> Iterator[ast.AST | Spot]:
    yield from drawn_splits(module)
    split = list(module.torch_calls("random_split"))
    program = run_with(module) if split else []
    if any("seed" in name.lower() for other in program for name in other.calls):
        return
    for call in split:
        kept = any(one.attr == "indices" for one in module.attributes)
        if argument(call, 2, "generator") is None and not has_stars(call) and not kept:
            yield Spot(call, unsure=is_sample(module, call))


def is_sample(module: Module, call: ast.Call) -> bool:
    """Whether one part of a split is used, and the others are for nothing: `data, _ = ...`."""
    around = module.parents[call]
    if isinstance(around, ast.Subscript):
        return True
    target = around.targets[0] if isinstance(around, ast.Assign) else None
    parts = target.elts if isinstance(target, ast.Tuple) else []
    return sum(not last_name(one).startswith("_") for one in parts) == 1
