"""Files that do not parse, and notes to the doctor that do not count; see `examine`."""

from ...project import Module
from ...rule import Severity, rule


@rule(
    "TG001",
    "the file does not parse",
    why="Python cannot import it, and few rules can check it.",
    remedy="fix the syntax, or remove the file",
    source="https://docs.python.org/3/reference/grammar.html",
    bad="def train(model:  # <--\n    pass",
    good="def train(model):\n    pass",
    in_tests=True,
)
def unparsable(module: Module) -> tuple[()]:
    """Noticed where files are read."""
    return ()


@rule(
    "TG002",
    "this `ignore` is invalid",
    why="""A rule that is disabled without a reason stays disabled forever, and nobody knows whether
    it still should be. So an `ignore` needs the id of a rule, and a reason after it.""",
    remedy="write `# torchgen: ignore[TG601] the reason`, with the id of a rule",
    source="https://docs.astral.sh/ruff/linter/#error-suppression",
    bad="""
import torch

state = torch.load("a.pt", weights_only=True)  # torchgen: ignore[TG601] # <--
""",
    good="""
import torch

state = torch.load("a.pt")  # torchgen: ignore[TG601] a file of our own, made by the job before
""",
    severity=Severity.WARNING,
    in_tests=True,
)
def suppressed_without_reason(module: Module) -> tuple[()]:
    """Noticed where suppressions are read."""
    return ()


@rule(
    "TG003",
    "this `ignore` is unused",
    why="The rule finds nothing on this line. Such a comment would hide the next fault there.",
    remedy="remove the comment",
    source="https://docs.astral.sh/ruff/rules/unused-noqa/",
    bad="""
import torch

state = torch.load("a.pt", weights_only=True)  # torchgen: ignore[TG601] our own # <--
""",
    good="""
import torch

state = torch.load("a.pt", weights_only=True)
""",
    severity=Severity.WARNING,
    in_tests=True,
)
def suppresses_nothing(module: Module) -> tuple[()]:
    """Noticed where suppressions are read."""
    return ()
