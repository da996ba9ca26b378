"""The file is the model, without the run that made it; its card says what was measured of it."""

import json
from pathlib import Path

import pytest
import torch
from conftest import CPU, call
from torch import nn

from toy.base.errors import CheckpointError
from toy.engine.portable import from_safetensors, to_safetensors
from toy.engine.trained import load_trained
from toy.evaluate import EvaluateConfig
from toy.evaluate import main as evaluate
from toy.tools.export_safetensors import SafetensorsConfig, main

safetensors = pytest.importorskip("safetensors.torch")


def test_a_file_is_the_model_and_what_it_says_was_measured(
    finished_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "model"
    assert call(main, SafetensorsConfig(finished_run, out=folder)) == 0
    was, now = load_trained(finished_run, CPU), load_trained(folder / "model.safetensors", CPU)
    assert (now.facts, now.config) == (was.facts, was.config)
    ours, theirs = now.model.state_dict(), was.model.state_dict()
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(value, theirs[name]) for name, value in ours.items())
    capsys.readouterr()
    path = folder / "model.safetensors"
    assert call(evaluate, EvaluateConfig(path, device="cpu", json=True)) == 0
    measured = json.loads(capsys.readouterr().out)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert f"On {measured['samples']:,} validation samples" in card
    rows = dict(line.strip("| ").split(" | ") for line in card.splitlines() if " | " in line)
    for name in ("loss", was.task.best):
        assert float(rows[name]) == pytest.approx(measured[name], rel=1e-3)
    assert "- `epochs`: 2" in card and "`data_dir`" not in card
    code = card.partition("```python\n")[2].partition("```")[0]
    scope: dict[str, torch.Tensor] = {}
    exec(code.replace('"model.safetensors"', f"{str(path)!r}"), scope)
    assert torch.equal(scope["answers"], was.answer(was.facts.zeros(1)))


def test_a_card_that_someone_has_written_is_left_alone(finished_run: Path, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    assert call(main, SafetensorsConfig(finished_run, out=tmp_path)) == 0
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "mine"


def test_a_tensor_of_two_names_is_there_under_both(finished_run: Path, tmp_path: Path) -> None:
    trained = load_trained(finished_run, CPU)
    trained.model.twin = nn.Linear(2, 2)
    trained.model.twin.bias = trained.model.head.bias
    path = tmp_path / "a.safetensors"
    path.write_bytes(to_safetensors(trained))
    assert {"twin.bias", "head.bias"} <= safetensors.load_file(path).keys()


def test_a_file_that_is_damaged_or_has_weights_alone_is_refused(
    finished_run: Path, tmp_path: Path
) -> None:
    path, weights = tmp_path / "a.safetensors", {"weight": torch.zeros(3)}
    with pytest.raises(CheckpointError, match="No such file"):
        from_safetensors(path, CPU)
    safetensors.save_file(weights, path)
    with pytest.raises(CheckpointError, match="weights alone: start from them with --init-from"):
        from_safetensors(path, CPU)
    content = to_safetensors(load_trained(finished_run, CPU))
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(CheckpointError, match="is damaged"):
        from_safetensors(path, CPU)
