"""The steps of `torchgen doctor`."""

import json
from pathlib import Path

from ..base.errors import UserError
from . import report
from .examine import examine
from .finding import Result
from .observe import observe
from .settings import known, read_settings


def diagnose(
    paths: list[Path], select: tuple[str, ...], form: str, command: list[str] | None = None
) -> int:
    """Check projects and files, and print what was found; returns the exit code.

    `form` is "text", "json" or "sarif". A `command` is run and watched too.
    """
    refused = None
    try:
        for id in select:
            known(id, "--select", start=True)
        result = examine(paths, select)
        if command is not None:
            try:
                ignores = read_settings(Path.cwd()).ignores
                for one in observe(command, Path.cwd()):
                    if one.rule.startswith(select or "") and not ignores(one.file, one.rule):
                        result.findings.append(one)
            except UserError as error:  # still report what was found without running
                refused = error
    except UserError as error:
        if form == "json":  # a program reads what is printed
            print(json.dumps({"ok": False, "error": str(error), "findings": []}))
        elif form == "sarif":
            print(report.as_sarif(Result(), str(error)))
        raise
    forms = {"text": report.as_text, "json": report.as_json, "sarif": report.as_sarif}
    print(forms[form](result))
    if refused:
        raise refused
    return 1 if result.findings else 0
