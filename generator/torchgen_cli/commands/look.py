"""The commands that change nothing: `questions`, `extras`, `explain`, `doctor`, `verify`..."""

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


def extras(
    project: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="A project; default: the current folder, if it is one."),
    ] = None,
    json: Json = False,
) -> None:
    """List the extras: what each adds, and which a project has.

    Lines and packages are those that it adds to a project without other extras.
    """
    from .. import extras as known
    from ..base.project import ANSWERS_FILE

    found = known.extras(project or ("." if Path(ANSWERS_FILE).is_file() else None))
    print(known.as_json(found) if json else known.as_text(found))


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
    stat: Annotated[
        bool | None,
        typer.Option(
            "--stat/--diff",
            help="How many lines of each file, or the lines; default: what fits on the screen.",
        ),
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
    text = explanation.difference(question, (choices[0], choices[1]), answers, json, stat)
    print(text) if json else explanation.show(text)


def doctor(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH ...]",
            help="Repositories, Python files or notebooks; - reads the standard input.",
        ),
    ] = None,
    run: Annotated[
        bool,
        typer.Option("--run", help="Also watch the training command given after --."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="Print the findings as SARIF.")] = False,
    select: Annotated[
        str, typer.Option(metavar="IDS", help="Check these rules alone: TG602,TG4.")
    ] = "",
    rules: Annotated[bool, typer.Option("--rules", help="List the rules; check nothing.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="With --rules: print the page for the docs.")
    ] = False,
    explain: Annotated[
        str | None, typer.Option(metavar="RULE", help="Explain one rule; check nothing.")
    ] = None,
) -> None:
    """Check a training repository against the rules.

    The code is not imported. Exit code 1 if a rule is broken. The comment
    `# torchgen: ignore[TG602] the reason` ignores a rule on its line.
    """
    if explain is not None:
        from ..doctor.report import explanation

        print(explanation(explain))
    elif rules or markdown:
        from ..doctor.report import as_list, as_markdown

        print(as_markdown() if markdown else as_list())
    else:
        from ..doctor.command import diagnose

        if json and sarif:
            raise UserError("--json and --sarif cannot be combined; give one of them", 2)
        given, command = paths or [], None
        if run:
            command = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
            given = given[: len(given) - len(command)]
            if not command:
                raise UserError(
                    "--run needs a training command: torchgen doctor --run -- python train.py", 2
                )
        ids = tuple(id.strip().upper() for id in select.split(",") if id.strip())
        form = "json" if json else "sarif" if sarif else "text"
        raise typer.Exit(diagnose(given or [Path()], ids, form, command))


def verify(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH] [-- FLAGS]", help="The project; flags of its train."),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The interpreter; default: the active environment's, or that of PATH/.venv.",
        ),
    ] = None,
) -> None:
    """Prove the promises of a project for your edits, on a copy.

    Resume, metrics, accumulation and more, on your experiment and data; the rest of the machinery
    on a toy experiment. Nothing is written into the project. Exit code 1 if a promise is broken.
    """
    from .. import verify as proofs

    flags = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    given = (words or [])[: len(words or []) - len(flags)]
    if len(given) > 1:
        raise UserError(f"give one PATH, not {' '.join(given)}; flags of train come after --", 2)
    raise typer.Exit(proofs.verify(given[0] if given else ".", python, flags))


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
