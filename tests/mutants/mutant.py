"""What a mutant is: a rule, one small breakage of it, and the test that must notice."""

from dataclasses import dataclass, field
from pathlib import Path

from matrix.answers import SETS, Answers, name_of, with_extras
from matrix.renderings import PACKAGE

# the rows of the table of rules, in its order; what it does not speak of comes last
ROWS = (
    *("Seeds", "Determinism", "Train sampler", "Eval sampler", "Validation", "EMA"),
    *("Checkpoint", "weights_only", "Atomic", "Fallback", "Best", "Preemption", "Partial load"),
    *("Groups", "AMP", "Accumulation", "LR", "Divergence", "Records", "Run folder", "Options"),
    *("Ranks", "Workers", "Imports"),
)

# where mutants live: the proofs of the machinery come with the extra
HOME = with_extras(SETS[0] | {"logger": "none"}, "verify")
DDP, FSDP = (HOME | {"parallelism": parallelism} for parallelism in ("ddp", "fsdp"))
HOMES = {name_of(home): home for home in (HOME, DDP, FSDP)}


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
    home: Answers = field(default_factory=lambda: HOME)  # of the project that it lives in

    def break_rule(self, tree: Path) -> None:
        """Make the edit in a project; raises ValueError where it does not fit the text."""
        path = tree / PACKAGE / self.file
        text = path.read_text(encoding="utf-8")
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.id}: {count} times in {self.file}: {self.old!r}")
        text = text.replace(self.old, self.new)
        compile(text, path, "exec")
        path.write_text(text, encoding="utf-8")
