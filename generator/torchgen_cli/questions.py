"""The questions of a template, read from its copier.yml: flags, table, JSON schema, validators."""

import textwrap
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from .source import template_root

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True)
class Question:
    """One question that a user is asked."""

    name: str
    help: str
    default: str
    """May be a Jinja template; see `computed`."""
    choices: dict[str, str]
    """Answer -> one line of advice; empty where any text will do."""
    validator: str
    """A Jinja template that renders what is wrong with an answer, or nothing."""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def computed(self) -> bool:
        """Whether the default follows from the folder and the other answers."""
        return "{{" in self.default or "{%" in self.default

    @property
    def default_in_words(self) -> str:
        return "PATH's last part, folded to a-z0-9-" if self.computed else self.default

    @property
    def metavar(self) -> str:
        return "|".join(self.choices) or "TEXT"


class Questionnaire:
    """The questions in their order, with Copier's own rules for defaults and validators."""

    def __init__(self, root: Path) -> None:
        """Read `root/copier.yml`."""
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        with (root / "copier.yml").open("rb") as file:
            config = yaml.load(file, Loader=loader)
        self._root = root
        self._envops = config.get("_envops", {})
        self.questions = tuple(
            _question(name, details)
            for name, details in config.items()
            if not name.startswith("_") and details.get("when", True) is not False
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

    def default(self, question: Question, context: dict[str, str]) -> str:
        """The default, given `_folder_name` and the answers to the questions before."""
        return self._jinja.from_string(question.default).render(context)

    def complaint(self, question: Question, answer: str, context: dict[str, str]) -> str:
        """What the validator has against an answer; empty if nothing."""
        rendered = self._jinja.from_string(question.validator)
        return rendered.render({**context, question.name: answer}).strip()


def _question(name: str, details: dict[str, Any]) -> Question:
    choices = {
        str(value): label.removeprefix(f"{value}: ")
        for label, value in (details.get("choices") or {}).items()
    }
    return Question(
        name=name,
        help=details["help"],
        default=str(details["default"]),
        choices=choices,
        validator=details.get("validator", ""),
    )


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
    schema: dict[str, Any] = {"type": "string", "description": question.help}
    if question.choices:
        schema["enum"] = list(question.choices)
        schema["oneOf"] = [
            {"const": choice, "description": advice} for choice, advice in question.choices.items()
        ]
    if not question.computed:
        schema["default"] = question.default
    return schema
