"""The questions as text for a terminal, as the page of the docs, and as a JSON schema."""

import textwrap
from typing import Any

from .question import ALL, NONE, Question


def as_text(questions: tuple[Question, ...], width: int) -> str:
    """The table of questions for a terminal of `width` columns."""
    blocks = []
    for question in questions:
        rows = [_row(question.flag, question.help, width)]
        for choice, advice in _choices(question).items():
            default = " (default)" if question.is_default(choice) else ""
            rows.append(_row(f"  {choice}{default}", advice, width))
        if not question.choices:
            rows.append(_row("  (default)", question.default_in_words, width))
        blocks.append("\n".join(rows))
    return "\n\n".join(blocks)


def _choices(question: Question) -> dict[str, str]:
    """The choices with their advice; of a multiselect also what stands for none and all of them."""
    if not question.several:
        return question.choices
    return {
        NONE: "none of these",
        **question.choices,
        ALL: "all of them; or some: a list with commas",
    }


def _row(left: str, right: str, width: int) -> str:
    lines = textwrap.wrap(right, max(width - 26, 30)) or [""]
    return "\n".join(f"{'' if i else left:<24}  {line}" for i, line in enumerate(lines))


def as_markdown(questions: tuple[Question, ...]) -> str:
    """The table of questions for the documentation."""
    parts = [
        "# The questions",
        "What `torchgen new` asks, the flags that answer it, and when to choose which answer.",
        "<!-- Written by `torchgen questions --markdown`; edit copier.yml instead. -->",
    ]
    for question in questions:
        parts += [f"## `{question.name}`", f"{question.help} Flag: `{question.flag}`."]
        if question.choices:
            rows = ["| answer | when to choose it, what it costs |", "|---|---|"]
            for choice, advice in _choices(question).items():
                default = " (default)" if question.is_default(choice) else ""
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
        allowed: dict[str, Any] = {"enum": list(question.choices)}
        allowed["oneOf"] = [
            {"const": choice, "description": advice} for choice, advice in question.choices.items()
        ]
        if question.several:
            allowed = {"type": "array", "items": allowed, "uniqueItems": True}
        schema |= allowed
    if question.default is not None and not question.computed:
        several = question.several
        schema["default"] = question.picked(question.default) if several else question.default
    return schema
