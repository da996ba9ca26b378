"""SIGKILL at any moment, again and again: the run ends with the bits of one never stopped."""

import re
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

import pytest

from matrix.answers import COVER, Answers, covering, name_of, questions, together
from matrix.commands import Project
from matrix.stores import READERS
from warm import python_for

from . import moments
from .conftest import DataFor, MakeProject, Show
from .moments import Moments, strike
from .processes import GONE_WITHIN, Ended, Life, command
from .receipts import collect, receipt
from .runs import RunFolder, assert_each_line_once, assert_same_run, without_the_clock
from .trials import CLASSES, PER_CLASS

pytestmark = pytest.mark.faults

EPOCHS, BATCH, EVERY = 8, 8, 3
STEPS = PER_CLASS["train"] * len(CLASSES) // BATCH  # per epoch: three checkpoints
# in CI each choice occurs but for the logger, in `make test-all` each two meet
FEW = covering(COVER, lambda answers: together(answers | {"logger": "any"}, 1))
ALL = [*FEW, *(answers for answers in COVER if answers not in FEW)]
WIDTH = 16  # half precision is slow on most CPUs
WHOLE_WITHIN = 300.0  # seconds for all epochs: far more than they take, so that a hang shows
LEAST = 9  # kills of a run
OTHERS_GONE_WITHIN = 40.0  # seconds after one rank: torchrun gives the others 30
# while Python itself starts, a process cannot ask to end with its parent; 3.6 s on a busy machine
STARTED_WITHIN = 15.0

# what the starts of each run are killed at, in an order of their own; see also `aims_of`
AIMS = [
    *(moments.STARTING, moments.PLACED, moments.EVALUATING, moments.LOGGED),
    *(moments.WRITING, moments.WRITING),
    *(moments.BETWEEN, moments.BETWEEN, moments.BETWEEN),
]


class Setting(NamedTuple):
    """What a set is trained with."""

    workers: int | None  # None: what the project itself chooses
    accumulate: int
    ema: float
    dropout: float


@dataclass
class Kill:
    """One SIGKILL, and what was on the disk after it."""

    aim: str
    way: str
    landed: str
    began_after: int  # the step after which the killed start itself had begun
    step: int  # the step of the newest checkpoint after the kill
    redone: float  # steps that this start did after that one, by the pace of the undisturbed run
    gone_after: float  # seconds until none of the processes was left


