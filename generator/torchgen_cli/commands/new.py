"""`torchgen new`, with a flag for each question."""

import inspect
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from ..base.errors import Interrupted, UserError
from .options import DryRun, Json

if TYPE_CHECKING:
    from ..new import Project
    from ..questions.answers import Answer
    from ..questions.question import Question
    from ..questions.questionnaire import Questionnaire
    from ..template.source import Template

CONTROL = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"  # with the separators of lines and paragraphs


def _recipes(incomplete: str) -> list[str]:
    """For a shell: the recipes that begin like what is typed."""
    from ..recipes import FOLDER, names
    from ..template.source import template_root

    return [name for name in names(template_root() / FOLDER) if name.startswith(incomplete)]


def new(
    context: typer.Context,
    path: Annotated[
        str | None, typer.Argument(metavar="[PATH]", help="A new or empty folder.")
    ] = None,
    defaults: Annotated[
        bool, typer.Option("--defaults", "-y", help="Ask nothing; use the defaults.")
    ] = False,
    answers: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A YAML or TOML file of answers, or REPOSITORY#FILE."),
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="URL", help="Another template: a git repository.")
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Edits towards another target, as a second commit: docs/recipes.",
            autocompletion=_recipes,
        ),
    ] = None,
    no_git: Annotated[
        bool, typer.Option("--no-git", help="Do not create a git repository.")
    ] = False,
    dry_run: DryRun = False,
    json: Json = False,
    **flags: str | None,
) -> None:
    """Write a new training repository into PATH.

    In a terminal it asks for PATH and the questions that no flag answers, and shows all answers
    before it writes. `torchgen questions` explains them.
    """
    from ..new import Order, create
    from ..questions.answers import collect  # YAML and Jinja are for this command only
    from ..recipes import find

    if path is not None and (wrong := refuse_path(path)):
        raise UserError(wrong, 2)
    chosen: Chosen = context.obj
    found = None if recipe is None else find(chosen.recipes, recipe)
    by_flag = {name: answer for name, answer in flags.items() if answer is not None}
    prompts = None if defaults else _terminal(sys.stderr if json else sys.stdout)

    def given(path: str) -> "dict[str, Answer]":
        folder_name = os.path.basename(os.path.abspath(path))
        return collect(chosen.questionnaire, folder_name, by_flag, answers, bool(prompts))

    if prompts:
        path, final = _ask(chosen, path, given, prompts)
    elif path is None:
        raise UserError("PATH is missing; give a new folder, as in: torchgen new myproj", 2)
    else:
        final = given(path)
    order = Order(
        recipe=found,
        path=path,
        given=final,
        template=chosen.template,
        prompts=prompts,
        dry_run=dry_run,
        git=not no_git,
    )
    create(order, (lambda *_: None) if json else _show, _report_json if json else _report)


def refuse_path(path: str) -> str:
    """What is wrong with PATH; empty if nothing is."""
    if not path.strip():
        return "PATH is empty; give a folder, or . for this one"
    if re.search(CONTROL, path):
        return f"PATH {path!r} has control characters; give a folder without them"
    return ""


def _ask(
    chosen: "Chosen",
    path: str | None,
    given: "Callable[[str], dict[str, Answer]]",
    prompts: TextIO,
) -> "tuple[str, dict[str, Answer]]":
    """The path and the answers from the wizard."""
    from ..base.staging import check_target
    from ..questions.wizard import Wizard  # 0.1 s, for terminals only

    def refuse(path: str) -> str:
        wrong = refuse_path(path)
        try:
            if not wrong:
                check_target(Path(os.path.abspath(path)))
                given(path)
        except UserError as error:
            return str(error)
        return wrong

    if path is not None:
        check_target(Path(os.path.abspath(path)))
    try:
        return Wizard(chosen.questionnaire, given, refuse, prompts).ask(path)
    except KeyboardInterrupt as error:  # Ctrl-C at a prompt, which the terminal sends as a key
        raise Interrupted(signal.SIGINT) from error
    except EOFError as error:
        raise UserError(
            "the input ended at a question; answer with flags, or use --defaults"
        ) from error


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
        text = f"{question.help} [default: {question.default_in_words}]"
        option = typer.Option(
            question.flag,
            metavar=question.metavar,
            help=text,
            autocompletion=_completion(list(question.choices)),
        )
        parameters.append(
            inspect.Parameter(
                question.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[str | None, option],
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


def _terminal(preferred: TextIO) -> TextIO | None:
    """The stream for prompts; None without a terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    return next((stream for stream in (preferred, sys.stderr) if stream.isatty()), None)


def _show(answers: dict[str, Any], origins: dict[str, str]) -> None:
    from ..questions.question import as_text

    width = max(map(len, answers))
    print()
    for name, answer in answers.items():
        origin = f"  (from {origins[name]})" if name in origins else ""
        print(f"  {name:<{width}}  {as_text(answer)}{origin}", flush=True)


def _report_json(project: "Project") -> None:
    print(project.to_json(), flush=True)


def _report(project: "Project") -> None:
    print(_summary(project), flush=True)
    if project.repository.note:
        print(f"note: {project.repository.note}", file=sys.stderr)


def _summary(project: "Project") -> str:
    """A summary, and the next commands."""
    if project.dry_run:
        files = "".join(f"new      {file}\n" for file in project.files)
        return f"{files}{len(project.files)} new files in {project.path}; nothing was written"
    commit = project.repository.commit
    done = f"Wrote {len(project.files)} files to {project.path}"
    done += f", first commit {commit[:7]}." if commit else "."
    lines = ["", done]
    if project.recipe:
        lines.append(f"It follows the recipe {project.recipe}: RECIPE.md says what that is.")
    return "\n".join([*lines, "", "Next:", *map("  {}".format, _to_type(project.next)), *_HINTS])


def _to_type(commands: list[str]) -> list[str]:
    """The commands, with one that makes a virtual environment if none is active."""
    if os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX"):
        return commands
    enter, _, install = commands[0].rpartition(" && ")
    make = r"py -m venv .venv && .venv\Scripts\activate"
    if os.name != "nt":
        make = "python3 -m venv .venv && . .venv/bin/activate"  # or: uv venv
    return [" && ".join(filter(None, (enter, make))), install, *commands[1:]]


_HINTS = (
    "",
    "With uv: `uv venv`, `uv pip install` in place of `python3 -m venv .venv`, `pip install`.",
    "Without a GPU: first pip install torch --index-url https://download.pytorch.org/whl/cpu",
)
