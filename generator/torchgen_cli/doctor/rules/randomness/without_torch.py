"""Programs that seed numpy or `random`, and torch never."""

import ast
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...syntax import FUNCTIONS, asks_main, last_name, mentions, own_calls, walk
from ..shared.loops import OPTIMIZERS

PLAIN = ("numpy.random.seed", "random.seed")
DRAWS = {"choice", "permutation", "rand", "randint", "randn", "random", "sample", "shuffle"}
DRAWS |= {"train_test_split", "random_split", "normal", "uniform", "split"}
DRAWN = ("numpy.random.", "random.", "torch.")
WORKERS = ("worker", "get_state", "initial_seed")


def torch_left_out(module: Module) -> Iterator[ast.Call]:
    """The first call in a file that trains which seeds its run, where nothing seeds torch."""
    near = module.project.near(module)
    unread = module.project.unread.values()
    if any(b"manual_seed" in one for one in unread) or module.project.has_framework(module):
        return
    if not all(map(seeds_others_alone, near)):
        return
    for call in plain_seeds(module):
        scope = module.function(call)
        if isinstance(scope, FUNCTIONS) and "seed" in scope.name.lower():
            users = [other for other, _ in module.project.calls_of(module, scope)]
        elif begins_a_run(module, call, scope):
            users = [module]
        else:
            continue
        if any(map(builds_and_trains, users)):
            yield call
            return


def plain_seeds(module: Module) -> Iterator[ast.Call]:
    """Calls of `np.random.seed` and `random.seed` with a seed that is not a worker's."""
    for call in module.calls.get("seed", ()):
        if module.qualified(call.func) in PLAIN and call.args:
            scope = module.function(call)
            worker = isinstance(scope, FUNCTIONS) and "work" in scope.name.lower()
            drawn = any(source(module, one).startswith(DRAWN) for one in walk(call.args[0]))
            if not worker and not drawn and not mentions(call.args[0], *WORKERS, "split"):
                yield call


def source(module: Module, node: ast.AST) -> str:
    """The dotted name of what a call calls; empty for anything else."""
    return module.qualified(node.func) if isinstance(node, ast.Call) else ""


@kept
def seeds_others_alone(module: Module) -> bool:
    """Whether whatever is called in a file to seed is numpy's or Python's own."""
    return all(
        module.qualified(call.func) in PLAIN
        or name in module.project.functions
        or last_name(getattr(call.func, "value", call.func)).lower().endswith(("env", "envs"))
        for name, calls in module.calls.items()
        if "seed" in name.lower()
        for call in calls
    )


def begins_a_run(module: Module, call: ast.Call, scope: ast.AST) -> bool:
    """Whether it is for the whole run, and not for a split of the data that is drawn behind it."""
    top = isinstance(scope, ast.Module) or (
        isinstance(scope, FUNCTIONS) and scope.name in ("main", "train", "run", "main_worker")
    )
    draws = any(
        one.lineno > call.lineno and may_split(module, one) for one in own_calls(scope, *DRAWS)
    )
    asked = any(isinstance(one, ast.If) and not asks_main(one) for one in module.ancestors(call))
    by_flag = mentions(call.args[0], "seed")
    return top and not draws and (by_flag or not asked)


def may_split(module: Module, call: ast.Call) -> bool:
    """Whether a draw is none of torch's own but for a split, and no `text.split(",")`."""
    whole = module.qualified(call.func)
    text = last_name(call.func) == "split" and all(isinstance(a, ast.Constant) for a in call.args)
    return not text and (not whole.startswith("torch.") or whole.endswith("random_split"))


def builds_and_trains(module: Module) -> bool:
    """Whether a file makes an optimizer, or goes through `backward`."""
    return "backward" in module.calls or any(True for _ in module.torch_calls(*OPTIMIZERS))
