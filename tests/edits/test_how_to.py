"""Each edit of the pages docs/how-to*.md and docs/augmentations.md: it applies, passes the project's own checks, and keeps a run's bits.

An edited project is linted, tested by its own quick tests, trained, killed, resumed, and both runs are compared.
"""

import json
import math
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from matrix.answers import EXTRAS, ROOT, Answers, with_extras
from matrix.commands import Project, environment
from matrix.renderings import PACKAGE, copy_template, render
from warm import python_for

pytestmark = pytest.mark.edits

PAGES = [*sorted((ROOT / "docs").glob("how-to*.md")), ROOT / "docs" / "augmentations.md"]
SECTION = re.compile(r"^###? (.*?)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
EDITS = {
    title: diff
    for page in PAGES
    for title, text in SECTION.findall(page.read_text(encoding="utf-8"))
    for diff in re.findall(r"^```diff\n(.*?)^```$", text, re.M | re.S)
}
# of what the extra `imbalance` replaces, as docs/how-to.md says
OF_THE_LOSS = [
    "A loss with parameters: ArcFace",
    "A triplet loss on batches of P classes with K samples",
    "An auxiliary head",
    "Balanced classes",
]
SMALL = ("--epochs=3", "--batch-size=8", "--num-workers=0", "--device=cpu", "--ema-decay=0.9")
ANSWERS: Answers = {
    "parallelism": "single",
    "amp": "off",
    "data_format": "imagefolder",
    "logger": "tensorboard",
}


def hunks(diff: str) -> Iterator[tuple[str, str, str]]:
    """For each place of a diff: the file, the text there, and what stands there afterwards."""
    for part in re.split(r"^--- ", diff, flags=re.MULTILINE)[1:]:
        name, _, changes = part.replace("myproj/", f"{PACKAGE}/", 1).partition("\n")
        for hunk in changes.split("@@\n"):
            lines = hunk.splitlines(keepends=True)
            before, after = (
                "".join(x[1:] or x for x in lines if x[0] in kept) for kept in (" -\n", " +\n")
            )
            yield name, before, after


def apply(folder: Path, diff: str) -> None:
    """Make an edit in a project; each text must stand there exactly once."""
    for name, before, after in hunks(diff):
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{name} has this {text.count(before)} times:\n{before}"
        path.write_text(text.replace(before, after), encoding="utf-8")


def together() -> list[list[str]]:
    """All edits in few groups, each of which can be made in one project."""
    groups: list[list[str]] = []
    for title in EDITS:
        others = (group for group in groups if not any(lines(title) & lines(t) for t in group))
        if (group := next(others, None)) is None:
            groups.append(group := [])
        group.append(title)
    return groups


def lines(title: str) -> set[tuple[str, str]]:
    """What an edit must find: files and lines. A model of its own replaces the other's outputs."""
    found = {(name, line) for name, text, _ in hunks(EDITS[title]) for line in text.splitlines()}
    outputs = (f"{PACKAGE}/model.py", "        return self.head(self.dropout(x))  # (B, classes)")
    return found | ({outputs} if "(nn.Module):" in EDITS[title] else set())


def result(run_dir: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What a run leaves but for the time it took: metrics, and the whole state."""
    lines = map(json.loads, (run_dir / "metrics.jsonl").read_text().splitlines())
    state = torch.load(run_dir / "checkpoints" / "last.pt", weights_only=True)
    del state["config"]  # names the folder
    return [{k: v for k, v in x.items() if k != "samples_per_second"} for x in lines], state


def differences(a: Any, b: Any, where: str = "") -> list[str]:
    """The places where two states differ."""
    if isinstance(a, torch.Tensor):
        return [] if torch.equal(a, b) else [where]
    if isinstance(a, dict):
        keys = a.keys() | b.keys()
        return [place for k in keys for place in differences(a.get(k), b.get(k), f"{where}/{k}")]
    if isinstance(a, list | tuple):
        return [
            place
            for i, (x, y) in enumerate(zip(a, b, strict=True))
            for place in differences(x, y, f"{where}/{i}")
        ]
    return [] if a == b or (math.isnan(a) and math.isnan(b)) else [where]


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four classes, 12 images of 16 x 16 pixels to train on and 5 to validate on for each."""
    folder, random = tmp_path_factory.mktemp("images"), np.random.default_rng(0)
    for split, count in (("train", 12), ("val", 5)):
        for place in range(4):
            (folder / split / f"class-{place}").mkdir(parents=True)
            for number in range(count):
                pixels = random.integers(0, 100, (16, 16, 3), dtype=np.uint8)
                pixels[4 * place : 4 * place + 4] += 100
                Image.fromarray(pixels).save(folder / split / f"class-{place}" / f"{number}.png")
    return folder


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_template(tmp_path_factory.mktemp("template"))


@pytest.mark.parametrize("title", EDITS)
def test_an_edit_trains_resumes_and_breaks_no_test(
    title: str, template: Path, images: Path, tmp_path: Path
) -> None:
    folder = render(template, ANSWERS | {"extras": []}, tmp_path / "project")
    apply(folder, EDITS[title])
    project = Project(folder, environment(tmp_path / "home"), timeout=300)
    for part in (["format", "--check"], ["check"]):
        project.python("-m", "ruff", *part, "--no-cache", ".")
    warm = python_for(project.environment)
    project.python("-m", "pytest", "-q", "-p", "no:cacheprovider", python=warm)
    project.run("prepare", "--source", images)

    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    project.run("train", *SMALL, "--run-dir", whole)
    line = [sys.executable, "-m", f"{PACKAGE}.train", *SMALL, "--run-dir", str(stopped)]
    process = subprocess.Popen(
        [*line, "--checkpoint-every=2"],
        cwd=folder,
        env=project.environment,
        stdout=subprocess.DEVNULL,
    )
    while not (stopped / "checkpoints" / "last.pt").exists() and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    project.run("train", *SMALL, "--run-dir", stopped, "--resume")
    (metrics, state), (others, other) = result(whole), result(stopped)
    assert metrics == others
    assert differences(state, other) == []

    found = json.loads(project.run("evaluate", whole / "checkpoints" / "last.pt", "--json"))
    assert found.pop("samples") == 20
    assert found == {name: metrics[-1][name] for name in found}
    project.run("predict", whole, images / "val" / "class-0" / "0.png")


@pytest.mark.parametrize("titles", together())
def test_edits_break_no_test_of_the_extras(
    titles: list[str], template: Path, tmp_path: Path
) -> None:
    extras = [n for n in EXTRAS if n != "imbalance" or not set(titles) & set(OF_THE_LOSS)]
    folder = render(template, with_extras(ANSWERS, *extras), tmp_path / "project")
    for title in titles:
        apply(folder, EDITS[title])
    project = Project(folder, environment(tmp_path / "home"), timeout=300)
    warm = python_for(project.environment)
    project.python("-m", "pytest", "-q", "-p", "no:cacheprovider", python=warm)
