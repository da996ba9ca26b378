"""The commands that change nothing: `questions`, `explain`, `doctor` and `status`."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..base.errors import UserError
from .options import Json
from .words import question_and_choices, question_names


def questions(
    json: Annotated[bool, typer.Option("--json", help="Print a JSON schema.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the page for the docs.")
    ] = False,
) -> None:
    """List the questions with their choices, defaults and advice."""
    import json as json_module

    from ..questions.listing import as_markdown, as_schema, as_text
    from ..questions.questionnaire import installed

    asked = installed().questions
    if json:
        print(json_module.dumps(as_schema(asked), indent=2))
    elif markdown:
        print(as_markdown(asked))
    else:
        print(as_text(asked, shutil.get_terminal_size((100, 24)).columns))


def explain(
    question: Annotated[str, typer.Argument(metavar="QUESTION", autocompletion=question_names)],
    choices: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CHOICE CHOICE]",
            help="Two choices to compare.",
            autocompletion=question_and_choices,
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The other answers: a file, or a project's folder."),
    ] = None,
    json: Json = False,
) -> None:
    """Explain a question, or show what a choice changes.

    With two choices: the diff between a project with the first and one with the second.
    """
    from .. import explain as explanation

    if not choices:
        print(explanation.meaning(question, json))
        return
    if len(choices) != 2:
        raise UserError("give two choices to compare, or none", 2)
    text = explanation.difference(question, (choices[0], choices[1]), answers, json)
    print(text) if json else explanation.show(text)


def doctor(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH ...]",
            help="Repositories, Python files or notebooks; - reads the standard input.",
        ),
    ] = None,
    hints: Annotated[bool, typer.Option("--hints", help="Show hints as well.")] = False,
    run: Annotated[
        bool,
        typer.Option(
            "--run",
            help="Also run the project's own verify; or, after --, watch the command given there.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="Print the findings as SARIF.")] = False,
    select: Annotated[
        str, typer.Option(metavar="IDS", help="Check these rules alone: TG601,TG4.")
    ] = "",
    diff: Annotated[
        str | None,
        typer.Option(metavar="COMMIT", help="Show what is in lines that differ from a commit."),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Show what this file does not list.")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what is found now to a file.")
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Show what has one safe remedy, mended, as a diff.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="With --fix: change the files.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="List the rules; check nothing.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="With --rules: print the page for the docs.")
    ] = False,
    explain: Annotated[
        str | None, typer.Option(metavar="RULE", help="Explain one rule; check nothing.")
    ] = None,
) -> None:
    """Check a training repository against the rules.

    The code is not imported. Exit code 1 if a rule is broken; hints do not count. The comment
    `# torchgen: ignore[TG601] the reason` ignores a rule on its line.
    """
    if explain is not None:
        from ..doctor.pages import explanation

        print(explanation(explain))
    elif rules or markdown:
        from ..doctor.pages import as_list, as_markdown

        print(as_markdown() if markdown else as_list())
    else:
        from ..doctor.command import Asked, diagnose

        ids = tuple(id.strip().upper() for id in select.split(",") if id.strip())
        given = paths or []
        command = sys.argv[sys.argv.index("--") + 1 :] if run and "--" in sys.argv else []
        given = given[: len(given) - len(command)]
        asked = Asked(
            hints, run, tuple(command), json, sarif, ids, diff, baseline, write_baseline, fix, write
        )
        code = diagnose(given or [Path()], asked)
        raise typer.Exit(code)


def status(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DIR ...]", help="Folders that contain projects; default: the current one."
        ),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Do not check for newer versions.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the projects as JSON.")] = False,
) -> None:
    """List the generated projects in some folders and below.

    For each: its version and how many releases it is behind, its answers, whether the tree is
    clean, and how much doctor finds. Exit code 1 if there is no project.
    """
    from .. import status as projects

    rows = projects.status(folders or [Path()], offline)
    bounded = sys.stdout.isatty() or "COLUMNS" in os.environ
    width = shutil.get_terminal_size().columns if bounded else None
    print(projects.as_json(rows) if json else projects.as_table(rows, width))
