"""`torchgen set`: change answers, and merge the difference into the project."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .base.errors import UserError
from .base.output import EXTRA, answer_in_words
from .base.project import Project, check_reversible, git_folder, read_project
from .base.staging import scratch_folder
from .merging.change import Show, Side, change
from .merging.report import Report
from .questions.answers import complaint
from .questions.question import NONE, as_text, nearest_question
from .questions.questionnaire import Questionnaire
from .template.places import releases_of
from .template.source import installed

Choose = Callable[[Questionnaire, Mapping[str, Any]], Mapping[str, str]]


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


def set_answers(given: Mapping[str, str] | Choose, path: str, dry_run: bool, show: Show) -> Report:
    """Render the project at `path` with other answers and merge what that changes.

    `given` may compute them from the questions and the project's answers. Raises `UserError` or
    `Interrupted`; the project is then unchanged.
    """
    project = read_project(path)
    check_reversible(project)
    with scratch_folder(git_folder(project)) as scratch:
        template = template_of(project, scratch)
        questionnaire = Questionnaire(template)
        answers = recorded(questionnaire, project.answers)
        given = given(questionnaire, answers) if callable(given) else given
        _check(questionnaire, given, answers, project.path.name)
        wanted = recorded(questionnaire, {**answers, **given})
        version = project.commit or "of an unknown version"
        report = Report(project.path, project.source, version, version, dry_run=dry_run)
        pairs = [f"{name}={answer_in_words(wanted[name])}" for name in given]
        report.notes += _brought(questionnaire, given)
        if wanted == answers:
            listed = ", ".join(pairs)
            report.done = f"already {listed}; nothing was changed"
            return report
        old = Side(template, answers, project.stamp)
        new = Side(template, wanted, project.stamp)
        label = re.sub(r"[^A-Za-z0-9=_-]+", "-", ",".join(pairs))
        change(project, old, new, label.strip("-")[:60], scratch, report)
        if report.changes:
            report.next = list(_next(given, wanted, report))
        if "project_name" in given and report.changes:
            report.notes.append(
                "the package was renamed: update imports of the old name in your own files"
            )
        show(report.before())
    return report


def recorded(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Answers as a project records them: text, but a list for a multiselect.

    A project that is older than a multiselect has none of its choices.
    """
    lists = {
        question.name: question.typed(as_text(answers.get(question.name, NONE)))
        for question in questionnaire.questions
        if question.several
    }
    return {**answers, **lists}


def _brought(questionnaire: Questionnaire, given: Mapping[str, str]) -> Iterator[str]:
    """A line for each choice that comes along, as another needs it."""
    for question in questionnaire.questions:
        if question.name in given:
            yield from question.brought(given[question.name])


def _next(given: Mapping[str, str], answers: dict[str, Any], report: Report) -> Iterator[str]:
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


def template_of(project: Project, scratch: Path) -> Path:
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
    questionnaire: Questionnaire, given: Mapping[str, str], answers: dict[str, Any], folder: str
) -> None:
    """Raise `UserError` for unknown questions and invalid answers."""
    for name in given:
        if name not in questionnaire.names:
            known = ", ".join(questionnaire.names)
            hint = nearest_question(name, questionnaire.questions)
            raise UserError(f"no question is called {name!r}{hint} (the questions: {known})", 2)
    context = {"_folder_name": folder, **questionnaire.typed({**answers, **given})}
    for question in questionnaire.questions:
        if question.name not in given:
            continue
        wrong = complaint(questionnaire, question, given[question.name], context)
        if wrong:
            raise UserError(f"{question.name}: {wrong}", 2)
