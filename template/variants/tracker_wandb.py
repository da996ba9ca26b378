"""Curves for Weights & Biases, offline until you log in.

`wandb login` sends the runs that follow; `wandb sync RUN/wandb/offline-run-*` sends an earlier one.
WANDB_PROJECT, WANDB_ENTITY and WANDB_MODE are heeded as everywhere.
"""

import io
import os
import shutil
import uuid
from pathlib import Path
from typing import Any, Literal

import wandb
from PIL import Image

from ..base.errors import PACKAGE
from ..base.values import Plain


class Tracker:
    """Passes the lines of metrics.jsonl on to a W&B run."""

    def __init__(self, run_dir: Path, settings: Plain) -> None:
        """Go on in the run that the folder names; the caller logs the epochs so far again."""
        run_id = _run_id(run_dir)
        for part in run_dir.glob(f"wandb/offline-run-*-{run_id}"):
            shutil.rmtree(part)  # written again from metrics.jsonl, so that no point is there twice
        mode: Literal["offline"] | None = None
        if "WANDB_MODE" not in os.environ and not wandb.login(prompt=False):
            mode = "offline"
        self.run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", PACKAGE),
            name=run_dir.resolve().name,
            id=run_id,
            resume="allow",
            dir=run_dir,
            config=dict(settings),
            mode=mode,
            settings=wandb.Settings(silent=True, console="off"),
        )

    def log(self, record: Plain) -> None:
        """Add one line of metrics.jsonl as points at its step, unless the server has them."""
        if record["step"] >= self.run.step:
            values = {
                f"{record['split']}/{name}": value
                for name, value in record.items()
                if name not in ("split", "epoch", "step") and value is not None
            }
            self.run.log(values, step=record["step"])

    def finish(self, summary: Plain) -> None:
        """Add the final numbers to the run's summary."""
        self.run.summary.update({f"final/{name}": value for name, value in summary.items()})

    def show(self, figures: dict[str, Any]) -> None:
        """Add matplotlib's figures to the run's media."""
        self.run.log({f"report/{name}": _image(figure) for name, figure in figures.items()})

    def close(self) -> None:
        """Send what is left."""
        self.run.finish()


def _image(figure: Any) -> wandb.Image:
    """A figure as W&B shows it; given the figure itself it would import pyplot."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=150)
    return wandb.Image(Image.open(file))


def _run_id(run_dir: Path) -> str:
    """The id of the folder's run; a resume must find the same one."""
    path = run_dir / "wandb_id.txt"
    if not path.exists():
        path.write_text(uuid.uuid4().hex[:12], encoding="utf-8")
    return path.read_text(encoding="utf-8").strip()
