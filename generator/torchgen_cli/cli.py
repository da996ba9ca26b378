"""The command line: the list of commands."""

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .commands import change, chosen, look, new
from .commands.explore import explore
from .commands.words import complete_at_the_first_tab, in_words

__all__ = ["app", "in_words"]


class Commands(TyperGroup):
    """Adds the questions' flags only for `new`, as they need a YAML file to be read."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name == "new":
            ctx.obj = chosen.choose(ctx, rest)
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            flagged = chosen.flagged(new.new, ctx.obj.questionnaire.questions)
            alone.command("new", context_settings=HELP, epilog=NEW)(flagged)
            command = typer.main.get_command(alone)
        return name, command, rest


# of Typer's own, so it may not be there in another release
scripts = getattr(sys.modules.get("typer._completion_shared"), "_completion_scripts", {})
complete_at_the_first_tab(scripts)

HELP = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    cls=Commands,
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


@app.command("help")
def help_(
    context: typer.Context,
    command: Annotated[str | None, typer.Argument(metavar="[COMMAND]", help="Which one.")] = None,
) -> None:
    """Show the help of a command."""
    group: Any = context.parent and context.parent.command
    words = [command, "--help"] if command else ["--help"]
    group.main(words, prog_name="torchgen", standalone_mode=False)


def examples(*lines: str) -> str:
    """The end of a help page, which keeps its lines."""
    return "\n".join(["\b", "Examples:", *(f"  torchgen {line}" for line in lines)])


NEW = examples(
    "new myproj", "new myproj --parallelism ddp --amp bf16", "new . --answers team.yml -y"
)
app.command("new", epilog=NEW)(chosen.flagged(new.new))
app.command(epilog=examples("questions", "questions --json"))(look.questions)
app.command(epilog=examples("update", "update --check", "update ~/myproj --dry-run"))(change.update)
app.command("set", epilog=examples("set amp=bf16", "set logger=mlflow parallelism=ddp myproj"))(
    change.set_
)
app.command(epilog=examples("add serve", "add serve sweep --project ~/myproj"))(change.add)
app.command(epilog=examples("remove serve", "remove serve --dry-run"))(change.remove)
app.command(epilog=examples("extras", "extras --project ~/myproj --json"))(look.extras)
app.command(epilog=examples("adopt .", "adopt . --dry-run"))(change.adopt)
app.command(epilog=examples("source ~/torchgen-releases"))(change.source)
app.command(epilog=examples("explore", "explore --port 8000 --no-browser"))(explore)
app.command(epilog=examples("explain amp", "explain amp off bf16"))(look.explain)
app.command(epilog=examples("doctor", "doctor ~/repository", "doctor --explain TG308"))(look.doctor)
app.command(epilog=examples("verify", "verify ~/myproj -- --amp bf16", "verify --python python"))(
    look.verify
)
app.command(epilog=examples("status ~/work", "status --offline --json"))(look.status)
