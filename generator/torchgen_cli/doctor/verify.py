"""`torchgen doctor --run`: run the project's own `verify` in a separate process."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..base.errors import UserError
from .examine import Finding


def broken_promises(root: Path) -> list[Finding]:
    """Run the project's `verify` with this interpreter; each broken promise is a finding.

    Raises `UserError` if it cannot be run.
    """
    package = package_of(root)
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
    options: dict[str, Any] = {"cwd": root, "env": environment, "encoding": "utf-8"}
    probe = [sys.executable, "-c", "import torch"]
    imported = subprocess.run(probe, capture_output=True, check=False, **options)
    if imported.returncode:
        raise UserError(
            f"--run: {sys.executable} cannot import torch ({last_line(imported.stderr)}); install "
            "torchgen into the project's own environment and run it from there"
        )
    print(
        f"running python -m {package}.verify; this takes about a minute",
        file=sys.stderr,
        flush=True,
    )
    command = [sys.executable, "-m", f"{package}.verify", "--json"]
    done = subprocess.run(command, capture_output=True, check=False, **options)
    try:
        checks = json.loads(done.stdout.splitlines()[-1])["checks"]
    except (ValueError, LookupError, TypeError):
        raise UserError(
            f"--run: {package}.verify could not start: "
            + last_line(done.stderr).removeprefix("error: ")
        ) from None
    return [
        finding_of(root, package, check["check"], f"{check['promise']} Seen: {check['seen']}")
        for check in checks
        if not check["holds"]
    ]


def package_of(root: Path) -> str:
    """The package of a project that torchgen wrote; raises `UserError` for other projects."""
    found = sorted(root.glob("*/verify/__main__.py"))
    if len(found) != 1:
        raise UserError(
            f"--run is for projects that torchgen wrote, and {root} has no PACKAGE/verify; "
            "omit the flag"
        )
    return found[0].parent.parent.name


def finding_of(root: Path, package: str, check: str, detail: str) -> Finding:
    """The broken promise, at the check that found it."""
    for file in sorted((root / package / "verify").glob("*.py")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            if line.startswith(f"def {check}("):
                name = file.relative_to(root).as_posix()
                return Finding(name, number, 1, "TG901", f"{check}: {detail}")
    return Finding(f"{package}/verify/__main__.py", 1, 1, "TG901", f"{check}: {detail}")


def last_line(text: str) -> str:
    """The last line that is not empty."""
    lines = [line.strip(" │╭╮╰╯─") for line in text.splitlines()]
    return next((line for line in reversed(lines) if line), "no output")
