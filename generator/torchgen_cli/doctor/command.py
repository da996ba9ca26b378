"""What `torchgen doctor` does, in order."""

from pathlib import Path

from ..errors import UserError
from ..source import provenance
from . import report
from .behind import behind
from .examine import examine


def diagnose(path: Path, *, hints: bool, run: bool, json: bool, sarif: bool) -> int:
    """Check a project and print what was found; returns the exit code."""
    if json and sarif:
        raise UserError("--json and --sarif are two formats; give one of them", 2)
    result = examine(path, hints)
    line = behind(path)
    if line:
        result.notes.append(line)
    refused = None
    if run:
        from .verify import broken_promises

        try:
            result.findings += broken_promises(path)
        except UserError as error:  # what was found without running counts all the same
            refused = error
    if json:
        print(report.as_json(result))
    elif sarif:
        print(report.as_sarif(result, provenance().version))
    else:
        print(report.as_text(result))
    if refused:
        raise refused
    return 1 if result.failures else 0
