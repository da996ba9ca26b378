"""`torchgen`, or `python -m torchgen_cli`."""

import gc
import sys

from .base import signals
from .base.errors import Interrupted, UserError


def main() -> None:
    """Run the command line; an error that the user can fix is one line and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that the terminal cannot encode
            stream.reconfigure(errors="backslashreplace")
    gc.disable()  # for a process of a second, collecting costs 60 ms and saves 1 MiB
    signals.install()
    try:
        code = _run()
        signals.ignore()
    except Interrupted as stop:
        print("interrupted; nothing was written", file=sys.stderr)
        code = stop.exit_code
    sys.exit(code)


def _run() -> int:
    """Run the command, print its error if there is one, and return the exit code."""
    try:
        import typer  # here, so that a Ctrl-C while it loads is handled

        from .cli import app

        try:
            return app(prog_name="torchgen", standalone_mode=False) or 0
        except typer.TyperException as error:  # an unknown flag or command, with the nearest one
            raise UserError(error.format_message(), error.exit_code) from error
    except UserError as error:
        signals.check()
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:  # the disk is full, the output's reader is gone
        signals.check()
        print(f"error: {error}", file=sys.stderr)
        return 1
    except Exception:
        signals.check()
        raise


if __name__ == "__main__":
    main()
