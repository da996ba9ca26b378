"""`torchgen adopt`: find and record the answers that fit an existing project best."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .adopting.candidates import Version, candidates
from .adopting.likeness import Fit, Tree
from .adopting.search import Search, check_likeness
from .base import signals
from .base.errors import UserError
from .base.project import ANSWERS_FILE, Project, check_repository, git_folder, read_project
from .base.staging import scratch_folder

SHOWN = 8  # differences


@dataclass
class Adoption:
    """The version and answers found, and how well they fit."""

    path: Path
    version: Version
    compared: list[str]
    """The versions that were compared."""
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
                f"Wrote {ANSWERS_FILE}, and nothing else. Differences count as your edits.",
                f"Next, in {self.path}:",
                f"  git add {ANSWERS_FILE} && git commit -m 'Adopt the template'",
                "  torchgen update --check",
            ]
        )


def adopt(path: str, source: str | None, wanted: str | None, dry_run: bool) -> Adoption:
    """Write the answers file that fits the repository at `path` best.

    Raises `UserError` or `Interrupted`; nothing is then written.
    """
    project = _adoptable(path)
    with scratch_folder(git_folder(project)) as scratch:
        notes: list[str] = []
        versions = candidates(project, source, wanted, scratch, notes)
        search = Search(project, Tree(project.path), scratch)
        version, answers = search.run(versions)
        rendering, fit = search.result(version, answers)
        check_likeness(project.path, fit)
        if not dry_run:
            signals.check()
            signals.ignore()
            os.replace(rendering.path / ANSWERS_FILE, project.path / ANSWERS_FILE)
        names = search.compared
        return Adoption(project.path, version, names, rendering.answers, fit, dry_run, notes)


def _adoptable(path: str) -> Project:
    """The repository, with the template it may already record. Raises `UserError`."""
    folder = Path(os.path.abspath(path))
    if not folder.is_dir():
        raise UserError(f"{path} is not a folder; give the folder of a training repository", 2)
    record = folder / ANSWERS_FILE
    project = read_project(path) if record.is_file() else Project(folder, {}, "", "")
    if project.source and project.commit:
        raise UserError(
            f"{folder} is adopted already: {ANSWERS_FILE} records {project.commit}; "
            "run torchgen update to get newer versions"
        )
    check_repository(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UserError(f"cannot write to {folder}; change its permissions")
    return project
