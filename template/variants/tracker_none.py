"""No tracker: metrics.jsonl and steps.jsonl have everything. `torchgen set logger=...` adds one."""

from pathlib import Path
from typing import Any

Points = dict[int, dict[str, float]]


class Tracker:
    def __init__(self, run_dir: Path, run: str, settings: dict[str, Any]) -> None:
        pass

    def log(self, points: Points) -> None:
        pass

    def close(self, *, complete: bool) -> None:
        pass
