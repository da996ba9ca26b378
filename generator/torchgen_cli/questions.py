"""The questions of a template, read from its copier.yml: flags, table, JSON schema, validators."""

import textwrap
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from .errors import UserError
from .question import NO, Question, parse
from .source import template_root

if TYPE_CHECKING:
    from jinja2 import Environment

NAMES = ("copier.yml", "copier.yaml")


class Questionnaire:
    """The questions in their order, with Copier's own rules for defaults and validators."""

    def __init__(self, root: Path) -> None:
        """Read `root/copier.yml`. Raises `UserError` if that cannot be done."""
        config = _config(root)
        self._root = root
        self._envops = config.get("_envops", {})
        self.questions = tuple(
            parse(name, described)
            for name, described in config.items()
            if not name.startswith("_")
            and not (isinstance(described, dict) and described.get("when") is False)
        )
        self.names = tuple(question.name for question in self.questions)

    @cached_property
    def _jinja(self) -> "Environment":
        """As Copier builds it, so that both judge alike."""
        from jinja2 import FileSystemLoader, StrictUndefined  # 40 ms, for new only
        from jinja2.sandbox import SandboxedEnvironment
        from jinja2_ansible_filters import AnsibleCoreFiltersExtension

        return SandboxedEnvironment(
            loader=FileSystemLoader(self._root),
            extensions=[AnsibleCoreFiltersExtension],
            **{**self._envops, "undefined": StrictUndefined},
        )

    def default(self, question: Question, context: Mapping[str, Any]) -> str | None:
        """The default, given `_folder_name` and the answers to the questions before."""
        if question.default is None:
            return None
        return self._jinja.from_string(question.default).render(context)

    def complaint(self, question: Question, answer: str, context: Mapping[str, Any]) -> str:
        """What the validator has against an answer; empty if nothing."""
        validator = self._jinja.from_string(question.validator)
        return validator.render({**context, question.name: question.typed(answer)}).strip()

    def is_asked(self, question: Question, context: Mapping[str, Any]) -> bool:
        """Whether the answers to the questions before leave anything to ask."""
        said = self._jinja.from_string(question.when).render(context)
        return said.strip().lower() not in NO | {"", "none"}

    def typed(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        """Answers that were written as text, as templates see them; nonsense stays text."""
        typed = dict(answers)
        for question in self.questions:
            with suppress(KeyError, ValueError):
                typed[question.name] = question.typed(str(answers[question.name]))
        return typed


def _config(root: Path) -> dict[str, Any]:
    file = next((root / name for name in NAMES if (root / name).is_file()), None)
    if file is None:
        raise UserError(f"the template has no {NAMES[0]}, so it is none of Copier's")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        config = yaml.load(file.read_bytes(), Loader=loader)
    except yaml.YAMLError as error:  # also !include, and several documents in one file
        raise UserError(f"{file.name} of the template cannot be read: {error}") from error
    if not isinstance(config, dict):
        raise UserError(f"{file.name} of the template asks no question")
    return config


def installed() -> Questionnaire:
    """The questions of the template that came with this torchgen."""
    return Questionnaire(template_root())


def as_text(questions: tuple[Question, ...], width: int) -> str:
    """The table of questions for a terminal of `width` columns."""
    blocks = []
    for question in questions:
        rows = [_row(question.flag, question.help, width)]
        for choice, advice in question.choices.items():
            default = " (default)" if choice == question.default else ""
            rows.append(_row(f"  {choice}{default}", advice, width))
        if not question.choices:
            rows.append(_row("  (default)", question.default_in_words, width))
        blocks.append("\n".join(rows))
    return "\n\n".join(blocks)


def _row(left: str, right: str, width: int) -> str:
    lines = textwrap.wrap(right, max(width - 26, 30)) or [""]
    return "\n".join(f"{'' if i else left:<24}  {line}" for i, line in enumerate(lines))


def as_markdown(questions: tuple[Question, ...]) -> str:
    """The table of questions for the documentation."""
    parts = [
        "# The questions",
        "What `torchgen new` asks, the flags that answer instead, and when to take which choice.",
        "<!-- Written by `torchgen questions --markdown`; edit copier.yml instead. -->",
    ]
    for question in questions:
        parts += [f"## `{question.name}`", f"{question.help} Flag: `{question.flag}`."]
        if question.choices:
            rows = ["| answer | when to take it, what it costs |", "|---|---|"]
            for choice, advice in question.choices.items():
                default = " (default)" if choice == question.default else ""
                rows.append(f"| `{choice}`{default} | {advice} |")
            parts.append("\n".join(rows))
        else:
            parts.append(f"Default: {question.default_in_words}.")
    return "\n\n".join(parts)


def as_schema(questions: tuple[Question, ...]) -> dict[str, Any]:
    """A JSON schema of an answers file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Answers for torchgen new",
        "type": "object",
        "additionalProperties": False,
        "properties": {question.name: _property(question) for question in questions},
    }


def _property(question: Question) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "description": question.help, **question.limits}
    if question.choices:
        schema["enum"] = list(question.choices)
        schema["oneOf"] = [
            {"const": choice, "description": advice} for choice, advice in question.choices.items()
        ]
    if question.default is not None and not question.computed:
        schema["default"] = question.default
    return schema
