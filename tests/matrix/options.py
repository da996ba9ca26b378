"""The options of a run and the values to try, and few runs in which each two values meet.

Derived from the settings of a rendered project: a new one fails `test_options.py` until it is here.
"""

import itertools
import random
from collections.abc import Iterator
from typing import Any

Row = dict[str, tuple[str, ...]]  # for each option the words of the command line

# values of an option that is off by default: "" is its default
OPTIONS: dict[str, tuple[str, ...]] = {
    "optimizer": ("", "--optimizer sgd --momentum 0.8"),
    "bias-lr": ("", "--bias-lr 0.5"),
    "lr-batch": ("", "--lr-batch 32"),
    "schedule": (
        *("", "--schedule onecycle", "--schedule constant"),
        *("--schedule multistep --milestones 0.4 --lr-factor 0.3", "--schedule plateau"),
    ),
    "clip-value": ("", "--clip-value 0.01 --clip-norm 0"),
    "average": ("", "--ema-decay 0.8", "--swa-from 1 --swa-lr 1e-3"),
    "init": ("", "--init orthogonal", "--init lsuv"),
    "init-from": ("", "--init-from weights.pt"),
    "freeze": ("", "--freeze stem stages.0", "--freeze stem --unfreeze-at 2"),
    "layer-rates": ("", "--head-lr 3 --layer-decay 0.7"),
    "mix": ("", "--mixup 0.4", "--cutmix 1", "--mixup 0.4 --cutmix 1"),
    "pixels": ("", "--erasing 0.5 --color 0.3 --random-flip"),
    "drop": ("", "--drop-path 0.2 --dropout 0.3"),
    "l1": ("", "--l1 1e-4"),
    "loss": (
        *("", "--loss focal --focal-gamma 1.5", "--loss binary"),
        *("--loss mse", "--loss huber"),
    ),
    "classes": ("", "--class-weights", "--label-smoothing 0.1"),
    "epoch": (
        *("", "--balance", "--join data=0.3", "--data-dir tars --shards"),
        "--data-dir tars --shards --shard-window 2",
    ),
    "accumulate": ("", "--accumulate 3"),
    "memory": ("", "--recompute", "--inplace"),
    "reading": ("--num-workers 0", "--num-workers 1", "--cache memory"),
    "data": ("", "--stage local", "--skip-bad"),
    "part": ("", "--max-samples 40", "--patience 5 --max-steps 4"),
}
# what is refused together, in one line
REFUSED = {
    "--ema-decay 0.8 --swa-from 1": "choose one",
    "--recompute --compile": "do not go together",
    "--recompute --inplace": "leave one of them out",
    "--swa-lr 0.1": "--swa-lr needs --swa-from",
    "--unfreeze-at 2": "--unfreeze-at needs --freeze",
    "--fp8": "--fp8 needs a GPU",
    "--join data=0.3 --balance": "choose one",
    "--shards --data-dir tars --shard-window 2 --balance": "choose one",
    "--shard-window 2": "--shard-window needs --shards",
}
# settings that have tests of their own, and no say in what the others do
ELSEWHERE = {
    *("config", "data_dir", "run_dir", "resume", "checkpoint_every", "report", "max_hours"),
    *("device", "deterministic", "start_method", "compile", "sync_batchnorm", "timeout"),
    *("epochs", "batch_size", "lr", "warmup_epochs", "weight_decay", "width", "blocks"),
    *("image_size", "random_crop", "seed", "plateau_epochs", "histograms"),
}


def named() -> set[str]:
    """The settings that the values of the options and the refusals name."""
    words = " ".join(itertools.chain(*OPTIONS.values(), REFUSED)).split()
    return {word[2:].replace("-", "_") for word in words if word.startswith("--")}


def pairs(row: tuple[str, ...]) -> Iterator[tuple[tuple[int, str], tuple[int, str]]]:
    """Each two values of a row, with the numbers of their options."""
    yield from itertools.combinations(enumerate(row), 2)


def covering(seed: int = 0, tries: int = 60) -> list[str]:
    """Command lines in which each two values of two options meet; greedily, so not the fewest."""
    options = list(OPTIONS.values())
    missing: set[Any] = {
        ((i, a), (j, b))
        for (i, first), (j, second) in itertools.combinations(enumerate(options), 2)
        for a in first
        for b in second
    }
    draw, rows = random.Random(seed), []
    while missing:
        best: tuple[str, ...] = ()
        for _ in range(tries):
            row = [draw.choice(values) for values in options]
            (i, a), (j, b) = draw.choice(sorted(missing))
            row[i], row[j] = a, b
            for place in draw.sample(range(len(options)), len(options)):
                if place not in (i, j):
                    row[place] = max(
                        options[place],
                        key=lambda value: sum(
                            tuple(sorted([(place, value), (other, row[other])])) in missing
                            for other in range(len(options))
                            if other != place
                        ),
                    )
            found = tuple(row)
            if not best or count(found, missing) > count(best, missing):
                best = found
        missing -= set(pairs(best))
        rows.append(" ".join(filter(None, best)))
    return rows


def count(row: tuple[str, ...], missing: set[Any]) -> int:
    return sum(pair in missing for pair in pairs(row))
