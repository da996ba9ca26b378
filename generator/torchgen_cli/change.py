"""`torchgen set`: another answer, merged with what the user did."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .answers import complaint
from .errors import UserError, nearest
from .project import Project, check_reversible, read_project
from .questions import Questionnaire
from .releases import Releases
from .report import Report
from .source import installed
from .staging import workshop_in
from .update import Show, Side, change, git_folder


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
            raise UserError(f"{word!r} is no QUESTION=ANSWER, and PATH comes last", 2)
        if name in answers:
            raise UserError(f"{name} is answered twice; keep one", 2)
        answers[name] = answer
    if not answers:
        raise UserError("give QUESTION=ANSWER, as in: torchgen set amp=bf16", 2)
    return answers, path


def set_answers(given: dict[str, str], path: str, dry_run: bool, show: Show) -> Report:
    """Render the project at `path` with other answers and merge what that changes.

    Raises `UserError` or `Interrupted`; the project is then as before.
    """
    project = read_project(path)
    check_reversible(project)
    with workshop_in(git_folder(project)) as workshop:
        template = _template(project, workshop)
        _check(Questionnaire(template), given, project.answers, project.path.name)
        version = project.commit or "of an unknown version"
        report = Report(project.path, project.source, version, version, dry_run=dry_run)
        if all(project.answers.get(name) == answer for name, answer in given.items()):
            said = ", ".join(f"{name}={answer}" for name, answer in given.items())
            report.done = f"{said} already; nothing was changed"
            return report
        old = Side(template, project.answers, project.stamp)
        new = Side(template, {**project.answers, **given}, project.stamp)
        label = re.sub(r"[^A-Za-z0-9=_-]+", "-", ",".join(f"{k}={v}" for k, v in given.items()))
        change(project, old, new, label.strip("-")[:60], workshop, report)
        if "project_name" in given and report.changes:
            report.notes.append(
                "the package has another name: install it anew (pip install -e .), and mend "
                "imports of the old name in files of your own"
            )
        show(report.before())
    return report


def _template(project: Project, workshop: Path) -> Path:
    """The template of the project's own version: the installed one if that is it."""
    own = installed(workshop)
    if own.stamp == project.stamp:
        return own.folder
    if not project.source or not project.commit:
        raise UserError(
            f"{project.path} records no version of the template, so what an answer changes cannot "
            "be told; torchgen adopt finds it and writes it down"
        )
    releases = Releases(project.source, workshop)
    return releases.extract(releases.recorded(project.commit), workshop / "own-template")


def _check(
    questionnaire: Questionnaire, given: dict[str, str], answers: dict[str, Any], folder: str
) -> None:
    """Refuse unknown questions and bad answers, as `new` does."""
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
