"""How long from the command to the first optimizer step, and what the imports take of it."""

import os
import re
import shutil
import statistics
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from timing import write_section

from loops.turns import environment

FIRST = ["-m", "loops.first_step"]


@dataclass
class Start:
    """A command that ends with its first step, and the processor's seconds until then."""

    title: str
    line: list[str]
    folder: Path
    resumes: Path | None = None
    """A run that it goes on with, in `again` beside it."""
    seconds: list[float] = field(default_factory=list)

    def run(self) -> str:
        """Once; returns what it wrote."""
        again = self.folder / "again"
        shutil.rmtree(again, ignore_errors=True)
        if self.resumes:
            shutil.copytree(self.resumes, again)
        env = environment(Path(__file__).parents[1])
        env["PYTHONPATH"] += f":{self.folder}"
        with (self.folder / "log").open("w+", encoding="utf-8") as log:
            process = subprocess.Popen(
                [sys.executable, *self.line],
                cwd=self.folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
            _, status, usage = os.wait4(process.pid, 0)
            log.seek(0)
            output = log.read()
        process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds.append(usage.ru_utime + usage.ru_stime)
        if process.returncode:
            raise SystemExit(f"{self.title} failed:\n{output[-2000:]}")
        return output


def train(project: Path, data: Path, run_dir: str, *more: str) -> list[str]:
    """The flags of a project's `train`, as a list that follows `-m`."""
    line = [f"{project.name}.train", "--data-dir", str(data), "--run-dir", run_dir]
    return [*line, "--width", "8", "--device", "cpu", *more]


def starts_of(projects: dict[str, Path], data: Path) -> list[Start]:
    """All commands to compare; the first is what they are measured by."""
    plain = projects["logger none"]
    found = [Start('`python -c "import torch"`', ["-c", "import torch"], plain)]
    loops = {
        "by hand": "by_hand",
        "Ignite": "with_ignite",
        "Accelerate": "with_accelerate",
        "Lightning, Fabric": "with_fabric",
        "Lightning, Trainer as it comes": "with_lightning",
    }
    for title, project in projects.items():
        line = [*FIRST, *train(project, data, "again", "--num-workers", "0")]
        found.append(Start(f"ours, {title}", line, project))
    once = Start("", ["-m", *train(plain, data, "once", "--num-workers", "0")], plain)
    once.line += ["--epochs", "1"]
    once.run()
    line = [*FIRST, *train(plain, data, "again", "--num-workers", "0", "--epochs", "2")]
    found.append(Start("ours, logger none, `--resume`", [*line, "--resume"], plain, plain / "once"))
    for title, module in loops.items():
        line = [*FIRST, f"loops.{module}", str(plain), str(plain / "result.json")]
        line += ["--data-dir", str(data), "--epochs", "1"]
        found.append(Start(title, line, plain))
    return found


def packages(project: Path, rounds: int) -> dict[str, float]:
    """Milliseconds that each package's own modules take to import, the median."""
    command = Start("", ["-X", "importtime", "-c", f"import {project.name}.train"], project)
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        times: dict[str, float] = defaultdict(float)
        for own, name in re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)", command.run()):
            package = name.split(".")[0].lstrip("_")
            known = package in sys.stdlib_module_names or f"_{package}" in sys.stdlib_module_names
            title = "Python's own" if known else package
            title = "the project" if package == project.name else title
            times[title] += int(own) / 1000
        for title, value in times.items():
            found[title].append(value)
    medians = {title: statistics.median(values) for title, values in found.items()}
    return dict(sorted(medians.items(), key=lambda item: -item[1]))


def compare(projects: dict[str, Path], data: Path, rounds: int) -> None:
    """Write the section."""
    all_starts = starts_of(projects, data)
    for number in range(rounds + 1):
        for start in all_starts:
            start.run()
            if number == 0:  # it only warms the caches
                start.seconds.clear()
    base = statistics.median(all_starts[0].seconds)
    rows = ["| command | ratio | ms, median | fastest to slowest |", "|---|---|---|---|"]
    for start in all_starts:
        millis = [1000 * value for value in sorted(start.seconds)]
        median = statistics.median(millis)
        cells = (
            f"{median / base / 1000:.2f} | {median:,.0f} | {millis[0]:,.0f} to {millis[-1]:,.0f}"
        )
        rows.append(f"| {start.title} | {cells} |")
    imports = ["| imported by `train` | ms |", "|---|---|"]
    for title, value in packages(projects["logger tensorboard"], rounds).items():
        if value >= 5:
            imports.append(f"| {title} | {value:.0f} |")
    note = (
        f"{rounds} rounds of whole processes, from the command to the end of the first optimizer "
        "step, in the time of the processor; the data and the model are those of the steps above, "
        "no data workers. The loops by hand and of the peers use the project's parts, but neither "
        "its flags nor its receipts, and torch's own AdamW: to make that, torch imports its "
        "compiler, as it does to wrap a model for DDP. What imports take is asked of `python -X "
        "importtime`, which makes them slower, with the logger tensorboard; a package has what its "
        "own modules take. TensorBoard imports boto3 where it is installed, as it is here for the "
        "benchmark of the readers."
    )
    tables = ["\n".join(rows), "\n".join(imports)]
    write_section("loop.py, starts", "From the command to the first step", note, tables)