def setting_of(answers: Answers) -> Setting:
    """Each value meets most choices over the sets."""
    number = ALL.index(answers)
    return Setting(
        workers=(None, 0, 2)[(number + number // 3) % 3],
        accumulate=(1, 3)[number // 2 % 2],
        ema=(0.9, 0.0)[number % 4 == 2],
        dropout=(0.2, 0.0)[number % 4 == 1],
    )


def flags_of(setting: Setting, data: Path) -> list[object]:
    """The flags of `train`, the same for each start."""
    workers = [] if setting.workers is None else ["--num-workers", setting.workers]
    return [
        *("--data-dir", data, "--device", "cpu", "--epochs", EPOCHS, "--batch-size", BATCH),
        *("--checkpoint-every", EVERY, "--width", WIDTH, *workers),
        *("--accumulate", setting.accumulate, "--ema-decay", setting.ema),
        *("--dropout", setting.dropout, "--resume"),
    ]


def aims_of(parallelism: str, random: Random) -> list[str]:
    """When to kill each start of a run; by torchrun, where one takes twice as long, two fewer."""
    middle = random.sample(AIMS, len(AIMS) - 2 * (parallelism != "single"))
    return [moments.FIRST, *middle, moments.LAST]


@pytest.mark.parametrize(
    "answers",
    [a if a in FEW else pytest.param(a, marks=pytest.mark.scheduled) for a in ALL],
    ids=name_of,
)
def test_a_run_killed_again_and_again_ends_with_the_same_bits(
    answers: Answers,
    make_project: MakeProject,
    data_for: DataFor,
    shared: Path,
) -> None:
    project, setting = make_project(answers), setting_of(answers)
    flags = flags_of(setting, data_for(project, answers["data_format"]))
    processes = 2 if answers["parallelism"] != "single" else 0
    random = Random(name_of(answers))
    with receipt(shared / "kills", name_of(answers)) as found:
        whole = undisturbed(project, flags, processes)
        pace = BATCH / median(r["samples_per_second"] for r in whole.records()[::2])
        run = RunFolder(project.folder / "killed")
        plan = Moments(run, STEPS, EPOCHS, pace, random)

        def line(python: str) -> list[str]:
            flagged = ("train", "--run-dir", "killed", *flags)
            return command(*flagged, processes=processes, python=python)

        warm, kills = python_for(project.environment), []
        # several processes agree at the next step, but at the end of an epoch at once
        largest_gap = EVERY + (processes > 0)
        for aim in aims_of(answers["parallelism"], random):
            way = random.choice(moments.WAYS[answers["parallelism"]])
            cold = aim in (moments.STARTING, moments.FIRST) or way in moments.NEED_THE_PARENT
            with Life(project, line(sys.executable if cold else warm)) as life:
                kills.append(asdict(killed(life, plan, aim, way, largest_gap)))
        found |= {"answers": answers, "setting": setting._asdict(), "kills": kills}

        with Life(project, line(warm)) as life:
            assert life.wait() == 0, life.said
            finished = kills[-1]["landed"] == moments.LAST
            assert ("is finished" in life.said) == finished
            check_where_it_began(life, 0 if finished else kills[-1]["step"], must=True)
        assert_same_run(run, whole)
        assert_each_line_once(run.records(), EPOCHS, STEPS)
        assert not list(run.folder.rglob("*.partial"))
        check_curves(answers["logger"], run)


def undisturbed(project: Project, flags: list[object], processes: int) -> RunFolder:
    """The same command, never stopped."""
    python = python_for(project.environment)
    line = command("train", "--run-dir", "whole", *flags, processes=processes, python=python)
    with Life(project, line) as life:
        assert life.wait(WHOLE_WITHIN) == 0, life.said
        life.seconds_until_gone(GONE_WITHIN)
    return RunFolder(project.folder / "whole")


def killed(life: Life, plan: Moments, aim: str, way: str, largest_gap: int) -> Kill:
    """Kill this start at its moment; what is on the disk then is where the next one begins."""
    run = plan.run
    before, partial = run.place(), run.partial()
    try:
        plan.reach(life, aim)
    except Ended:
        pytest.fail(f"it ended before it was killed {aim}:\n{life.said}")
    since = (time.time_ns() - run.stamp()) / 1e9
    strike(life, way, plan.random)
    gone_after = life.seconds_until_gone(limit_for(aim, way))
    assert life.wait() != 0, f"it ended before it was killed {aim}:\n{life.said}"

    after = run.place()
    redone = round(since / plan.pace, 2) if after != before else 0.0
    assert after >= before, "a checkpoint went back"
    if run.stamp("checkpoints/previous.pt"):
        gap = after.step - run.place("previous.pt").step
        assert 0 <= gap <= largest_gap, "a checkpoint that was due is not there"
    check_where_it_began(life, before.step, must=after != before)
    landed = plan.landed(before, partial, redone)
    return Kill(aim, way, landed, before.step, after.step, redone, round(gone_after, 3))


def limit_for(aim: str, way: str) -> float:
    """The seconds within which none of a start's processes is left."""
    if way == moments.RANK:
        return OTHERS_GONE_WITHIN
    return STARTED_WITHIN if aim in (moments.FIRST, moments.STARTING) else GONE_WITHIN


def check_where_it_began(life: Life, step: int, *, must: bool) -> None:
    """It said to resume after exactly this step; unless it `must`, it may not have come to that."""
    said = [int(number) for number in re.findall(r"resumes after step (\d+)", life.said)]
    assert said == ([step] if step else []) or not (said or must), life.said
    assert "corrupt" not in life.said, life.said


def check_curves(logger: str, run: RunFolder) -> None:
    """The backend holds each value of metrics.jsonl, and none twice."""
    if logger in READERS:
        points = READERS[logger](run.folder).points
        expected = {
            (f"{record['split']}/{name}", record["step"]): [pytest.approx(value)]
            for record in map(without_the_clock, run.records())
            for name, value in record.items()
            if name not in ("split", "epoch", "step")
        }
        assert all(len(values) == 1 for values in points.values())
        named = [key for key in points if "per_second" not in key[0] and key[0][:5] != "step/"]
        assert {key: points[key] for key in named} == expected


@pytest.mark.last
def test_kills_at_every_kind_of_moment_were_survived(
    request: pytest.FixtureRequest, shared: Path, show: Show
) -> None:
    each = test_a_run_killed_again_and_again_ends_with_the_same_bits.__name__
    chosen = [item for item in request.session.items if item.name.startswith(each)]
    if len(chosen) < len(FEW):
        pytest.skip(f"only {len(chosen)} of {len(FEW)} sets were chosen")
    found = collect(shared / "kills", len(chosen))
    failed = [entry["name"] for entry in found if not entry["passed"]]
    assert len(found) == len(chosen) and not failed, failed

    kills = [kill for entry in found for kill in entry["kills"]]
    landed = Counter(kill["landed"] for kill in kills)
    ways = Counter(kill["way"] for kill in kills)
    show(f"{len(kills)} kills survived with equal bits, {len(found)} sets")
    ends = sorted(kill["gone_after"] for kill in kills if kill["way"] != moments.RANK)
    show(f"all its processes gone after {median(ends):.2f} s in the median, {ends[-1]:.2f} at most")
    show("killed " + ", ".join(f"{what}: {n}" for what, n in landed.items()))
    assert all(len(entry["kills"]) >= LEAST for entry in found)
    assert landed[moments.BETWEEN] >= len(kills) / 5
    everywhere = {moments.FIRST, moments.LAST, *AIMS}
    # a kill may come a moment late, so that few sets need not have met each of them
    assert sum(not landed[moment] for moment in everywhere) <= 2 * (len(found) < len(ALL)), landed
    often = 5 * len(found) / 12  # of each way
    assert all(ways[way] >= often for names in moments.WAYS.values() for way in names), ways
    for question, choices in questions().items():
        if question != "logger" or len(found) == len(ALL):
            assert {entry["answers"][question] for entry in found} == set(choices)
    meant = [setting_of(answers) for answers in ALL]
    for name in Setting._fields:
        values = {getattr(setting, name) for setting in meant}
        assert len(values) > 1 and {entry["setting"][name] for entry in found} == values
