"""The numbers that a short run of each variant must give, again and again, release after release.

`golden.json` holds them, and the machine they are from; `make golden` writes it anew. On that kind
of machine they must be equal. On another, oneDNN cuts its convolutions after the sizes of the
processor's caches, which changes the order of sums: there the numbers must be close.
"""

import json
import os
import platform
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

    cpu = platform.processor()
    if (info := Path("/proc/cpuinfo")).exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        cpu = next(
            (line.partition(": ")[2] for line in lines if line.startswith("model name")), cpu
        )
    return {"torch": torch.__version__, "system": platform.system(), "cpu": cpu}


def check(found: Numbers) -> None:
    """Compare with the committed numbers; GOLDEN=write replaces them instead."""
    if os.environ.get("GOLDEN") == "write":
        content = {"machine": machine(), "numbers": found}
        FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    golden = json.loads(FILE.read_text(encoding="utf-8"))
    assert found.keys() == golden["numbers"].keys()
    equal = golden["machine"] == machine()
    for variant, expected in golden["numbers"].items():
        for line, known in zip(found[variant], expected, strict=True):
            tolerance = 0.0 if equal else TOLERANCE[variant.partition("-")[2]]
            # an accuracy is a count over few samples: one of them may fall to the other side
            slack = {name: 0.0 if equal or name != "accuracy" else 0.05 for name in known}
            for name, value in known.items():
                close = pytest.approx(value, rel=tolerance, abs=slack[name])
                assert line[name] == (value if isinstance(value, str) else close), (
                    f"{variant}: {name} of {known['split']} in epoch {known['epoch']}"
                )
