"""Flags that are read as floats and used as counts."""

import ast
from collections.abc import Iterator

from ...naming import OPTIONS
from ...project import Module
from ...rule import Spot, rule
from ...syntax import keyword, last_name, written
from ...unreached import is_unreached
from ..shared.flag_places import attributes_of
from ..shared.flag_readers import flag_names
from ..shared.flag_values import are_set_by_name, reads_no_command

# the places, and the keywords, at which a call takes whole numbers alone
OF_PYTHON = {"range": (0, 1, 2), "itertools.islice": (1, 2, 3), "random.sample": (1,)}
SIZES = {"torch.empty", "torch.ones", "torch.rand", "torch.randn", "torch.randperm", "torch.zeros"}
LAYERS = {
    "Linear": (0, 1),
    "Embedding": (0, 1),
    "Conv1d": (0, 1, 2),
    "Conv2d": (0, 1, 2),
    "GRU": (0, 1, 2),
    "LSTM": (0, 1, 2),
}
OF_LOADERS = ("batch_size", "num_workers")
ARITHMETIC = (ast.Add, ast.FloorDiv, ast.Mult, ast.Sub)


@rule(
    "TG349",
    "a count is read as a float",
    why="""`type=float` makes `--steps 5` a 5.0, and `range`, a size or a slice raises a TypeError
    for it, though the number is whole. Only a default that is written as a whole number works.""",
    remedy="write `type=int`; for something like 1e4, `type=lambda text: int(float(text))`",
    source="https://docs.python.org/3/library/argparse.html#type",
    bad="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=float, default=100)  # <--
args = parser.parse_args()
for step in range(args.steps):
    print(step)
""",
    good="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=float, default=100)
args = parser.parse_args()
for step in range(int(args.steps)):
    print(step)
""",
    once=True,
)
def floats_as_counts(module: Module) -> Iterator[Spot]:
    for call in module.calls.get("add_argument", ()):
        if written(keyword(call, "type") or call) != "float" or keyword(call, "nargs") is not None:
            continue
        for name in flag_names(call):
            found = None if is_set_otherwise(module, name) else counted(module, name)
            if found is not None:
                other, node = found
                detail = f"`{ast.unparse(node)}`, {other.name}:{node.lineno}"
                yield Spot(call, detail, is_unreached(other, node))


def is_set_otherwise(module: Module, name: str) -> bool:
    """Whether a flag of this name may have a value that is no float of the command."""
    for other in module.project.modules:
        if any(
            node.attr == name and not isinstance(node.ctx, ast.Load) for node in other.attributes
        ):
            return True
        for call in other.calls.get("add_argument", ()):
            kind = written(keyword(call, "type") or call)
            if name in flag_names(call) and kind != "float":
                return True
    return are_set_by_name(module) or reads_no_command(module)


def counted(module: Module, name: str) -> tuple[Module, ast.expr] | None:
    """The first place that takes the value of a flag where a whole number is needed."""
    for other in module.project.near(module):
        for node in attributes_of(other).get(name, ()):
            owner = last_name(node.value)
            if OPTIONS.match(owner) and needs_whole(other, node):
                return other, node
    return None


def needs_whole(module: Module, node: ast.expr) -> bool:
    """Whether a value, or what is computed from it, is used where a float raises an error."""
    inner: ast.AST = node
    around = module.parents[inner]
    while isinstance(around, ast.BinOp) and isinstance(around.op, ARITHMETIC):
        if isinstance(around.left, ast.List | ast.Constant) and is_list_or_text(around.left):
            return isinstance(around.left, ast.List)  # [0] * args.steps
        inner, around = around, module.parents[around]
    if isinstance(around, ast.Slice):
        sliced = module.parents[around]
        return isinstance(sliced, ast.Subscript) and last_name(sliced.value) != "loc"
    if isinstance(around, ast.keyword):
        call = module.parents[around]
        loads = isinstance(call, ast.Call) and last_name(call.func) == "DataLoader"
        return loads and around.arg in OF_LOADERS
    if not isinstance(around, ast.Call) or inner not in around.args:
        return False
    return around.args.index(inner) in whole_places(module, around)


def is_list_or_text(node: ast.expr) -> bool:
    """Whether it is no number."""
    return isinstance(node, ast.List) or isinstance(getattr(node, "value", None), str)


def whole_places(module: Module, call: ast.Call) -> tuple[int, ...] | range:
    """The places of a call's arguments that take whole numbers alone."""
    whole = module.qualified(call.func)
    if whole in SIZES:
        return range(len(call.args))
    if whole.startswith("torch.nn."):
        return LAYERS.get(whole.rpartition(".")[2], ())
    if whole == "range" and "range" in {one.name for one in module.functions}:
        return ()
    return OF_PYTHON.get(whole, ())
