"""`torchgen adopt`: find the answers that a repository fits, and record them, so it can update."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from . import signals
from .candidates import Version, candidates
from .errors import UserError
from .guess import Answers, best, options_of
from .likeness import Fit, Tree, read_tree
from .project import ANSWERS_FILE, Project, check_repository, read_project
from .questions import Questionnaire
from .render import Rendering, render
from .staging import workshop_in
from .update import git_folder

# Of the lines. Measured: other training repositories have 1 % in common. Projects that lost their
# tests, a fifth of the other files and a third of the lines still have 35 %, and the answers of 35
# of 36 were found. Below 30 % every fifth is wrong, and an update is one conflict after the other.
LEAST = 0.3
SHOWN = 8  # differences


@dataclass
class Adoption:
    """What was found."""

    path: Path
    version: Version
    compared: list[str]
    """The versions that were looked at."""
    answers: Mapping[str, Any]
    fit: Fit
    dry_run: bool
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        return json.dumps(
            {
                "path": str(self.path),
                "template": {
                    "source": self.version.stamp["_src_path"],
                    "version": self.version.name,
                    "compared": self.compared,
                },
                "answers": self.answers,
                "similarity": round(self.fit.similarity, 4),
                "files": {
                    "identical": self.fit.identical,
                    "similar": [asdict(one) for one in self.fit.similar],
                    "missing": self.fit.missing,
                },
                "notes": self.notes,
                "dry_run": self.dry_run,
            }
        )

    def __str__(self) -> str:
        width = max(map(len, self.answers))
        lines = [f"template  {self.version.name} of {self.version.stamp['_src_path']}"]
        if len(self.compared) > 1:
            lines.append(f"          fits best; compared: {', '.join(self.compared)}")
        lines.append("")
        lines += [f"  {name:<{width}}  {answer}" for name, answer in self.answers.items()]
        identical, similar, missing = self.fit.identical, self.fit.similar, self.fit.missing
        lines += [
            "",
            f"{identical} files are identical, {len(similar)} different, {len(missing)} missing; "
            f"{math.floor(100 * self.fit.similarity)}% of the lines are the same.",
        ]
        largest = sorted(similar, key=lambda one: -(one.project + one.template))
        lines += [f"  +{one.project} -{one.template}  {one.path}" for one in largest[:SHOWN]]
        lines += [f"  missing  {name}" for name in missing[:SHOWN]]
        lines += [f"note: {note}" for note in self.notes]
        if self.dry_run:
            return "\n".join([*lines, "", "nothing was written"])
        return "\n".join(
            [
                *lines,
                "",
                f"Wrote {ANSWERS_FILE}, and nothing else. What differs counts as your edits.",
                f"Next, in {self.path}:",
                f"  git add {ANSWERS_FILE} && git commit -m 'Adopt the template'",
                "  torchgen update --check",
            ]
        )


def adopt(path: str, source: str | None, wanted: str | None, dry_run: bool) -> Adoption:
    """Write the record of the answers that fit the repository at `path` best.

    Raises `UserError` or `Interrupted`; nothing is then written.
    """
    project = _adoptable(path)
    with workshop_in(git_folder(project)) as workshop:
        notes: list[str] = []
        versions = candidates(project, source, wanted, workshop, notes)
        search = _Search(project, Tree(project.path), workshop)
        version, answers = search.run(versions)
        rendering, fit = search.result(version, answers)
        _check_likeness(project.path, fit)
        if not dry_run:
            signals.check()
            signals.ignore()
            os.replace(rendering.path / ANSWERS_FILE, project.path / ANSWERS_FILE)
        names = search.compared
        return Adoption(project.path, version, names, rendering.answers, fit, dry_run, notes)


class _Search:
    """The renderings that were compared with a project, each made once."""

    def __init__(self, project: Project, tree: Tree, workshop: Path) -> None:
        self._project, self._tree, self._workshop = project, tree, workshop
        self._results: dict[tuple[str, ...], tuple[Rendering, Fit]] = {}

    def run(self, versions: list[Version]) -> tuple[Version, Answers]:
        """The version and the answers that fit best; the first version is where it begins."""
        version, answers = versions[0], self._start(versions[0])
        while True:
            before = version, answers
            version = max([version, *versions], key=lambda one: self._score(one, answers))
            answers = self._answers(version, answers)
            if (version, answers) == before:
                return before

    @property
    def compared(self) -> list[str]:
        """The versions that were rendered."""
        return list(dict.fromkeys(key[0] for key in self._results))

    def _score(self, version: Version, answers: Answers) -> float:
        """Of a version that does not know such answers: less than any other."""
        try:
            return self.result(version, answers)[1].score
        except UserError:
            return -math.inf

    def result(self, version: Version, answers: Answers) -> tuple[Rendering, Fit]:
        key = (version.name, *(part for pair in sorted(answers.items()) for part in pair))
        if key not in self._results:
            target = self._workshop / f"try-{len(self._results)}" / self._project.path.name
            target.parent.mkdir()
            typed = Questionnaire(version.folder).typed(answers)
            rendering = render(version.folder, target, typed, version.stamp)
            self._results[key] = rendering, self._tree.fit(read_tree(target))
        return self._results[key]

    def _start(self, version: Version) -> Answers:
        """The answers that the clues say. Raises `UserError` where no others can be right."""
        options = self._options(version, {})
        start = {name: answers[0] for name, answers in options.items()}
        _check_likeness(self._project.path, self.result(version, start)[1], LEAST / 2)
        return start

    def _answers(self, version: Version, start: Answers) -> Answers:
        """Those that fit a version best."""
        options = self._options(version, start)
        known = {name: answers[0] for name, answers in options.items()}
        return best(known, options, lambda answers: self.result(version, answers)[1])

    def _options(self, version: Version, known: Answers) -> dict[str, list[str]]:
        asked = Questionnaire(version.folder)
        recorded = {**self._project.answers, **known}
        return options_of(asked, self._tree, self._project.path.name, recorded)


def _adoptable(path: str) -> Project:
    """The repository, with what it may record of a template. Raises `UserError`."""
    folder = Path(os.path.abspath(path))
    if not folder.is_dir():
        raise UserError(f"{path} is no folder; give that of a training repository", 2)
    record = folder / ANSWERS_FILE
    project = read_project(path) if record.is_file() else Project(folder, {}, "", "")
    if project.source and project.commit:
        raise UserError(
            f"{folder} is adopted already: {ANSWERS_FILE} records {project.commit}; "
            "torchgen update brings what is new"
        )
    check_repository(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UserError(f"cannot write in {folder}; get yourself the right to")
    return project


def _check_likeness(folder: Path, fit: Fit, least: float = LEAST) -> None:
    if fit.similarity < least:
        raise UserError(
            f"{folder} does not look like a project of this template: only {fit.similarity:.0%} of "
            f"the lines are the same, and below {LEAST:.0%} updates are of no use; torchgen new "
            "writes a project to move your code to"
        )
