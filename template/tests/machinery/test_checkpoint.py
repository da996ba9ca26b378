"""Checkpoints are whole or absent, checked when they are read, and never run code."""

import copy
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from toy.base.errors import CheckpointError
from toy.engine import checkpoint
from toy.engine.trainer import Trainer
from toys import PACKAGE, Toy, differences, do_steps, make_trainer

pytestmark = pytest.mark.usefixtures("process_group")

STATE = dict.fromkeys(checkpoint.KEYS) | {"step": 3, "names": ["a", "ü"]}
STATE["model"] = {"weight": torch.arange(1000.0)}

# with FSDP the optimizer's state is in parts, until they are saved
WHOLE = pytest.mark.skipif((PACKAGE / "base" / "sharded.py").exists(), reason="state in parts")


def save(folder: Path, step: int = 3, *, best: bool = False) -> None:
    checkpoint.save(folder, STATE | {"step": step}, best=best)


def assert_holds(found: Any, step: int) -> None:
    assert differences(found, STATE | {"step": step}) == []


def test_what_was_saved_is_read_back_and_plain_torch_reads_it_too(tmp_path: Path) -> None:
    save(tmp_path, best=True)
    for name in ("last.pt", "best.pt"):
        assert_holds(checkpoint.load(tmp_path / name), 3)
        assert_holds(torch.load(tmp_path / name, weights_only=True), 3)
        with zipfile.ZipFile(tmp_path / name) as archive:
            assert archive.comment == (tmp_path / name).read_bytes()[-len(archive.comment) :]
            assert archive.comment.startswith(checkpoint.MARK) and archive.testzip() is None


def test_the_one_before_is_kept_and_nothing_else(tmp_path: Path) -> None:
    for step in (1, 2, 3):
        save(tmp_path, step)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["last.pt", "previous.pt"]
    assert_holds(checkpoint.load(tmp_path / "last.pt"), 3)
    assert_holds(checkpoint.load(tmp_path / "previous.pt"), 2)


def test_the_best_stays_until_a_better_one_comes(tmp_path: Path) -> None:
    save(tmp_path, 1, best=True)
    save(tmp_path, 2)
    assert_holds(checkpoint.load(tmp_path / "best.pt"), 1)
    save(tmp_path, 3, best=True)
    assert_holds(checkpoint.load(tmp_path / "best.pt"), 3)


@pytest.mark.parametrize("fraction", [0.0, 0.3, 0.999])
def test_a_truncated_checkpoint_is_noticed_and_the_one_before_used(
    tmp_path: Path, fraction: float
) -> None:
    save(tmp_path, 1)
    save(tmp_path, 2)
    last = tmp_path / "last.pt"
    last.write_bytes(last.read_bytes()[: int(fraction * last.stat().st_size)])
    state, warnings = checkpoint.load_latest(tmp_path)
    assert_holds(state, 1)
    assert len(warnings) == 1 and "last.pt is corrupt" in warnings[0]


def test_any_flipped_bit_is_noticed(tmp_path: Path) -> None:
    save(tmp_path)
    last = tmp_path / "last.pt"
    content = last.read_bytes()
    places = [*range(0, len(content), 97), *range(len(content) - 80, len(content))]
    for place in places:
        corrupt = bytearray(content)
        corrupt[place] ^= 1 << (place % 8)
        last.write_bytes(corrupt)
        reason = "corrupt" if place >= len(content) - 80 else "corrupt .* checksum does not match"
        with pytest.raises(CheckpointError, match=reason):
            checkpoint.load(last)


def test_two_corrupt_checkpoints_are_an_error_and_none_is_a_new_run(tmp_path: Path) -> None:
    assert checkpoint.load_latest(tmp_path) == (None, [])
    save(tmp_path)
    save(tmp_path)
    for name in ("last.pt", "previous.pt"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"last\.pt is corrupt.*previous\.pt is corrupt"):
        checkpoint.load_latest(tmp_path)


