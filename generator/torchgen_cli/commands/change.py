"""The commands that change a project: `update`, `set`, `add`, `remove`, `adopt`; and `source`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from .options import DryRun, Json, Project
from .words import assignments, extra_names

if TYPE_CHECKING:
    from ..merging.report import Report


def update(
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="The project's folder.")] = ".",
    to: Annotated[
        str | None,
        typer.Option(
            metavar="VERSION", help="The version to update to; default: the latest release."
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Only report what is new; exit code 4 if there is a newer version."
        ),
    ] = False,
    source: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The template's repository, if its address changed."),
    ] = None,
    dry_run: DryRun = False,
    json: Json = False,
) -> int:
    """Update a project to a newer template; your edits are kept.

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
        list[str],
        typer.Argument(
            metavar="QUESTION=ANSWER ... [PATH]",
            help="For example amp=bf16.",
            autocompletion=assignments,
        ),
    ],
    dry_run: DryRun = False,
    json: Json = False,
) -> int:
    """Change answers of the project at PATH; your edits are kept.

    Nothing is committed. Exit code 3: there are conflicts, each listed with how to resolve it.
    """
    from .. import set_answers as change

    given, path = change.parse(words)
    return _reported(change.set_answers(given, path, dry_run, _announce(json)), json)


Extras = Annotated[
    list[str],
    typer.Argument(metavar="EXTRA ...", help="For example serve.", autocompletion=extra_names),
]


def add(names: Extras, project: Project = ".", dry_run: DryRun = False, json: Json = False) -> int:
    """Add extras to a project; your edits are kept.

    An extra that needs another brings it along. Nothing is committed. Exit code 3: there are
    conflicts, each listed with how to resolve it.
    """
    from .. import extras

    return _reported(extras.add(names, project, dry_run, _announce(json)), json)


def remove(
    names: Extras, project: Project = ".", dry_run: DryRun = False, json: Json = False
) -> int:
    """Remove extras from a project; your edits are kept.

    Nothing is committed. Exit code 3: you edited a file of the extra, so it is still there.
    """
    from .. import extras

    return _reported(extras.remove(names, project, dry_run, _announce(json)), json)


def adopt(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The folder of a git repository.")],
    source: Annotated[
        str | None, typer.Option(metavar="URL", help="The template's repository.")
    ] = None,
    version: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Its version; default: the best match.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; print the best match.")
    ] = False,
    json: Json = False,
) -> None:
    """Make an existing project updatable.

    For projects written by hand or by plain copier. Finds the answers that fit the files best and
    writes .copier-answers.yml, nothing else.
    """
    from .. import adopt as adoption

    found = adoption.adopt(path, source, version, dry_run)
    print(found.to_json() if json else found)


def source(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A new or empty folder.")],
) -> None:
    """Write the releases as a git repository, for plain Copier.

    Needed only where no address of the template is known. `torchgen update` does not need it.
    """
    from ..template import places

    print(places.write_clone(folder))


def _announce(json: bool) -> Callable[[str], None]:
    """Print what is about to change, unless the output is JSON."""
    return (lambda _: None) if json else lambda text: print(text, end="\n\n", flush=True)


def _reported(report: "Report", json: bool) -> int:
    print(report.to_json() if json else report.after())
    return report.exit_code
