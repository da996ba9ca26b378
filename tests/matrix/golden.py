"""The numbers that a short run of each variant must give, again and again, release after release.

`golden.json` holds them, and the machine they are from; `make golden` writes it anew. On that kind
of machine they must be equal. On another, oneDNN cuts its convolutions after the sizes of the
processor's caches, which changes the order of sums: there the numbers must be close.
"""

import json
import os
import platform
import re
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).with_name("golden.json")
TOLERANCE = {"off": 1e-4, "bf16": 2e-2, "fp16": 2e-2}  # relative, on another kind of machine

Lines = list[dict[str, Any]]  # of metrics.jsonl, but for the speed
Numbers = dict[str, Lines]  # by variant


def machine() -> dict[str, str]:
    """What the bits depend on beyond what the tests pin."""
    import torch

    found = {"torch": torch.__version__, "system": platform.system(), "cpu": platform.processor()}
    if (info := Path("/proc/cpuinfo")).exists():
        first = info.read_text(encoding="utf-8").partition("\n\n")[0]
        fields = dict(re.findall(r"^(.+?)\s*: (.+)$", first, re.MULTILINE))
        names = ("model name", "cpu family", "model", "stepping", "cache size")
        found["cpu"] = ", ".join(fields.get(name, "") for name in names)
        caches = sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"))
        found["caches"] = " ".join(path.read_text(encoding="utf-8").strip() for path in caches)
    return found


def check(found: Numbers) -> None:
    """Compare with the committed numbers; GOLDEN=write replaces them instead."""
    if os.environ.get("GOLDEN") == "write":
        content = {"machine": machine(), "numbers": found}
        FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    golden = json.loads(FILE.read_text(encoding="utf-8"))
    assert found.keys() == golden["numbers"].keys()
    equal = golden["machine"] == machine()
    for variant, expected in golden["numbers"].items():
        tolerance = 0.0 if equal else TOLERANCE[variant.partition("-")[2]]
        for line, known in zip(found[variant], expected, strict=True):
            assert line.pop("split") == known.pop("split")
            # an accuracy is a count over few samples: one of them may fall to the other side
            accuracy = known.pop("accuracy")
            assert line.pop("accuracy") == pytest.approx(accuracy, abs=0.0 if equal else 0.05)
            assert line == pytest.approx(known, rel=tolerance), variant
