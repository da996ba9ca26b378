"""Every set of answers trains on a CPU, through its own command lines, with its real backend."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import golden
from .answers import COVER, EACH, SETS, STEPS, Answers, name_of, questions
from .commands import Project, environment
from .renderings import digest
from .training import Start, check_use, copy_of, give_data, train

pytestmark = pytest.mark.smoke

WAIT = 600  # seconds for the sets that another of pytest's workers still trains


# three parallelisms share the code of formats and backends: of the last, the others by schedule
OFTEN = [a for a in SETS if a["parallelism"] != "fsdp" or a in COVER or a in EACH or a in STEPS]


@pytest.mark.parametrize(
    "answers",
    [pytest.param(a, marks=[] if a in OFTEN else pytest.mark.scheduled) for a in SETS],
    ids=name_of,
)
def test_a_set_trains_and_its_backend_holds_every_value(
    answers: Answers,
    trees: dict[str, Path],
    images: Path,
    kept: dict[str, Path],
    receipts: Path,
    tmp_path: Path,
) -> None:
    name = name_of(answers)
    receipt: dict[str, Any] = {"answers": answers, "passed": False}
    try:
        folder = copy_of(trees[name], tmp_path)
        receipt["digest"] = digest(folder)
        record = (folder / ".copier-answers.yml").read_text(encoding="utf-8")
        assert answers.items() <= yaml.safe_load(record).items()
        covering = answers in COVER
        project = Project(folder, environment(tmp_path / "home"))
        start = Start("cpu", 2 if answers["parallelism"] != "single" else 0)
        give_data(project, answers, images, kept)
        receipt["metrics"] = train(project, answers, start)
        if covering:
            check_use(project, answers, images)
        receipt |= {"ran": project.ran, "passed": True}
    finally:
        (receipts / f"{name}.partial").write_text(json.dumps(receipt), encoding="utf-8")
        (receipts / f"{name}.partial").rename(receipts / f"{name}.json")


@pytest.mark.last
def test_every_set_ran_and_format_logger_and_workers_change_no_number(
    request: pytest.FixtureRequest, receipts: Path
) -> None:
    each = test_a_set_trains_and_its_backend_holds_every_value.__name__
    chosen = [item for item in request.session.items if item.name.startswith(each)]
    if len(chosen) < len(OFTEN):
        pytest.skip(f"only {len(chosen)} of {len(OFTEN)} sets were chosen")
    sets = SETS if len(chosen) == len(SETS) else OFTEN
    found = wait_for(receipts, len(sets))
    assert {name_of(receipt["answers"]) for receipt in found} == {name_of(a) for a in sets}
    failed = [name_of(receipt["answers"]) for receipt in found if not receipt["passed"]]
    assert not failed, f"{len(failed)} sets failed"
    assert len({receipt["digest"] for receipt in found}) == len(sets)
    for receipt in found:
        line = next(line for line in receipt["ran"] if ".train " in line)
        assert ("torch.distributed.run" in line) == (receipt["answers"]["parallelism"] != "single")

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
