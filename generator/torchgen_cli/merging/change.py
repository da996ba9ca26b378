"""Render a project with two templates or two sets of answers, and merge the difference into it."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.output import answer_in_words
from ..base.project import Project, ignored
from ..template.render import Rendering, render
from .apply import apply
from .health import Health, collector, compiled
from .merge import Merged, merge
from .report import Report

Show = Callable[[str], None]


@dataclass(frozen=True)
class Side:
    """A template and the answers to render it with."""

    template: Path
    answers: Mapping[str, Any]
    stamp: Mapping[str, str]


def change(
    project: Project, old: Side, new: Side, label: str, scratch: Path, report: Report
) -> None:
    """Merge the difference between two sides into the project, and fill in the report."""
    with nullcontext() if report.dry_run else collector(project.path) as collected:
        before, after = (
            _rendered(side, scratch / name / project.path.name)
            for name, side in (("old", old), ("new", new))
        )
        _compare_answers(before, after, report)
        merged = merge(project, before, after, label, scratch / "merge")
        report.changes = merged.changes
        if not merged.changes:
            report.done = "nothing to change: the project already has these changes"
            return
        report.health = _health(merged, collected)
        if not report.dry_run:
            apply(project, merged, scratch)
            note = ignored(project.path, list(merged.write))
            report.notes += [note] if note else []


def _compare_answers(before: Rendering, after: Rendering, report: Report) -> None:
    # what nobody asks is recorded only where it is not the default
    for name in {**before.answers, **after.answers}:
        old, answer = before.settled.get(name), after.settled.get(name)
        if answer != old and name in after.settled:
            report.answers[name] = (old, answer)
            if name not in before.settled:
                report.notes.append(
                    f"the template has a new question, {name}, answered by its default "
                    f"'{answer_in_words(answer)}'; to change that: commit, then "
                    f"torchgen set {name}=..."
                )


def _rendered(side: Side, target: Path) -> Rendering:
    target.parent.mkdir()
    return render(side.template, target, side.answers, side.stamp)


def _health(merged: Merged, collected: Callable[[Path], tuple[int | None, str]] | None) -> Health:
    """Check the merged project before it is written."""
    conflicts = {conflict.path for conflict in merged.conflicts}
    errors = compiled(merged.folder, [path for path in merged.write if path not in conflicts])
    if collected is None:
        return Health(errors, None, "")
    if conflicts:
        return Health(errors, None, "once the conflicts are resolved, run the tests")
    return Health(errors, *collected(merged.folder))
