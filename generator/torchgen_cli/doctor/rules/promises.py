"""What `--run` finds by running the project's own `verify`; see `verify`."""

from ..project import Module
from ..rule import STABLE, rule


@rule(
    "TG901",
    "a promise of the project is broken",
    why="""The project's own `verify` trained, killed, resumed and evaluated the code as it stands,
    on a part of its data, and the result was not what the project promises. Found only with
    `--run`.""",
    remedy="run `python -m PACKAGE.verify --only NAME`, and undo or rework the edit that broke it",
    source=f"{STABLE}/notes/randomness.html",
    bad="",
    good="",
)
def broken_promise(module: Module) -> tuple[()]:
    """Nothing to see without running the code."""
    return ()
