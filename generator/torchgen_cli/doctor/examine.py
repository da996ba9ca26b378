"""Run every rule on every file, and drop what is switched off."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..base.errors import UserError
from .aside import (
    is_aside,
    is_beyond_us,
    is_empty_demonstration,
    is_for_another_library,
    is_for_python_2,
    is_for_python_3_6,
)
from .kept import forget
from .lookup import imported, path_of
from .project import Module, Project, read
from .rule import Rule, Severity, as_spot
from .rules import all_rules
from .settings import Settings, read_settings
from .suppress import in_file
from .targets import STDIN, Target


@dataclass(frozen=True, order=True)
class Finding:
    """A broken rule at a place in a file."""

    file: str
    line: int
    column: int
    rule: str
    detail: str = ""
    unsure: bool = False
    cell: int | None = None
    """Of a notebook; the line is then the one within the cell."""
    code: str = field(default="", compare=False)
    """The lines of the place, by which copies of it are known."""

    @property
    def about(self) -> Rule:
        return all_rules()[self.rule]

    @property
    def severity(self) -> Severity:
        """The rule's, or a hint where this finding is a matter of taste or of doubt."""
        return Severity.HINT if self.unsure else self.about.severity


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
        return [one for one in self.findings if one.severity is not Severity.HINT]


def silent(done: int, total: int) -> None:
    """Say nothing of how far it is."""


def examine(
    root: Path | Target,
    hints: bool = False,
    select: tuple[str, ...] = (),
    progress: Callable[[int, int], None] = silent,
    tolerant: bool = False,
) -> Examination:
    """Check a project; raises `UserError` if there is nothing to check.

    `select` are ids or beginnings of ids of the rules to check, in place of those of the project.
    A rule that fails on a file is a note if `tolerant`, and an exception otherwise.
    """
    forget()  # the project before
    target = root if isinstance(root, Target) else Target(root)
    if not target.root.is_dir():
        raise UserError(f"{target.root} is not a folder; give a training repository", 2)
    settings = read_settings(target.root)
    settings.select = select or settings.select
    if target.content is None:
        project = read(target.root, settings.excludes, progress)
    else:
        project = Project(target.root)
        project.add(STDIN, target.content)
    names = dict.fromkeys([*(m.name for m in project.modules), *project.broken])
    looked_at = [name for name in names if target.only is None or name in target.only]
    if target.only is None and not looked_at and not project.generated:
        where = target.root
        raise UserError(f"no Python files of a project were found in {where}; give its folder", 2)
    result = Examination(target.root, len(looked_at))
    result.findings += [
        one for one in unparsable(project) if one.file in looked_at and (hints or not one.unsure)
    ]
    for module in project.modules:
        if module.name in looked_at:
            _examine_module(module, hints, settings, result, tolerant)
    if target.only is not None and (left_out := sorted(target.only.difference(looked_at))):
        why = "excluded, ignored by git, or generated"
        result.notes.append(f"skipped, as {why}: {', '.join(left_out)}")
    elif project.generated and target.only is None:
        files = ", ".join(project.generated[:3]) + (", ..." if len(project.generated) > 3 else "")
        result.notes.append(f"skipped, as generated: {files}")
    _switch_off(result, settings)
    result.findings = sorted(in_cells(one, project) for one in result.findings)
    return result


def unparsable(project: Project) -> Iterator[Finding]:
    """The files that do not parse; those of Python 2 as hints."""
    for name, (line, message) in project.broken.items():
        content = project.unread.get(name, b"")
        if not is_for_another_library(content):
            unsure = is_for_python_2(project, name, content, message)
            unsure = unsure or is_beyond_us(content, line, message)
            unsure = unsure or is_empty_demonstration(project, name, content, message)
            unsure = unsure or is_for_python_3_6(project, content, line)
            yield Finding(name, line, 1, "TG001", message, unsure)


