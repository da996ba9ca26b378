"""How fast something went, round after round, and how a table says so."""

import os
import re
import statistics
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path


@dataclass
class Pace:
    """What was measured of one thing, a number a round."""

    values: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def against(self, other: "Pace") -> str:
        """The ratio of the medians."""
        return f"{self.median / other.median:.2f}"

    def cells(self, form: str = ",.0f") -> str:
        """Two cells: the median, and the lowest and the highest value."""
        return f"{self.median:{form}} | {min(self.values):{form}} to {max(self.values):{form}}"


def versions(*packages: str) -> str:
    """The installed ones of these, with their versions."""
    found = []
    for name in packages:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def processor() -> str:
    """The processor, and the largest of its caches, as far as Linux tells."""
    info = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.*)", info.read_text()) if info.exists() else None
    caches = [int(p.read_text()[:-2]) for p in Path(CACHES).glob("index*/size")]
    name = model[1].strip() if model else "a processor"
    return f"{name}, {max(caches) // 1024} MiB of cache" if caches else name


CACHES = "/sys/devices/system/cpu/cpu0/cache"


def one_thread() -> None:
    """Keep this process, and those it starts, to one thread for arithmetic."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
