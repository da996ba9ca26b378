"""How fast are our loaders: against other libraries that store images and load batches of them.

    python benchmarks/rivals.py [--rounds 7] [--size 32 224] [--only ffcv hdf5 …]

The same drawn images in each; every library loads in a process of its own, and they take turns.
Writes its section of benchmarks/README.md.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drawn import COUNT, decode, draw, new_project, package_name, prepare, run
from pace import Pace, one_thread, processor, versions
from serving import approximation, digest_of
from stores import STORES
from timing import ROOT, write_section

OURS = {"jpeg": "imagefolder", "pillow": "imagefolder", "raw": "hdf5"}  # a kind's measure
WORKERS = (0, 2)
SERVING = ROOT / "benchmarks" / "serving.py"
NAMES = {"jpeg": "JPEG", "pillow": "JPEG, its own decoding", "raw": "raw"}


@dataclass
class Rival:
    """A store in its process."""

    name: str
    kind: str
    process: subprocess.Popen[str]
    log: Path
    speed: Pace = field(default_factory=Pace)
    starts: Pace = field(default_factory=Pace)

    def answer(self) -> Any:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name}, {self.kind} failed:\n{self.log.read_text()[-3000:]}")
        return json.loads(line)

    def send(self, number: int) -> None:
        """Send a signal to its process and to its workers."""
        os.killpg(self.process.pid, number)

    def turn(self, keep: bool) -> None:
        """One round; before and after it, nothing of it runs: no prefetching in another's turn."""
        assert self.process.stdin
        self.send(signal.SIGCONT)
        print(file=self.process.stdin, flush=True)
        speed, starts = self.answer()
        self.send(signal.SIGSTOP)
        if keep:
            self.speed.values.append(speed)
            self.starts.values += [1000 * seconds for seconds in starts]

    def end(self) -> None:
        """Let it end, which it does where its input does; if not, kill it."""
        self.send(signal.SIGCONT)
        try:
            self.process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.send(signal.SIGKILL)
            self.process.communicate()


def compete(
    scratch: Path, size: int, workers: int, names: list[str], rounds: int, wanted: tuple[int, int]
) -> list[Rival]:
    """Start all, show that they give the same images, let them take turns, end them."""
    rivals: list[Rival] = []
    try:
        start(rivals, scratch, size, workers, names, wanted)
        for number in range(rounds + 1):  # the first only warms the caches
            # each time in another order: what one leaves in the caches, the next pays for
            for rival in random.Random(number).sample(rivals, len(rivals)):
                rival.turn(number > 0)
    finally:
        for rival in rivals:
            rival.end()
    return rivals


def start(
    rivals: list[Rival],
    scratch: Path,
    size: int,
    workers: int,
    names: list[str],
    wanted: tuple[int, int],
) -> None:
    """Start one after the other; each writes what it needs, shows its images, and is stopped."""
    for name, kind in ((n, kind) for kind in NAMES for n in names if kind in STORES[n].kinds):
        line = [sys.executable, str(SERVING), name, kind, str(scratch), str(size), str(workers)]
        log = scratch / f"{name}-{kind}-{size}-{workers}.log"
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            line,
            stdin=pipe,
            stdout=pipe,
            stderr=log.open("w"),
            text=True,
            start_new_session=True,  # so that a signal reaches its workers too
        )
        rivals.append(Rival(name, kind, process, log))
        approximate = STORES[name].approximate and kind != "raw"
        assert rivals[-1].answer() == [wanted[approximate], COUNT[size]], f"{name}, {kind}"
        rivals[-1].send(signal.SIGSTOP)


