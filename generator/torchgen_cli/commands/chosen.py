"""The template that `new` renders, and the flags that its questions give."""

import inspect
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..questions.question import Question
    from ..questions.questionnaire import Questionnaire
    from ..template.source import Template


@dataclass(frozen=True)
class Chosen:
    """The template to render, and its questions."""

    template: "Template | None"
    """None: the installed one."""
    questionnaire: "Questionnaire"

    @property
    def recipes(self) -> Path:
        """The folder of the template's recipes."""
        from ..recipes import FOLDER
        from ..template.source import template_root

        return (self.template.folder if self.template else template_root()) / FOLDER


def choose(context: typer.Context, words: Sequence[str]) -> Chosen:
    """The template of a command line, which determines its flags; kept until the context closes."""
    from ..base.staging import scratch_folder
    from ..questions.questionnaire import Questionnaire, installed  # 20 ms
    from ..template.source import named

    url = _source(words)
    if not url:
        return Chosen(None, installed())
    scratch = context.with_resource(scratch_folder(Path(tempfile.gettempdir())))
    template = named(url, scratch)
    return Chosen(template, Questionnaire(template.folder))


def _source(words: Sequence[str]) -> str | None:
    """The value of `--source`, before the other flags are known."""
    for word, following in zip(words, [*words[1:], None], strict=False):
        if word == "--":
            break
        if word == "--source":
            return following
        if word.startswith("--source="):
            return word.partition("=")[2]
    return None


def flagged(
    command: Callable[..., None], questions: "Iterable[Question]" = ()
) -> Callable[..., None]:
    """The command with a flag per question in place of its `**flags`.

    A question with the name of one of the command's own flags gets no flag.
    """

    def command_with_flags(**arguments: Any) -> None:
        command(**arguments)

    parameters = list(inspect.signature(command).parameters.values())[:-1]
    taken = {"help", *(parameter.name for parameter in parameters)}
    for question in questions:
        if question.name in taken:
            continue
        help_ = (
            f"{question.help} A list with commas, or all." if question.several else question.help
        )
        text = f"{help_} [default: {question.default_in_words}]"
        option = typer.Option(
            question.flag,
            metavar=question.metavar,
            help=text,
            autocompletion=_completion(list(question.choices)),
        )
        kind: Any = list[str] | None if question.several else str | None
        parameters.append(
            inspect.Parameter(
                question.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[kind, option],
            )
        )
    command_with_flags.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command_with_flags.__doc__ = command.__doc__
    return command_with_flags


def _completion(choices: list[str]) -> Callable[[str], list[str]]:
    """For a shell: the choices that begin like what is typed."""

    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    return complete
