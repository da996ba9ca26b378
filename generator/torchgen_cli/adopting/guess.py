"""Guess from its files which answers a project was made with."""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ..questions.answers import complaint
from ..questions.question import NONE, Question, as_text
from ..questions.questionnaire import Questionnaire
from .likeness import Fit, Tree

Answers = dict[str, str]
Options = dict[str, list[str]]


def options_of(
    questionnaire: Questionnaire, tree: Tree, folder_name: str, recorded: Mapping[str, Any]
) -> Options:
    """For each question the valid answers to try, the likeliest first."""
    clues = {"project_name": _names(tree), "description": _descriptions(tree)}
    context: dict[str, Any] = {"_folder_name": folder_name}
    options: Options = {}
    for question in questionnaire.questions:
        default = questionnaire.default(question, context)
        possible = [recorded.get(question.name), *clues.get(question.name, ()), default]
        if question.name not in clues:  # not recorded in pyproject.toml
            possible = [*possible[:1], default, *_choices(question)]
        right = dict.fromkeys(
            text
            for text in (as_text(answer) for answer in possible if answer is not None)
            if not complaint(questionnaire, question, text, context)
        )
        if right:
            options[question.name] = list(right)[:1] if question.several else list(right)
            context |= questionnaire.typed({question.name: options[question.name][0]})
    return options


def best(
    start: Answers, options: Options, several: Sequence[Question], fit: Callable[[Answers], Fit]
) -> Answers:
    """The answers that fit best: one question at a time, until no other answer fits better.

    The questions affect mostly different lines, so about two renderings per choice are enough,
    where trying all sets of answers would take their product. Each choice of the multiselects
    `several` counts as a question of its own.
    """
    found = start
    while True:
        before = found
        for name, answers in options.items():
            if fit(found).exact:
                break
            others = [{**found, name: answer} for answer in answers if answer != found.get(name)]
            found = max([found, *others], key=lambda one: fit(one).score)
        for question in several:
            for choice in question.choices:
                other = {**found, question.name: _toggled(question, found, choice)}
                found = max([found, other], key=lambda one: fit(one).score)
        if found == before:
            return found


def _toggled(question: Question, answers: Answers, choice: str) -> str:
    """The answer to a multiselect with the choice, or without it where it is there."""
    before = question.named(answers.get(question.name, NONE))
    rest = [other for other in before if other != choice]
    return as_text(rest if choice in before else question.picked(",".join([*rest, choice])))


def _choices(question: Question) -> Iterable[str]:
    return ("true", "false") if question.type == "bool" else question.choices


def _names(tree: Tree) -> list[str]:
    """pyproject's name, and that of the folder with train.py."""
    scripts = (PurePosixPath(name) for name in tree.names if name.endswith("/train.py"))
    packages = sorted((script.parent for script in scripts), key=lambda path: len(path.parts))
    return [
        name.replace("_", "-").lower()
        for name in (_pyproject(tree).get("name"), *(package.name for package in packages[:1]))
        if isinstance(name, str)
    ]


def _descriptions(tree: Tree) -> list[str]:
    """pyproject's, and the first line of the README that is no heading."""
    readme = tree.content("README.md").decode("utf-8", "replace").splitlines()
    lines = [line.strip() for line in readme if line.strip() and not line.startswith("#")]
    return [
        text
        for text in (_pyproject(tree).get("description"), *lines[:1])
        if isinstance(text, str) and text
    ]


def _pyproject(tree: Tree) -> dict[str, Any]:
    try:
        project = tomllib.loads(tree.content("pyproject.toml").decode("utf-8")).get("project")
    except ValueError:
        return {}
    return project if isinstance(project, dict) else {}
