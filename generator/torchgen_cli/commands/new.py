"""`torchgen new`, with a flag for each question."""

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from ..base.errors import Interrupted, UserError
from . import report
from .chosen import Chosen
from .options import DryRun, Json

if TYPE_CHECKING:
    from ..questions.answers import Answer
    from ..questions.questionnaire import Questionnaire

CONTROL = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"  # with the separators of lines and paragraphs


def recipes_like(incomplete: str) -> list[str]:
    """For a shell: the recipes that begin like what is typed."""
    from ..recipes import FOLDER, names
    from ..template.source import template_root

    return [name for name in names(template_root() / FOLDER) if name.startswith(incomplete)]


PATH = Annotated[str | None, typer.Argument(metavar="[PATH]", help="A new or empty folder.")]
DEFAULTS = Annotated[bool, typer.Option("--defaults", "-y", help="Ask nothing; use the defaults.")]
ANSWERS = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="A YAML or TOML file of answers, or REPOSITORY#FILE."),
]
SOURCE = Annotated[
    str | None, typer.Option(metavar="URL", help="Another template: a git repository.")
]
RECIPE = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Edits towards another target, as a second commit: docs/recipes.",
        autocompletion=recipes_like,
    ),
]
NO_GIT = Annotated[bool, typer.Option("--no-git", help="Do not create a git repository.")]


def new(
    context: typer.Context,
    path: PATH = None,
    defaults: DEFAULTS = False,
    answers: ANSWERS = None,
    source: SOURCE = None,
    recipe: RECIPE = None,
    no_git: NO_GIT = False,
    dry_run: DryRun = False,
    json: Json = False,
    **flags: str | list[str] | None,
) -> None:
    """Write a new training repository into PATH.

    In a terminal it asks for PATH and the questions that no flag answers, and shows all answers
    before it writes. `torchgen questions` explains them.
    """
    from ..new import Order, create
    from ..questions.answers import Answer, collect  # YAML and Jinja: for this command only
    from ..questions.question import ALL
    from ..recipes import find

    if path is not None and (wrong := refuse_path(path)):
        raise UserError(wrong, 2)
    chosen: Chosen = context.obj
    found = None if recipe is None else find(chosen.recipes, recipe)
    by_flag = {
        name: ",".join(answer) if isinstance(answer, list) else answer
        for name, answer in flags.items()
        if answer is not None
    }
    questionnaire = chosen.questionnaire
    if found:
        questionnaire = questionnaire.offering(found.offers)  # what the wizard asks, and `all` is
    for question in questionnaire.questions:
        if question.several and by_flag.get(question.name) == ALL:
            by_flag[question.name] = ",".join(question.choices)
        for note in question.brought(by_flag.get(question.name, "")) if not json else []:
            print(f"note: {note}", file=sys.stderr)
    prompts = None if defaults else _terminal(sys.stderr if json else sys.stdout)

    def given(path: str) -> "dict[str, Answer]":
        folder_name = os.path.basename(os.path.abspath(path))
        collected = collect(chosen.questionnaire, folder_name, by_flag, answers, bool(prompts))
        if found and found.description and "description" in chosen.questionnaire.names:
            collected.setdefault("description", Answer(found.description, "", False))
        return collected

    if prompts:
        path, final = _ask(questionnaire, path, given, prompts)
    elif path is None:
        raise UserError("PATH is missing; give a new folder, as in: torchgen new myproj", 2)
    else:
        final = given(path)
    order = Order(
        recipe=found,
        path=path,
        given=final,
        questionnaire=chosen.questionnaire,
        template=chosen.template,
        prompts=prompts,
        dry_run=dry_run,
        git=not no_git,
    )
    create(
        order,
        (lambda *_: None) if json else report.show,
        report.as_json if json else report.as_text,
    )


def refuse_path(path: str) -> str:
    """What is wrong with PATH; empty if nothing is."""
    if not path.strip():
        return "PATH is empty; give a folder, or . for this one"
    if re.search(CONTROL, path):
        return f"PATH {path!r} has control characters; give a folder without them"
    return ""


def _ask(
    questionnaire: "Questionnaire",
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
        return Wizard(questionnaire, given, refuse, prompts).ask(path)
    except KeyboardInterrupt as error:  # Ctrl-C at a prompt, which the terminal sends as a key
        raise Interrupted(signal.SIGINT) from error
    except EOFError as error:
        raise UserError(
            "the input ended at a question; answer with flags, or use --defaults"
        ) from error


def _terminal(preferred: TextIO) -> TextIO | None:
    """The stream for prompts; None without a terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    return next((stream for stream in (preferred, sys.stderr) if stream.isatty()), None)