def _examine_module(
    module: Module, hints: bool, settings: Settings, result: Examination, tolerant: bool
) -> None:
    """Add what is found in a file, and what is wrong with its comments to us."""
    lines = in_file(module.project.contents[module.name])
    for line, why in lines.refused:
        result.findings.append(Finding(module.name, line, 1, "TG002", why))
    used: set[tuple[int, str]] = set()
    # a comment may be about a hint, or one be asked for by its id: it is then looked for as well
    failed = result.notes if tolerant else None
    for found, last in check(module, hints or bool(lines.rules) or bool(settings.select), failed):
        around = range(found.line, last + 1)
        matching = {
            (line, found.rule) for line in around if found.rule in lines.rules.get(line, ())
        }
        used |= matching
        if matching:
            result.ignored += 1
        elif hints or found.severity is not Severity.HINT or found.rule in settings.select:
            result.findings.append(found)
    for line, ids in sorted(lines.rules.items()):
        for id in sorted(ids):
            if (line, id) not in used and settings.checks(id) and not all_rules()[id].outside:
                detail = f"{id} finds nothing here"
                result.findings.append(Finding(module.name, line, 1, "TG003", detail))


def _switch_off(result: Examination, settings: Settings) -> None:
    """Drop the findings that the project's settings do not want."""
    kept = []
    for one in result.findings:
        if settings.select and not one.rule.startswith(settings.select):
            continue
        if one.rule in settings.ignore or settings.ignores(result.root / one.file, one.rule):
            result.ignored += 1
        else:
            kept.append(one)
    result.findings = kept


def in_cells(finding: Finding, project: Project) -> Finding:
    """A finding in a notebook, by its cell."""
    notebook = project.notebooks.get(finding.file)
    if notebook is None or not notebook.starts:
        return finding
    cell, line = notebook.place(finding.line)
    return replace(finding, cell=cell, line=line)


def is_brought(module: Module) -> bool:
    """Whether a program for torch imports a file that is for another library, as its logger."""
    name = path_of(module)[-1]
    alike = [(one, one.tree) for one in module.project.modules if path_of(one)[-1] == name]
    return any(
        (module, module.tree) in imported(other, source, alike)
        for other in module.project.near(module)
        if "torch" in other.libraries
        for whole in other.imports.values()
        if name in whole.split(".")
        for source in (whole, whole.rpartition(".")[0])
        if source.endswith(name)
    )


def check(
    module: Module, hints: bool, failed: list[str] | None = None
) -> list[tuple[Finding, int]]:
    """The findings in a file, each with the last line where a comment can ignore it.

    What a rule that fails says goes to `failed`; without it, the exception is raised.
    """
    found: dict[Finding, int] = {}
    rules = list(all_rules().values())
    if module.is_foreign:
        if not is_brought(module):
            return []
        rules = [all_rules()["TG813"]]  # without which the import or the first call fails
    for rule in rules:
        if (rule.severity is Severity.HINT and not hints) or (module.is_test and not rule.in_tests):
            continue
        try:
            found.update(found_by(rule, module, hints))
        except Exception as error:
            if failed is None:
                raise
            what = f"{type(error).__name__}: {error}".rstrip(": ")
            failed.append(f"{rule.id} failed on {module.name} ({what}); please report this bug")
    return list(found.items())


def found_by(rule: Rule, module: Module, hints: bool) -> Iterator[tuple[Finding, int]]:
    """What one rule finds in a file, each with the last line where a comment can ignore it."""
    for spot in rule.check(module):
        node, detail, unsure = as_spot(spot)
        unsure = unsure or is_aside(module, node)
        if unsure and not hints:
            continue
        line: int = getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", 0) + 1
        # a comment may be at the end of a call of many lines, but not anywhere in a loop
        long = isinstance(node, ast.expr | ast.Assign | ast.Expr | ast.ImportFrom)
        end = getattr(node, "end_lineno", None) or line
        lines = (one.decode("utf-8", "replace") for one in module.lines[line - 1 : end])
        code = "\n".join(one.strip() for one in lines)
        found = Finding(module.name, line, column, rule.id, detail, unsure, code=code)
        yield found, end if long else line
