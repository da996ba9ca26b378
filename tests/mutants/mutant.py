"""What a mutant is: a rule, one small breakage of it, and the test that must notice."""

import zlib
from dataclasses import dataclass, field
from pathlib import Path

from matrix.answers import Answers
from matrix.renderings import PACKAGE

# the rows of the table of rules, in its order; what it does not speak of comes last
ROWS = (
    *("Seeds", "Workers", "Cost", "Isolation", "Determinism"),
    *("Train sampler", "Eval sampler", "Empty shards", "Validation", "SyncBN"),
    *("Checkpoint", "weights_only", "Atomic", "Fallback", "Best", "Preemption", "Other world"),
    *("Partial load", "Groups", "AMP", "Accumulation", "LR", "DDP", "FSDP", "Handles"),
    *("Images", "Divergence", "Records", "Run folder", "Report", "Losses", "Options", "Tools"),
    "Clusters",
)

# the sets of answers that mutants live in, in which each choice is there
HOMES: tuple[Answers, ...] = tuple(
    dict(zip(("parallelism", "amp", "data_format", "logger"), answers.split(), strict=True))
    for answers in (
        "single off hdf5 none",
        "ddp off lmdb none",
        "single fp16 imagefolder none",
        "ddp bf16 hdf5 none",
        "single bf16 lmdb tensorboard",
        "ddp fp16 imagefolder none",
        "single off imagefolder wandb",
        "single off hdf5 mlflow",
        "single off lmdb trackio",
        "fsdp off lmdb none",
    )
)


@dataclass(frozen=True)
class Mutant:
    """One breakage: a text that occurs once in a file of the package gives way to another."""

    id: str
    row: str
    rule: str  # what holds, in a sentence
    file: str
    old: str
    new: str
    test: str  # FILE::NAME in the project's tests, with all its parameters unless it names one
    needs: Answers = field(default_factory=dict)  # where the rule can be broken like this
    also: tuple[tuple[str, str], ...] = ()  # further edits of the file

    @property
    def home(self) -> Answers:
        """One of the homes that have what it needs, dealt by its id; shards are asked for."""
        chosen = self.needs.get("parallelism") == "fsdp"
        homes = [home for home in HOMES if chosen or home["parallelism"] != "fsdp"]
        fitting = [home for home in homes if self.needs.items() <= home.items()]
        return fitting[zlib.crc32(self.id.encode()) % len(fitting)]

    def break_rule(self, tree: Path) -> None:
        """Make the edits in a project; raises ValueError where they do not fit its text."""
        path = tree / PACKAGE / self.file
        text = path.read_text(encoding="utf-8")
        for old, new in ((self.old, self.new), *self.also):
            if (count := text.count(old)) != 1:
                raise ValueError(f"{self.id}: {count} times in {self.file}: {old!r}")
            text = text.replace(old, new)
        compile(text, path, "exec")
        path.write_text(text, encoding="utf-8")
