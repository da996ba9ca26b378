"""What each recipe is to reach on its demo data, and with which commands."""

from dataclasses import dataclass

from matrix.answers import COVER, ROOT, Answers
from torchgen_cli import recipes
from torchgen_cli.recipes import Recipe

FOLDER = ROOT / recipes.FOLDER


@dataclass(frozen=True)
class Demo:
    """Runs on the demo data, the last of which is judged; their folders are runs/0, runs/1, ..."""

    runs: tuple[tuple[str, ...], ...]  # flags of `train`, of one run after the other
    metric: str
    at_least: float  # far above what guessing gives
    files: str = "*.png"  # what `predict` takes, of the demo data
    texts: tuple[str, ...] = ()  # what it takes in place of files
    proven: tuple[str, ...] = ()  # flags of the run that `verify` is to judge
    evaluated: tuple[
        str, ...
    ] = ()  # flags of `evaluate`, where the last run saw a part of the data


DEMOS = {
    "distillation": Demo(
        (
            (),
            (
                *("--teacher", "runs/0", "--max-samples", "100", "--batch-size", "16"),
                *("--width", "8", "--epochs", "200", "--lr", "5e-3"),
            ),
        ),
        "accuracy",
        at_least=0.9,
        proven=("--teacher", "runs/0"),
        evaluated=("--max-samples", "100"),
    ),
    "multi-label": Demo(
        (("--epochs", "25", "--lr", "1e-2"),), "mean_average_precision", at_least=0.9
    ),
    "pretraining": Demo(
        (
            ("--objective", "reconstruct", "--epochs", "20"),
            (
                *("--init-from", "runs/0", "--max-samples", "100", "--batch-size", "16"),
                *("--epochs", "60"),
            ),
        ),
        "accuracy",
        at_least=0.9,
        proven=("--objective", "reconstruct"),
        evaluated=("--max-samples", "100"),
    ),
    "regression": Demo((("--epochs", "10"),), "r2", at_least=0.9),
    "segmentation": Demo(
        (("--epochs", "8", "--batch-size", "16", "--width", "16", "--lr", "1e-2"),),
        "mean_iou",
        at_least=0.85,
        files="images/*.png",
    ),
    "text": Demo(
        (("--epochs", "5", "--max-length", "96", "--width", "32", "--lr", "5e-3"),),
        "accuracy",
        at_least=0.4,  # a fifth is of the largest class
        texts=("Return the running event loop.", "Parse an XML document: é, 日本"),
    ),
}


def all_recipes() -> list[Recipe]:
    return [recipes.find(FOLDER, name) for name in recipes.names(FOLDER)]


def fitting(recipe: Recipe) -> list[Answers]:
    """The covering sets that a recipe works with."""
    return [
        answers
        for answers in COVER
        if all(answers[question] in choices for question, choices in recipe.needs.items())
    ]


def dealt() -> list[tuple[Recipe, Answers]]:
    """A set for each recipe, in float32, which a CPU is fast in, such that most choices meet one.

    Of equal ones it is the one that has been dealt the fewest times.
    """
    pairs: list[tuple[Recipe, Answers]] = []
    seen = set[str]()
    for recipe in all_recipes():
        dealt_before = [answers for _, answers in pairs]
        best = max(
            fitting(recipe),
            key=lambda answers: (
                answers["amp"] == "off",
                len(set(answers.values()) - seen),
                -dealt_before.count(answers),
            ),
        )
        seen |= set(best.values())
        pairs.append((recipe, best))
    return pairs
