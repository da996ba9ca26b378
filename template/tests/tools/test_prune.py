"""The smallest weights become zero and stay so while the others are trained."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import CPU, call
from torch import nn

from toy.base.errors import FlagError
from toy.engine.trained import load_trained
from toy.evaluate import EvaluateConfig
from toy.evaluate import main as evaluate
from toy.tools.prune import PruneConfig, apply, main, masks_of


def test_the_smallest_weights_of_all_layers_together_go() -> None:
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Linear(10, 5), nn.Linear(5, 5))
    with torch.no_grad():
        model[0].weight.mul_(0.1)
        model[2].weight.fill_(0.7)  # all of one size: some go, others stay
    model[3].weight.requires_grad_(False)
    masks = masks_of(model, 0.8, "any")
    assert list(masks) == [model[0].weight, model[2].weight], "no norm, no bias, nothing frozen"
    count = sum(stays.numel() for stays in masks.values())
    assert sum(int((~stays).sum()) for stays in masks.values()) == round(0.8 * count)
    before = model[2].weight.detach().clone()
    apply(masks)
    left, whole = masks[model[2].weight], model[2].weight
    assert not model[0].weight.any(), "they were the smallest"
    assert torch.equal(whole[left], before[left]) and not whole[~left].any()


def test_two_of_each_four_in_a_row_stay() -> None:
    model = nn.Sequential(nn.Conv2d(8, 4, 3), nn.Linear(8, 5), nn.Linear(5, 2))
    masks = masks_of(model, 0.5, "2:4")
    for layer in model[:2]:
        weight, stays = layer.weight.detach(), masks[layer.weight]
        groups = weight.abs().flatten(1).view(-1, 4)
        kept = stays.flatten(1).view(-1, 4)
        assert (kept.sum(1) == 2).all()
        assert (groups.masked_fill(~kept, 9).amin(1) >= groups.masked_fill(kept, 0).amax(1)).all()
    assert masks[model[2].weight].all(), "5 inputs are no groups of four"


@pytest.mark.slow
def test_zeros_stay_zeros_in_training_and_the_file_is_what_was_measured(
    finished_run: Path, toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config: dict[str, Any] = {"data_dir": toy_data, "device": "cpu", "batch_size": 8, "epochs": 1}
    out = tmp_path / "new" / "pruned.pt"
    run = {"init_from": finished_run, "out": out, "ema_decay": 0.9, "sparsity": 0.5}
    assert call(main, PruneConfig(**config, **run, json=True)) == 0
    models = json.loads(capsys.readouterr().out)["models"]
    before, pruned, trained = (model["metrics"] for model in models)
    assert [model["zeros"] > 0.3 for model in models] == [False, True, True]
    assert models[1]["compressed"] < models[0]["compressed"]
    assert before["loss"] != pruned["loss"] != trained["loss"]
    capsys.readouterr()
    assert call(evaluate, EvaluateConfig(out, device="cpu", json=True)) == 0
    assert json.loads(capsys.readouterr().out)["loss"] == pytest.approx(trained["loss"])
    was, now = (load_trained(path, CPU).model for path in (finished_run, out))
    for stays, weight, old in zip(
        masks_of(was, 0.5, "any").values(),
        (now.first.weight, now.head.weight),
        (was.first.weight, was.head.weight),
        strict=True,
    ):
        assert torch.equal(weight != 0, stays) and not torch.equal(weight[stays], old[stays])
    assert call(main, PruneConfig(**config, **run)) == 0
    assert "pruned and trained" in capsys.readouterr().out
    with pytest.raises(FlagError, match="--init-from takes the run"):
        call(main, PruneConfig(**config))
