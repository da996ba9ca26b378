"""What 1,024 processes and 10^9 samples take: orders, shares, checkpoints, the cost of a step.

    python benchmarks/scaling.py [--ranks 1024] [--samples 1000000000]

The samples are numbers alone: none is read. Writes its section of benchmarks/README.md, which tells
what was measured from what was computed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import ranks
from drawn import module_of, new_project
from pace import processor, versions
from timing import TRY, write_section

NAME = "scaled"
EACH = 64  # samples that a process reads in a step
OF_A_FILE, WINDOW = 10_000, 16  # samples; files


def sampler_of(scratch: Path, samples: int, size: int, kind: str, rank: int, ranks: int) -> Any:
    """A rank's sampler of batches of `size` samples, over all ranks."""
    order = None
    if kind == "windows":
        counts = np.full(samples // OF_A_FILE, OF_A_FILE)
        order = module_of(scratch, NAME, "toolbox.windows").Windows(counts, WINDOW)
    train = module_of(scratch, NAME, "data.samplers").TrainSampler
    return train(samples, size, seed=0, order=order, rank=rank, world_size=ranks)


def status(field: str) -> float:
    """A line of this process's status, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise ValueError(field)


def of_one_rank(scratch: Path, samples: int, kind: str, ranks: int) -> list[float]:
    """A rank alone: ms until its first batch; µs for one more; ms to resume; MB; MB to evaluate.

    The MB are those that the process grew by at its peak, from when it had its sampler.
    """
    sampler = sampler_of(scratch, samples, EACH * ranks, kind, ranks // 2, ranks)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before, start = status("VmRSS"), time.perf_counter()
    batches = iter(sampler)
    next(batches)
    first = time.perf_counter() - start
    count = min(2000, len(sampler) - 1)
    start = time.perf_counter()
    for _ in range(count):
        next(batches)
    further = (time.perf_counter() - start) / count
    sampler.set_epoch(5, len(sampler) // 2)
    start = time.perf_counter()
    next(iter(sampler))
    resumed, peak = time.perf_counter() - start, status("VmHWM") - before
    evaluation = module_of(scratch, NAME, "data.samplers").EvalSampler(
        samples, EACH, rank=ranks // 2, world_size=ranks
    )
    return [first * 1e3, further * 1e6, resumed * 1e3, peak, evaluation.indices.nbytes / 1e6]


def rank_table(scratch: Path, most: int, ranks: int) -> str:
    rows = [
        f"| one of {ranks:,} processes | samples | first batch, ms | each further one, µs "
        "| first batch of a resume, ms | memory, MB | to evaluate as many, MB |",
        "|---" * 7 + "|",
    ]
    sizes = [
        size for size in (10**5, 10**6, 10**7, 10**8, 10**9) if 10 * EACH * ranks <= size <= most
    ]
    for kind in ("any order", "windows"):
        for size in sizes:
            line = [sys.executable, __file__, "--one", str(scratch), str(size), kind, str(ranks)]
            found = json.loads(subprocess.check_output(line, text=True).splitlines()[-1])
            cells = " | ".join(f"{value:,.1f}" for value in found)
            rows.append(f"| {kind} | {size:,} | {cells} |")
            print(rows[-1], file=sys.stderr)
    return "\n".join(rows)


def share_table(scratch: Path, most: int, ranks: int) -> str:
    """All ranks of an epoch, one after the other; each sample that one draws is crossed off."""
    rows = [
        "| all processes | samples | drawn | of them different ones | left for another epoch "
        "| steps of each process | minutes |",
        "|---" * 7 + "|",
    ]
    size = ranks * max(EACH, 1024 if not TRY else EACH)
    # each process computes a part of every window, which takes hours for all of them at `most`
    for kind, samples in (("any order", most), ("windows", most // 10)):
        seen, drawn, steps = np.zeros(samples, bool), 0, set()
        start = time.perf_counter()
        for rank in range(ranks):
            batches = 0
            for request in sampler_of(scratch, samples, size, kind, rank, ranks):
                seen[request.indices] = True
                drawn, batches = drawn + len(request.indices), batches + 1
            steps.add(batches)
        minutes = (time.perf_counter() - start) / 60
        different = int(np.count_nonzero(seen))
        assert different == drawn == samples // size * size and len(steps) == 1
        rows.append(
            f"| {kind} | {samples:,} | {drawn:,} | {different:,} | {samples - drawn:,} "
            f"| {steps.pop():,} | {minutes:.1f} |"
        )
        print(rows[-1], file=sys.stderr)
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ranks", type=int, default=16 if TRY else 1024)
    parser.add_argument("--samples", type=int, default=2 * 10**5 if TRY else 10**9)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        scratch, size, kind, count = given.one
        print(json.dumps(of_one_rank(Path(scratch), int(size), kind, int(count))))
        return
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        new_project(Path(name), "hdf5", NAME, "--logger", "none", "--parallelism", "ddp")
        tables = [
            rank_table(Path(name), given.samples, given.ranks),
            share_table(Path(name), given.samples, given.ranks),
            ranks.checkpoint_table(given.ranks),
            ranks.parts_table(Path(name)),
            *ranks.step_tables(given.ranks),
        ]
    note = (
        f"{processor()}; {versions('torch', 'numpy')}. Samples are numbers: none is read. Each "
        f"process draws {EACH} a step; files have {OF_A_FILE:,} samples, a window {WINDOW} files. "
        f"What is computed takes {ranks.BANDWIDTH * 8 / 1e9:.0f} Gb/s for each process, "
        f"{ranks.LATENCY * 1e6:.0f} µs for a message, {ranks.PACE:,} images/s and "
        f"{ranks.IMAGE_BYTES:,} bytes for each; it leaves out that the exchange runs beside the "
        "backward pass."
    )
    write_section("scaling.py", "Many processes, many samples", note, tables)


if __name__ == "__main__":
    main()
