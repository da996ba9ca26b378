"""The real `python -m PROJECT.train`, but its clock is that of the processor, as for the others."""

import json
import runpy
import shutil
import sys
import time
from pathlib import Path

import torch

from loops.parts import flags, leave

BATCH = 64  # the default


def command(project: str, run_dir: Path, data_dir: Path, width: int, epochs: int) -> list[str]:
    """The flags of `train`."""
    line = [f"{project}.train", "--run-dir", str(run_dir), "--data-dir", str(data_dir)]
    line += ["--width", str(width), "--epochs", str(epochs), "--num-workers", "0"]
    return [*line, "--device", "cpu"]


def main() -> None:
    """Train, then hand over what metrics.jsonl and the last checkpoint say."""
    given = flags().parse_args()
    run_dir = given.result.with_suffix(".run")
    shutil.rmtree(run_dir, ignore_errors=True)
    sys.path.insert(0, str(given.project))
    sys.argv = command(given.project.name, run_dir, given.data_dir, given.width, given.epochs)
    torch.set_num_threads(1)
    time.monotonic = time.process_time
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code:
            raise
    lines = (run_dir / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    epochs = [record for record in map(json.loads, lines) if record["split"] == "train"]
    seconds = [BATCH * 1.0 / e["samples_per_second"] for e in epochs]
    steps = epochs[0]["step"]
    state = torch.load(run_dir / "checkpoints" / "last.pt", weights_only=True)
    leave(given.result, [s * steps for s in seconds], [e["loss"] for e in epochs], state["model"])


if __name__ == "__main__":
    main()
