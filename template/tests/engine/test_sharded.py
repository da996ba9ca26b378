"""The sharded part of a checkpoint is whole or absent, checked when read, with its file."""

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from conftest import leave_world
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from toy.base import distributed
from toy.base.errors import CheckpointError
from toy.engine import checkpoint, sharded


@pytest.fixture(scope="module", autouse=True)
def world_of_one() -> Iterator[None]:
    """A group, in which tests make parts of a model by hand: one process has no need of them."""
    distributed.start("cpu")
    yield
    leave_world()


def trained() -> torch.optim.Optimizer:
    """The optimizer of a sharded model, after a step."""
    torch.manual_seed(0)
    model = fully_shard(nn.Linear(5, 3), mesh=init_device_mesh("cpu", (1,)))
    optimizer = torch.optim.AdamW(list(model.named_parameters()), lr=0.1)
    model(torch.randn(4, 5)).sum().backward()
    optimizer.step()
    return optimizer


def moments(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [v.to_local().clone() for s in optimizer.state.values() for v in s.values() if v.ndim]


def group() -> dist.ProcessGroup:
    found = dist.group.WORLD
    assert found is not None
    return found


def save(folder: Path, number: int, *, best: bool = False) -> dict[str, Any]:
    """Save a checkpoint whose content has this number in it; returns what the optimizer has."""
    state = trained().state_dict()
    sharded.write(folder, sharded.take_out(state), group())
    content = {"number": number, "optimizer": state, "sharded": ["weight/exp_avg"]}
    checkpoint.save(folder, checkpoint.dump(content), best=best, with_parts=True)
    return state


def folders(folder: Path) -> set[str]:
    return {path.name for path in (folder / "sharded").iterdir()}


def test_what_was_taken_out_is_put_back_and_is_that_of_its_moment(tmp_path: Path) -> None:
    optimizer = trained()
    state, expected = optimizer.state_dict(), moments(optimizer)
    parts = sharded.take_out(state)
    assert sorted(parts) == [
        f"{name}/{field}" for name in ("bias", "weight") for field in ("exp_avg", "exp_avg_sq")
    ]
    assert all(fields.keys() == {"step"} for fields in state["state"].values())
    for parameter in optimizer.param_groups[0]["params"]:
        parameter.grad.fill_(7.0)
    optimizer.step()  # the training goes on
    sharded.write(tmp_path, parts, group())
    sharded.put_back(optimizer, state, tmp_path / "sharded" / "partial")
    optimizer.load_state_dict(state)
    assert all(map(torch.equal, moments(optimizer), expected))


def test_each_checkpoint_has_a_folder_and_no_other_is_kept(tmp_path: Path) -> None:
    (tmp_path / "sharded" / "partial").mkdir(parents=True)  # of a run that was killed
    (tmp_path / "sharded" / "partial" / "__9_0.distcp").touch()
    for number in range(4):
        save(tmp_path, number, best=number == 0)
        found = {checkpoint.folder_of(path).name for path in tmp_path.glob("*.pt")}
        assert folders(tmp_path) == found
    assert len(found) == 3
    for name in ("last", "previous", "best"):
        state = checkpoint.load_with_parts(tmp_path / f"{name}.pt")
        assert state["parts"] == checkpoint.folder_of(tmp_path / f"{name}.pt")


def test_the_same_checkpoint_once_more_keeps_its_folder(tmp_path: Path) -> None:
    save(tmp_path, 1)
    before = folders(tmp_path)
    save(tmp_path, 1)
    assert folders(tmp_path) == before and len(before) == 1
    checkpoint.load_with_parts(tmp_path / "last.pt")


@pytest.mark.parametrize("name", ["__0_0.distcp", ".metadata", "sha256.json", "all"])
def test_damage_is_noticed_and_the_checkpoint_before_is_used(tmp_path: Path, name: str) -> None:
    for number in (1, 2):
        save(tmp_path, number)
    folder = checkpoint.folder_of(tmp_path / "last.pt")
    if name == "all":
        folder.rename(tmp_path / "elsewhere")
    else:
        content = bytearray((folder / name).read_bytes())
        content[len(content) // 2] ^= 16
        (folder / name).write_bytes(content)
    state, warnings = checkpoint.load_latest(tmp_path)
    assert state is not None and state["number"] == 1
    assert len(warnings) == 1 and f"{folder} is damaged" in warnings[0]


class Evil:
    """Runs code where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("ran"),)


def test_a_pickle_that_would_run_code_is_refused_and_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save(tmp_path, 1)
    folder = checkpoint.folder_of(tmp_path / "last.pt")
    (folder / ".metadata").write_bytes(pickle.dumps(Evil()))
    known = json.loads((folder / "sha256.json").read_text())
    known[".metadata"] = sharded.digest(folder / ".metadata")  # a stranger can do that, too
    (folder / "sha256.json").write_text(json.dumps(known))
    with pytest.raises(CheckpointError, match=r"\.metadata holds more than plain data: "):
        checkpoint.load_with_parts(tmp_path / "last.pt")
    assert not (tmp_path / "ran").exists()


def test_a_failure_before_the_file_is_written_leaves_the_checkpoint_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path, 1)

    def fail(*_: object) -> None:
        raise CheckpointError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "write", fail)
        with pytest.raises(CheckpointError, match="the disk is full"):
            save(tmp_path, 2)
    state, warnings = checkpoint.load_latest(tmp_path)
    assert state is not None and (state["number"], warnings) == (1, [])


def test_sums_are_written_last_and_name_each_file(tmp_path: Path) -> None:
    save(tmp_path, 1)
    folder = checkpoint.folder_of(tmp_path / "last.pt")
    known = json.loads((folder / "sha256.json").read_text())
    assert known.keys() | {"sha256.json"} == {path.name for path in folder.iterdir()}
    assert sharded.sums(folder) == {n: s for n, s in known.items() if n != ".metadata"}
    assert sharded.sums(tmp_path / "nowhere") == {}
