"""The answers: defaults, an answers file, flags; each checked before anything is asked."""

import tomllib
from pathlib import Path

import yaml

from .errors import UserError, nearest
from .questions import Question, Questionnaire

RECORDED = ("_commit", "_src_path")  # so that a project's .copier-answers.yml serves as a file


def collect(
    questionnaire: Questionnaire, folder_name: str, flags: dict[str, str], file: Path | None
) -> dict[str, str]:
    """The answers by flags and the file, checked together with the defaults for that folder's name.

    Raises `UserError`: exit code 2 for a flag or PATH, 1 for the content of the file.
    """
    from_file = read_file(file, questionnaire.names) if file else {}
    given = {**from_file, **flags}
    resolved: dict[str, str] = {}
    for question in questionnaire.questions:
        context = {"_folder_name": folder_name, **resolved}
        answer = given.get(question.name)
        if answer is None:
            answer = questionnaire.default(question, context)
        wrong = complaint(questionnaire, question, answer, context)
        if wrong and question.name in flags:
            raise UserError(f"{question.flag}: {wrong}", 2)
        if wrong and question.name in from_file:
            raise UserError(f"{file}: {question.name}: {wrong}")
        if wrong:  # only a default that follows from PATH can be wrong
            remedy = f"Take another PATH, or give {question.flag}."
            raise UserError(f"PATH gives the {question.name} {answer!r}: {wrong} {remedy}", 2)
        resolved[question.name] = answer
    return given


def complaint(
    questionnaire: Questionnaire, question: Question, answer: str, context: dict[str, str]
) -> str:
    """What is wrong with an answer, and the nearest right one; empty if nothing is."""
    if question.choices:
        if answer in question.choices:
            return ""
        listed = ", ".join(question.choices)
        return f"{answer!r} is not one of {listed}{nearest(answer, question.choices)}"
    wrong = questionnaire.complaint(question, answer, context)
    if not wrong:
        return ""
    if question.computed:  # the rule that folds a folder's name mends a mistyped name as well
        mended = questionnaire.default(question, {**context, "_folder_name": answer})
        if mended != answer and not questionnaire.complaint(question, mended, context):
            wrong += f" Did you mean '{mended}'?"
    return wrong


def read_file(file: Path, names: tuple[str, ...]) -> dict[str, str]:
    """The answers in a YAML or TOML file, as text: `amp: off` says "off".

    Raises `UserError` if the file cannot be read, names an unknown question, or one twice.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
        pairs = _toml(text) if file.suffix.lower() == ".toml" else _yaml(text)
    except OSError as error:
        raise UserError(f"cannot read the answers file {file}: {error.strerror}", 2) from error
    except (ValueError, yaml.YAMLError) as error:  # not UTF-8, not TOML, not YAML, not flat
        raise UserError(f"{file}: {error}") from error
    answers: dict[str, str] = {}
    for name, value in pairs:
        if name in RECORDED:
            continue
        if name not in names:
            known = f" (the questions: {', '.join(names)})"
            raise UserError(f"{file}: no question is called {name!r}{nearest(name, names)}{known}")
        if name in answers:
            raise UserError(f"{file}: {name} is answered twice; keep one")
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
