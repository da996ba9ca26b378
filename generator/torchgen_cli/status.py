"""`torchgen status`: the generated projects in some folders, and the state of each."""

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .base.errors import UserError
from .base.git import GitError
from .base.output import answer_in_words
from .base.project import ANSWERS_FILE, Project, State, ignored, package_of, read_project, state_of
from .base.staging import scratch_folder
from .doctor.examine import examine
from .questions.questionnaire import installed
from .template.places import releases_of
from .template.provenance import is_name
from .template.releases import Releases

# contain no project, but possibly a million files
SKIPPED = {"build", "checkpoints", "data", "dist", "env", "mlruns", "node_modules", "runs", "venv"}
ENOUGH = 3  # so many of our questions identify a project of ours


@dataclass
class Row:
    """One project; what is unknown is None, and `problems` lists why."""

    path: Path
    source: str = ""
    version: str = ""
    latest: str | None = None
    behind: int | None = None
    """How many releases came after the project's version."""
    answers: dict[str, Any] = field(default_factory=dict)
    tree: State | None = None
    findings: int | None = None
    """What doctor finds."""
    problems: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "path": str(self.path)}


class Sources:
    """The templates' repositories, each cloned once."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._found: dict[tuple[str, str], Releases | UserError] = {}

    def look(self, row: Row) -> None:
        """Fill in the latest version, and how far the project is behind."""
        releases = self._releases(row.source, row.version)
        if isinstance(releases, UserError):
            row.problems.append(str(releases))
            return
        try:
            current, latest = releases.recorded(row.version), releases.latest()
        except UserError as error:
            row.problems.append(str(error))
            return
        row.latest, row.behind = latest.name, 0
        if current.sha != latest.sha and not releases.is_older(latest, current):
            later = [one for one in releases.released() if not releases.is_older(one, current)]
            row.behind = max(1, sum(one.sha != current.sha for one in later))

    def _releases(self, source: str, version: str) -> Releases | UserError:
        # what came with torchgen may lack a version, an address has all of them
        key = (source, version if is_name(source) else "")
        if key not in self._found:
            folder = self._scratch / f"source-{len(self._found)}"
            folder.mkdir()
            try:
                self._found[key] = releases_of(source, version, folder)
            except UserError as error:
                self._found[key] = error
        return self._found[key]


def status(folders: Sequence[Path], offline: bool) -> list[Row]:
    """A row for each project in the folders. Raises `UserError` if there is none."""
    for folder in folders:
        if not folder.is_dir():
            raise UserError(f"{folder} is not a folder; give one that contains projects", 2)
    found = sorted({path for folder in folders for path in projects_below(folder)})
    if not found:
        where = ", ".join(map(str, folders))
        raise UserError(
            f"no project made by torchgen new was found in {where}; give another folder"
        )
    with scratch_folder(Path(tempfile.gettempdir())) as scratch:
        sources = Sources(scratch)
        return [_row(path, None if offline else sources) for path in found]


def projects_below(folder: Path) -> Iterator[Path]:
    """Folders with one of torchgen's answers files, outer ones first; links are not followed."""
    for here, inner, files in os.walk(os.path.abspath(folder)):
        if ANSWERS_FILE in files and _is_ours(here):
            yield Path(here)
        # a Python package or an environment contains no project
        if "__init__.py" in files or "pyvenv.cfg" in files:
            inner.clear()
        inner[:] = sorted(n for n in inner if n not in SKIPPED and not n.startswith((".", "__")))


def _is_ours(folder: str) -> bool:
    try:
        project = read_project(folder)
    except UserError:
        return True  # damaged, which is worth a row
    known = sum(name in project.answers for name in installed().names)
    return known >= ENOUGH or "torchgen" in project.source.rpartition("/")[2]


def _row(path: Path, sources: Sources | None) -> Row:
    row = Row(path)
    try:
        _fill(row, read_project(str(path)), sources)
    except UserError as error:
        row.problems.append(str(error))
    try:
        row.tree = state_of(path)
        note = ignored(path, [package_of(row.answers, path), "tests"], ".py")
        row.problems += [f"{path}: {note}"] if note else []
    except GitError as error:
        row.problems.append(f"git refuses {path}: {error}")
    try:
        row.findings = len(examine([path]).findings)
    except UserError as error:
        row.problems.append(str(error))
    return row


def _fill(row: Row, project: Project, sources: Sources | None) -> None:
    row.source, row.version, row.answers = project.source, project.commit, project.answers
    if not project.source or not project.commit:
        row.problems.append(
            f"{row.path} does not record its version of the template: run torchgen adopt"
        )
    elif sources:
        sources.look(row)


HEAD = ("PROJECT", "VERSION", "NEWS", "ANSWERS", "TREE", "DOCTOR")
GAP = 2
NARROWEST = 12


def as_json(rows: Sequence[Row]) -> str:
    return json.dumps([row.to_json() for row in rows])


def as_table(rows: Sequence[Row], width: int | None) -> str:
    """The rows in columns, at most `width` wide if that can be, and the problems below."""
    asked = [question.name for question in installed().questions if question.choices]
    table = [HEAD, *(_cells(row, asked) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for column in (0, 3):  # paths lose their beginning, answers their end
        too_much = sum(widths) + GAP * (len(widths) - 1) - (width or 10**9)
        if too_much > 0:
            widths[column] = max(NARROWEST, widths[column] - too_much)
    lines = []
    for path, version, news, answers, tree, doctor in table:
        cells = (_tail(path, widths[0]), version, news, _start(answers, widths[3]), tree, doctor)
        padded = (f"{cell:<{size}}" for cell, size in zip(cells, widths, strict=True))
        lines.append((" " * GAP).join(padded).rstrip())
    notes = list(dict.fromkeys(problem for row in rows for problem in row.problems))
    if nowhere := [_shown(row.path) for row in rows if row.source and is_name(row.source)]:
        notes.append(
            f"no address is recorded in {', '.join(nowhere)}: torchgen update --source URL adds "
            "one, and a workflow that looks for updates there"
        )
    return "\n".join([*lines, *([""] if notes else []), *(f"note: {note}" for note in notes)])


def _cells(row: Row, asked: Sequence[str]) -> tuple[str, ...]:
    given = [row.answers[name] for name in asked if name in row.answers]
    answers = " ".join(answer_in_words(answer) for answer in given if answer != [])
    news = "not known"
    if row.behind is not None:
        news = f"{row.behind} behind {row.latest}" if row.behind else "up to date"
    tree = "not known"
    if row.tree:
        conflicts, changed = len(row.tree.conflicts), len(row.tree.changed)
        changes = f"{changed} changed" if changed else "clean"
        tree = f"{conflicts} in conflict" if conflicts else changes
    doctor = "not known"
    if row.findings is not None:
        doctor = f"{row.findings or 'no'} finding{'' if row.findings == 1 else 's'}"
    version = row.version or ("not known" if row.answers else "damaged")
    return _shown(row.path), version, news, answers, tree, doctor


def _shown(path: Path) -> str:
    """Relative to the current folder where it is below."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _tail(text: str, width: int) -> str:
    return text if len(text) <= width else "..." + text[3 - width :]


def _start(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
