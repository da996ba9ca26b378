"""Flags that several commands have."""

from typing import Annotated

import typer

DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing; list each file.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
