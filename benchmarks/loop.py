"""What does a training step cost beside its arithmetic: in ours, by hand, and in the peers' loops.

    .venv-bench/bin/python benchmarks/loop.py [--rounds 6] [--only steps starts processes]

A tiny model on tiny images, so that the loop shows. All loops are shown to train the same weights,
bit for bit, before any time is written down. Writes its sections of benchmarks/README.md.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import h5py
import numpy as np
from loops import processes, starts
from loops.turns import environment, take_turns
from timing import ENVIRONMENT, TRY, write_section

VARIANTS = [(p, a) for p in ("single", "ddp") for a in ("off", "bf16", "fp16")]
if TRY:
    VARIANTS = [VARIANTS[0], VARIANTS[-1]]
AIM = 1.05  # of the limit
STEPS = 5 if TRY else 100  # per epoch


@dataclass
class Loop:
    """A training loop, and the microseconds per step that its epochs took."""

    title: str
    line: list[str]
    beside: str = ""
    """What it does beside the step."""
    micros: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.micros)

    def over(self, limit: "Loop") -> float:
        """How many times as long it takes: the median over the epochs, each to its own."""
        pairs = zip(self.micros, limit.micros, strict=True)
        return statistics.median(own / other for own, other in pairs)

    @property
    def cells(self) -> str:
        return f"{self.median:,.0f} | {min(self.micros):,.0f} to {max(self.micros):,.0f}"


def pair() -> list[Loop]:
    """The limit, and ours."""
    beside = "mean loss, accuracy, read every 20 steps; divergence, signals, save by time"
    return [Loop("by hand", ["loops.by_hand"]), Loop("ours", ["loops.ours"], beside)]


def peers() -> list[Loop]:
    """The loops of others; to try the script out, those that need no library."""
    again = Loop("by hand, once more", ["loops.by_hand"], "shows how far chance goes")
    kept = Loop(
        "by hand, `--kept`", ["loops.by_hand", "--kept"], "keeps freed memory, as ours does"
    )
    imagenet = Loop(
        "as in the ImageNet example",
        ["loops.like_imagenet"],
        "`.item()` of the loss, top 1 and top 5 in each step, a line every 20",
    )
    if TRY:
        return [imagenet, again, kept]
    sums = "mean loss, accuracy, read every 20 steps"
    return [
        imagenet,
        Loop(f"Ignite {version('pytorch-ignite')}", ["loops.with_ignite"], sums),
        Loop(f"Accelerate {version('accelerate')}", ["loops.with_accelerate"], sums),
        Loop(f"Lightning {version('lightning')}, Fabric", ["loops.with_fabric"], sums),
        Loop("Lightning, Trainer, barebones", ["loops.with_lightning", "--bare"], sums),
        Loop(
            "Lightning, Trainer as it comes",
            ["loops.with_lightning"],
            "the same by `self.log`, a progress bar, TensorBoard every 20 steps",
        ),
        again,
        kept,
    ]


def version(package: str) -> str:
    return metadata.version(package)


def render(scratch: Path, parallelism: str, amp: str, logger: str = "none") -> Path:
    """A generated project; each is made once."""
    name = f"{parallelism}{amp}{logger}"
    if (scratch / name).exists():
        return scratch / name
    answers = ["--project-name", name, "--data-format", "hdf5", "--logger", logger]
    answers += ["--parallelism", parallelism, "--amp", amp]
    line = ["-m", "torchgen_cli", "new", str(scratch / name), "--defaults", "--no-git", *answers]
    null = subprocess.DEVNULL
    subprocess.run(
        [sys.executable, *line], env=ENVIRONMENT, check=True, stdin=null, stdout=null, cwd=scratch
    )
    return scratch / name


def draw(folder: Path, size: int, samples: int) -> None:
    """Noise in ten classes, as `prepare` would store it."""
    random = np.random.default_rng(0)
    folder.mkdir()
    for split, count in (("train", samples), ("val", 64)):
        with h5py.File(folder / f"{split}.h5", "w") as file:
            file["images"] = random.integers(0, 256, (count, size, size, 3), np.uint8)
            file["labels"] = np.arange(count) % 10
            file.attrs["classes"] = [f"class{number}" for number in range(10)]


def measure(loops: list[Loop], project: Path, rounds: int, epochs: int) -> None:
    """Run all loops in turns, some rounds; each must train the weights of the first."""
    scratch = project.parent
    for _ in range(rounds):
        results = [scratch / f"result{number}.json" for number in range(len(loops))]
        common = ["--data-dir", str(scratch / "data8"), "--epochs", str(epochs)]
        lines = [
            ["-m", loop.line[0], str(project), str(result), *common, *loop.line[1:]]
            for loop, result in zip(loops, results, strict=True)
        ]
        take_turns(lines, scratch, environment(Path(__file__).parent))
        found = [json.loads(result.read_text(encoding="utf-8")) for result in results]
        for loop, one in zip(loops, found, strict=True):
            if one["weights"] != found[0]["weights"]:
                raise SystemExit(f"{loop.title} trained other weights than {loops[0].title}")
            if one["losses"] and not np.allclose(one["losses"], found[1]["losses"], rtol=1e-6):
                raise SystemExit(f"{loop.title} measured another loss than {loops[1].title}")
            loop.micros += [1e6 * s / STEPS for s in one["seconds"][1:]]  # the first warms up


def against_peers(loops: list[Loop]) -> str:
    limit = loops[0]
    rows = [
        "| loop | ratio | µs per step | of its epochs | beside the step |",
        "|---|---|---|---|---|",
    ]
    for loop in loops:
        median, spread = loop.cells.split(" | ")
        rows.append(
            f"| {loop.title} | {loop.over(limit):.3f} | {median} | {spread} | {loop.beside} |"
        )
    return "\n".join(rows)


def against_limit(found: dict[str, list[Loop]]) -> str:
    rows = [
        "| project | ratio | aim | ours, µs per step | of its epochs | by hand | of its epochs |",
        "|---|---|---|---|---|---|---|",
    ]
    for title, (limit, ours, *_) in found.items():
        cells = f"{ours.over(limit):.3f} | ≤ {AIM} | {ours.cells} | {limit.cells}"
        rows.append(f"| {title} | {cells} |")
    return "\n".join(rows)


def steps(scratch: Path, rounds: int) -> None:
    """The tables of what a step costs."""
    found: dict[str, list[Loop]] = {}
    for parallelism, amp in VARIANTS:
        first = (parallelism, amp) == VARIANTS[0]
        loops = pair() + (peers() if first else [])
        # a CPU computes slowly in float16; processes differ more than their epochs do
        epochs = 4 if amp == "fp16" else 6
        measure(loops, render(scratch, parallelism, amp), rounds, epochs)
        found[f"{parallelism}, {amp}"] = loops
        print(f"{parallelism}, {amp}", file=sys.stderr)
    note = (
        f"{rounds} rounds of 5 epochs (fp16: 3) of {STEPS} steps, after one that warms up; batch "
        "64, images of 8 x 8, `--width 8`, one thread, no data workers, torch "
        f"{version('torch')}. Each loop is a process of its own; they take turns of 0.1 s, and the "
        "time is that of the processor for all threads of a process, without evaluation and "
        "checkpoints (what ours writes in the background counts). Ours is the real `python -m "
        "PROJECT.train`; the limit is the same arithmetic by hand and nothing else; all have the "
        "same data, loader (the limit: none), model, optimizer, rate, clipping. After the last "
        "epoch the weights of all loops are the same bits. A ratio is the median over the epochs, "
        "each to that of the limit at the same time. timm has no row: its wheel brings no training "
        "script, and to import it needs a torchvision that fits torch, which there was not."
    )
    tables = [against_peers(found["single, off"]), against_limit(found)]
    write_section("loop.py, steps", "A training step", note, tables)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--only", nargs="+", default=["steps", "starts", "processes"])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        scratch = Path(name)
        draw(scratch / "data8", 8, 64 * STEPS)
        if "steps" in given.only:
            steps(scratch, given.rounds)
        if "starts" in given.only:
            projects = {
                "logger none": render(scratch, "single", "off"),
                "logger tensorboard": render(scratch, "single", "off", "tensorboard"),
                "ddp": render(scratch, "ddp", "off"),
            }
            starts.compare(projects, scratch / "data8", given.rounds)
        if "processes" in given.only:
            draw(scratch / "data32", 32, 64 * 10)
            project = render(scratch, "ddp", "off")
            processes.compare(project, scratch / "data32", given.rounds)


if __name__ == "__main__":
    main()
