"""Flags that several commands share."""

from typing import Annotated

import typer

DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing; list the files.")]
Project = Annotated[str, typer.Option(metavar="PATH", help="The project's folder.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
