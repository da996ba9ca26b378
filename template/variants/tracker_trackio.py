"""Curves for Trackio: a store in the run's folder, or where TRACKIO_DIR says. No account.

To compare runs on one page, give them one store: train them with TRACKIO_DIR=runs/trackio, and look
at it with `TRACKIO_DIR=runs/trackio trackio show`. `trackio sync` sends it to Hugging Face.
"""

import contextlib
import io
import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from ..base.errors import PACKAGE
from ..base.values import Plain

if TYPE_CHECKING:
    from .histograms import Histograms


class Tracker:
    """Passes the lines of metrics.jsonl on to a Trackio run."""

    def __init__(self, run_dir: Path, settings: Plain) -> None:
        """Begin anew, at a resume too: the caller logs the epochs so far, so that none is twice."""
        self.trackio, self.name, self.settings = _library(run_dir), _name(run_dir), settings
        with contextlib.suppress(ValueError):  # the store has nothing of this project yet
            for run in self.trackio.Api().runs(PACKAGE):
                if run.name == self.name:
                    run.delete()
        self.step = 0  # of the newest line
        self.run = self._start("never")

    def _start(self, resume: str) -> Any:
        """Begin the run, or go on with it, without a word on the terminal."""
        with contextlib.redirect_stdout(io.StringIO()):
            return self.trackio.init(
                project=PACKAGE,
                name=self.name,
                resume=resume,
                config={name: str(value) for name, value in self.settings.items()},
                embed=False,
                auto_log_cpu=False,
                auto_log_gpu=False,
            )

    def log(self, record: Plain) -> None:
        """Add one line of metrics.jsonl as points at its step."""
        self.step = record["step"]
        values = {
            f"{record['split']}/{name}": value
            for name, value in record.items()
            if name not in ("split", "epoch", "step") and value is not None
        }
        self.run.log(values, step=self.step)

    def draw(self, step: int, histograms: "Histograms") -> None:
        """Add histograms to the points of a step."""
        self.run.log(
            {
                name: self.trackio.Histogram(np_histogram=(np.array(counts), np.array(edges)))
                for name, (counts, edges) in histograms.items()
            },
            step=step,
        )

    def finish(self, summary: Plain) -> None:
        """Add the final numbers, and have all of it written: a thread does so a moment later."""
        self.run.log({f"final/{name}": value for name, value in summary.items()}, step=self.step)
        self.close()

    def show(self, figures: dict[str, Any]) -> None:
        """Add matplotlib's figures to the run's media, after `finish`."""
        self.run = self._start("must")
        images = {f"report/{name}": self._image(figure) for name, figure in figures.items()}
        self.run.log(images, step=self.step)
        self.close()

    def close(self) -> None:
        """Write what is left, if the run is not over yet."""
        if self.run is not None:
            with contextlib.redirect_stdout(io.StringIO()):
                self.trackio.finish()
            self.run = None

    def _image(self, figure: Any) -> Any:
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=150)
        return self.trackio.Image(Image.open(file))


def _library(run_dir: Path) -> Any:
    """Import Trackio, which looks only then where its store is."""
    given = os.environ.get("TRACKIO_DIR")
    os.environ["TRACKIO_DIR"] = given or str(run_dir.resolve() / "trackio")
    import trackio

    if given is None:
        del os.environ["TRACKIO_DIR"]
    return trackio


def _name(run_dir: Path) -> str:
    """The name of the folder's run, unlike any other; a resume must find the same one."""
    path = run_dir / "trackio_run.txt"
    if not path.exists():
        path.write_text(f"{run_dir.resolve().name}-{uuid.uuid4().hex[:8]}", encoding="utf-8")
    return path.read_text(encoding="utf-8").strip()
