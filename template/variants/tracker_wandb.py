"""Curves for Weights & Biases, offline until you log in.

`wandb login` sends the runs that follow; `wandb sync RUN/wandb/offline-run-*` sends an earlier one.
WANDB_PROJECT, WANDB_ENTITY and WANDB_MODE are heeded as everywhere.
"""

import io
import json
import os
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import wandb
from PIL import Image

from ..base.errors import PACKAGE
from ..base.values import Plain

if TYPE_CHECKING:
    from .histograms import Histograms


class Tracker:
    """Passes the lines of metrics.jsonl on to a W&B run."""

    def __init__(self, run_dir: Path, settings: Plain) -> None:
        """Go on in the run that the folder names; the caller logs the epochs so far again."""
        self.run_dir, self.settings, self.run_id = run_dir, settings, _run_id(run_dir)
        self.summary: Plain = {}
        self.drawn: dict[int, Plain] = {}  # histograms, by step
        self._remove(self._parts())  # written again from metrics.jsonl, so that no point is twice
        self.run = self._start()

    def _start(self) -> wandb.Run:
        """Begin the run, or go on with it where the server has it."""
        mode: Literal["offline"] | None = None
        if "WANDB_MODE" not in os.environ and not wandb.login(prompt=False):
            mode = "offline"
        return wandb.init(
            project=os.environ.get("WANDB_PROJECT", PACKAGE),
            name=self.run_dir.resolve().name,
            id=self.run_id,
            resume="allow",
            dir=self.run_dir,
            config=dict(self.settings),
            mode=mode,
            settings=wandb.Settings(silent=True, console="off"),
        )

    def _parts(self) -> list[Path]:
        """What starts of this run have left to be sent."""
        return list(self.run_dir.glob(f"wandb/offline-run-*-{self.run_id}*"))

    def _remove(self, parts: list[Path]) -> None:
        for part in parts:
            shutil.rmtree(part)

    def log(self, record: Plain) -> None:
        """Add one line of metrics.jsonl as points at its step, unless the server has them."""
        if record["step"] >= self.run.step:
            values = {
                f"{record['split']}/{name}": value
                for name, value in record.items()
                if name not in ("split", "epoch", "step") and value is not None
            }
            self.run.log(values, step=record["step"])

    def draw(self, step: int, histograms: "Histograms") -> None:
        """Add histograms to the points of a step, after the lines of that step."""
        self.drawn[step] = {
            name: wandb.Histogram(np_histogram=(np.array(counts), np.array(edges)))
            for name, (counts, edges) in histograms.items()
        }
        if step >= self.run.step:
            self.run.log(self.drawn[step], step=step)

    def finish(self, summary: Plain) -> None:
        """Add the final numbers to the run's summary, and have all of it written.

        W&B keeps what is logged in its own process, which is lost if that is killed before the end.
        """
        self.summary = {f"final/{name}": value for name, value in summary.items()}
        self.run.summary.update(self.summary)
        self.run.finish()

    def show(self, figures: dict[str, Any]) -> None:
        """Add matplotlib's figures to the run's media, after `finish`.

        A run that is over takes nothing more: what is still to be sent is written once more.
        """
        images = {f"report/{name}": _image(figure) for name, figure in figures.items()}
        before, self.run = self._parts(), self._start()
        for line in (self.run_dir / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            self.log(record)
            if record["split"] == "val" and record["step"] in self.drawn:
                self.run.log(self.drawn[record["step"]], step=record["step"])
        self.run.summary.update(self.summary)
        self.run.log(images)
        self.run.finish()
        self._remove(before)

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
