"""`torchgen add`, `remove` and `extras`: code that a project has where it is wanted."""

import json
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .base.errors import UserError
from .base.project import ANSWERS_FILE, read_project
from .base.staging import scratch_folder
from .merging.change import Show
from .merging.report import Report
from .questions.answers import complaint
from .questions.question import Question
from .questions.questionnaire import Questionnaire
from .set_answers import recorded, set_answers, template_of
from .template.render import render
from .template.source import installed

QUESTION = "extras"


def add(names: Sequence[str], path: str, dry_run: bool, show: Show) -> Report:
    """Put the extras into the project at `path`. Raises as `set_answers` does."""

    def chosen(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> dict[str, str]:
        question = _question(questionnaire)
        return {QUESTION: ",".join([*answers[QUESTION], *_named(questionnaire, question, names)])}

    report = set_answers(chosen, path, dry_run, show)
    return _worded(report, f"already has {', '.join(names)}")


def remove(names: Sequence[str], path: str, dry_run: bool, show: Show) -> Report:
    """Take the extras out of the project. Raises `UserError` also where another needs one."""

    def chosen(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> dict[str, str]:
        question = _question(questionnaire)
        gone = _named(questionnaire, question, names)
        rest = [name for name in answers[QUESTION] if name not in gone]
        for name in rest:
            needed = [other for other in question.needs.get(name, ()) if other in gone]
            if needed:
                both = " ".join([name, *gone])
                raise UserError(
                    f"{name} needs {needed[0]}, which stays; or: torchgen remove {both}"
                )
        return {QUESTION: ",".join(rest)}

    report = set_answers(chosen, path, dry_run, show)
    return _worded(report, f"already without {', '.join(names)}")


def _question(questionnaire: Questionnaire) -> Question:
    for question in questionnaire.questions:
        if question.name == QUESTION and question.several:
            return question
    raise UserError("this version of the template has no extras; torchgen update may bring them")


def _named(questionnaire: Questionnaire, question: Question, names: Sequence[str]) -> list[str]:
    """The extras of a command line. Raises `UserError` for an unknown one."""
    text = ",".join(names)
    if wrong := complaint(questionnaire, question, text, {}):
        raise UserError(wrong, 2)
    if not question.named(text):
        raise UserError(f"name an extra: {', '.join(question.choices)}", 2)
    return question.named(text)


def _worded(report: Report, done: str) -> Report:
    if report.done and not report.answers:
        report.done = f"{done}; nothing was changed"
    return report


@dataclass(frozen=True)
class Extra:
    """One extra, and what it adds to a project that has no other."""

    name: str
    advice: str
    needs: tuple[str, ...]
    files: dict[str, int]
    """How many lines it adds to each file."""
    packages: list[str]
    """Those of the pip extra of the same name."""
    chosen: bool | None
    """Whether the project has it; None without a project."""

    def __str__(self) -> str:
        mark = "" if self.chosen is None else "[x] " if self.chosen else "[ ] "
        counts = Counter(str(Path(file).parent) for file in self.files)
        places = [
            f"{folder}/ ({count})"
            for folder, count in counts.items()
            if count > 1 and folder != "."
        ]
        places += [
            file
            for file in self.files
            if counts[folder := str(Path(file).parent)] == 1 or folder == "."
        ]
        lines = [f"{mark}{self.name}  {self.advice}"]
        if places:
            lines.append(f"{sum(self.files.values())} lines in {', '.join(places)}")
        if self.needs:
            lines.append(f"needs {', '.join(self.needs)}")
        if self.packages:
            lines.append(f"packages: {', '.join(self.packages)}")
        return "\n      ".join(lines)


def extras(path: str | None) -> list[Extra]:
    """The extras of the project's version of the template; without a project of the installed one.

    Raises `UserError`.
    """
    project = read_project(path) if path else None
    with scratch_folder(Path(tempfile.gettempdir())) as scratch:
        folder = template_of(project, scratch) if project else installed(scratch).folder
        questionnaire = Questionnaire(folder)
        question = _question(questionnaire)
        answers = recorded(
            questionnaire, project.answers if project else {"project_name": "myproj"}
        )
        name = project.path.name if project else "myproj"

        def rendered(chosen: list[str]) -> dict[str, list[bytes]]:
            target = scratch / "-".join(["with", *chosen]) / name
            target.parent.mkdir()
            render(folder, target, {**answers, QUESTION: chosen}, {})
            return _lines(target)

        none = rendered([])
        return [
            Extra(
                name=choice,
                advice=advice,
                needs=question.needs.get(choice, ()),
                files=_added(none, alone := rendered([choice])),
                packages=_packages(alone, choice),
                chosen=choice in answers[QUESTION] if project else None,
            )
            for choice, advice in question.choices.items()
        ]


def as_json(found: Sequence[Extra]) -> str:
    return json.dumps([{**asdict(one), "lines": sum(one.files.values())} for one in found])


def as_text(found: Sequence[Extra]) -> str:
    return "\n".join(map(str, found))


def _lines(tree: Path) -> dict[str, list[bytes]]:
    """The lines of each file except the answers file."""
    files = sorted(file for file in tree.rglob("*") if file.is_file())
    return {
        file.relative_to(tree).as_posix(): file.read_bytes().splitlines()
        for file in files
        if file.name != ANSWERS_FILE
    }


def _added(before: dict[str, list[bytes]], after: dict[str, list[bytes]]) -> dict[str, int]:
    """How many lines each file has more, where it changed."""
    return {
        file: (Counter(lines) - Counter(before.get(file, []))).total()
        for file, lines in after.items()
        if lines != before.get(file)
    }


def _packages(files: dict[str, list[bytes]], extra: str) -> list[str]:
    content = b"\n".join(files.get("pyproject.toml", []))
    project = tomllib.loads(content.decode("utf-8")).get("project", {})
    packages: list[str] = project.get("optional-dependencies", {}).get(extra, [])
    return packages
