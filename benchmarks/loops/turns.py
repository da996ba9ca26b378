"""Lets whole processes run in turns of a fraction of a second, so that all meet the same machine.

How fast a shared machine is changes from one second to the next. Processes that are measured one
after the other meet different machines; those that take short turns share the good and the bad.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

TURN = 0.1  # seconds


def environment(root: Path) -> dict[str, str]:
    """The environment of every process that is measured: one thread."""
    return {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(root),
        "PYTHONWARNINGS": "ignore",
    }


def take_turns(lines: list[list[str]], folder: Path, env: dict[str, str]) -> None:
    """Run `python LINE` for each line to its end, one at a time; raises where one fails."""
    running: list[subprocess.Popen[bytes]] = []
    logs = [folder / f"{number}.log" for number in range(len(lines))]
    try:
        for line, log in zip(lines, logs, strict=True):
            with log.open("wb") as output:
                process = subprocess.Popen(
                    [sys.executable, *line],
                    cwd=folder,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
            os.killpg(process.pid, signal.SIGSTOP)
            running.append(process)
        while any([turn(process) for process in running]):
            pass
    finally:
        for process in running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    for process, line, log in zip(running, lines, logs, strict=True):
        if process.returncode:
            end = log.read_text(encoding="utf-8", errors="replace")[-2000:]
            raise SystemExit(f"{' '.join(line)} failed with {process.returncode}:\n{end}")


def turn(process: subprocess.Popen[bytes]) -> bool:
    """Let a stopped process run for a turn; whether it wants another."""
    if process.poll() is not None:
        return False
    os.killpg(process.pid, signal.SIGCONT)
    end = time.monotonic() + TURN
    while (left := end - time.monotonic()) > 0:
        try:
            process.wait(left)
        except subprocess.TimeoutExpired:
            break
        return False
    os.killpg(process.pid, signal.SIGSTOP)
    return True