def test_a_best_alone_is_nothing_to_resume_from(tmp_path: Path) -> None:
    """It is written before last.pt: a run that was killed in between starts anew."""
    save(tmp_path, best=True)
    (tmp_path / "last.pt").unlink()
    assert checkpoint.load_latest(tmp_path) == (None, [])


def test_a_missing_checkpoint_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"none\.pt cannot be read: "):
        checkpoint.load(tmp_path / "none.pt")


@pytest.mark.parametrize("moment", ["open", "fsync", "link", "replace"])
def test_a_failure_at_any_moment_leaves_a_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    save(tmp_path, 1)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        if moment == "open":
            patch.setattr(Path, "open", fail)
        elif moment == "link":
            patch.setattr(os, "link", fail)
            patch.setattr("shutil.copyfile", fail)
        else:
            patch.setattr(os, moment, fail)
        with pytest.raises(CheckpointError, match="No space left"):
            save(tmp_path, 2)
    state, _ = checkpoint.load_latest(tmp_path)
    assert_holds(state, 1)


def test_a_file_system_without_hard_links_keeps_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", fail)
    save(tmp_path, 1, best=True)
    save(tmp_path, 2)
    for name, step in (("best.pt", 1), ("previous.pt", 1), ("last.pt", 2)):
        assert_holds(checkpoint.load(tmp_path / name), step)


