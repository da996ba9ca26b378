"""Run every rule on every file, and drop what is switched off."""

import ast
from dataclasses import dataclass, field
from pathlib import Path

from ..base.errors import UserError
from . import suppress
from .project import Module, read
from .rule import Rule, Severity, Spot
from .rules import all_rules


@dataclass(frozen=True, order=True)
class Finding:
    """A broken rule at a place in a file."""

    file: str
    line: int
    column: int
    rule: str
    detail: str = ""

    @property
    def about(self) -> Rule:
        return all_rules()[self.rule]


@dataclass
class Examination:
    """The result of an examination."""

    root: Path
    files: int
    findings: list[Finding] = field(default_factory=list)
    ignored: int = 0
    """Findings that are switched off."""
    notes: list[str] = field(default_factory=list)
    """Further lines, such as that the template has a newer version."""

    @property
    def failures(self) -> list[Finding]:
        """The findings that are more than hints."""
        return [one for one in self.findings if one.about.severity is not Severity.HINT]


def examine(root: Path, hints: bool = False) -> Examination:
    """Check the project at `root`; raises `UserError` if there is nothing to check."""
    if not root.is_dir():
        raise UserError(f"{root} is not a folder; give the folder of a training repository", 2)
    off = suppress.in_pyproject(root)
    project = read(root)
    total = len(project.modules) + len(project.broken)
    if not total:
        raise UserError(f"no Python files of a project were found in {root}; give its folder")
    result = Examination(root, total)
    for name, (line, message) in project.broken.items():
        result.findings.append(Finding(name, line, 1, "TG001", message))
    for module in project.modules:
        lines = suppress.in_file(project.contents[module.name])
        for line, why in lines.refused:
            result.findings.append(Finding(module.name, line, 1, "TG002", why))
        for found, last in check(module, hints):
            around = range(found.line, last + 1)
            if any(found.rule in lines.rules.get(line, ()) for line in around):
                result.ignored += 1
            else:
                result.findings.append(found)
    kept = [one for one in result.findings if one.rule not in off]
    result.ignored += len(result.findings) - len(kept)
    result.findings = sorted(kept)
    return result


def check(module: Module, hints: bool) -> list[tuple[Finding, int]]:
    """The findings in a file, each with the last line where a comment can ignore it."""
    found: dict[Finding, int] = {}
    for rule in all_rules().values():
        if (rule.severity is Severity.HINT and not hints) or (module.is_test and not rule.in_tests):
            continue
        for spot in rule.check(module):
            node, detail = spot if isinstance(spot, Spot) else (spot, "")
            line: int = getattr(node, "lineno", 1)
            column = getattr(node, "col_offset", 0) + 1
            # a comment may be at the end of a call of many lines, but not anywhere in a loop
            long = isinstance(node, ast.expr | ast.Assign | ast.Expr | ast.ImportFrom)
            last = getattr(node, "end_lineno", None) or line if long else line
            found[Finding(module.name, line, column, rule.id, detail)] = last
    return list(found.items())
