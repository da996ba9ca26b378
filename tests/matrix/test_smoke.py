"""Covering projects train on a CPU, through their own command lines, with their real trackers."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import golden
from .answers import SMOKE, Answers, name_of, questions
from .commands import Project, environment
from .training import (
    Start,
    check_evaluation,
    check_prediction,
    check_resume,
    copy_of,
    train,
)

pytestmark = pytest.mark.smoke

WAIT = 600  # seconds for the sets that another of pytest's workers still trains


@pytest.mark.parametrize("answers", SMOKE, ids=name_of)
def test_a_set_trains_and_its_tracker_holds_every_value(
    answers: Answers, trees: Mapping[str, Path], images: Path, receipts: Path, tmp_path: Path
) -> None:
    name = name_of(answers)
    receipt: dict[str, Any] = {"answers": answers, "passed": False}
    try:
        folder = copy_of(trees[name], tmp_path)
        record = (folder / ".copier-answers.yml").read_text(encoding="utf-8")
        assert answers.items() <= yaml.safe_load(record).items()
        project = Project(folder, environment(tmp_path / "home"))
        start = Start("cpu", 2 if answers["parallelism"] != "single" else 0)
        project.run("prepare", "--source", images)
        receipt["metrics"] = records = train(project, answers, start)
        check_evaluation(project, records, start)
        check_prediction(project, images)
        check_resume(project, answers, records, start)
        receipt["passed"] = True
    finally:
        (receipts / f"{name}.partial").write_text(json.dumps(receipt), encoding="utf-8")
        (receipts / f"{name}.partial").rename(receipts / f"{name}.json")


@pytest.mark.last
def test_format_tracker_and_workers_change_no_number_and_those_are_the_committed_ones(
    request: pytest.FixtureRequest, receipts: Path
) -> None:
    each = test_a_set_trains_and_its_tracker_holds_every_value.__name__
    chosen = [item for item in request.session.items if item.name.startswith(each)]
    if len(chosen) < len(SMOKE):
        pytest.skip(f"only {len(chosen)} of {len(SMOKE)} sets were chosen")
    found = wait_for(receipts, len(SMOKE))
    failed = [name_of(receipt["answers"]) for receipt in found if not receipt["passed"]]
    assert not failed, f"{len(failed)} sets failed"
    numbers: dict[str, list[golden.Lines]] = {}
    for receipt in found:
        key = "-".join(receipt["answers"][name] for name in ("parallelism", "amp"))
        lines = [{k: v for k, v in r.items() if "per_second" not in k} for r in receipt["metrics"]]
        numbers.setdefault(key, []).append(lines)
    for key, alike in numbers.items():
        assert all(lines == alike[0] for lines in alike), f"{key} has more than one result"
    golden.check({key: alike[0] for key, alike in numbers.items()})
    distinct = {(key.partition("-")[0], json.dumps(alike[0])) for key, alike in numbers.items()}
    assert len(distinct) == len(numbers), "two precisions gave the same bits"


@pytest.mark.parametrize("amp", questions()["amp"])
def test_a_model_in_shards_has_the_losses_of_one_that_each_process_has(amp: str) -> None:
    numbers = json.loads(golden.FILE.read_text(encoding="utf-8"))["numbers"]
    for line, known in zip(numbers[f"fsdp-{amp}"], numbers[f"ddp-{amp}"], strict=True):
        assert line["loss"] == pytest.approx(known["loss"], rel=golden.TOLERANCE[amp])


def wait_for(receipts: Path, count: int) -> list[dict[str, Any]]:
    """The receipts of all sets, once the other workers have written theirs."""
    end = time.monotonic() + WAIT
    while len(paths := sorted(receipts.glob("*.json"))) < count and time.monotonic() < end:
        time.sleep(0.2)
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]
