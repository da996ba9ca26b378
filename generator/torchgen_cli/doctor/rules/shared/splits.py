"""Splits of the data that are drawn by chance."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
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
from ..data.data import EVALUATION
from ..data.overlapping import HELD_OUT
from .programs import run_with

# what keeps a split for later, so that it is drawn once
KEEPING = {"copy", "copy2", "copyfile", "dump", "move", "save", "savetxt", "savez", "symlink"}
KEEPING |= {"to_csv", "to_json", "to_pickle", "write", "writelines", "writerow", "writerows"}
# what draws a split
SHUFFLING = {"shuffle", "permutation", "randperm", "train_test_split"}


def drawn_splits(module: Module) -> Iterator[ast.AST]:
    """Where a list is shuffled, or numbers are, and then cut into sets by what nobody seeded."""
    if not SHUFFLING.intersection(module.calls):
        return
    if not any("backward" in other.calls for other in run_with(module)):
        return
    for call in drawing(module):
        source = module.qualified(receiver(call) or call)
        if not is_kept(module, call) and not is_seeded(module, source):
            yield call
    for call in module.calls.get("train_test_split", ()):
        fixed = keyword(call, "random_state") or is_constant(keyword(call, "shuffle"), False)
        sklearn = module.qualified(call.func).startswith("sklearn.")
        if not sklearn or fixed or has_stars(call) or is_kept(module, call):
            continue
        if not is_seeded(module, "numpy.random"):
            yield call


def is_kept(module: Module, call: ast.AST) -> bool:
    """Whether the function around writes something, as a script does that splits once."""
    names = (last_name(one.func) for one in own_calls(module.function(call)))
    return any(name in KEEPING or name.startswith(("save_", "write_")) for name in names)


def drawing(module: Module) -> Iterator[ast.Call]:
    """The calls that put what is cut afterwards in an order by chance."""
    for call in module.calls.get("shuffle", ()):
        known = module.qualified(call.func) in ("random.shuffle", "numpy.random.shuffle")
        if known and len(call.args) == 1 and is_cut(module, call, written(call.args[0])):
            yield call
    for call in (*module.calls.get("permutation", ()), *module.calls.get("randperm", ())):
        target = module.parents[call]
        while isinstance(target, ast.Call | ast.Attribute):  # torch.randperm(n).tolist()
            target = module.parents[target]
        known = module.qualified(call.func) in ("numpy.random.permutation", "torch.randperm")
        if not known or not isinstance(target, ast.Assign) or keyword(call, "generator"):
            continue
        if is_cut(module, call, written(target.targets[0])):
            yield call


def is_cut(module: Module, call: ast.expr | ast.stmt, name: str) -> bool:
    """Whether slices of it become sets, one of them for evaluation."""
    cut = {
        ast.unparse(one.slice): ast.unparse(node.targets[0])
        for node in (own_nodes(module.function(call)) if name else ())
        if isinstance(node, ast.Assign) and node.lineno > call.lineno
        for one in walk(node.value)
        if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Slice)
        if written(one.value) == name and (one.slice.lower or one.slice.upper)  # `x[:]` is all
    }
    return len(cut) > 1 and any(
        EVALUATION.search(target) or HELD_OUT.search(target) for target in cut.values()
    )


def is_seeded(module: Module, source: str) -> bool:
    """Whether the program seeds a generator, perhaps by a library that may seed any."""
    program = run_with(module)
    for name, calls in module.project.callers.items():
        for other, call in calls if "seed" in name.lower() else ():
            if other not in program:
                continue
            whole = other.qualified(call.func)
            known = whole.startswith(("torch.", "numpy.", "random."))
            if whole.startswith(source) or not (known or name in module.project.functions):
                return True
    return False
