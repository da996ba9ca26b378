"""What each test found, for one test at the end that looks at all of it."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Receipt = dict[str, Any]

WAIT = 600  # seconds for what another of pytest's workers is still at


@contextmanager
def receipt(folder: Path, name: str) -> Iterator[Receipt]:
    """Write down what the test puts into it, and whether the test passed."""
    folder.mkdir(parents=True, exist_ok=True)
    content: Receipt = {"name": name, "passed": False}
    try:
        yield content
        content["passed"] = True
    finally:
        partial = folder / f"{name}.partial"
        partial.write_text(json.dumps(content, indent=1), encoding="utf-8")
        partial.rename(folder / f"{name}.json")


def collect(folder: Path, count: int) -> list[Receipt]:
    """All receipts, once the other workers have written theirs."""
    late = time.monotonic() + WAIT
    while len(paths := sorted(folder.glob("*.json"))) < count and time.monotonic() < late:
        time.sleep(0.2)
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]
