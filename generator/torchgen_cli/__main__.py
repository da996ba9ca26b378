"""`torchgen`, or `python -m torchgen_cli`."""

import gc
import sys

from .base import signals
from .base.errors import Interrupted, UserError
from .base.output import red, silence


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

        from .cli import app, in_words

        try:
            return app(prog_name="torchgen", standalone_mode=False) or 0
        except typer.TyperException as error:
            raise UserError(in_words(error), error.exit_code) from error
    except UserError as error:
        signals.check()
        return _tell(str(error), error.exit_code)
    except BrokenPipeError:  # the reader has read enough
        signals.check()
        return silence()
    except OSError as error:  # the disk is full
        signals.check()
        return _tell(str(error), 1)
    except Exception:
        signals.check()
        raise


def _tell(message: str, code: int) -> int:
    """Print an error: in color on a terminal, as JSON under --json; returns the exit code."""
    if "--json" in sys.argv[1:]:
        import json

        print(json.dumps({"error": message, "exit_code": code}), file=sys.stderr)
    else:
        print(f"{red('error:', sys.stderr)} {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
