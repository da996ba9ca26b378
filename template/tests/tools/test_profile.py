"""The time of a step is told apart rightly, and none of it is lost."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import CPU, call
from torch import nn
from torch.profiler import profile

from toy.base.errors import FlagError
from toy.config import Config
from toy.engine.trainer import Trainer
from toy.task import Task
from toy.tools.parts import MEANING, Parts, watched
from toy.tools.profile import ProfileConfig, Timed, advice, main
from toy.tools.trace import Trace

SECOND = 0.02  # as it passes here


class Slow(torch.autograd.Function):
    """The identity, which takes 2 seconds forward and 6 backward."""

    @staticmethod
    def forward(_: Any, inputs: torch.Tensor) -> torch.Tensor:
        time.sleep(2 * SECOND)
        return inputs.clone()

    @staticmethod
    def backward(_: Any, gradient: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        time.sleep(6 * SECOND)
        return gradient


class Model(nn.Linear):
    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        self.held = torch.zeros(1000, 1000)  # 4 MB, until the update
        outputs = super().forward(inputs)
        return Slow.apply(outputs)


class SlowTask(Task):
    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        time.sleep(SECOND)
        return super().loss(outputs, targets)

    def sums(self, outputs: torch.Tensor, targets: torch.Tensor) -> dict[str, torch.Tensor]:
        time.sleep(4 * SECOND)
        return super().sums(outputs, targets)


class SlowSGD(torch.optim.SGD):
    def step(self, _: None = None) -> None:  # type: ignore[override]
        time.sleep(3 * SECOND)


def a_step(model: Model, task: Task, optimizer: SlowSGD, parts: Parts) -> None:
    """A step in two passes, as `train_step` does it."""
    parts.begin("prepare")
    for inputs, targets in zip(torch.randn(2, 4, 6), torch.randn(2, 4, 2), strict=True):
        outputs = model(inputs)
        loss = task.loss(outputs, targets)
        loss.backward()
        task.sums(outputs, targets)
    time.sleep(6 * SECOND)  # for a long list of gradients
    del model.held
    optimizer.step()
    parts.begin("data")


@pytest.mark.slow
def test_each_part_has_the_time_that_it_took_and_the_model_is_left_as_it_was() -> None:
    model, task, parts = Model(6, 2), SlowTask(Config(), None), Parts(CPU)  # type: ignore[arg-type]
    optimizer = SlowSGD(model.parameters(), lr=0.1)
    a_step(model, task, optimizer, Parts(CPU))  # the first one takes longer
    began = time.perf_counter()
    with watched(parts, model, task, optimizer):
        a_step(model, task, optimizer, parts)
    whole, found = time.perf_counter() - began, parts.seconds()
    order = sorted(found, key=found.__getitem__, reverse=True)
    # 2 x 6, 2 x 4, 6, 2 x 2, 3, 2 x 1 seconds
    assert order[:6] == ["backward", "metrics", "clip", "forward", "optimizer", "loss"]
    assert sum(found.values()) == pytest.approx(whole, abs=SECOND)
    left = (model._forward_pre_hooks, optimizer._optimizer_step_pre_hooks, vars(task).get("loss"))
    assert not any(left), "it is watched no more"


def test_a_trace_shows_the_parts_around_their_operators_and_the_memory_of_each() -> None:
    model, task, parts = Model(6, 2), Task(Config(), None), Parts(CPU)  # type: ignore[arg-type]
    optimizer = SlowSGD(model.parameters(), lr=0.1)
    with watched(parts, model, task, optimizer), profile(profile_memory=True) as profiler:
        a_step(model, task, optimizer, parts)
    trace = Trace(profiler, parts.marks)
    events = json.loads(trace.text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]

    def windows(name: str) -> list[tuple[float, float]]:
        found = ((e["ts"], e["ts"] + e["dur"]) for e in spans if e["name"] == name)
        return sorted(found)

    inside = {"forward": "aten::linear", "loss": "aten::square", "backward": "SlowBackward"}
    for part, operator in inside.items():
        around, ran = windows(part), windows(operator)
        within = [[b <= first < last <= e for first, last in ran] for b, e in around]
        assert len(around) == 2 and all(map(any, within)), f"{operator} runs in each {part}"
        assert all(map(any, zip(*within, strict=True))), f"{operator} runs in {part} alone"
    ((begin, end),) = windows("optimizer")
    assert end - begin >= 3e6 * SECOND
    curve = [event["args"]["MB"] for event in events if event["name"] == "CPU memory"]
    assert max(curve) >= 4 > min(curve)
    peaks = trace.peaks(0)
    assert peaks["forward"] >= 4_000_000 <= peaks["clip"] and peaks["optimizer"] < 4_000_000


def test_what_is_in_use_when_a_part_begins_is_in_use_in_it() -> None:
    trace = Trace.__new__(Trace)
    trace.begun = [("forward", 0), ("clip", 10), ("optimizer", 20), ("data", 30)]
    events: list[dict[str, Any]] = [
        {"name": "[memory]", "ts": ts, "args": {"Device Type": 0, "Total Allocated": size}}
        for ts, size in ((5, 100), (6, 70), (25, 40))
    ]
    trace.content = {"traceEvents": events}
    found = {part: size for part, size in trace.peaks(0).items() if size}
    assert found == {"forward": 100, "clip": 70, "optimizer": 70}
    assert not any(trace.peaks(1).values()), "nothing is on an accelerator"


def test_work_of_an_accelerator_that_overlaps_counts_once() -> None:
    trace = Trace.__new__(Trace)
    spans: list[tuple[float, float, str]] = [(0, 10, "kernel"), (5, 10, "gpu_memcpy")]
    spans += [(6, 2, "kernel"), (9, 90, "cpu_op"), (40, 1, "gpu_memset")]
    events = [{"ts": ts, "dur": dur, "cat": kind} for ts, dur, kind in spans]
    trace.content = {"traceEvents": [{"ph": "M"}, *events]}
    assert trace.busy() == pytest.approx(16e-6)


def test_the_parts_of_real_steps_add_up_to_them(
    toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config: dict[str, Any] = {
        "data_dir": toy_data,
        "device": "cpu",
        "batch_size": 8,
        "epochs": 10,
        "accumulate": 2,
        "out": tmp_path / "new" / "trace.json",
    }
    assert call(main, ProfileConfig(**config, steps=21, json=True)) == 0  # 6 steps in an epoch
    found = json.loads(capsys.readouterr().out)
    assert found["parts"].keys() == MEANING.keys() and min(found["parts"].values()) > 0
    assert sum(found["parts"].values()) == pytest.approx(found["whole"], rel=0.1)
    assert found["samples_per_second"] == pytest.approx(8 / found["whole"])
    events = json.loads(config["out"].read_text(encoding="utf-8"))["traceEvents"]
    assert sum(event["name"] == "optimizer" for event in events) == 3
    assert call(main, ProfileConfig(**config)) == 0
    said = capsys.readouterr().out
    assert all(f"\n{part} " in said for part in MEANING) and str(config["out"]) in said
    config["epochs"] = 5
    with pytest.raises(FlagError, match=r"takes 53 steps, .* and the run has 30"):
        call(main, ProfileConfig(**config))


def test_advice_names_what_the_step_waits_for(toy_data: Path) -> None:
    trainer = Trainer(Config(data_dir=toy_data, batch_size=8, num_workers=0), CPU)

    def said(busy: float | None = None, **parts: float) -> str:
        seconds = dict.fromkeys(MEANING, 0.0) | parts
        return advice(Timed(1.0, seconds, {}, busy, []), trainer)

    assert said(data=0.3, optimizer=0.7).startswith("Steps wait for data. Try --cache memory")
    assert said(0.4, backward=1.0).startswith("The device computes in 40% of the time")
    assert said(0.9, backward=0.7, optimizer=0.3).startswith("The update takes long")
    assert said(0.9, forward=0.3, backward=0.6).startswith("The model itself takes 90% of the time")
