"""The command line: the list of commands."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .commands import change, look, new


class Commands(TyperGroup):
    """Adds the questions' flags only for `new`, as they need a YAML file to be read."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name == "new":
            ctx.obj = new.choose(ctx, rest)
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            flagged = new.flagged(new.new, ctx.obj.questionnaire.questions)
            alone.command("new", context_settings=HELP)(flagged)
            command = typer.main.get_command(alone)
        return name, command, rest


HELP = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    cls=Commands,
    add_completion=False,
    context_settings=HELP,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # twice as fast as help in boxes
)


@app.callback(invoke_without_command=True)
def torchgen(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Write PyTorch training repositories that are correct, readable and tested."""
    if version:
        from .template.source import provenance  # reads a file

        print(provenance().version)
    elif context.invoked_subcommand is None:
        print(context.get_help())


app.command("new")(new.flagged(new.new))
app.command()(look.questions)
app.command()(change.update)
app.command("set")(change.set_)
app.command()(change.adopt)
app.command()(change.source)
app.command()(look.explain)
app.command()(look.doctor)
app.command()(look.status)
