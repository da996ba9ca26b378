"""The answers from flags, files and defaults, in that order, checked before anything is asked.

A flag takes precedence over `--answers FILE`, that over the team's file (TORCHGEN_ANSWERS), that
over the user's own file, and that over the template's defaults.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..base.errors import UserError, nearest
from .answers_file import read_file, read_text, text_of
from .question import Question, as_text
from .questionnaire import Questionnaire

TEAM = "TORCHGEN_ANSWERS"


@dataclass(frozen=True)
class Answer:
    """An answer that is not the template's default."""

    text: str
    origin: str
    """The file that it is from; empty for a flag."""
    final: bool
    """Whether the question is skipped; otherwise the wizard suggests the answer."""


def collect(
    questionnaire: Questionnaire,
    folder_name: str,
    flags: Mapping[str, str],
    file: str | None,
    asks: bool,
) -> dict[str, Answer]:
    """The answers from flags and files, checked together with the defaults for the folder's name.

    `asks`: whether the user will be asked for the others. Raises `UserError`: exit code 2 for a
    flag or PATH, 1 for the content of a file.
    """
    from jinja2 import TemplateError, UndefinedError

    given = {name: Answer(text, "", True) for name, text in flags.items()}
    for label, final, answers in _files(file, questionnaire.questions):
        for name, value in answers.items():
            given.setdefault(name, Answer(value, label, final))
    context: dict[str, Any] = {"_folder_name": folder_name}
    for question in questionnaire.questions:
        answer = given.get(question.name)
        try:
            own = {question.name: answer.text} if answer else {}
            asked = questionnaire.is_asked(question, context | own)
            default = questionnaire.default(question, context)
            text = answer.text if answer else default
            if asked and text is None and not asks:
                raise UserError(f"{question.flag} is required: the template has no default", 2)
            if asked and text is not None:
                _check(questionnaire, question, text, answer, context)
        except UndefinedError:  # depends on a question yet to be asked; Copier checks it
            continue
        except TemplateError as error:
            raise UserError(f"the template's question {question.name}: {error}") from error
        if not asked and answer and (text == default or not (asks or answer.final)):
            del given[question.name]
        elif text is not None and question.plain:
            context |= questionnaire.typed({question.name: text})
            if answer:  # yes and on become true, as the project records it
                given[question.name] = replace(answer, text=as_text(context[question.name]))
    return given


def _files(
    file: str | None, questions: tuple[Question, ...]
) -> Iterator[tuple[str, bool, dict[str, str]]]:
    """The answers files, highest precedence first: label, whether final, content."""
    team, own = os.environ.get(TEAM), own_file()
    if file:
        label, text = text_of(file)
        yield label, True, read_text(label, text, questions)
    if team:
        try:
            label, text = text_of(team)
        except UserError as error:
            raise UserError(f"{TEAM}: {error}") from error
        yield label, False, read_text(label, text, questions)
    if own.is_file():
        yield str(own), False, read_file(own, questions)


def own_file() -> Path:
    """The path of the user's own answers file, which may not exist."""
    from platformdirs import user_config_path  # Copier loads it as well

    return user_config_path("torchgen", appauthor=False) / "answers.yml"


def _check(
    questionnaire: Questionnaire,
    question: Question,
    text: str,
    answer: Answer | None,
    context: Mapping[str, Any],
) -> None:
    """Raise `UserError` for an invalid answer, with where it is from."""
    wrong = complaint(questionnaire, question, text, context)
    if not wrong:
        return
    if answer and answer.origin:
        raise UserError(f"{answer.origin}: {question.name}: {wrong}")
    if answer:
        raise UserError(f"{question.flag}: {wrong}", 2)
    if question.of_folder:
        remedy = f"Choose another PATH, or give {question.flag}."
        raise UserError(f"the {question.name} from PATH is {text!r}: {wrong} {remedy}", 2)
    raise UserError(f"the template's default for {question.name}: {wrong}")


def complaint(
    questionnaire: Questionnaire, question: Question, answer: str, context: Mapping[str, Any]
) -> str:
    """What is wrong with an answer, and the most similar valid one; empty if it is valid."""
    if question.choices:
        given = question.named(answer) if question.several else [answer]
        strange = next((choice for choice in given if choice not in question.choices), None)
        if strange is None:
            return ""
        listed = ", ".join(question.choices)
        return f"{strange!r} is not one of {listed}{nearest(strange, question.choices)}"
    if not question.plain:  # Copier checks it
        return ""
    try:
        question.typed(answer)
    except ValueError as error:
        return str(error)
    wrong = questionnaire.complaint(question, answer, context)
    if not wrong:
        return ""
    if question.of_folder:  # what converts a folder's name also corrects a mistyped name
        default = questionnaire.default(question, {**context, "_folder_name": answer})
        corrected = default or answer
        suggested = corrected == answer or f"'{corrected}'" in wrong  # by the validator itself
        if not suggested and not questionnaire.complaint(question, corrected, context):
            wrong += f" Did you mean '{corrected}'?"
    return wrong
