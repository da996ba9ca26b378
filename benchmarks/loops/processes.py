"""How much of two processes' speed is left when they train one model together."""

import json
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from timing import write_section

from loops.turns import environment

EPOCHS = 3
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


@dataclass
class Way:
    """Processes that run at once, and the samples per second of all of them together."""

    title: str
    lines: list[list[str]]
    speeds: list[float] = field(default_factory=list)

    def run(self, folder: Path) -> None:
        """Once; the first epoch is left out, where the processes may not all have begun."""
        runs = [folder / f"run{number}" for number in range(len(self.lines))]
        env = environment(Path(__file__).parents[1])
        null = subprocess.DEVNULL
        running = []
        for line, run in zip(self.lines, runs, strict=True):
            shutil.rmtree(run, ignore_errors=True)
            whole = [sys.executable, *line, "--run-dir", str(run)]
            running.append(
                subprocess.Popen(whole, cwd=folder, env=env, stdin=null, stdout=null, stderr=null)
            )
        if any([process.wait() for process in running]):
            raise SystemExit(f"{self.title} failed")
        epochs: list[list[float]] = []
        for run in runs:
            text = (run / "metrics.jsonl").read_text(encoding="utf-8")
            records = [json.loads(line) for line in text.splitlines()]
            speeds = [r["samples_per_second"] for r in records if r["split"] == "train"]
            epochs.append(speeds[1:])
        self.speeds += [sum(together) for together in zip(*epochs, strict=True)]

    @property
    def speed(self) -> float:
        return statistics.median(self.speeds)


def compare(project: Path, data: Path, rounds: int) -> None:
    """Write the section."""
    train = [f"{project.name}.train", "--data-dir", str(data), "--epochs", str(EPOCHS)]
    train += ["--num-workers", "0", "--width", "32", "--device", "cpu", "--batch-size"]
    ways = [
        Way("one process, batch 64", [["-m", *train, "64"]]),
        Way("two runs at once, batch 32 each", [["-m", *train, "32"]] * 2),
        Way("torchrun, two processes, batch 64 over both", [[*TORCHRUN, "-m", *train, "64"]]),
    ]
    for number in range(rounds + 1):
        for way in ways:
            way.run(project)
            if number == 0:
                way.speeds.clear()
    rows = ["| processes | images/s | of its epochs | to one | to two at once |", "|" + "---|" * 5]
    for way in ways:
        spread = f"{min(way.speeds):,.0f} to {max(way.speeds):,.0f}"
        ratios = f"{way.speed / ways[0].speed:.2f} | {way.speed / ways[1].speed:.2f}"
        rows.append(f"| {way.title} | {way.speed:,.0f} | {spread} | {ratios} |")
    note = (
        f"{rounds} rounds, {EPOCHS - 1} epochs of each counted, on the wall's clock; one thread "
        "for each process, gloo, images of 32 x 32, `--width 32`. Two runs at once show what the "
        "machine has for two processes that need nothing of each other; with a batch of 32 each "
        "does just the arithmetic of one of torchrun's two."
    )
    write_section("loop.py, processes", "Two processes", note, ["\n".join(rows)])
