"""What it brings to keep the memory that is freed: optimizer steps with malloc as it is, and so.

    python benchmarks/memory.py [--rounds 7]

Writes its section of benchmarks/README.md.
"""

import argparse
import multiprocessing
import os
import resource
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path

import torch
from choices import CASES, CHECKED, NAME, Choice, batch_of
from drawn import module_of, new_project
from pace import Pace, processor, versions
from timing import TRY, write_section

CPU = torch.device("cpu")
TITLES = ("as malloc does by itself", "**kept**, as every command of a project does")


def serve(pipe: Connection, scratch: Path, size: int, count: int, threads: int, kept: bool) -> None:
    """In a process of its own: say the first losses; a step's time per round; the peak in MiB."""
    if kept:
        module_of(scratch, NAME, "base.memory").keep_freed()
    torch.set_num_threads(threads)
    choice, batch = Choice(""), batch_of(size, count, CPU)
    choice.build(scratch, size, CPU)
    pipe.send([choice.step(*batch).item() for _ in range(CHECKED)])
    while pipe.recv():
        choice.turn(*batch)
        pipe.send(choice.pace.values[-1])
    pipe.send(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def compete(
    scratch: Path, size: int, count: int, threads: int, rounds: int
) -> list[tuple[Pace, float]]:
    """Both in turn; shows that they have the same losses, bit for bit."""
    start = multiprocessing.get_context("spawn")
    pipes, paces = [], [Pace(), Pace()]
    for kept in (False, True):
        ours, theirs = start.Pipe()
        start.Process(target=serve, args=(theirs, scratch, size, count, threads, kept)).start()
        pipes.append(ours)
    losses = [pipe.recv() for pipe in pipes]
    assert losses[0] == losses[1], losses
    for _ in range(rounds):
        for pipe, pace in zip(pipes, paces, strict=True):
            pipe.send(True)
            pace.values.append(pipe.recv())
    for pipe in pipes:
        pipe.send(False)
    return [(pace, pipe.recv()) for pipe, pace in zip(pipes, paces, strict=True)]


def table(scratch: Path, threads: int, rounds: int) -> str:
    """Two rows for each size of images."""
    rows = [
        f"| with {threads} of its threads | freed memory | time of a step, ratio | µs "
        "| lowest to highest | peak memory, MiB |",
        "|---" * 6 + "|",
    ]
    for size, count in CASES if TRY else (*CASES, (224, 64)):
        found = compete(scratch, size, count, threads, rounds)
        for title, (pace, peak) in zip(TITLES, found, strict=True):
            ratio = pace.against(found[0][0])
            rows.append(
                f"| {size} x {size}, batches of {count} | {title} | {ratio} | {pace.cells()} "
                f"| {peak:,.0f} |"
            )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        new_project(Path(name), "hdf5", NAME, "--logger", "none")
        numbers = dict.fromkeys((1, os.cpu_count() or 1))
        tables = [table(Path(name), threads, given.rounds) for threads in numbers]
    note = (
        f"{processor()}; {versions('torch')}. {given.rounds} rounds of half a second in turn, each "
        "contender in a process of its own: the step of the table above. Before timing, both had "
        f"the very same losses over {CHECKED} steps."
    )
    write_section("memory.py", "Memory that is freed", note, tables)


if __name__ == "__main__":
    main()
