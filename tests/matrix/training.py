"""The smoke run of one project: prepare, train, resume, evaluate, predict; and what must follow."""

import json
import math
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .answers import SETS, Answers
from .commands import Project
from .stores import check_store

Record = dict[str, Any]

CLASSES = ("circle", "square", "triangle")
PER_CLASS = {"train": 16, "val": 7}  # 21 to validate: the shares of two processes differ
EPOCHS, BATCH = 2, 16
STEPS = PER_CLASS["train"] * len(CLASSES) // BATCH  # per epoch

FIELDS = {"split", "epoch", "step", "loss", "accuracy"}
TRAIN_FIELDS = FIELDS | {"lr", "grad_norm", "samples_per_second"}


class Start(NamedTuple):
    """Where a project is trained: a device, and by torchrun where `processes` are given."""

    device: str
    processes: int


def draw_images(folder: Path) -> Path:
    """A source tree of small colour images: FOLDER/{train,val}/<class>/<number>.png."""
    import numpy as np
    from PIL import Image, ImageDraw

    random = np.random.default_rng(0)
    for split, count in PER_CLASS.items():
        for name in CLASSES:
            (folder / split / name).mkdir(parents=True)
            for number in range(count):
                image = Image.fromarray(random.integers(0, 90, (12, 12, 3), dtype=np.uint8))
                draw = ImageDraw.Draw(image)
                if name == "circle":
                    draw.ellipse((3, 3, 9, 9), fill="red")
                else:
                    draw.regular_polygon((6, 6, 5), 3 + (name == "square"), fill="white")
                image.save(folder / split / name / f"{number:02d}.png")
    return folder


def workers_for(answers: Answers) -> list[str]:
    """Flags for 0 or 2 data workers, such that each choice trains with both."""
    questions = [name for name in answers if name != "extras"]
    positions = [sorted({a[q] for a in SETS}).index(answers[q]) for q in questions]
    return ["--num-workers", "02"[sum(positions) % 2]]


def train(project: Project, answers: Answers, start: Start, *flags: str) -> list[Record]:
    """Train two epochs, check the run; returns the lines of metrics.jsonl."""
    said = project.run(
        *("train", "--run-dir", "run", "--epochs", str(EPOCHS), "--batch-size", str(BATCH)),
        *("--width", "8", "--dropout", "0.1", "--device", start.device),
        *(workers_for(answers) if start.device == "cpu" else []),
        *flags,
        processes=start.processes,
    )
    lines = [line for line in said.splitlines() if line.strip()]
    assert len(lines) == len(set(lines)), f"said by more than one process:\n{said}"
    return check_run(project.folder / "run", EPOCHS, start.processes)


def check_run(run_dir: Path, epochs: int, processes: int) -> list[Record]:
    """The run's folder holds what the contract says; returns the lines of metrics.jsonl."""
    import torch

    text = (run_dir / "metrics.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    assert [(r["split"], r["epoch"], r["step"]) for r in records] == [
        (split, epoch, epoch * STEPS) for epoch in range(1, epochs + 1) for split in PER_CLASS
    ]
    for record in records:
        assert record.keys() >= (TRAIN_FIELDS if record["split"] == "train" else FIELDS)
        assert all(math.isfinite(v) for k, v in record.items() if k != "split"), record
        assert record["loss"] > 0 and 0 <= record["accuracy"] <= 1
        assert record.get("samples_per_second", 1) > 0
    for name in ("last.pt", "best.pt"):
        state = torch.load(run_dir / "checkpoints" / name, weights_only=True)
        assert state["model"] and all(value.isfinite().all() for value in state["model"].values())
        assert not any(key.startswith(("module.", "_orig_mod.")) for key in state["model"])
    config = json.loads((run_dir / "config.json").read_text(encoding="utf-8"))
    assert (config["epochs"], config["batch_size"], config["width"]) == (epochs, BATCH, 8)
    environment = json.loads((run_dir / "environment.json").read_text(encoding="utf-8"))
    assert {"git_commit", "git_dirty", "template_version", "packages"} <= environment.keys()
    assert environment["packages"]["torch"] == metadata.version("torch")
    return records


def check_evaluation(project: Project, records: list[Record], start: Start) -> None:
    """`evaluate` of the last checkpoint gives the last line of metrics.jsonl again.

    By one process, however many trained, and by as many.
    """
    line, samples = records[-1], PER_CLASS["val"] * len(CLASSES)
    arguments = ("evaluate", "run/checkpoints/last.pt", "--json", "--device", start.device)
    for processes in {0, start.processes}:
        said = project.run(*arguments, "--num-workers", "0", processes=processes)
        assert said.count("\n") == 1, f"not one line:\n{said}"
        found = json.loads(said)
        assert found["samples"] == samples
        if start.device == "cpu":
            assert found["accuracy"] == line["accuracy"]
            assert found["loss"] == pytest.approx(line["loss"], rel=1e-6)
        else:
            assert found["accuracy"] == pytest.approx(line["accuracy"], abs=1.5 / samples)
            assert found["loss"] == pytest.approx(line["loss"], rel=0.02)


def check_prediction(project: Project, images: Path) -> None:
    """`predict` answers for each image in its order, the same for the same one."""
    image, other = images / "val/square/00.png", images / "val/circle/01.png"
    said = project.run("predict", "run", image, image, other, "--json", "--device", "cpu")
    assert said.count("\n") == 1
    first, second, third = json.loads(said)["predictions"]
    assert first == second and Path(first["image"]) == image and Path(third["image"]) == other
    assert first["class"] in CLASSES and 1 / len(CLASSES) <= first["probability"] <= 1


def check_resume(project: Project, answers: Answers, records: list[Record], start: Start) -> None:
    """A finished run is left alone; with more epochs it goes on, in the same run of the tracker."""
    resume = ("train", "--resume", "--run-dir", "run", "--device", start.device)
    before = (project.folder / "run/checkpoints/last.pt").read_bytes()
    project.run(*resume, processes=start.processes)
    assert (project.folder / "run/checkpoints/last.pt").read_bytes() == before
    check_store(answers["logger"], project.folder / "run", records)
    project.run(*resume, "--epochs", str(EPOCHS + 1), processes=start.processes)
    more = check_run(project.folder / "run", EPOCHS + 1, start.processes)
    assert more[: len(records)] == records
    check_store(answers["logger"], project.folder / "run", more)


def copy_of(tree: Path, folder: Path) -> Path:
    """A copy to train in: the shared renderings stay as they are."""
    return Path(shutil.copytree(tree, folder / tree.name))