def table(size: int, found: dict[int, list[Rival]]) -> str:
    """A row for each store, its speed over that of ours of the same kind first."""
    head = " | ".join(f"ratio, {w} workers | images/s | lowest to highest" for w in WORKERS)
    start = "an epoch's first batch, ms"
    rows = [f"| {size} x {size} | stored | shuffled | {head} | {start} |", "|---" * 10 + "|"]
    base = {w: {r.name: r.speed for r in rivals} for w, rivals in found.items()}
    for row in zip(*(found[w] for w in WORKERS), strict=True):
        store, kind = STORES[row[0].name], row[0].kind
        cells = [
            f"{r.speed.against(base[w][OURS[kind]])} | {r.speed.cells()}"
            for w, r in zip(WORKERS, row, strict=True)
        ]
        starts = " / ".join(f"{r.starts.median:.0f}" if r.starts.values else "-" for r in row)
        cells = [store.title, NAMES[kind], store.shuffles, *cells, starts]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--size", type=int, nargs="+", default=sorted(COUNT), choices=sorted(COUNT))
    parser.add_argument("--only", nargs="+", default=list(STORES), choices=list(STORES))
    given = parser.parse_args()
    asked = [name for name in STORES if name in {*given.only, *OURS.values()}]
    names = [name for name in asked if versions(STORES[name].package)]
    missing = [STORES[name].title for name in asked if name not in names]
    one_thread()
    tables = []
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as place:
        scratch = Path(place)
        for size in given.size:
            draw(scratch / f"images{size}", size)
            new_project(scratch, "imagefolder", package_name("imagefolder", size))
            for data_format in ("hdf5", "lmdb"):
                prepare(scratch, data_format, size)
            name = package_name("lmdb", size)
            source = ("--source", str(scratch / f"images{size}"))
            line = ("-m", f"{name}.prepare", *source, "--data-dir", "encoded", "--encoded")
            run(scratch / name, *line)
            wanted = digest_of(scratch, size, decode), digest_of(scratch, size, approximation)
            found = {w: compete(scratch, size, w, names, given.rounds, wanted) for w in WORKERS}
            tables.append(table(size, found))
    write_section(
        "rivals.py", "Other libraries that load images", note(given.rounds, missing), tables
    )


def note(rounds: int, missing: list[str]) -> str:
    """What was done, and what could not be."""
    packages = dict.fromkeys(store.package for store in STORES.values() if store.package != "torch")
    left_out = f" Not installed here, so not measured: {', '.join(missing)}." if missing else ""
    return (
        f"{processor()}; {versions('torch', 'numpy', 'pillow', 'simplejpeg', *packages)}."
        f"{left_out} {rounds} rounds of a second each, after 0.3 that are not timed, in another "
        "order each time. Each loads in a process of its own, on one "
        "thread, by itself (0 workers) or with 2 workers, which live on from epoch to epoch (ours "
        "chooses by itself: two processes to decode, but a thread for what is raw); the "
        "processes take turns, stopped in between. All give batches of uint8 tensors of the same "
        "size. Before timing, an epoch of each was shown to hold every image once, with its label "
        "and the very pixels that Pillow decodes from its file. The ratio is its speed over that "
        "of ours of the same kind: JPEG over imagefolder, raw over hdf5. JPEG means: decoded by "
        "libjpeg-turbo (simplejpeg), as ours does; `its own decoding` is what the library does if "
        "nothing is changed, by Pillow. LitData's own needs torchvision, which does not import "
        "beside this CPU build of torch from PyPI; MosaicML imports torchvision for a class that "
        "is not used here, and got a stand-in for it. FFCV, where it is there, was built against "
        "OpenCV; it has no 0 workers, but a thread of its own beside the one that takes the "
        "batches; it was given the JPEG files as they are, which it would otherwise compress "
        "anew; and it decodes by a faster, less exact transform: its pixels were shown to be "
        "exactly those of libjpeg-turbo with that transform, some levels of 255 away. Streams are "
        "shuffled within a buffer of 1,000 samples, or by shards and then within them; the others "
        "give any image at any time. The last column is the wait for the first batch of an epoch "
        "with 0 / 2 workers, in milliseconds."
    )


if __name__ == "__main__":
    main()
