"""Seeds that do not reach every generator that a run draws from."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import FUNCTIONS, last_name, own_calls, receiver, written
from ..data.data import EVALUATION
from ..shared.programs import run_with
from ..shared.scripts import reachable
from ..shared.weights_alone import is_script
from .seeds import RANDOMNESS
from .unreached_draws import of_datasets
from .without_torch import torch_left_out

DRAWS = {"beta", "choice", "normal", "permutation", "rand", "randint", "randn", "random", "sample"}
DRAWS |= {"shuffle", "standard_normal", "uniform"}
NAMES = re.compile(r"(^|_)(port|url|name|id|uid|run|tag|path|suffix|seed)s?$", re.I)


@rule(
    "TG111",
    "the seed does not reach torch's CPU generator",
    why="""The weights are created on the CPU, and the sample order is drawn there, from a generator
    that `torch.cuda.manual_seed`, `np.random.seed` and `random.seed` do not affect: two runs with
    one seed differ from the first step on. It is a hint in a program that trains nothing.""",
    remedy="call `torch.manual_seed`, which seeds the CPU and every GPU",
    source=RANDOMNESS,
    bad="""
import torch

if torch.cuda.is_available():
    torch.cuda.manual_seed(123)  # <--
else:
    torch.manual_seed(123)
""",
    good="""
import torch

torch.manual_seed(123)
""",
)
def device_alone(module: Module) -> Iterator[ast.AST | Spot]:
    yield from torch_left_out(module)
    program = run_with(module)
    for name in ("manual_seed", "manual_seed_all"):
        for call in module.calls.get(name, ()):
            if not module.qualified(call.func).startswith("torch.cuda."):
                continue
            others = (c for other in program for c in seeding_all(other) if c is not call)
            if all(excludes(module, call, one) for one in others):
                tests = EVALUATION.search(module.name) and "backward" not in module.calls
                learns = not tests and any("backward" in one.calls for one in program)
                yield Spot(call, unsure=not learns and is_script(module))
                return


def seeding_all(module: Module) -> Iterator[ast.Call]:
    """Calls that may seed the generator of the CPU."""
    for name, calls in module.calls.items():
        if "seed" in name.lower() and name not in module.project.functions:
            for call in calls:
                whole = module.qualified(call.func)
                if not whole.startswith(("torch.cuda.", "numpy.", "random.")):
                    yield call


def excludes(module: Module, one: ast.AST, other: ast.AST) -> bool:
    """Whether two places of a file lie in the two branches of one condition."""
    chain = {other, *module.ancestors(other)}
    inner = one
    for around in module.ancestors(one):
        if isinstance(around, ast.If) and around in chain:
            sides = [inner in around.body, any(s in chain for s in around.body)]
            return inner is not around.test and sides[0] != sides[1]
        inner = around
    return False


@rule(
    "TG112",
    "the seed does not reach numpy or `random`, which the training draws from",
    why="""`torch.manual_seed` seeds only torch. What the training process draws from numpy or
    Python's `random`, for example for mixup or the sample order, differs between runs.""",
    remedy="seed numpy and `random` too, or draw with torch",
    source=RANDOMNESS,
    bad="""
import numpy as np
import torch


def train(model, loader, optimizer, loss_of, seed):
    torch.manual_seed(seed)
    for batch in loader:
        share = np.random.beta(0.2, 0.2)  # <--
        optimizer.zero_grad()
        loss_of(model, batch, share).backward()
        optimizer.step()
""",
    good="""
import numpy as np
import torch


def train(model, loader, optimizer, loss_of, seed):
    torch.manual_seed(seed)
    np.random.seed(seed)
    for batch in loader:
        share = np.random.beta(0.2, 0.2)
        optimizer.zero_grad()
        loss_of(model, batch, share).backward()
        optimizer.step()
""",
    severity=Severity.WARNING,
)
def unreached(module: Module) -> Iterator[ast.AST | Spot]:
    near = module.project.near(module)
    if module.project.has_framework(module):
        return
    seeds = {whole for other in near for whole in seeders(other)}
    if "torch.manual_seed" not in seeds or "" in seeds:
        return
    for source in ("numpy.random", "random"):
        if any(whole.startswith(f"{source}.") for whole in seeds):
            continue
        for name in sorted(DRAWS.intersection(module.calls)):
            for call in module.calls[name]:
                drawn = module.qualified(receiver(call) or call) == source
                if not drawn or is_for_a_name(module, call):
                    continue
                if trains(module, call) and is_seeded_where_it_trains(module):
                    yield call
        yield from of_datasets(module, source, DRAWS)


def is_for_a_name(module: Module, call: ast.Call) -> bool:
    """Whether a draw makes the name of a run or the number of a port, and no result."""
    for around in module.ancestors(call):
        if isinstance(around, ast.JoinedStr):
            return True
        if isinstance(around, ast.stmt):
            targets = around.targets if isinstance(around, ast.Assign) else []
            return any(NAMES.search(last_name(one)) for one in targets)
    return False


def is_seeded_where_it_trains(module: Module) -> bool:
    """Whether one program has a file, what seeds torch, and what computes gradients."""
    near = module.project.near(module)
    seeding = [one.name for one in near if "torch.manual_seed" in seeders(one)]
    for program in near:
        files = reachable(program)
        names = {one.name for one in files}
        learns = any("backward" in one.calls for one in files)
        if learns and module.name in names and not names.isdisjoint(seeding):
            return True
    return False


@kept
def seeders(module: Module) -> list[str]:
    """The dotted names of what a file calls to seed; empty for a library's that may seed all."""
    found = []
    for name, calls in module.calls.items():
        if "seed" not in name.lower() or name in module.project.functions:
            continue
        for call in (one for one in calls if is_used(module, one)):
            whole = module.qualified(call.func)
            known = whole.startswith(("torch.", "numpy.", "random."))
            found.append(whole if known or whole == written(call.func) else "")
    return found


def is_used(module: Module, call: ast.Call) -> bool:
    """Whether it is not in a function such as `set_seed` that nobody calls."""
    function = module.function(call)
    if not isinstance(function, FUNCTIONS) or "seed" not in function.name.lower():
        return True
    near = module.project.near(module)
    given = any(last_name(k.value) == function.name for other in near for k in other.keywords)
    return given or function.name in module.project.callers


def trains(module: Module, node: ast.AST, depth: int = 3) -> bool:
    """Whether it runs in the process that trains: in a step, or called on the way to one."""
    function = module.function(node)
    around = module.class_of(node)
    if around is not None and module.project.derives(module, around, "Dataset", "Sampler"):
        return False  # workers read, and torch seeds them
    if any(True for _ in own_calls(function, "backward")):
        return True
    if not isinstance(function, FUNCTIONS) or not depth:
        return False
    if module.class_of(function) and len(module.project.functions[function.name]) > 1:
        return False  # whose method is meant?
    calls = module.project.calls_of(module, function)
    return any(trains(other, call, depth - 1) for other, call in calls)
