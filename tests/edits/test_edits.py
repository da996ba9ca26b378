"""Right edits of a generated project break no test of its machinery, and no promise."""

import json
from pathlib import Path
from typing import Any

import pytest

from matrix.answers import SETS, name_of
from matrix.commands import Project, environment
from matrix.conftest import images, pytest_collection_modifyitems, pytest_configure, shared
from matrix.renderings import PACKAGE, render_all
from matrix.training import copy_of
from update.conftest import env, git, torchgen, world
from update.world import FIX_AFTER, World

from . import edits, targets
from .edits import Edit

__all__ = ["env", "git", "images", "pytest_collection_modifyitems", "pytest_configure", "shared"]
__all__ += ["torchgen", "world"]

pytestmark = pytest.mark.edits

SMALL = (edits.weighted_loss, edits.macro_f1, edits.blend, edits.sgd, edits.new_setting)
ALONE = (*SMALL, edits.another_model, targets.multi_label, targets.segmentation, targets.text)
# edits of one project that fit together; `make test-all` makes each alone, too
TOGETHER: dict[str, tuple[Edit, ...]] = {
    "ddp-bf16-hdf5-none": SMALL,
    "single-fp16-lmdb-none": (edits.another_model,),
    "single-off-imagefolder-none": (targets.multi_label,),
}
PLAIN = [a for a in SETS if a["data_format"] == "imagefolder" and a["logger"] == "none"]
# the rest are the user's own: tests of the experiment, and of the format that storage.py reads
ROOMS = ("base", "data", "engine", "report", "toolbox", "tools", "verify")
MACHINERY = [f"tests/{room}" for room in ROOMS]
OF_THE_FORMAT = [
    f"tests/data/test_{name}.py" for name in ("format", "prepare", "source", "storage", "survey")
]
WORDS = {"animals": ("cat", "dog", "cow", "hen"), "tools": ("saw", "axe", "nail", "rope")}


@pytest.fixture(scope="session")
def trees(shared: Path) -> dict[str, Path]:
    """The rendered projects that are edited here."""
    sets = [answers for answers in SETS if answers in PLAIN or name_of(answers) in TOGETHER]
    return render_all(shared / "renderings", sets)


def edited(tree: Path, made: tuple[Edit, ...], images: Path, folder: Path) -> Project:
    """A copy of a project with data, edited."""
    project = Project(copy_of(tree, folder), environment(folder / "home"), timeout=800)
    if targets.text in made:
        (project.folder / "data").mkdir()
        for split, count in (("train", 30), ("val", 10)):
            lines = [
                f"{name}\t{word} {n}"
                for n in range(count)
                for name in WORDS
                for word in WORDS[name]
            ]
            (project.folder / "data" / f"{split}.tsv").write_text(
                "\n".join(lines), encoding="utf-8"
            )
    else:
        project.run("prepare", "--source", images)
    for edit in made:
        edit(project.folder / PACKAGE)
    return project


def check(project: Project, marked: str) -> None:
    """The machinery's tests pass, `verify` finds no promise broken, a run ends with its report."""
    ignored = [f"--ignore={path}" for path in OF_THE_FORMAT]
    base = f"--basetemp={project.folder.parent / 'pytest'}"
    suite = ("-q", "-p", "no:cacheprovider", "-m", marked, base, *ignored, *MACHINERY)
    assert " passed" in project.python("-m", "pytest", *suite).splitlines()[-1]
    certificate: dict[str, Any] = json.loads(project.run("verify", "--json", "--device", "cpu"))
    broken = [found for found in certificate["checks"] if found["holds"] is False]
    assert certificate["holds"] and not broken, broken
    kept = {found["check"] for found in certificate["checks"] if found["holds"]}
    assert {"repeats", "resumes", "evaluates"} <= kept, "a kill and a resume, among them"
    flags = ("--epochs", "1", "--batch-size", "16", "--device", "cpu", "--run-dir", "runs/edited")
    said = project.run("train", *flags)
    report = project.folder / "runs" / "edited" / "report.html"
    assert report.is_file() and "warning" not in said, said


@pytest.mark.parametrize("name", TOGETHER)
def test_edits_leave_the_proofs_standing(
    name: str, trees: dict[str, Path], images: Path, tmp_path: Path
) -> None:
    check(edited(trees[name], TOGETHER[name], images, tmp_path), "not slow")


@pytest.mark.scheduled
@pytest.mark.parametrize("edit", ALONE, ids=lambda edit: edit.__name__)
def test_each_edit_alone_does(
    edit: Edit, trees: dict[str, Path], images: Path, tmp_path: Path
) -> None:
    answers = PLAIN[ALONE.index(edit) % len(PLAIN)]
    check(edited(trees[name_of(answers)], (edit,), images, tmp_path), "slow or not slow")


@pytest.mark.parametrize("edit", ALONE, ids=lambda edit: edit.__name__)
def test_an_update_keeps_the_edit(edit: Edit, world: World, tmp_path: Path) -> None:
    project = Path(copy_of(world.folder / "made" / "proj", tmp_path))
    edit(project / "proj")
    world.commit(project)
    mine = world.git(project, "show", "--stat", "--format=", "--name-only").split()
    before = {name: (project / name).read_text(encoding="utf-8") for name in mine}
    done = world.torchgen("update", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {name: (project / name).read_text(encoding="utf-8") for name in mine} == before
    assert FIX_AFTER in (project / "proj/train.py").read_text(encoding="utf-8")
