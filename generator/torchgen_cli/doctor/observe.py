"""`torchgen doctor --run -- COMMAND`: watch a training command for some steps."""

import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from typing import Any

from ..base.errors import UserError
from .finding import Finding

PATIENCE = 600.0  # seconds until the first step, and between steps
GRACE = 10.0  # seconds for other processes after the last step, and to end when asked


def observe(command: list[str], root: Path, patience: float = PATIENCE) -> list[Finding]:
    """Run the command in `root`, and say what was seen; raises `UserError` if it never steps."""
    with tempfile.TemporaryDirectory(prefix="torchgen-watch-", ignore_cleanup_errors=True) as name:
        how = _run(command, root, Path(name), patience)
        marks = os.listdir(name)
        records = [json.loads(one.read_bytes()) for one in sorted(Path(name).glob("*.json"))]
    processes = [one for one in records if "steps" in one]
    if not processes:
        torch = "was imported" if "torch" in marks else "was never imported (python -I hides it)"
        said = f"no optimizer of torch stepped; torch {torch}, and the command {how}"
        raise UserError(f"--run: {said}; give a command that trains, with a smaller data set")
    rows = [row for process in processes for row in process["found"]]
    rows += [("TG913", processes[0]["where"], who) for who in _alike(records)]
    if "done" not in marks and how != "ended with exit code 0":
        how = f"--run: the command {how}, after {max(one['steps'] for one in processes)} steps"
        if not rows:
            raise UserError(f"{how}; nothing was found until then")
        print(how, file=sys.stderr)
    return sorted({_finding(root.resolve(), *row) for row in rows})


def _run(command: list[str], root: Path, folder: Path, patience: float) -> str:
    """Run the command, and say how it ended. What it prints goes to the standard error."""
    print(f"watching {' '.join(command)}", file=sys.stderr, flush=True)
    paths = [str(Path(__file__).with_name("watch")), *filter(None, [os.environ.get("PYTHONPATH")])]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "TORCHGEN_WATCH": str(folder)}
    try:
        process = Popen(command, cwd=root, env=env, stdout=sys.stderr, start_new_session=True)
    except OSError as error:
        raise UserError(f"--run: {command[0]}: {error.strerror}", 2) from error
    seen, limit = None, 0.0
    try:
        while process.poll() is None:
            steps = [path.stat().st_mtime_ns for path in folder.glob("process-*.json")]
            now = steps, (folder / "done").exists()
            if now != seen:
                seen, limit = now, time.monotonic() + (GRACE if now[1] else patience)
            if time.monotonic() > limit:
                return f"was stopped after {patience / 60:.2g} minutes without a step"
            time.sleep(0.1)
    finally:
        _end(process)
    code = process.returncode
    return f"ended with {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"


def _end(process: Popen[bytes]) -> None:
    """End the command and all that it started; a launcher, asked first, ends what is not ours."""
    for name in ("SIGTERM", "SIGKILL"):
        with contextlib.suppress(ProcessLookupError, PermissionError, TimeoutExpired):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, getattr(signal, name))
            else:  # Windows
                process.kill()
            process.wait(GRACE)


def _alike(records: list[dict[str, Any]]) -> list[str]:
    """Loading processes that began with the same random state, or one that did in two epochs."""
    begun = defaultdict(set)
    for one in records:
        for library in {"numpy", "python"} & one.keys():
            begun[library, one["loader"], one[library]].add((one["worker"], one["epoch"]))
    said = {}
    for (library, *_), alike in reversed(begun.items()):  # so that the first is kept
        workers = sorted({worker for worker, _ in alike})
        if len(workers) > 1:
            said[library] = f"{library}, workers {', '.join(map(str, workers))}"
        elif len(alike) > 1:
            said[library] = f"{library}, worker {workers[0]} in {len(alike)} epochs"
    return list(said.values())


def _finding(root: Path, rule: str, where: Any, detail: str) -> Finding:
    """A finding at a file, line and place."""
    file, line, _ = where or ("the command", 1, 0)
    if Path(file).is_relative_to(root):
        file = Path(file).relative_to(root).as_posix()
    return Finding(file, line, 1, rule, detail)