def test_a_disk_that_is_full_half_way_leaves_a_good_checkpoint(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="Windows sets no limit to a file")
    save(tmp_path, 1)
    before = (tmp_path / "last.pt").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
    try:
        with pytest.raises(CheckpointError, match="the checkpoints before it are intact"):
            save(tmp_path, 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (tmp_path / "last.pt").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["last.pt"]


def test_the_best_is_written_before_a_checkpoint_says_that_its_epoch_is_done(
    tmp_path: Path,
) -> None:
    save(tmp_path, 1)
    (tmp_path / "best.pt").mkdir()  # so that it cannot be written
    with pytest.raises(CheckpointError, match="could not be written"):
        save(tmp_path, 2, best=True)
    assert_holds(checkpoint.load(tmp_path / "last.pt"), 1)


class Hostile:
    """Pickles into a call that leaves a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self.path), "w")


def test_a_pickle_that_would_run_code_is_refused_and_runs_nothing(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    checkpoint.save(tmp_path, {"model": Hostile(trap)}, best=False)
    with pytest.raises(CheckpointError, match="more than plain data"):
        checkpoint.load(tmp_path / "last.pt")
    assert not trap.exists()
    pickle.loads(pickle.dumps(Hostile(trap))).close()
    assert trap.exists(), "the trap must work, or this test shows nothing"


def test_weights_of_another_model_are_refused_by_name() -> None:
    model, other = nn.Linear(3, 2), nn.Linear(2, 3)
    with pytest.raises(CheckpointError, match=r"2 tensors are .* the first is weight"):
        checkpoint.load_weights(model, other.state_dict())
    weights = model.state_dict()
    for wrong in ({"weight": weights["weight"]}, weights | {"extra": torch.zeros(1)}):
        with pytest.raises(CheckpointError, match=r"1 tensors are .* the first is (bias|extra)"):
            checkpoint.load_weights(model, wrong)


def test_an_optimizer_state_in_another_order_is_refused() -> None:
    one, two = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(2))
    saved = torch.optim.AdamW([("one", one), ("two", two)]).state_dict()
    other = torch.optim.AdamW([("two", two), ("one", one)])
    with pytest.raises(CheckpointError, match="its groups or their order differ"):
        checkpoint.load_optimizer(other, saved)


# the state of a trainer


@pytest.fixture
def trainer(toy_data: Path) -> Trainer:
    """In the middle of its second epoch, with something to remember in every place."""
    trainer = make_trainer(toy_data, ema_decay=0.9, amp="fp16")
    do_steps(trainer, 6)
    trainer.complete_epoch(0.5)
    do_steps(trainer, 2)
    trainer.scaler.update(4096.0)
    return trainer


def state_of(trainer: Trainer, folder: Path) -> Any:
    """The state, through a file."""
    trainer.read()
    checkpoint.save(folder, trainer.state_dict(), best=False)
    return checkpoint.load(folder / "last.pt")


PARTS = ["model", "task", "ema", "ema_task", "optimizer", "scaler", "progress", "sums"]


def test_a_state_has_the_parts_that_a_resume_needs(trainer: Trainer, tmp_path: Path) -> None:
    assert list(state_of(trainer, tmp_path)) == [*PARTS, "config", "dataset"]


@WHOLE
@pytest.mark.parametrize("part", PARTS)
def test_a_checkpoint_brings_everything_back(
    trainer: Trainer, toy_data: Path, tmp_path: Path, part: str
) -> None:
    saved = state_of(trainer, tmp_path)
    again = make_trainer(toy_data, copy.deepcopy(saved), ema_decay=0.9, amp="fp16")
    assert differences(again.state_dict()[part], saved[part]) == []
    fresh = make_trainer(toy_data, ema_decay=0.9, amp="fp16")
    assert differences(fresh.state_dict()[part], saved[part]), "there was nothing to bring back"


@WHOLE
@pytest.mark.parametrize("amp", ["off", "bf16", "fp16"])
def test_what_follows_a_checkpoint_has_the_bits_of_a_run_never_stopped(
    toy_data: Path, tmp_path: Path, amp: str
) -> None:
    settings: dict[str, Any] = {"ema_decay": 0.9, "accumulate": 2, "amp": amp}
    trainer = make_trainer(toy_data, **settings)
    do_steps(trainer, 8)
    again = make_trainer(toy_data, state_of(trainer, tmp_path), **settings)
    for one in (trainer, again):
        do_steps(one, 3)
        one.read()
    assert differences(again.state_dict(), trainer.state_dict()) == []
    assert again.evaluate() == trainer.evaluate()


def not_plain(value: Any, where: str = "") -> list[str]:
    """The places that hold more than plain containers, tensors and numbers."""
    if isinstance(value, dict):
        return [p for key in value for p in not_plain(value[key], f"{where}/{key}")]
    if type(value) in (list, tuple):
        return [p for i, item in enumerate(value) for p in not_plain(item, f"{where}/{i}")]
    plain = (torch.Tensor, str, int, float, bool, type(None))
    return [] if type(value) in plain else [f"{where}: {type(value)}"]


@WHOLE
def test_a_state_holds_plain_values_alone(trainer: Trainer) -> None:
    assert not_plain(trainer.state_dict()) == []


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_names_are_those_of_the_bare_model(toy_data: Path, compiled: bool) -> None:
    state = make_trainer(toy_data, compile=compiled).state_dict()
    assert state["model"].keys() == Toy().state_dict().keys()
    assert list(state["task"]) == ["offset"]
    groups = state["optimizer"]["param_groups"]
    names = {name for group in groups for name in group["param_names"]}
    assert names == {f"model.{name}" for name, _ in Toy().named_parameters()} | {"task.offset"}


def test_a_state_of_another_model_is_refused(trainer: Trainer, toy_data: Path) -> None:
    state = trainer.state_dict()
    state["model"] = state["model"] | {"head.weight": torch.zeros(3, 8)}
    with pytest.raises(CheckpointError, match="belongs to another model"):
        make_trainer(toy_data, state, ema_decay=0.9, amp="fp16")


@pytest.mark.parametrize("part", PARTS)
def test_a_state_that_lacks_a_part_is_refused(trainer: Trainer, toy_data: Path, part: str) -> None:
    state = trainer.state_dict()
    del state[part]
    with pytest.raises(CheckpointError, match="does not fit this code"):
        make_trainer(toy_data, state, ema_decay=0.9, amp="fp16")
