"""The answers: by flags, files and defaults, in that order; checked before anything is asked.

A flag goes before `--answers FILE`, that before the team's file (TORCHGEN_ANSWERS), that before the
user's own, and that before the template's defaults.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from .errors import UserError, nearest
from .fetch import text_of
from .question import Question, as_text
from .questions import Questionnaire

RECORDED = ("_commit", "_src_path")  # so that a project's .copier-answers.yml serves as a file
TEAM = "TORCHGEN_ANSWERS"


@dataclass(frozen=True)
class Answer:
    """An answer that is not the template's default."""

    text: str
    origin: str
    """The file that says it; empty for a flag."""
    final: bool
    """Not asked for again; else it is what the wizard suggests."""


def collect(
    questionnaire: Questionnaire,
    folder_name: str,
    flags: Mapping[str, str],
    file: str | None,
    asks: bool,
) -> dict[str, Answer]:
    """The answers by flags and files, checked together with the defaults for that folder's name.

    `asks`: whether the user will be asked for the others. Raises `UserError`: exit code 2 for a
    flag or PATH, 1 for the content of a file.
    """
    from jinja2 import TemplateError, UndefinedError

    given = {name: Answer(text, "", True) for name, text in flags.items()}
    for label, final, answers in _files(file, questionnaire.names):
        for name, said in answers.items():
            given.setdefault(name, Answer(said, label, final))
    context: dict[str, Any] = {"_folder_name": folder_name}
    for question in questionnaire.questions:
        answer = given.get(question.name)
        try:
            asked = questionnaire.is_asked(question, context)
            text = answer.text if answer else questionnaire.default(question, context)
            if asked and text is None and not asks:
                raise UserError(f"{question.flag} has to be given: the template has no default", 2)
            if asked and text is not None:
                _check(questionnaire, question, text, answer, context)
        except UndefinedError:  # it depends on what is yet to be asked, and Copier will judge it
            continue
        except TemplateError as error:
            raise UserError(f"the template's question {question.name}: {error}") from error
        if not asked and not asks and answer and not answer.final:
            del given[question.name]
        elif text is not None and question.plain:
            context |= questionnaire.typed({question.name: text})
            if answer:  # yes and on become true, as the project records it
                given[question.name] = replace(answer, text=as_text(context[question.name]))
    return given


def _files(file: str | None, names: tuple[str, ...]) -> Iterator[tuple[str, bool, dict[str, str]]]:
    """The answers files from the strongest to the weakest: label, whether final, content."""
    team, own = os.environ.get(TEAM), own_file()
    if file:
        label, text = text_of(file)
        yield label, True, read_text(label, text, names)
    if team:
        try:
            label, text = text_of(team)
        except UserError as error:
            raise UserError(f"{TEAM}: {error}") from error
        yield label, False, read_text(label, text, names)
    if own.is_file():
        yield str(own), False, read_file(own, names)


def own_file() -> Path:
    """Where the user's own answers stand, if there are any."""
    from platformdirs import user_config_path  # Copier loads it as well

    return user_config_path("torchgen", appauthor=False) / "answers.yml"


def _check(
    questionnaire: Questionnaire,
    question: Question,
    text: str,
    answer: Answer | None,
    context: Mapping[str, Any],
) -> None:
    """Refuse a wrong answer, and say where it stands."""
    wrong = complaint(questionnaire, question, text, context)
    if not wrong:
        return
    if answer and answer.origin:
        raise UserError(f"{answer.origin}: {question.name}: {wrong}")
    if answer:
        raise UserError(f"{question.flag}: {wrong}", 2)
    if question.of_folder:
        remedy = f"Take another PATH, or give {question.flag}."
        raise UserError(f"PATH gives the {question.name} {text!r}: {wrong} {remedy}", 2)
    raise UserError(f"the template's own default of {question.name}: {wrong}")


def complaint(
    questionnaire: Questionnaire, question: Question, answer: str, context: Mapping[str, Any]
) -> str:
    """What is wrong with an answer, and the nearest right one; empty if nothing is."""
    if question.choices:
        if answer in question.choices:
            return ""
        listed = ", ".join(question.choices)
        return f"{answer!r} is not one of {listed}{nearest(answer, question.choices)}"
    if not question.plain:  # Copier judges it
        return ""
    try:
        question.typed(answer)
    except ValueError as error:
        return str(error)
    wrong = questionnaire.complaint(question, answer, context)
    if not wrong:
        return ""
    if question.of_folder:  # the rule that folds a folder's name mends a mistyped name as well
        folded = questionnaire.default(question, {**context, "_folder_name": answer})
        mended = folded or answer
        said = mended == answer or f"'{mended}'" in wrong  # by the validator itself
        if not said and not questionnaire.complaint(question, mended, context):
            wrong += f" Did you mean '{mended}'?"
    return wrong


def read_file(file: Path, names: tuple[str, ...]) -> dict[str, str]:
    """The answers in a YAML or TOML file, as text: `amp: off` says "off".

    Raises `UserError` if the file cannot be read, names an unknown question, or one twice.
    """
    return read_text(*text_of(str(file)), names)


def read_text(label: str, content: bytes, names: tuple[str, ...]) -> dict[str, str]:
    """The same of a file's content; `label` is what messages call it, with its suffix."""
    try:
        text = content.decode("utf-8-sig")
        pairs = _toml(text) if label.lower().endswith(".toml") else _yaml(text)
    except (ValueError, yaml.YAMLError) as error:  # not UTF-8, not TOML, not YAML, not flat
        raise UserError(f"{label}: {error}") from error
    answers: dict[str, str] = {}
    for name, value in pairs:
        if name in RECORDED:
            continue
        if name not in names:
            known = f" (the questions: {', '.join(names)})"
            raise UserError(f"{label}: no question is called {name!r}{nearest(name, names)}{known}")
        if name in answers:
            raise UserError(f"{label}: {name} is answered twice; keep one")
        answers[name] = value
    return answers


def _yaml(text: str) -> list[tuple[str, str]]:
    """Key and value as they are written: no YAML 1.1 surprises (off, no, 1_000, 1:30)."""
    root = yaml.compose(text, Loader=yaml.BaseLoader)
    if root is None:
        return []
    if not isinstance(root, yaml.MappingNode):
        raise ValueError("expected lines of the form `question: answer`")
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode) or not isinstance(value, yaml.ScalarNode):
            line = value.start_mark.line + 1
            raise ValueError(f"line {line}: expected `question: answer`, with text as the answer")
    return [(key.value, value.value) for key, value in root.value]


def _toml(text: str) -> list[tuple[str, str]]:
    pairs = list(tomllib.loads(text).items())
    for name, value in pairs:
        if not isinstance(value, str):
            raise ValueError(f'{name}: write the answer in quotes, as in {name} = "..."')
    return pairs
