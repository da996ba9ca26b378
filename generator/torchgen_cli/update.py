"""`torchgen update`: the template's fixes, merged with what the user did."""

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .apply import apply
from .errors import UserError
from .gitrun import GitError, git
from .health import Health, collector, compiled
from .merge import Merged, merge
from .numbers import Numbers
from .project import Project, check_reversible, read_project
from .provenance import GIT_LOCATIONS, recordable
from .releases import Releases, Version
from .render import Rendering, render
from .report import Report
from .staging import workshop_in

Show = Callable[[str], None]


@dataclass(frozen=True)
class Side:
    """A template and what it is to be rendered with."""

    template: Path
    answers: Mapping[str, Any]
    stamp: Mapping[str, str]


@dataclass(frozen=True)
class News:
    """Whether there is a newer version."""

    current: str
    latest: str
    news: bool
    changelog: dict[str, list[str]] = field(default_factory=dict)
    numbers: Numbers | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    def __str__(self) -> str:
        if not self.news:
            return f"up to date: {self.current}"
        entries = [f"  - {entry}" for entries in self.changelog.values() for entry in entries]
        return "\n".join([f"news: {self.current} -> {self.latest}", *entries, str(self.numbers)])


def check(path: str) -> News:
    """Look for a newer version; nothing is written, and the tree may be in any state."""
    project = _updatable(path)
    with workshop_in(Path(tempfile.gettempdir())) as workshop:
        releases = Releases(project.source, workshop)
        current, latest = releases.recorded(project.commit), releases.latest()
        if current.sha == latest.sha or releases.is_older(latest, current):
            return News(current.name, latest.name, False)
        _check_descent(releases, current, latest)
        numbers = releases.numbers(current, latest, project.answers)
        changelog = releases.changelog(current, latest)
        return News(current.name, latest.name, True, changelog, numbers)


def update(path: str, to: str | None, source: str | None, dry_run: bool, show: Show) -> Report:
    """Bring the project at `path` to a newer version; `show` gets the news beforehand.

    Raises `UserError` or `Interrupted`; the project is then as before.
    """
    project = _updatable(path)
    check_reversible(project)
    with workshop_in(git_folder(project)) as workshop:
        releases = Releases(source or project.source, workshop)
        current = releases.recorded(project.commit)
        target = releases.wanted(to, "--to") if to else releases.latest()
        record = recordable(source, Path.cwd()) if source else project.source
        report = Report(project.path, record, current.name, target.name, dry_run=dry_run)
        if current.sha == target.sha:
            report.done = f"up to date: {current.name}; nothing was changed"
            return report
        if releases.is_older(target, current) and to:
            raise UserError(
                f"--to {to} is older than the project's {current.name}, and an update never takes "
                "fixes away; to go back, git revert the commit of the update"
            )
        if releases.is_older(target, current):
            report.done = f"up to date: {current.name} is newer than the latest, {target.name}"
            return report
        _check_descent(releases, current, target)
        report.changelog = releases.changelog(current, target)
        report.numbers = releases.numbers(current, target, project.answers)
        show(report.before())
        old = Side(
            releases.extract(current, workshop / "old-template"), project.answers, project.stamp
        )
        new = Side(
            releases.extract(target, workshop / "new-template"),
            project.answers,
            {"_src_path": record, "_commit": target.name},
        )
        change(project, old, new, target.name, workshop, report)
    return report


def _check_descent(releases: Releases, current: Version, target: Version) -> None:
    """Refuse a version that another branch made: it would take away what the project's own has."""
    if not releases.is_older(current, target):
        raise UserError(
            f"{target.name} lacks what the project's {current.name} has: neither came from the "
            f"other; of a fork: merge {target.name} there, and tag that {target.name}+NAME.1"
        )


def change(
    project: Project, old: Side, new: Side, label: str, workshop: Path, report: Report
) -> None:
    """Merge what leads from one side to the other into the project, and report it."""
    with nullcontext() if report.dry_run else collector(project.path) as collected:
        before, after = (
            _rendered(side, workshop / name / project.path.name)
            for name, side in (("old", old), ("new", new))
        )
        _compare_answers(before, after, report)
        merged = merge(project, before, after, label, workshop / "merge")
        report.changes = merged.changes
        if not merged.changes:
            report.done = "nothing to change: the project is already so"
            return
        report.health = _health(merged, collected)
        if not report.dry_run:
            apply(project, merged, workshop)


def _compare_answers(before: Rendering, after: Rendering, report: Report) -> None:
    for name, answer in after.answers.items():
        if answer != before.answers.get(name):
            report.answers[name] = (before.answers.get(name), answer)
            if name not in before.answers:
                report.notes.append(
                    f"the template now asks for {name}, and took {answer!r}; "
                    f"another answer: torchgen set {name}=..., after a commit"
                )


def git_folder(project: Project) -> Path:
    """The repository's own folder: on the tree's disk, and out of the user's sight."""
    for name in GIT_LOCATIONS:  # no git, ours or Copier's, is to look elsewhere
        os.environ.pop(name, None)
    try:
        return Path(git(project.path, "rev-parse", "--absolute-git-dir"))
    except GitError as error:
        raise UserError(f"git refuses {project.path}: {error}") from error


def _updatable(path: str) -> Project:
    project = read_project(path)
    if not project.source or not project.commit:
        raise UserError(
            f"{project.path} records no version of the template, so what is new in it cannot be "
            "told; torchgen adopt finds it and writes it down"
        )
    return project


def _rendered(side: Side, target: Path) -> Rendering:
    target.parent.mkdir()
    return render(side.template, target, side.answers, side.stamp)


def _health(merged: Merged, collected: Callable[[Path], tuple[int | None, str]] | None) -> Health:
    """Checked before anything is written, in the merge's own folder."""
    conflicts = {conflict.path for conflict in merged.conflicts}
    errors = compiled(merged.folder, [path for path in merged.write if path not in conflicts])
    if collected is None:
        return Health(errors, None, "")
    if conflicts:
        return Health(errors, None, "once the conflicts are resolved, see that the tests run")
    return Health(errors, *collected(merged.folder))
