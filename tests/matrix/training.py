"""The smoke run of one project: prepare, train, evaluate, predict, export; and what must follow."""

import json
import math
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .answers import COVER, SETS, Answers
from .commands import Project
from .stores import check_store

Record = dict[str, Any]

CLASSES = ("circle", "square", "triangle")
PER_CLASS = {"train": 16, "val": 7}  # 21 to validate: the shares of two processes differ
EPOCHS, BATCH = 2, 16
STEPS = PER_CLASS["train"] * len(CLASSES) // BATCH  # per epoch

FIELDS = {"split", "epoch", "step", "loss", "accuracy"}
TRAIN_FIELDS = FIELDS | {"lr", "grad_norm", "samples_per_second"}
# of a probability or a loss, between two ways to compute it on one device
HALF_TOLERANCE = 0.02


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
    """Flags for 0 or 2 data workers, or none of them, such that each choice trains with all."""
    questions = list(answers)
    positions = [sorted({a[q] for a in SETS}).index(answers[q]) for q in questions]
    return [[], ["--num-workers", "0"], ["--num-workers", "2"]][sum(positions) % 3]


def give_data(project: Project, answers: Answers, images: Path, kept: dict[str, Path]) -> None:
    """Prepare data; outside the covering sets take those that such a set kept, if one has."""
    data, data_format = project.folder / "data", answers["data_format"]
    if data_format in kept and answers not in COVER:
        shutil.copytree(kept[data_format], data)
        return
    project.run("prepare", "--source", images)
    kept.setdefault(data_format, data)


def train(project: Project, answers: Answers, start: Start) -> list[Record]:
    """Train two epochs, check everything; returns the lines of metrics.jsonl.

    On a CPU the covering sets alone are evaluated again.
    """
    said = project.run(
        *("train", "--run-dir", "run", "--epochs", str(EPOCHS), "--batch-size", str(BATCH)),
        *("--width", "8", "--dropout", "0.1", "--device", start.device),
        *workers_for(answers),
        *([] if answers in COVER else ["--no-report"]),
        processes=start.processes,
    )
    lines = said.splitlines()
    assert len(lines) == len(set(lines)), f"said by more than one process:\n{said}"
    run_dir = project.folder / "run"
    records = check_run(run_dir, start)
    if answers in COVER or start.device != "cpu":
        check_evaluation(project, answers, records, start)
    check_store(answers["logger"], run_dir, records, reported=answers in COVER)
    if answers in COVER:
        check_report(run_dir, records)
    return records


def check_run(run_dir: Path, start: Start) -> list[Record]:
    """The run's folder holds what the contract says; returns the lines of metrics.jsonl."""
    import torch

    text = (run_dir / "metrics.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    assert [(r["split"], r["epoch"], r["step"]) for r in records] == [
        (split, epoch, epoch * STEPS) for epoch in range(1, EPOCHS + 1) for split in PER_CLASS
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
        assert state["starts"][-1].get("world_size", 0) == start.processes
    config = json.loads((run_dir / "config.json").read_text(encoding="utf-8"))
    assert (config["epochs"], config["batch_size"], config["width"]) == (EPOCHS, BATCH, 8)
    environment = json.loads((run_dir / "environment.json").read_text(encoding="utf-8"))
    assert {"git_commit", "git_dirty", "template_version", "packages"} <= environment.keys()
    assert environment["packages"]["torch"] == metadata.version("torch")
    return records


def check_report(run_dir: Path, records: list[Record]) -> None:
    """The report judged every validation sample once, by the weights of the best epoch."""
    found = json.loads((run_dir / "report.json").read_text(encoding="utf-8"))
    best = max(record["accuracy"] for record in records if record["split"] == "val")
    samples = found["samples"]
    assert (
        samples["samples"] == sum(map(sum, samples["confusion"])) == len(CLASSES) * PER_CLASS["val"]
    )
    assert [row["class"] for row in samples["per_class"]] == list(CLASSES)
    assert samples["accuracy"] == found["best"]["value"] == best
    assert [row["samples"] for row in samples["per_class"]] == [PER_CLASS["val"]] * len(CLASSES)
    page = (run_dir / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3 and 'src="data:image/png' in page


def check_evaluation(
    project: Project, answers: Answers, records: list[Record], start: Start
) -> None:
    """`evaluate` of the last checkpoint gives the last line of metrics.jsonl again.

    By one process, however many trained; in the covering sets by as many as trained, too.
    """
    line = records[-1]
    samples = PER_CLASS["val"] * len(CLASSES)
    exact = start.device == "cpu"
    arguments = ("evaluate", "run/checkpoints/last.pt", "--json", "--device", start.device)
    for processes in {0, start.processes} if answers in COVER else {0}:
        said = project.run(*arguments, "--num-workers", "0", processes=processes)
        assert said.count("\n") == 1, f"not one line:\n{said}"
        found = json.loads(said)
        assert found["samples"] == samples
        if exact or answers["amp"] == "off":
            assert found["accuracy"] == line["accuracy"]
            assert found["loss"] == pytest.approx(line["loss"], rel=1e-6 if exact else 1e-4)
        else:
            assert found["accuracy"] == pytest.approx(line["accuracy"], abs=1.5 / samples)
            assert found["loss"] == pytest.approx(line["loss"], rel=HALF_TOLERANCE)


def check_use(project: Project, answers: Answers, images: Path) -> None:
    """`predict` and the exported model agree on an image, and both know the classes."""
    import numpy as np
    import torch
    from PIL import Image

    best = "run/checkpoints/best.pt"
    image = images / "val" / "square" / "00.png"
    said = project.run("predict", best, image, image, "--json", "--device", "cpu")
    first, second = json.loads(said)["predictions"]
    assert said.count("\n") == 1 and first == second and Path(first["image"]) == image

    project.run("export", best, "--output", "deployed.pt2")
    program = torch.export.load(
        project.folder / "deployed.pt2", extra_files=(about := {"about.json": ""})
    )
    pixels = torch.from_numpy(np.array(Image.open(image)))[None]  # (1, H, W, C) uint8
    for batch in (pixels, pixels.expand(5, -1, -1, -1)):
        probabilities = program.module()(batch)
        classes = json.loads(about["about.json"])["classes"]
        assert classes == list(CLASSES) and probabilities.shape == (len(batch), len(classes))
        assert probabilities.sum(1).tolist() == pytest.approx([1.0] * len(batch), abs=1e-5)
        expected = probabilities[0, classes.index(first["class"])].item()
        tolerance = 1e-4 if answers["amp"] == "off" else HALF_TOLERANCE
        assert first["probability"] == pytest.approx(expected, abs=tolerance)


def copy_of(tree: Path, folder: Path) -> Path:
    """A copy to train in: the shared renderings stay as they are."""
    return Path(shutil.copytree(tree, folder / tree.name))
