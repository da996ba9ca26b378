"""A run may start from other weights: what fits is loaded, and it says what did not."""

import pickle
from pathlib import Path

import pytest
import torch
from torch import nn
from toy.base.errors import CheckpointError
from toy.engine.checkpoint import load_initial
from toys import Toy, read_checkpoint, train_here


def given(prefix: str = "") -> dict[str, torch.Tensor]:
    """The weights of another toy, under other names."""
    torch.manual_seed(7)
    return {f"{prefix}{name}": value for name, value in Toy().state_dict().items()}


def started(path: Path) -> tuple[nn.Module, str]:
    torch.manual_seed(1)
    model = Toy()
    return model, load_initial(model, path)


@pytest.mark.parametrize("prefix", ["", "module.", "_orig_mod.module."])
@pytest.mark.parametrize("nested", [None, "state_dict", "model"])
def test_names_are_read_past_what_wrappers_put_before_them(
    prefix: str, nested: str | None, tmp_path: Path
) -> None:
    weights = given(prefix)
    torch.save(weights if nested is None else {nested: weights, "epoch": 3}, tmp_path / "a.pt")
    model, line = started(tmp_path / "a.pt")
    assert line == f"8 of 8 tensors from {tmp_path / 'a.pt'}"
    for name, value in given().items():
        assert torch.equal(model.state_dict()[name], value), name


def test_a_container_around_the_model_is_no_matter(tmp_path: Path) -> None:
    torch.save(given(), tmp_path / "a.pt")
    model = nn.Sequential(nn.Flatten(), Toy())
    assert load_initial(model, tmp_path / "a.pt").startswith("8 of 8 tensors")
    assert torch.equal(model[1].head.weight, given()["head.weight"])


def test_a_head_of_another_size_is_new_and_what_did_not_fit_is_told(tmp_path: Path) -> None:
    weights = given() | {"head.weight": torch.ones(5, 8), "head.bias": torch.ones(5)}
    del weights["norm.bias"]
    torch.save(weights | {"extra.weight": torch.ones(2)}, tmp_path / "a.pt")
    torch.manual_seed(1)
    fresh = Toy().state_dict()
    model, line = started(tmp_path / "a.pt")
    assert torch.equal(model.head.weight, fresh["head.weight"])
    assert torch.equal(model.first.weight, weights["first.weight"])
    assert line.startswith("5 of 8 tensors")
    assert "new: norm.bias, head.weight, head.bias" in line
    assert "not used: head.weight, head.bias, extra.weight" in line


def test_safetensors_are_read(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    safetensors.save_file(given("module."), tmp_path / "a.safetensors")
    model, _ = started(tmp_path / "a.safetensors")
    assert torch.equal(model.head.weight, given()["head.weight"])
    (tmp_path / "a.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(CheckpointError, match="has no tensors by name: "):
        started(tmp_path / "a.safetensors")


class Runs:
    """A pickle of it would run a command."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("it ran",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"weight": torch.ones(3, 3)}, "has weight, not first.weight"),
        ({"epoch": 3}, "has no tensors, not first.weight"),
        ([torch.ones(3)], "has no tensors by name: "),
        (Runs(), "has no tensors by name: "),
    ],
)
def test_a_file_that_is_of_no_use_is_refused(
    content: object, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.save(content, tmp_path / "a.pt", pickle_module=pickle)
    with pytest.raises(CheckpointError, match=message):
        started(tmp_path / "a.pt")
    assert "it ran" not in capsys.readouterr().out


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="No such file"):
        started(tmp_path / "a.pt")


def test_a_run_starts_from_the_average_of_another_and_resumes_without_it(
    toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train_here(toy_data, tmp_path / "a", epochs=1, ema_decay=0.5) == 0
    ema = read_checkpoint(tmp_path / "a", "best.pt")["ema"]
    model, _ = started(tmp_path / "a")
    for name, value in model.state_dict().items():
        assert torch.equal(value, ema[name]), name
    assert train_here(toy_data, tmp_path / "b", epochs=1, init_from=tmp_path / "a") == 0
    assert "8 of 8 tensors from " in capsys.readouterr().out
    (tmp_path / "a" / "checkpoints" / "best.pt").unlink()
    again = {"epochs": 2, "init_from": tmp_path / "a", "resume": True}
    assert train_here(toy_data, tmp_path / "b", **again) == 0
    assert "tensors from" not in capsys.readouterr().out
