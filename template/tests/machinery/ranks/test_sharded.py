"""The sharded part of a checkpoint is whole or absent, and checked when it is read."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from toy.base import distributed, sharded
from toy.base.errors import CheckpointError
from toy.engine import checkpoint

pytestmark = pytest.mark.usefixtures("process_group")


class Shared(nn.Module):
    """Two layers that share a tensor, and a container that has no forward pass."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        self.body[1].weight = self.body[0].weight
        self.heads = nn.ModuleDict({"one": nn.Linear(3, 2)})

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.heads["one"](self.body(inputs))


def test_layers_that_share_a_tensor_share_it_in_parts() -> None:
    model = distributed.place(Shared(), torch.device("cpu"))
    assert model.body[1].weight is model.body[0].weight
    assert model(torch.ones(2, 3)).shape == (2, 2)


def make_optimizer() -> torch.optim.Optimizer:
    torch.manual_seed(0)
    model = fully_shard(nn.Linear(5, 3), mesh=init_device_mesh("cpu", (1,)))
    return torch.optim.AdamW(list(model.named_parameters()), lr=0.1)


def train(optimizer: torch.optim.Optimizer, gradient: float) -> None:
    for parameter in optimizer.param_groups[0]["params"]:
        parameter.grad = torch.full_like(parameter, gradient)
    optimizer.step()


def moments(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [v.to_local().clone() for s in optimizer.state.values() for v in s.values() if v.ndim]


def save(folder: Path, number: int, *, best: bool = False) -> list[torch.Tensor]:
    """Save a checkpoint that holds this number; returns what its optimizer keeps in parts."""
    optimizer = make_optimizer()
    train(optimizer, float(number))
    state = dict.fromkeys(checkpoint.KEYS) | {"number": number}
    state["optimizer"] = optimizer.state_dict()
    checkpoint.save(folder, state, best=best)
    return moments(optimizer)


def folder_of(path: Path) -> Path:
    name = torch.load(path, weights_only=True)["optimizer"]["sharded"]
    return path.parent / "sharded" / name


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    expected = save(tmp_path, 1)
    state, warnings = checkpoint.load_latest(tmp_path)
    assert state is not None and warnings == []
    assert all(fields.keys() == {"step"} for fields in state["optimizer"]["state"].values())
    optimizer = make_optimizer()
    checkpoint.load_optimizer(optimizer, state["optimizer"])
    found = moments(optimizer)
    assert len(found) == 4 and all(map(torch.equal, found, expected))


def test_each_checkpoint_has_a_folder_and_no_other_is_kept(tmp_path: Path) -> None:
    (tmp_path / "sharded" / "partial").mkdir(parents=True)  # of a run that was killed
    (tmp_path / "sharded" / "partial" / "__9_0.distcp").touch()
    for number in range(4):
        save(tmp_path, number, best=number == 0)
        found = {folder_of(path) for path in tmp_path.glob("*.pt")}
        assert set((tmp_path / "sharded").iterdir()) == found
    assert len(found) == 3


def test_a_name_follows_from_the_content(tmp_path: Path) -> None:
    for run in ("one", "other"):
        (tmp_path / run).mkdir()
        save(tmp_path / run, 1)
    one, other = (folder_of(tmp_path / run / "last.pt") for run in ("one", "other"))
    save(tmp_path / "one", 2)
    assert one.name == other.name != folder_of(tmp_path / "one" / "last.pt").name


def test_the_same_content_once_more_keeps_its_folder(tmp_path: Path) -> None:
    for _ in range(2):
        save(tmp_path, 1)
        assert list((tmp_path / "sharded").iterdir()) == [folder_of(tmp_path / "last.pt")]
    assert checkpoint.load_latest(tmp_path)[1] == []


@pytest.mark.parametrize("name", ["__0_0.distcp", ".metadata", "sha256.json", "all"])
def test_damage_is_noticed_and_the_checkpoint_before_is_used(tmp_path: Path, name: str) -> None:
    for number in (1, 2):
        save(tmp_path, number)
    folder = folder_of(tmp_path / "last.pt")
    if name == "all":
        folder.rename(tmp_path / "elsewhere")
    else:
        content = bytearray((folder / name).read_bytes())
        content[len(content) // 2] ^= 16
        (folder / name).write_bytes(content)
    state, warnings = checkpoint.load_latest(tmp_path)
    assert state is not None and state["number"] == 1
    assert len(warnings) == 1 and f"{folder} is corrupt" in warnings[0]


class Hostile:
    """Runs code where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("ran"),)


def test_a_pickle_that_would_run_code_is_refused_and_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save(tmp_path, 1)
    folder = folder_of(tmp_path / "last.pt")
    (folder / ".metadata").write_bytes(pickle.dumps(Hostile()))
    sums = json.loads((folder / "sha256.json").read_text())
    sums[".metadata"] = sharded.digest(folder / ".metadata")  # a stranger can do that, too
    (folder / "sha256.json").write_text(json.dumps(sums))
    with pytest.raises(CheckpointError, match=r"\.metadata holds more than plain data: "):
        checkpoint.load_latest(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_a_failure_before_the_file_is_written_leaves_the_checkpoint_before(tmp_path: Path) -> None:
    save(tmp_path, 1)
    (tmp_path / "next.pt.partial").mkdir()
    with pytest.raises(CheckpointError, match="could not be written"):
        save(tmp_path, 2)
    state, warnings = checkpoint.load_latest(tmp_path)
    assert state is not None and (state["number"], warnings) == (1, [])


def test_parts_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    (tmp_path / "sharded").touch()
    with pytest.raises(CheckpointError, match=r"sharded.partial could not be written"):
        save(tmp_path, 1)
    assert not list(tmp_path.glob("*.pt"))
