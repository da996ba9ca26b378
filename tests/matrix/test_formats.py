"""The data formats differ in nothing but the way to the same pixels."""

from pathlib import Path

import numpy as np
import pytest

from .answers import SETS, Answers, name_of, questions
from .commands import Project, environment
from .renderings import PACKAGE
from .training import copy_of

pytestmark = pytest.mark.smoke

# one project of each format, otherwise of the same answers
PROJECTS: dict[str, Answers] = {answers["data_format"]: answers for answers in reversed(SETS)}

DUMP = f"""
import sys
from pathlib import Path
import numpy as np
from {PACKAGE}.data.storage import Reader, split_path
reader = Reader(split_path(Path(sys.argv[1]), sys.argv[2]))
images = reader.read(np.arange(len(reader)))
np.savez(sys.argv[3], images=images, labels=reader.targets, classes=reader.classes)
"""


def dump(project: Project, data: str, split: str) -> dict[str, np.ndarray]:
    """All images (N, H, W, C), labels (N,) and classes, as the project's own reader gives them."""
    project.python("-c", DUMP, data, split, "dump.npz")
    with np.load(project.folder / "dump.npz") as arrays:
        return {name: arrays[name] for name in arrays.files}


def test_the_formats_hold_the_same_pixels_and_labels(
    trees: dict[str, Path], images: Path, tmp_path: Path
) -> None:
    assert list(PROJECTS) == list(reversed(questions()["data_format"]))
    found: dict[str, dict[str, dict[str, np.ndarray]]] = {}
    for data_format, answers in PROJECTS.items():
        folder = copy_of(trees[name_of(answers)], tmp_path)
        project = Project(folder, environment(tmp_path / "home"))
        project.run("prepare", "--demo")
        project.run("prepare", "--source", images, "--data-dir", "drawn")
        found[data_format] = {
            f"{data}/{split}": dump(project, data, split)
            for data in ("data", "drawn")
            for split in ("train", "val")
        }
    first, *others = found.values()
    assert len(first["data/train"]["labels"]) + len(first["data/val"]["labels"]) == 1797
    assert first["data/train"]["images"].shape[1:3] == (8, 8)
    assert len(np.unique(first["data/val"]["images"])) > 10
    assert first["drawn/train"]["images"].shape == (48, 12, 12, 3)
    for other in others:
        for split, arrays in first.items():
            for name, array in arrays.items():
                assert other[split][name].dtype.kind == array.dtype.kind
                np.testing.assert_array_equal(other[split][name], array, f"{name} of {split}")
