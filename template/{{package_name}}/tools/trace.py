"""A trace of torch's profiler, with the parts of each step and the memory over time added to it.

The file is JSON in Chrome's trace event format, which https://ui.perfetto.dev opens.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from torch.profiler import profile

from .parts import MEANING, Mark

ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")  # categories of what an accelerator does


@contextmanager
def quiet() -> Iterator[None]:
    """Keep back what the profiler's C++ code writes to the standard error of this process."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


class Trace:
    """What the profiler recorded of some steps, and when their parts began."""

    def __init__(self, profiler: profile, marks: Sequence[Mark]) -> None:
        """Take what the profiler has recorded."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "trace.json"
            profiler.export_chrome_trace(str(path))
            self.content = json.loads(path.read_text(encoding="utf-8"))
        base = self.content["baseTimeNanoseconds"]
        self.begun = [(mark.part, (mark.on_host - base) / 1000) for mark in marks]  # microseconds

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events, in the format of the file."""
        return self.content["traceEvents"]

    def memory(self, kind: int) -> list[tuple[float, int]]:
        """Microseconds, and the bytes in use from then on, by a kind of device: 0 is the CPU."""
        found = (e for e in self.events if e["name"] == "[memory]")
        return sorted(
            (event["ts"], event["args"]["Total Allocated"])
            for event in found
            if min(event["args"]["Device Type"], 1) == kind
        )

    def peaks(self, kind: int) -> dict[str, int]:
        """The most bytes that were in use during each part."""
        memory, found = self.memory(kind), dict.fromkeys(MEANING, 0)
        position, now = 0, 0
        for (part, begin), (_, end) in pairwise(self.begun):
            while position < len(memory) and memory[position][0] < begin:
                now = memory[position][1]
                position += 1
            found[part] = max(found[part], now)
            while position < len(memory) and memory[position][0] < end:
                now = memory[position][1]
                found[part] = max(found[part], now)
                position += 1
        return found

    def busy(self) -> float:
        """Seconds in which an accelerator did anything."""
        spans = sorted(
            (event["ts"], event["ts"] + event["dur"])
            for event in self.events
            if event.get("cat") in ON_DEVICE
        )
        total, until = 0.0, 0.0
        for begin, end in spans:
            total += max(0.0, end - max(begin, until))
            until = max(until, end)
        return total / 1e6

    def text(self) -> str:
        """The whole as JSON, with a track of the parts and a curve of the memory."""
        about = {"pid": os.getpid(), "tid": 0}
        added: list[dict[str, Any]] = [
            about | {"ph": "M", "name": "thread_name", "args": {"name": "parts of a step"}},
            about | {"ph": "M", "name": "thread_sort_index", "args": {"sort_index": -1}},
        ]
        for (part, begin), (_, end) in pairwise(self.begun):
            added.append(about | {"ph": "X", "name": part, "ts": begin, "dur": end - begin})
        for kind, name in enumerate(("CPU memory", "accelerator memory")):
            added += (
                about | {"ph": "C", "name": name, "ts": time, "args": {"MB": size / 1e6}}
                for time, size in self.memory(kind)
            )
        return json.dumps(self.content | {"traceEvents": self.events + added})
