"""When to kill a run: moments that show on the disk, reached without touching its code."""

import signal
import time
from dataclasses import dataclass
from random import Random

from .processes import Life, kill
from .runs import Place, RunFolder

FIRST, LAST = "before the first checkpoint", "at the very end"
STARTING = "while it starts"
BETWEEN = "between two checkpoints of an epoch"
WRITING = "while a checkpoint is written"
PLACED = "when a checkpoint is just in place"
EVALUATING = "in evaluation"
LOGGED = "between an epoch's lines and its checkpoint"

RANK = "one rank"
WAYS = {
    "single": ("the whole tree", "the process"),
    "ddp": ("the whole tree", "the launcher", RANK),
    "fsdp": ("the whole tree", "the launcher", RANK),
}
NEED_THE_PARENT = ("the launcher", RANK)  # ranks whose parent is torchrun: of no warm start


@dataclass
class Moments:
    """The moments of a run that saves every few steps and at the end of an epoch."""

    run: RunFolder
    steps: int  # per epoch
    epochs: int
    pace: float  # seconds that a step takes
    random: Random

    def reach(self, life: Life, aim: str) -> None:
        """Return at the moment to kill; raises Ended where the command ends before."""
        moments = {
            FIRST: self._resolved,
            STARTING: self._among_the_imports if self.random.random() < 0.5 else self._resolved,
            BETWEEN: self._between,
            WRITING: self._writing,
            PLACED: self._placed,
            EVALUATING: self._evaluating,
            LOGGED: self._logged,
            LAST: self._finished,
        }
        if aim not in (FIRST, STARTING):
            self.run.next_checkpoint(life)  # each other start gets somewhere
        moments[aim](life)

    def _among_the_imports(self, life: Life) -> None:
        late = time.monotonic() + self.random.uniform(0.3, 1.5)
        life.until(lambda: time.monotonic() > late)

    def _resolved(self, life: Life) -> None:
        before = self.run.stamp("config.json")
        life.until(lambda: self.run.stamp("config.json") != before)
        time.sleep(self.random.random() * self.pace)

    def _between(self, life: Life) -> None:
        while self.run.next_checkpoint(life).step % self.steps == 0:
            pass
        time.sleep(self.random.uniform(1.1, 2.5) * self.pace)

    def _writing(self, life: Life) -> None:
        before = self.run.partial()
        life.until(lambda: bool(self.run.partial() - before))

    def _placed(self, life: Life) -> None:
        self.run.next_checkpoint(life)

    def _evaluating(self, life: Life) -> None:
        while not self.evaluates(self.run.next_checkpoint(life)):
            pass
        time.sleep(self.random.random() * 2 * self.pace)

    def _logged(self, life: Life) -> None:
        before = self.run.epochs_logged()
        life.until(lambda: self.run.epochs_logged() > before)

    def _finished(self, life: Life) -> None:
        seen = self.run.stamp()  # before it is read, or the last of all might come in between
        while self.run.place().epoch < self.epochs:
            self.run.next_checkpoint(life, seen)
            seen = self.run.stamp()
        time.sleep(max(0.0, self.random.uniform(-0.1, 0.1)))  # often at once

    def evaluates(self, place: Place) -> bool:
        """Whether the epoch's last step is done, and its evaluation is not."""
        return place.step == (place.epoch + 1) * self.steps

    def landed(self, before: Place, partial_before: set[tuple[str, int]], redone: float) -> str:
        """Where the kill came, by what it left on the disk."""
        run, place = self.run, self.run.place()
        signs = (  # the first that holds decides
            (FIRST, not run.stamp()),
            (LAST, place.epoch == self.epochs),
            (WRITING, bool(run.partial() - partial_before)),
            (LOGGED, run.epochs_logged() > place.epoch),
            (STARTING, place == before),
            (EVALUATING, self.evaluates(place)),
            (BETWEEN, place.step % self.steps != 0 and redone >= 1),
        )
        return next((moment for moment, holds in signs if holds), PLACED)


def strike(life: Life, way: str, random: Random) -> None:
    """Kill the whole tree, the first process alone, or one of the ranks."""
    ranks = life.ranks() if way == RANK else []
    if ranks:
        kill(random.choice(ranks), signal.SIGKILL)
    elif way in ("the process", "the launcher"):
        life.process.kill()
    else:  # also while there are no ranks yet
        life.kill_all()
