"""Seeds that do not reach the processes they are meant for."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import argument, last_name, mentions, own_calls, walk
from .randomness import SEEDERS
from .seeds import RANDOMNESS


@rule(
    "TG113",
    "seeding before `spawn` does not seed the spawned processes",
    why="""A spawned process starts over, with unseeded generators: with several of them the seed
    has no effect, though it works with one process.""",
    remedy="seed at the start of the spawned function",
    source=RANDOMNESS,
    bad="""
import torch
import torch.multiprocessing as mp


def worker(rank, args):
    model = torch.nn.Linear(8, 2)
    model(torch.rand(1, 8)).sum().backward()


def main(args):
    torch.manual_seed(args.seed)  # <--
    mp.spawn(worker, nprocs=2, args=(args,))
""",
    good="""
import torch
import torch.multiprocessing as mp


def worker(rank, args):
    torch.manual_seed(args.seed + rank)
    model = torch.nn.Linear(8, 2)
    model(torch.rand(1, 8)).sum().backward()


def main(args):
    mp.spawn(worker, nprocs=2, args=(args,))
""",
)
def before_spawn(module: Module) -> Iterator[ast.AST]:
    for call in module.torch_calls("spawn"):
        function = argument(call, 0, "fn")
        if not isinstance(function, ast.Name):
            continue
        targets = [one for one in module.functions if one.name == function.id]
        seeds = [
            one
            for one in own_calls(module.function(call))
            if one.lineno < call.lineno and seeds_torch(module, one)
        ]
        if targets and seeds and not any(seeds_in(module, target) for target in targets):
            yield seeds[0]


def seeds_torch(module: Module, call: ast.Call) -> bool:
    """Whether it seeds torch, itself or by a function such as `set_seed`."""
    name = last_name(call.func)
    found = module.project.resolve(module, call) if "seed" in name.lower() else []
    by_helper = len(found) == 1 and any(True for _ in own_calls(found[0][1], "manual_seed"))
    return name == "manual_seed" or by_helper


def seeds_in(module: Module, function: ast.AST) -> bool:
    """Whether a function, or what it calls or makes, seeds anything."""
    classes = module.project.classes

    def seeds(node: ast.AST) -> bool:
        name = last_name(node.func) if isinstance(node, ast.Call) else ""
        made = [one for _, one in classes.get(name, ())]
        return "seed" in name.lower() or any(
            "seed" in last_name(one.func).lower()
            for kind in made
            for one in walk(kind)
            if isinstance(one, ast.Call)
        )

    return module.project.reaches(module, function, seeds)


@rule(
    "TG114",
    "this worker function is passed to no loader",
    why="""It says how each worker should be seeded, but no DataLoader gets it: the workers draw
    what they would without it. It is a hint where it does not seed from torch's own worker seed: it
    would be no better.""",
    remedy="pass it to the loader as `worker_init_fn`, or remove it",
    source=f"{STABLE}/data.html#torch.utils.data.DataLoader",
    bad="""
import numpy as np
import torch
from torch.utils.data import DataLoader


def worker_init_fn(worker_id):  # <--
    np.random.seed(torch.initial_seed() % 2**32)


def load(dataset):
    return DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)
""",
    good="""
import numpy as np
import torch
from torch.utils.data import DataLoader


def worker_init_fn(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)


def load(dataset):
    return DataLoader(
        dataset, batch_size=8, shuffle=True, num_workers=4, worker_init_fn=worker_init_fn
    )
""",
    severity=Severity.WARNING,
)
def given_to_nobody(module: Module) -> Iterator[Spot]:
    for function in module.functions:
        name = function.name
        if name not in ("worker_init_fn", "seed_worker", "worker_init", "_init_fn", "init_fn"):
            continue
        seeds = any(last_name(call.func) in SEEDERS for call in own_calls(function))
        named = name.encode()
        uses = sum(
            module.project.contents[other.name].count(named) for other in module.project.modules
        )
        keywords = sum(k.arg == name for m in module.project.modules for k in m.keywords)
        if seeds and uses - keywords == 1:
            yield Spot(function, unsure=not mentions(function, "initial_seed", "get_worker_info"))
