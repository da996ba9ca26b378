"""A run to interrupt: its project, the flags of each start, and what is seen of it."""

import re
import sys
from pathlib import Path

from matrix.commands import Project
from matrix.renderings import PACKAGE
from warm import python_for

from .processes import GONE_WITHIN, Life, command, torchrun
from .runs import Place, RunFolder

CLASSES = ("left", "middle", "right")
PER_CLASS = {"train": 24, "val": 60}  # an evaluation long enough to be interrupted
SIDE = 24  # pixels: a step takes long enough to be hit

EPOCHS, BATCH = 7, 4
STEPS = PER_CLASS["train"] * len(CLASSES) // BATCH  # per epoch, with a checkpoint after each one
# between torchrun and a rank, in the rank's own session: writes down how the rank ended
WITNESS = f"""
trap : TERM INT USR1
{sys.executable} -m {PACKAGE}.train "$@"
echo $? > "exit-of-rank-$RANK"
"""


class Trial:
    """A project with one run to interrupt, and the flags of each of its starts."""

    def __init__(self, project: Project, data: Path, parallelism: str) -> None:
        self.project, self.processes = project, 2 if parallelism != "single" else 0
        self.flags: list[object] = [
            *("--data-dir", data, "--device", "cpu", "--num-workers", 2, "--dropout", 0.2),
            *("--epochs", EPOCHS, "--batch-size", BATCH, "--checkpoint-every", STEPS),
        ]
        self.run = RunFolder(project.folder / "run")

    def line(self, *more: object, folder: str = "run", python: str = sys.executable) -> list[str]:
        """The command line of a start; later flags win."""
        flags = ("--run-dir", folder, *self.flags, "--resume", *more)
        return command("train", *flags, processes=self.processes, python=python)

    def start(self, *more: object) -> Life:
        return Life(self.project, self.line(*more))

    def watched(self) -> Life:
        """A start whose ranks' exit codes are written down."""
        if not self.processes:
            return self.start()
        (self.project.folder / "witness.sh").write_text(WITNESS, encoding="utf-8")
        flags = ["--run-dir", "run", *map(str, self.flags), "--resume"]
        line = [*torchrun(self.processes), "--no-python", "bash", "witness.sh", *flags]
        return Life(self.project, line)

    def exit_codes(self) -> list[int]:
        """How the ranks of the last start ended."""
        found = sorted(self.project.folder.glob("exit-of-rank-*"))
        return [int(path.read_text()) for path in found]

    def finish(self, folder: str = "run") -> RunFolder:
        """Let the run go on to its end."""
        python = python_for(self.project.environment)
        with Life(self.project, self.line(folder=folder, python=python)) as life:
            assert life.wait() == 0, life.said
            life.seconds_until_gone(GONE_WITHIN)
        return RunFolder(self.project.folder / folder)


def evaluates(place: Place) -> bool:
    """Whether an epoch's last step is done, and its evaluation is not."""
    return place.step == (place.epoch + 1) * STEPS


def wait_for_an_epoch(trial: Trial, life: Life, *, evaluated: bool) -> Place:
    """Wait for a new checkpoint: before an epoch's evaluation, or after it."""
    while evaluates(place := trial.run.next_checkpoint(life)) == evaluated:
        pass
    return place


def check_start(life: Life, place: Place) -> None:
    """It went on after the step that the start before had saved."""
    steps = [int(step) for step in re.findall(r"resumes after step (\d+)", life.said)]
    assert steps == ([place.step] if place.step else []), life.said
