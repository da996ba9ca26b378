"""`torchgen`, or `python -m torchgen_cli`."""

import gc
import sys

from . import signals
from .errors import Interrupted, UserError


def main() -> None:
    """Run the command line; whatever a user can mend ends as one line and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name outside of the terminal's encoding is no crash
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
    """The exit code of the command, refusals printed."""
    try:
        import typer  # a Ctrl-C while it loads ends in order as well

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
