"""The command line: what each command takes, and which module does it."""

import inspect
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from .errors import UserError

if TYPE_CHECKING:
    from .new import Project
    from .questions import Question
    from .report import Report


class Commands(TyperGroup):
    """Adds the questions' flags only where `new` is called: they cost reading a YAML file."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name == "new":
            from .questions import installed  # 20 ms

            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command("new", context_settings=HELP)(_flagged(new, installed().questions))
            command = typer.main.get_command(alone)
        return name, command, rest


def _flagged(
    command: Callable[..., None], questions: "Iterable[Question]" = ()
) -> Callable[..., None]:
    """The command with a flag per question in the place of its `**flags`."""

    def flagged(**arguments: Any) -> None:
        command(**arguments)

    parameters = list(inspect.signature(command).parameters.values())[:-1]
    for question in questions:
        text = f"{question.help} [default: {question.default_in_words}]"
        option = typer.Option(question.flag, metavar=question.metavar, help=text)
        parameters.append(
            inspect.Parameter(
                question.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[str | None, option],
            )
        )
    flagged.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flagged.__doc__ = command.__doc__
    return flagged


HELP = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    cls=Commands,
    add_completion=False,
    context_settings=HELP,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # half the time of a help page in boxes
)


@app.callback(invoke_without_command=True)
def torchgen(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Write PyTorch training repositories that are correct, readable and tested."""
    if version:
        from .source import provenance  # reads a file

        print(provenance().version)
    elif context.invoked_subcommand is None:
        print(context.get_help())


def new(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A folder: new, or empty.")],
    defaults: Annotated[
        bool, typer.Option("--defaults", "-y", help="Ask nothing; take the defaults.")
    ] = False,
    answers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Answers in YAML or TOML; flags outdo them.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="URL", help="Another template: a git repository.")
    ] = None,
    no_git: Annotated[bool, typer.Option("--no-git", help="Make no repository.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; list each file.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    **flags: str | None,
) -> None:
    """Write a new training repository into PATH.

    Asks what no flag answers, unless the standard input is no terminal. `torchgen questions` says
    when to take which answer.
    """
    from .answers import collect  # YAML and Jinja are for this command only
    from .new import Order, create
    from .questions import installed

    if not path:
        raise UserError("PATH is empty; give a folder, or . for this one", 2)
    given = {name: answer for name, answer in flags.items() if answer is not None}
    order = Order(
        path=path,
        given=collect(installed(), os.path.basename(os.path.abspath(path)), given, answers),
        source=source,
        prompts=None if defaults else _terminal(sys.stderr if json else sys.stdout),
        dry_run=dry_run,
        git=not no_git,
    )
    project = create(order, (lambda _: None) if json else _show)
    print(project.to_json() if json else _summary(project))
    if project.repository.note and not json:
        print(f"note: {project.repository.note}", file=sys.stderr)


app.command("new")(_flagged(new))


@app.command()
def questions(
    json: Annotated[bool, typer.Option("--json", help="Print a JSON schema.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the page for the docs.")
    ] = False,
) -> None:
    """List the questions, their choices, defaults and advice."""
    import json as json_module

    from .questions import as_markdown, as_schema, as_text, installed

    asked = installed().questions
    if json:
        print(json_module.dumps(as_schema(asked), indent=2))
    elif markdown:
        print(as_markdown(asked))
    else:
        print(as_text(asked, shutil.get_terminal_size((100, 24)).columns))


@app.command()
def update(
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="The project's folder.")] = ".",
    to: Annotated[
        str | None, typer.Option(metavar="VERSION", help="A version; else the latest.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only say what is new; exit 4 if anything is.")
    ] = False,
    source: Annotated[
        str | None, typer.Option(metavar="URL", help="The template's repository, if it moved.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; list each file.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Bring the template's fixes into the project at PATH; your edits stay.

    Nothing is committed. Exit code 3: there are conflicts, each listed with how to resolve it.
    """
    from . import update as engine

    if check:
        news = engine.check(path)
        print(news.to_json() if json else news)
        return 4 if news.news else 0
    return _reported(engine.update(path, to, source, dry_run, _announce(json)), json)


@app.command("set")
def set_(
    words: Annotated[
        list[str], typer.Argument(metavar="QUESTION=ANSWER ... [PATH]", help="As in amp=bf16.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; list each file.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Change answers of the project at PATH; your edits stay.

    Nothing is committed. Exit code 3: there are conflicts, each listed with how to resolve it.
    """
    from . import change

    given, path = change.parse(words)
    return _reported(change.set_answers(given, path, dry_run, _announce(json)), json)


@app.command()
def explain(
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    choices: Annotated[
        list[str] | None, typer.Argument(metavar="[CHOICE CHOICE]", help="Show what differs.")
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The other answers: a file, or a project's folder."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Say what a question means, or show the diff of the project between two choices."""
    from . import explain as explanation

    if not choices:
        print(explanation.meaning(question, json))
        return
    if len(choices) != 2:
        raise UserError("give two choices to compare, or none", 2)
    text = explanation.difference(question, (choices[0], choices[1]), answers, json)
    print(text) if json else explanation.show(text)


def _announce(json: bool) -> Callable[[str], None]:
    """Print what is about to change, unless a program listens."""
    return (lambda _: None) if json else lambda text: print(text, end="\n\n", flush=True)


def _reported(report: "Report", json: bool) -> int:
    print(report.to_json() if json else report.after())
    return report.exit_code


@app.command()
def doctor(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A repository's folder.")] = Path(),
    hints: Annotated[bool, typer.Option("--hints", help="Show hints as well.")] = False,
    run: Annotated[
        bool, typer.Option("--run", help="Also run the project's own verify (torch, data).")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="Print the findings as SARIF.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="List the rules; check nothing.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="With --rules: print the page for the docs.")
    ] = False,
    explain: Annotated[
        str | None, typer.Option(metavar="RULE", help="Explain one rule; check nothing.")
    ] = None,
) -> None:
    """Check a training repository against the rules, without importing it.

    Exit code 1 where something is wrong; hints fail nothing. A line is left out by the comment
    `# torchgen: ignore[TG601] the reason`.
    """
    if explain is not None:
        from .doctor.pages import explanation

        print(explanation(explain))
    elif rules or markdown:
        from .doctor.pages import as_list, as_markdown

        print(as_markdown() if markdown else as_list())
    else:
        from .doctor.command import diagnose

        code = diagnose(path, hints=hints, run=run, json=json, sarif=sarif)
        raise typer.Exit(code)


def _terminal(preferred: IO[str]) -> IO[str] | None:
    """Where prompts can be seen and answered; None where nobody could."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    return next((stream for stream in (preferred, sys.stderr) if stream.isatty()), None)


def _show(answers: dict[str, Any]) -> None:
    width = max(map(len, answers))
    print()
    for name, answer in answers.items():
        print(f"  {name:<{width}}  {answer}", flush=True)


def _summary(project: "Project") -> str:
    """What was done, and the next three commands."""
    if project.dry_run:
        files = "".join(f"new      {file}\n" for file in project.files)
        return f"{files}{len(project.files)} new files in {project.path}; nothing was written"
    commit = project.repository.commit
    done = f"Wrote {len(project.files)} files to {project.path}"
    done += f", first commit {commit[:7]}." if commit else "."
    return "\n".join(["", done, "", "Next:", *(f"  {command}" for command in project.next)])
