"""A toy tracker: a line of tracker.jsonl for each call."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock


class Tracker:
    writer = run = MagicMock()  # of TensorBoard's and W&B's, which your edits may use

    def __init__(self, run_dir: Path, run: str, settings: dict[str, Any]) -> None:
        self.path = run_dir / "tracker.jsonl"
        self.write("start", run)

    def log(self, points: dict[int, dict[str, float]]) -> None:
        for step, values in points.items():
            self.write("log", step, values)

    def close(self, *, complete: bool) -> None:
        self.write("close", complete)

    def write(self, *line: Any) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
