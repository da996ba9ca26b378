"""`torchgen doctor --run -- COMMAND`: watch a training command for some steps."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from ..base.errors import UserError
from .examine import Finding

WATCH = Path(__file__).with_name("watch")
STEPS = 50  # optimizer steps, after which the command is ended
RULE_OF_MODE = {"evaluated in training mode": "TG914", "trained in evaluation mode": "TG915"}
SHOWN = 5  # names at most


def observe(command: list[str], root: Path, steps: int = STEPS) -> list[Finding]:
    """Run the command in `root`, and say what was seen; 0 steps: to its end.

    Raises `UserError` where it does not start, or no optimizer stepped.
    """
    with tempfile.TemporaryDirectory(prefix="torchgen-watch-") as folder:
        paths = [str(WATCH), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(paths),
            "TORCHGEN_WATCH": folder,
            "TORCHGEN_STEPS": str(steps),
        }
        code = _run(command, root, environment)
        records = [json.loads(p.read_text("utf-8")) for p in sorted(Path(folder).iterdir())]
    processes = [one for one in records if "steps" in one]
    if not processes:
        raise UserError(f"--run: no optimizer of torch stepped; {command[0]} ended with {code}")
    found = {one for record in processes for one in _of_process(record, root)}
    place = next((one["where"] for one in processes if one["where"]), None)
    return sorted(found | set(_of_workers(records, place, root)))


def _run(command: list[str], root: Path, environment: dict[str, str]) -> int:
    """The exit code; what the command prints goes to the standard error."""
    print(f"watching {' '.join(command)}", file=sys.stderr, flush=True)
    try:
        process = subprocess.Popen(
            command, cwd=root, env=environment, stdout=sys.stderr, start_new_session=True
        )
    except OSError as error:
        raise UserError(f"--run: {command[0]}: {error.strerror}", 2) from error
    try:
        return process.wait()
    finally:
        # loading processes of a command that was ended
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


def _of_process(record: dict[str, Any], root: Path) -> list[Finding]:
    """What one training process shows."""
    found = []
    for rule, names in (("TG911", record["still"]), ("TG912", record["decayed"])):
        if names and (rule != "TG911" or record["steps"] > 1):
            found.append(_finding(rule, record["where"], root, listed(names)))
    for what, (model, where) in record["modes"].items():
        found.append(_finding(RULE_OF_MODE[what], where, root, model))
    found += [_finding("TG916", where, root, what) for what, where in record["padded"]]
    return found


def _of_workers(records: list[dict[str, Any]], place: str | None, root: Path) -> list[Finding]:
    """Processes of one loader, or its epochs, that began alike.

    Each epoch of a loader has a base seed of its own; where a project fixes that, its loaders may
    have the same one.
    """
    found = []
    workers = [one for one in records if "worker" in one]
    for library in ("numpy", "python"):
        begun: dict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
        for one in workers:
            if library in one:
                begun[one["parent"], one[library]].append(one)
        for alike in begun.values():
            numbers = sorted({one["worker"] for one in alike})
            epochs = {one["iterator"] for one in alike}
            if len(numbers) > 1:
                who = f"{library}, workers {listed(map(str, numbers))}"
            elif len(epochs) > 1:
                who = f"{library}, worker {numbers[0]} in {len(epochs)} epochs"
            else:
                continue
            found.append(_finding("TG913", place, root, who))
            break
    return found


def listed(names: Any) -> str:
    """The names, the first of many."""
    names = list(names)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _finding(rule: str, where: str | None, root: Path, detail: str) -> Finding:
    """A finding at a place `file:line`."""
    file, _, line = (where or "the command:1").rpartition(":")
    path = Path(file)
    if path.is_relative_to(root.resolve()):
        file = path.relative_to(root.resolve()).as_posix()
    return Finding(file, int(line), 1, rule, detail)
