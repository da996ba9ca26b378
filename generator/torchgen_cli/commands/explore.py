"""`torchgen explore`."""

from pathlib import Path
from typing import Annotated

import typer


def explore(
    port: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, max=65535, help="0 takes a free one.")
    ] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    source: Annotated[
        str | None, typer.Option(metavar="URL", help="A template's git repository, as for new.")
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the page as static files; serve nothing."),
    ] = None,
) -> None:
    """Show in the browser what each choice writes.

    All files of a project, what a choice changes in them, and the command that writes it. The page
    is served on 127.0.0.1 and needs no network. Ctrl-C ends it.
    """
    from ..explore.serve import explore as show

    raise typer.Exit(show(source, write, port, browser))
