"""Runs commands in turn, whole processes, and writes what they took into docs/performance.md."""

import datetime
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "performance.md"
# TRY=1 tries a script out: little data, few rounds, and what it found is printed and not kept
TRY = bool(os.environ.get("TRY"))
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}  # this checkout is measured


@dataclass
class Command:
    """A command line and what its runs cost."""

    title: str
    line: list[str]
    seconds: list[float] = field(default_factory=list)
    peak_bytes: int = 0

    def run(self, folder: Path) -> None:
        """Once, in an empty folder."""
        start = time.perf_counter()
        null = subprocess.DEVNULL
        process = subprocess.Popen(
            self.line, cwd=folder, env=ENVIRONMENT, stdin=null, stdout=null, stderr=null
        )
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds.append(time.perf_counter() - start)
        if status:
            raise SystemExit(
                f"{' '.join(self.line)} failed with {os.waitstatus_to_exitcode(status)}"
            )
        unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss
        self.peak_bytes = max(self.peak_bytes, usage.ru_maxrss * unit)

    @property
    def milliseconds(self) -> float:
        return 1000 * statistics.median(self.seconds)


def measure(
    commands: list[Command], rounds: int, scratch: Path, fill: Callable[[Path], object] = Path.mkdir
) -> None:
    """Run all commands in turn, each in a folder made anew, after a round that warms the caches."""
    for number in range(rounds + 1):
        for command in commands:
            folder = scratch / "run"
            fill(folder)
            command.run(folder)
            shutil.rmtree(folder)
            if number == 0:
                command.seconds.clear()


def table(commands: list[Command], aims: dict[str, str]) -> str:
    """The rows; each time relative to that of the last command."""
    base = commands[-1]
    rows = [
        "| command | median, ms | fastest, ms | ratio | aim | peak memory, MiB |",
        "|---|---|---|---|---|---|",
    ]
    rows += [
        f"| {c.title} | {c.milliseconds:.0f} | {1000 * min(c.seconds):.0f} "
        f"| {c.milliseconds / base.milliseconds:.2f} | {aims.get(c.title, '')} "
        f"| {c.peak_bytes / 2**20:.0f} |"
        for c in commands
    ]
    return "\n".join(rows)


def write_section(name: str, title: str, note: str, tables: list[str]) -> None:
    """Replace a benchmark's part of the page, or append it."""
    start, end = (f"<!-- {name}: {place} -->" for place in ("start", "end"))
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    machine += f", Python {platform.python_version()}"
    when = f"{datetime.date.today()}, {machine}; the commands of a table in turn. "
    section = "\n\n".join([start, f"## {title}", when + note, *tables, end])
    if TRY:
        return print(section)
    text = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(start)}.*{re.escape(end)}", re.DOTALL)
    if pattern.search(text):
        text = pattern.sub(lambda _: section, text)
    else:
        text = f"{text.rstrip()}\n\n{section}\n"
    PAGE.write_text(text, encoding="utf-8")
    print(section)
