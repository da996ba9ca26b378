"""`torchgen update`: merge a newer version of the template into a project."""

import json
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .base.errors import UserError
from .base.project import Project, check_reversible, git_folder, read_project
from .base.staging import scratch_folder
from .merging.change import Show, Side, change
from .merging.report import Report
from .template.numbers import Numbers
from .template.places import address_of, releases_of
from .template.provenance import recordable
from .template.releases import Releases, Version, cloned


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
    """Look for a newer version; nothing is written, and uncommitted changes do not matter."""
    project = _updatable(path)
    with scratch_folder(Path(tempfile.gettempdir())) as scratch:
        releases = releases_of(project.source, project.commit, scratch)
        current, latest = releases.recorded(project.commit), releases.latest()
        if current.sha == latest.sha or releases.is_older(latest, current):
            return News(current.name, latest.name, False)
        _check_descent(releases, current, latest)
        numbers = releases.numbers(current, latest, project.answers)
        changelog = releases.changelog(current, latest)
        return News(current.name, latest.name, True, changelog, numbers)


def update(path: str, to: str | None, source: str | None, dry_run: bool, show: Show) -> Report:
    """Update the project at `path`; `show` gets the changelog before anything is written.

    Raises `UserError` or `Interrupted`; the project is then unchanged.
    """
    project = _updatable(path)
    check_reversible(project)
    with scratch_folder(git_folder(project)) as scratch:
        if source:
            releases, record = cloned(source, scratch), recordable(source, Path.cwd())
        else:
            releases = releases_of(project.source, project.commit, scratch)
            record = address_of(project.source)
        current = releases.recorded(project.commit)
        target = releases.wanted(to, "--to") if to else releases.latest()
        report = Report(project.path, record, current.name, target.name, dry_run=dry_run)
        same = current.sha == target.sha
        if same and (not source or record == project.source):
            report.done = f"up to date: {current.name}; nothing was changed"
            return report
        if releases.is_older(target, current) and to:
            raise UserError(
                f"--to {to} is older than the project's {current.name}, and an update never goes "
                "back; to undo an update, git revert its commit"
            )
        if releases.is_older(target, current):
            report.done = (
                f"up to date: {current.name} is newer than the latest release, {target.name}"
            )
            return report
        if not same:  # else the address is new
            _check_descent(releases, current, target)
            report.changelog = releases.changelog(current, target)
            report.numbers = releases.numbers(current, target, project.answers)
        show(report.before())
        old = Side(
            releases.extract(current, scratch / "old-template"), project.answers, project.stamp
        )
        new = Side(
            releases.extract(target, scratch / "new-template"),
            project.answers,
            {"_src_path": record, "_commit": target.name},
        )
        change(project, old, new, target.name, scratch, report)
    return report


def _check_descent(releases: Releases, current: Version, target: Version) -> None:
    """Raise `UserError` if the target lacks the project's version, as it would undo changes."""
    if not releases.is_older(current, target):
        raise UserError(
            f"{target.name} does not contain the project's {current.name}; if the template is a "
            f"fork, merge {target.name} there, and tag the merge {target.name}+NAME.1"
        )


def _updatable(path: str) -> Project:
    project = read_project(path)
    if not project.source or not project.commit:
        raise UserError(
            f"{project.path} does not record its version of the template; torchgen adopt finds and "
            "records it"
        )
    return project
