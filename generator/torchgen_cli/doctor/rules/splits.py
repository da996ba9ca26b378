"""Splits of the data that are drawn by chance."""

import ast
from collections.abc import Iterator

from ..project import Module
from ..syntax import (
    has_stars,
    is_constant,
    keyword,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    walk,
    written,
)
from .data import EVALUATION

# what keeps a split for later, so that it is drawn once
KEEPING = {"copy", "copy2", "copyfile", "dump", "move", "save", "savetxt", "savez", "symlink"}
KEEPING |= {"to_csv", "to_json", "to_pickle", "write", "writelines", "writerow", "writerows"}


def drawn_splits(module: Module) -> Iterator[ast.AST]:
    """Where a list is shuffled, or numbers are, and then cut into sets by what nobody seeded."""
    if not any("backward" in other.calls for other in module.project.near(module)):
        return
    for call in drawing(module):
        source = module.qualified(receiver(call) or call)
        scope = module.function(call)
        kept = any(last_name(one.func) in KEEPING for one in own_calls(scope))
        if not kept and not is_seeded(module, source):
            yield call
    for call in module.calls.get("train_test_split", ()):
        order = keyword(call, "shuffle")
        drawn = keyword(call, "random_state") is None and not is_constant(order, False)
        scope = module.function(call)
        kept = any(last_name(one.func) in KEEPING for one in own_calls(scope))
        sklearn = module.qualified(call.func).startswith("sklearn.")
        if sklearn and drawn and not has_stars(call) and not kept:
            if not is_seeded(module, "numpy.random"):
                yield call


def drawing(module: Module) -> Iterator[ast.Call]:
    """The calls that put what is cut afterwards in an order by chance."""
    for call in module.calls.get("shuffle", ()):
        if module.qualified(call.func) in ("random.shuffle", "numpy.random.shuffle"):
            if len(call.args) == 1 and is_cut(module, call, written(call.args[0])):
                yield call
    for name in ("permutation", "randperm"):
        for call in module.calls.get(name, ()):
            target = module.parents[call]
            while isinstance(target, ast.Call | ast.Attribute):  # torch.randperm(n).tolist()
                target = module.parents[target]
            known = module.qualified(call.func) in ("numpy.random.permutation", "torch.randperm")
            if known and isinstance(target, ast.Assign) and keyword(call, "generator") is None:
                if is_cut(module, call, written(target.targets[0])):
                    yield call


def is_cut(module: Module, call: ast.Call, name: str) -> bool:
    """Whether slices of it become sets, one of them for evaluation."""
    cut: dict[str, str] = {}
    for node in own_nodes(module.function(call)) if name else ():
        if isinstance(node, ast.Assign) and node.lineno > call.lineno:
            for one in walk(node.value):
                if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Slice):
                    if written(one.value) == name:
                        cut[ast.unparse(one.slice)] = ast.unparse(node.targets[0])
    return len(cut) > 1 and any(EVALUATION.search(target) for target in cut.values())


def is_seeded(module: Module, source: str) -> bool:
    """Whether the project seeds a generator, perhaps by a library that may seed any."""
    for name, calls in module.project.callers.items():
        for other, call in calls if "seed" in name.lower() else ():
            whole = other.qualified(call.func)
            known = whole.startswith(("torch.", "numpy.", "random."))
            if whole.startswith(source) or not (known or name in module.project.functions):
                return True
    return False
