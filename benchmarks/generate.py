"""How fast is torchgen: its help page, and a new project against plain `copier copy`.

    python benchmarks/generate.py [--rounds 15]

Runs the commands in turn, round after round, so that whatever else the machine does hits all alike.
Writes its section of benchmarks/README.md.
"""

import argparse
import datetime
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "benchmarks" / "README.md"
START, END = "<!-- generate.py: start -->", "<!-- generate.py: end -->"
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


def measure(commands: list[Command], rounds: int, scratch: Path) -> None:
    """Run all commands in turn, after one round that only warms the caches."""
    for number in range(rounds + 1):
        for command in commands:
            folder = scratch / "run"
            folder.mkdir()
            command.run(folder)
            shutil.rmtree(folder)
            if number == 0:
                command.seconds.clear()


def template_copies(scratch: Path) -> tuple[Path, Path]:
    """The template as a plain folder, and as a git repository of one commit."""
    plain, repository = scratch / "plain", scratch / "repository"
    for folder in (plain, repository):
        shutil.copytree(ROOT / "template", folder / "template")
        shutil.copy(ROOT / "copier.yml", folder)
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for line in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "template"]):
        subprocess.run(["git", *line], cwd=repository, check=True)
    return plain, repository


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    python = sys.executable
    torchgen, copier = [python, "-m", "torchgen_cli"], [python, "-m", "copier", "copy", "-l", "-q"]
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        scratch = Path(name)
        plain, repository = template_copies(scratch)
        start_up = [
            Command("`torchgen --help`", [*torchgen, "--help"]),
            Command('`python -c "import typer"`', [python, "-c", "import typer"]),
        ]
        new = [
            Command("`torchgen new --defaults`", [*torchgen, "new", "x", "--defaults"]),
            Command("the same with `--no-git`", [*torchgen, "new", "x", "--defaults", "--no-git"]),
            Command("`copier copy` of a plain folder", [*copier, str(plain), "x"]),
            Command("`copier copy` of the repository", [*copier, str(repository), "x"]),
        ]
        measure(start_up, rounds, scratch)
        measure(new, rounds, scratch)
    tables = (
        table(start_up, {"`torchgen --help`": "≤ 2.5"}),
        table(new, {"`torchgen new --defaults`": "≤ 1.05"}),
    )
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    machine += f", Python {platform.python_version()}"
    note = (
        f"{datetime.date.today()}, {machine}; {rounds} rounds, the commands of a table in turn. "
        "Each is a whole process; the memory is that of the process without its git children. "
        "`torchgen new` also makes the repository and the first commit, which `copier copy` does "
        "not; the repository is what a user of plain Copier copies from."
    )
    write_section("\n\n".join([START, "## Generating a project", note, *tables, END]))


def write_section(section: str) -> None:
    """Replace this benchmark's part of the README, or append it."""
    text = README.read_text(encoding="utf-8") if README.exists() else "# Benchmarks\n"
    pattern = re.compile(f"{re.escape(START)}.*{re.escape(END)}", re.DOTALL)
    if pattern.search(text):
        text = pattern.sub(lambda _: section, text)
    else:
        text = f"{text.rstrip()}\n\n{section}\n"
    README.write_text(text, encoding="utf-8")
    print(section)


if __name__ == "__main__":
    main()
