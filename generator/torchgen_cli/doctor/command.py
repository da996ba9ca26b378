"""The steps of `torchgen doctor`."""

from pathlib import Path

from ..base.errors import UserError
from ..template.source import provenance
from . import report
from .behind import behind
from .examine import examine


def diagnose(path: Path, *, hints: bool, run: bool, json: bool, sarif: bool) -> int:
    """Check a project and print what was found; returns the exit code."""
    if json and sarif:
        raise UserError("--json and --sarif cannot be combined; give one of them", 2)
    result = examine(path, hints)
    line = behind(path)
    if line:
        result.notes.append(line)
    refused = None
    if run:
        from .verify import broken_promises

        try:
            result.findings += broken_promises(path)
        except UserError as error:  # still report what was found without running
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
