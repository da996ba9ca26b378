"""`torchgen set`: change answers, and merge the difference into the project."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .base.errors import UserError, nearest
from .base.output import EXTRA
from .base.project import Project, check_reversible, git_folder, read_project
from .base.staging import scratch_folder
from .merging.change import Show, Side, change
from .merging.report import Report
from .questions.answers import complaint
from .questions.questionnaire import Questionnaire
from .template.places import releases_of
from .template.source import installed


def parse(words: Sequence[str]) -> tuple[dict[str, str], str]:
    """The answers and PATH of a command line `QUESTION=ANSWER ... [PATH]`."""
    path = "."
    if words and (os.path.isdir(words[-1]) or "=" not in words[-1]):
        *words, path = words
    answers: dict[str, str] = {}
    for word in words:
        name, equals, answer = word.partition("=")
        name = name.removeprefix("--").replace("-", "_")
        if not equals:
            raise UserError(f"{word!r} is not QUESTION=ANSWER; PATH comes last", 2)
        if name in answers:
            raise UserError(f"{name} is answered twice; remove one", 2)
        answers[name] = answer
    if not answers:
        raise UserError("give QUESTION=ANSWER, as in: torchgen set amp=bf16", 2)
    return answers, path


def set_answers(given: dict[str, str], path: str, dry_run: bool, show: Show) -> Report:
    """Render the project at `path` with other answers and merge what that changes.

    Raises `UserError` or `Interrupted`; the project is then unchanged.
    """
    project = read_project(path)
    check_reversible(project)
    with scratch_folder(git_folder(project)) as scratch:
        template = _template(project, scratch)
        _check(Questionnaire(template), given, project.answers, project.path.name)
        version = project.commit or "of an unknown version"
        report = Report(project.path, project.source, version, version, dry_run=dry_run)
        if all(project.answers.get(name) == answer for name, answer in given.items()):
            listed = ", ".join(f"{name}={answer}" for name, answer in given.items())
            report.done = f"already {listed}; nothing was changed"
            return report
        old = Side(template, project.answers, project.stamp)
        new = Side(template, {**project.answers, **given}, project.stamp)
        label = re.sub(r"[^A-Za-z0-9=_-]+", "-", ",".join(f"{k}={v}" for k, v in given.items()))
        change(project, old, new, label.strip("-")[:60], scratch, report)
        if report.changes:
            report.next = list(_next(given, {**project.answers, **given}, report))
        if "project_name" in given and report.changes:
            report.notes.append(
                "the package was renamed: update imports of the old name in your own files"
            )
        show(report.before())
    return report


def _next(given: dict[str, str], answers: dict[str, Any], report: Report) -> Iterator[str]:
    """The commands to run after these answers changed."""
    package = answers.get("project_name", "").replace("-", "_")
    if any(change.path == "pyproject.toml" for change in report.changes):
        yield f"pip install -e {EXTRA}   # the dependencies changed"
    if "data_format" in given:
        yield f"python -m {package}.prepare --source DIR   # or --demo: the data in the new format"
    if given.get("parallelism", "single") != "single":
        yield f"torchrun --nproc-per-node 2 -m {package}.train   # one process per GPU"
    elif "parallelism" in given:
        yield f"python -m {package}.train   # without torchrun"


def _template(project: Project, scratch: Path) -> Path:
    """The template at the project's version; the installed one if it has that version."""
    own = installed(scratch)
    if own.stamp == project.stamp:
        return own.folder
    if not project.source or not project.commit:
        raise UserError(
            f"{project.path} does not record its version of the template; torchgen adopt finds and "
            "records it"
        )
    releases = releases_of(project.source, project.commit, scratch)
    return releases.extract(releases.recorded(project.commit), scratch / "own-template")


def _check(
    questionnaire: Questionnaire, given: dict[str, str], answers: dict[str, Any], folder: str
) -> None:
    """Raise `UserError` for unknown questions and invalid answers."""
    for name in given:
        if name not in questionnaire.names:
            known = ", ".join(questionnaire.names)
            hint = nearest(name, questionnaire.names)
            raise UserError(f"no question is called {name!r}{hint} (the questions: {known})", 2)
    context = {"_folder_name": folder, **questionnaire.typed({**answers, **given})}
    for question in questionnaire.questions:
        if question.name not in given:
            continue
        wrong = complaint(questionnaire, question, given[question.name], context)
        if wrong:
            raise UserError(f"{question.name}: {wrong}", 2)
