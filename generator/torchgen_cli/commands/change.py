"""The commands that change a project: `update`, `set` and `adopt`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from .options import DryRun, Json

if TYPE_CHECKING:
    from ..report import Report


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
    dry_run: DryRun = False,
    json: Json = False,
) -> int:
    """Bring the template's fixes into a project; your edits stay.

    Nothing is committed. Exit code 3: there are conflicts, each listed with how to resolve it.
    """
    from .. import update as engine

    if check:
        news = engine.check(path)
        print(news.to_json() if json else news)
        return 4 if news.news else 0
    return _reported(engine.update(path, to, source, dry_run, _announce(json)), json)


def set_(
    words: Annotated[
        list[str], typer.Argument(metavar="QUESTION=ANSWER ... [PATH]", help="As in amp=bf16.")
    ],
    dry_run: DryRun = False,
    json: Json = False,
) -> int:
    """Change answers of the project at PATH; your edits stay.

    Nothing is committed. Exit code 3: there are conflicts, each listed with how to resolve it.
    """
    from .. import change

    given, path = change.parse(words)
    return _reported(change.set_answers(given, path, dry_run, _announce(json)), json)


def adopt(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The folder of a git repository.")],
    source: Annotated[
        str | None, typer.Option(metavar="URL", help="The template's repository.")
    ] = None,
    version: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Its version; else the one that fits.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; say what fits.")
    ] = False,
    json: Json = False,
) -> None:
    """Bring a repository without a record under update.

    It may be made by hand, or by plain copier. Finds the answers that fit its files best and writes
    .copier-answers.yml, nothing else.
    """
    from .. import adopt as adoption

    found = adoption.adopt(path, source, version, dry_run)
    print(found.to_json() if json else found)


def _announce(json: bool) -> Callable[[str], None]:
    """Print what is about to change, unless a program listens."""
    return (lambda _: None) if json else lambda text: print(text, end="\n\n", flush=True)


def _reported(report: "Report", json: bool) -> int:
    print(report.to_json() if json else report.after())
    return report.exit_code
