"""Names that torch has given up, or is about to."""

import ast
from collections.abc import Iterator, Mapping

from ...project import Module
from ...rule import STABLE, Severity, Spot, rule
from ...syntax import everything
from .names import AMP, DEPRECATED, REMOVED
from .provided import is_caught, is_for_a_release

# deprecated by the docs alone: they still do what they always did, without a warning
SILENT = {"torch.norm", "torch.autograd.Variable", "torch.testing.assert_allclose"}
TORCHFIX = "https://github.com/pytorch-labs/torchfix"


def uses(module: Module, table: Mapping[str, str]) -> Iterator[Spot]:
    """Where a name of the table is used, or imported by itself."""
    for statement in module.import_statements:
        if isinstance(statement, ast.ImportFrom) and not statement.level:
            for alias in statement.names:
                whole = f"{statement.module}.{alias.name}"
                if whole not in table or module.is_fallback(statement):
                    continue
                if uses_name(module, alias.asname or alias.name):
                    yield Spot(statement, f"{whole}: {table[whole]}")
    last_parts = {name.rpartition(".")[2] for name in table}
    for node in module.attributes:
        if node.attr in last_parts:
            whole = module.qualified(node)
            if whole in table and not module.is_fallback(node):
                yield Spot(node, f"{whole}: {table[whole]}")


def uses_name(module: Module, name: str) -> bool:
    """Whether a file uses what it imports by this name, or is there for others to import it."""
    names = (node for node in everything(module.tree) if isinstance(node, ast.Name))
    return module.name.endswith("__init__.py") or any(node.id == name for node in names)


@rule(
    "TG801",
    "this mixed-precision name is deprecated",
    why="The same classes in `torch.amp` work for every device, and take the device type.",
    remedy="use the name after the colon",
    source=f"{STABLE}/amp.html",
    bad="""
from torch.cuda.amp import autocast  # <--


def forward(model, images):
    with autocast():
        return model(images)
""",
    good="""
import torch


def forward(model, images):
    with torch.amp.autocast("cuda"):
        return model(images)
""",
    severity=Severity.HINT,
    in_tests=True,
    once=True,
)
def old_amp(module: Module) -> Iterator[Spot]:
    unsure = module.project.stays_before_torch("2.3")  # which has no torch.amp.GradScaler
    yield from (spot._replace(unsure=unsure) for spot in uses(module, AMP))


@rule(
    "TG802",
    "this function is no longer part of torch",
    why="""It raises an error in every current release. It is a hint where the packaging pins an
    older one.""",
    remedy="use the name after the colon; arguments and results may differ",
    source=TORCHFIX,
    bad="""
import torch


def solve(a, b):
    return torch.solve(b, a)  # <--
""",
    good="""
import torch


def solve(a, b):
    return torch.linalg.solve(a, b)
""",
    in_tests=True,
)
def removed(module: Module) -> Iterator[Spot]:
    for spot in uses(module, REMOVED):
        if not is_for_a_release(module, spot.node) and not is_caught(module, spot.node, "error"):
            release = "2.0" if spot.detail.startswith("torch.symeig") else "1.13"
            yield spot._replace(unsure=module.project.stays_before_torch(release))


@rule(
    "TG803",
    "this name is deprecated",
    why="""Torch keeps it for old code, unmaintained, and may remove it. Names that torch does not
    warn about, such as `torch.norm` and `Variable`, are hints.""",
    remedy="use the name after the colon; arguments and results may differ",
    source=TORCHFIX,
    bad="""
import torch


def outer(a, b):
    return torch.ger(a, b)  # <--
""",
    good="""
import torch


def outer(a, b):
    return torch.outer(a, b)
""",
    severity=Severity.HINT,
    in_tests=True,
    once=True,
)
def deprecated(module: Module) -> Iterator[Spot]:
    old = module.project.stays_before_torch("2.0")  # which lacks some of the new names
    for spot in uses(module, DEPRECATED):
        whole = spot.detail.partition(":")[0]
        yield spot._replace(unsure=old or whole in SILENT or in_a_table(module, spot.node))


def in_a_table(module: Module, node: ast.AST) -> bool:
    """Whether the name is not called, but listed, as a table of what is known does."""
    return isinstance(module.parents.get(node), ast.Dict | ast.Set | ast.List | ast.Tuple)
