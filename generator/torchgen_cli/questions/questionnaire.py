"""The questions of a template, read from its copier.yml: their defaults, conditions, validators."""

import copy
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import yaml

from ..base.errors import UserError
from ..template.source import template_root
from .question import NO, Question, as_text, parse

if TYPE_CHECKING:
    from jinja2 import Environment

NAMES = ("copier.yml", "copier.yaml")


class Questionnaire:
    """The questions in order; defaults and validators are rendered as by Copier."""

    def __init__(self, root: Path) -> None:
        """Read `root/copier.yml`. Raises `UserError` if that cannot be done."""
        config = config_of(root)
        self._root = root
        self._envops = config.get("_envops", {})
        self.questions = tuple(
            parse(name, described, _needs(config, name))
            for name, described in config.items()
            if not name.startswith("_")
            and not (isinstance(described, dict) and described.get("when") is False)
        )
        self.names = tuple(question.name for question in self.questions)

    def offering(self, offers: Callable[[str, str], bool]) -> Self:
        """The same with the choices alone that `offers`, given a question and a choice, is for."""
        narrowed = copy.copy(self)
        narrowed.questions = tuple(
            replace(q, choices={c: advice for c, advice in q.choices.items() if offers(q.name, c)})
            for q in self.questions
        )
        return narrowed

    @cached_property
    def jinja(self) -> "Environment":
        """Built as in Copier, so that both give the same results."""
        from jinja2 import FileSystemLoader, StrictUndefined  # 40 ms, for new only
        from jinja2.sandbox import SandboxedEnvironment
        from jinja2_ansible_filters import AnsibleCoreFiltersExtension

        return SandboxedEnvironment(
            loader=FileSystemLoader(self._root),
            extensions=[AnsibleCoreFiltersExtension],
            **{"keep_trailing_newline": True, **self._envops, "undefined": StrictUndefined},
        )

    def default(self, question: Question, context: Mapping[str, Any]) -> str | None:
        """The default, given `_folder_name` and the answers to the questions before."""
        if question.default is None:
            return None
        return self.jinja.from_string(question.default).render(context)

    def complaint(self, question: Question, answer: str, context: Mapping[str, Any]) -> str:
        """The validator's error message for an answer; empty if it is valid."""
        validator = self.jinja.from_string(question.validator)
        return validator.render({**context, question.name: question.typed(answer)}).strip()

    def is_asked(self, question: Question, context: Mapping[str, Any]) -> bool:
        """Whether the question is asked, given the answers to the questions before.

        A condition may name the question itself: it is then asked where it has been answered.
        """
        rendered = self.jinja.from_string(question.when).render(context)
        return rendered.strip().lower() not in NO | {"", "none"}

    def typed(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        """Convert answers from text to their types; what cannot be converted stays text."""
        typed = dict(answers)
        for question in self.questions:
            with suppress(KeyError, ValueError):
                typed[question.name] = question.typed(as_text(answers[question.name]))
        return typed


def _needs(config: Mapping[str, Any], name: str) -> Any:
    """What the choices of a question need of the others: a mapping that a hidden question gives."""
    hidden = config.get(f"{name}_needs")
    return hidden.get("default") if isinstance(hidden, dict) else None


def config_of(root: Path) -> dict[str, Any]:
    """The content of the template's copier.yml. Raises `UserError` if it cannot be read."""
    file = next((root / name for name in NAMES if (root / name).is_file()), None)
    if file is None:
        raise UserError(f"the template has no {NAMES[0]}, so it is not a Copier template")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        config = yaml.load(file.read_bytes(), Loader=loader)
    except yaml.YAMLError as error:  # also !include, and several documents in one file
        raise UserError(f"cannot read the template's {file.name}: {error}") from error
    if not isinstance(config, dict):
        raise UserError(f"the template's {file.name} has no questions")
    return config


def installed() -> Questionnaire:
    """The questions of the template that came with this torchgen."""
    return Questionnaire(template_root())
