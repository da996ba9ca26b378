"""Two ranks give what one process gives, and stop, fail and end together. See world.py."""

import json
import os
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import torch
from toy.base.files import lock
from toy.engine import checkpoint
from toys import (
    SETTINGS,
    STEPS,
    assert_same_run,
    do_steps,
    environment,
    flags,
    make_trainer,
    read_checkpoint,
    spoil,
    train_here,
)

HERE = Path(__file__).parent
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


def torchrun(*line: object) -> subprocess.Popen[str]:
    path = os.pathsep.join([os.environ["PYTHONPATH"], str(HERE.parent)])  # its toy/ is in parts
    return subprocess.Popen(
        [*TORCHRUN, *map(str, line)],
        env=environment() | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


@pytest.fixture(scope="module")
def folder(toy_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where two ranks have written what they found."""
    folder = tmp_path_factory.mktemp("world")
    for name in ("two", "four", "averaged"):
        (folder / name).mkdir()
    process = torchrun(HERE / "world.py", toy_data, folder)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert said.count("epoch 1/2 ") == 4, "rank 0 alone speaks"
    return folder


@pytest.fixture(scope="module")
def ranks(folder: Path) -> list[dict[str, Any]]:
    """What each rank found."""
    return [json.loads((folder / f"rank{rank}.json").read_text()) for rank in range(2)]


@pytest.mark.usefixtures("process_group")
def test_evaluation_counts_each_sample_once_also_where_a_rank_has_none(
    folder: Path, ranks: list[dict[str, Any]]
) -> None:
    for rank in ranks:
        for count, found in zip((1, 2, 5, 15, 17), rank["evaluations"], strict=True):
            assert found == pytest.approx(make_trainer(folder / f"of {count}").evaluate(), rel=1e-6)


@pytest.mark.usefixtures("process_group")
def test_an_evaluation_sees_what_changed_since_the_last_one(
    folder: Path, toy_data: Path, ranks: list[dict[str, Any]]
) -> None:
    state, _ = checkpoint.load_latest(folder / "averaged")
    expected = make_trainer(toy_data, state, ema_decay=0.5).evaluate()
    for rank in ranks:
        assert rank["averages"] == pytest.approx(expected, rel=1e-6)


def test_ranks_share_the_batches_of_one_process(ranks: list[dict[str, Any]]) -> None:
    indices = [rank["steps"] for rank in ranks]
    assert [len(batches) for batches in indices] == [STEPS, STEPS]
    assert {len(batch) for batches in indices for batch in batches} == {SETTINGS["batch_size"] // 2}
    assert sorted(chain(*indices[0], *indices[1])) == list(range(48))


def assert_close(found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    for name, tensor in expected.items():
        torch.testing.assert_close(found[name], tensor, rtol=1e-4, atol=1e-5, msg=name)


@pytest.mark.usefixtures("process_group")
def test_steps_of_two_ranks_are_those_of_one_on_the_whole_batch(
    folder: Path, toy_data: Path, ranks: list[dict[str, Any]]
) -> None:
    trainer = make_trainer(toy_data)
    trainer.module.eval()
    do_steps(trainer, 4)
    found = torch.load(folder / "four" / "last.pt", weights_only=True)
    expected = {name: weights.cpu() for name, weights in full_weights(trainer).items()}
    assert_close(found["model"], expected)


@pytest.mark.usefixtures("process_group")
def test_one_process_goes_on_from_a_checkpoint_of_two(
    folder: Path, toy_data: Path, ranks: list[dict[str, Any]]
) -> None:
    state, warnings = checkpoint.load_latest(folder / "two")
    assert warnings == []
    trainer = make_trainer(toy_data, state)
    assert trainer.sums.samples == 2 * SETTINGS["batch_size"], "the sums of both ranks"
    trainer.module.eval()
    do_steps(trainer, 2)
    found = torch.load(folder / "four" / "last.pt", weights_only=True)
    assert_close(found["model"], full_weights(trainer))


def full_weights(trainer: Any) -> dict[str, torch.Tensor]:
    return trainer.state_dict()["model"]


@pytest.mark.usefixtures("process_group")
def test_each_sample_weighs_the_same_where_the_shares_of_a_batch_are_uneven(
    toy_data: Path, ranks: list[dict[str, Any]]
) -> None:
    trainer = make_trainer(toy_data, batch_size=7)
    trainer.module.eval()
    do_steps(trainer, 1)
    expected = [trainer.read(), trainer.sums.sums["grad_norm"].item()]
    for rank in ranks:
        assert rank["uneven"][:2] == pytest.approx(expected, rel=1e-5)


def test_a_step_that_is_not_finite_on_one_rank_ends_all(ranks: list[dict[str, Any]]) -> None:
    assert all("step 3 is not finite" in rank["uneven"][2] for rank in ranks)


def test_each_rank_drops_out_features_of_its_own(ranks: list[dict[str, Any]]) -> None:
    assert len(ranks[0]["draws"]) == 4 and ranks[0]["draws"] != ranks[1]["draws"]


def test_gradients_are_summed_over_the_ranks_once_per_step(ranks: list[dict[str, Any]]) -> None:
    for rank in ranks:
        of_one_pass, of_two = rank["reductions"]
        assert 0 < of_one_pass == of_two


def test_what_one_rank_knows_all_know_and_an_error_of_rank_0_is_one_of_all(
    ranks: list[dict[str, Any]],
) -> None:
    expected = [[0, 1], 0, "no data", [[0], [0], [15], [0], [15]]]
    assert [rank["exchanges"] for rank in ranks] == [expected, expected]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("stopped", [143, 5, 0]),  # one step later than the signal, on all ranks
        ("stopped in evaluation", [143, STEPS, 0]),
        ("killed", [-1, 5, 0]),
    ],
)
def test_a_run_of_two_ranks_that_is_disturbed_and_resumed_ends_with_the_same_bits(
    folder: Path, ranks: list[dict[str, Any]], name: str, expected: list[int]
) -> None:
    assert [rank["runs"][name] for rank in ranks] == [expected, expected]
    assert_same_run(folder / name, folder / "whole")


def test_one_process_finishes_a_run_of_two(
    folder: Path, ranks: list[dict[str, Any]], toy_data: Path
) -> None:
    assert train_here(toy_data, folder / "whole", resume=True, epochs=3) == 0
    assert read_checkpoint(folder / "whole")["progress"]["epoch"] == 3


def test_an_error_of_one_rank_ends_all_and_is_told_once(toy_data: Path, tmp_path: Path) -> None:
    bad = spoil(toy_data, tmp_path / "spoiled", [7])
    settings = SETTINGS | {"data_dir": bad, "run_dir": tmp_path / "run"}
    process = torchrun("-m", "toy.train", *flags(settings))
    said, _ = process.communicate(timeout=60)
    errors = [line for line in said.splitlines() if line.startswith("error:")]
    assert process.returncode == 1 and len(errors) == 1, said
    assert "7" in errors[0] and "toy/train.py" not in said, said


def test_a_rank_whose_launcher_is_gone_before_it_looks_ends() -> None:
    code = "from toy.base import distributed; distributed.follow_launcher()"
    gone = {"TORCHELASTIC_USE_AGENT_STORE": "True", "MASTER_ADDR": "localhost", "MASTER_PORT": "1"}
    line = [sys.executable, "-c", code]
    assert subprocess.run(line, env=environment() | gone, timeout=30).returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there a process keeps its parent's number")
def test_ranks_end_with_their_launcher_and_the_run_can_be_resumed(
    toy_data: Path, tmp_path: Path
) -> None:
    run_dir = tmp_path / "run"
    settings = SETTINGS | {"data_dir": toy_data, "run_dir": run_dir, "epochs": 5000}
    process = torchrun("-m", "toy.train", *flags(settings))
    late = time.monotonic() + 60
    while not (run_dir / "checkpoints" / "last.pt").exists():
        assert process.poll() is None and time.monotonic() < late
        time.sleep(0.05)
    process.kill()
    late = time.monotonic() + 10
    process.communicate(timeout=10)  # the ranks hold the output
    lock(run_dir / "lock").close()
    assert time.monotonic() < late
    assert read_checkpoint(run_dir)["progress"]["epoch"] < 5000
