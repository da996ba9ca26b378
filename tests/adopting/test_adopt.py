"""`torchgen adopt`: the answers are found in the files alone, and updates work from then on."""

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from matrix.answers import EACH, SETS, Answers, name_of
from update.test_refusals import refuse
from update.test_set import flags
from update.world import FIX_AFTER, World, all_files, contents, replace

RECORD = ".copier-answers.yml"
RANDOM = random.Random(0).sample([answers for answers in SETS if answers not in EACH], 6)
# one in each commit, the others in `make test-all`
MORE = [EACH[-1], *(pytest.param(a, marks=[pytest.mark.scheduled]) for a in EACH[:-1] + RANDOM[1:])]
NAME = {
    "project_name": "proj",
    "description": "An image classifier in PyTorch",
    "extras": ["report"],
}


def adopt(world: World, project: Path, *arguments: str) -> dict[str, Any]:
    """What adopt finds with the world's template."""
    done = world.torchgen("adopt", ".", *arguments, "--json", cwd=project)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def lose_record(world: World, project: Path) -> bytes:
    """Delete the answers file and commit that; returns what it was."""
    record = (project / RECORD).read_bytes()
    (project / RECORD).unlink()
    world.commit(project)
    return record


def edit(project: Path) -> None:
    """What people do: other code, a file less, a file more, other tests, a longer README."""
    package = project / "proj"
    replace(package / "loop.py", "def main(", "LIMIT = 3\n\n\ndef main(")
    model = ["import torch", "from torch import nn", *(f"LAYER_{n} = nn.ReLU()" for n in range(50))]
    (package / "model.py").write_text("\n".join(model) + "\n", encoding="utf-8")
    (package / "mine.py").write_text("MINE = True\n" * 300, encoding="utf-8")
    (package / "predict.py").unlink()
    for file in sorted((project / "tests").glob("test_[c-l]*.py")):
        file.unlink()
    with (project / "README.md").open("a", encoding="utf-8") as readme:
        readme.write("\n## Results\n\nNone yet.\n")


def wear_down(project: Path) -> None:
    """What years do: no tests are left, and every fourth line of the package is another.

    The one line that says the precision stays: nothing else tells it.
    """
    shutil.rmtree(project / "tests")
    years = random.Random(1)
    for file in sorted(project.glob("proj/**/*.py")):
        lines = file.read_text(encoding="utf-8").splitlines()
        kept = [
            line if years.random() < 0.75 or "    amp: " in line else f"x = {years.random()}"
            for line in lines
        ]
        file.write_text("\n".join(kept) + "\n", encoding="utf-8")


def find_answers(world: World, folder: Path, answers: Answers) -> None:
    project = world.new(folder / "proj", *flags(answers))
    edit(project)
    wear_down(project)
    record = lose_record(world, project)
    before = contents(project)
    found = adopt(world, project, "--source", str(world.template))
    assert found["answers"] == {**NAME, **answers}
    assert (found["template"]["version"], found["template"]["source"]) == (
        "v0.2.0",
        str(world.template),
    )
    assert contents(project) == {**before, RECORD: record}


def test_the_answers_of_an_edited_project_are_found(world: World, tmp_path: Path) -> None:
    find_answers(world, tmp_path, RANDOM[0] | {"launcher": "slurm"})


@pytest.mark.updates
@pytest.mark.parametrize("answers", MORE, ids=name_of)
def test_the_answers_of_more_sets_are_found(world: World, tmp_path: Path, answers: Answers) -> None:
    find_answers(world, tmp_path, answers)


def test_a_fix_arrives_after_the_release_was_told_from_the_files(
    world: World, project: Path
) -> None:
    edit(project)
    record = lose_record(world, project)
    found = adopt(world, project, "--source", str(world.template))
    assert (found["template"]["version"], found["template"]["compared"]) == (
        "v0.1.0",
        ["v0.2.0", "v0.1.0"],
    )
    assert (project / RECORD).read_bytes() == record
    world.commit(project)
    code, report = world.report("update", cwd=project)
    assert (code, report["conflicts"]) == (0, [])
    train = (project / "proj/loop.py").read_text(encoding="utf-8")
    assert FIX_AFTER in train
    assert "LIMIT = 3" in train
    world.commit(project)
    done = world.torchgen("update", cwd=project)
    assert (done.returncode, done.stdout) == (0, "up to date: v0.2.0; nothing was changed\n")


def test_a_renamed_package_is_recognised_and_its_answers_can_change(
    world: World, project: Path
) -> None:
    (project / "src").mkdir()
    (project / "proj").rename(project / "src/vision")
    for file in [*project.rglob("*.py"), project / "pyproject.toml", project / "README.md"]:
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("proj.", "vision."), encoding="utf-8")
    replace(project / "pyproject.toml", 'name = "proj"', 'name = "Our_Vision"')
    described = "An image classifier in PyTorch"
    replace(project / "pyproject.toml", described, "Finds cats")
    lose_record(world, project)
    found = adopt(world, project, "--source", str(world.template), "--version", "0.1.0")
    assert found["similarity"] > 0.95
    assert found["files"]["missing"] == []
    assert found["template"]["compared"] == ["v0.1.0"]
    world.commit(project)
    code, report = world.report("set", "amp=bf16", cwd=project)
    assert (code, report["conflicts"]) == (0, [])
    changed = [change["path"] for change in report["files"]]
    assert any(path.startswith("src/vision/") for path in changed)
    assert not any(path.startswith("proj/") for path in changed)
    world.commit(project)
    assert world.report("update", cwd=project)[0] == 0
    assert FIX_AFTER in (project / "src/vision/loop.py").read_text(encoding="utf-8")


def test_a_project_by_plain_copier_without_a_version(world: World, project: Path) -> None:
    record = (project / RECORD).read_text(encoding="utf-8")
    replace(project / RECORD, "_commit: v0.1.0\n", "")
    world.commit(project)
    adopt(world, project)  # the source is in the record
    assert (project / RECORD).read_text(encoding="utf-8") == record


def test_a_dry_run_writes_nothing_and_says_what_fits(world: World, project: Path) -> None:
    made = contents(project).keys()
    edit(project)
    gone = len(made - contents(project).keys())
    same = len(made) - gone - 4  # the record; loop.py, model.py and README.md differ
    lose_record(world, project)
    before, names = contents(project), all_files(project)
    source = ("--source", str(world.template))
    done = world.torchgen("adopt", str(project), *source, "--dry-run", cwd=project.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        f"template  v0.1.0 of {world.template}\n"
        "          fits best; compared: v0.2.0, v0.1.0\n\n"
        "  amp           off\n"
    )
    assert f"\n{same} files are identical, 3 different, {gone} missing; " in done.stdout
    assert "\n  +50 -" in done.stdout  # model.py, the largest difference
    assert "\n  missing  proj/predict.py\n" in done.stdout
    assert done.stdout.endswith("\n\nnothing was written\n")
    assert (contents(project), all_files(project)) == (before, names)


def _repository(world: World, folder: Path) -> Path:
    """A training repository that torchgen never saw."""
    repository = folder / "other"
    repository.mkdir()
    code = "import torch\n\n\ndef main() -> None:\n    torch.manual_seed(0)\n"
    (repository / "train.py").write_text(code, encoding="utf-8")
    (repository / "README.md").write_text("# Other\n", encoding="utf-8")
    world.git(repository, "init", "--quiet")
    return repository


def test_what_is_refused(world: World, project: Path) -> None:
    source = ("--source", str(world.template))
    adopted = (
        f"{project} is adopted already: {RECORD} records v0.1.0; run torchgen update to get newer "
        "versions"
    )
    refuse(world, project, adopted, "adopt", ".", *source)
    nowhere = "nowhere is not a folder; give the folder of a training repository"
    refuse(world, project, nowhere, "adopt", "nowhere", *source, code=2)
    (project / RECORD).unlink()
    version = "--version: the template has no version 'v0.3.0'; did you mean 'v0.2.0'?"
    refuse(world, project, version, "adopt", ".", *source, "--version", "v0.3.0", code=2)
    missing = (
        "cannot reach the template's repository /nowhere/at/all (fatal: repository "
        "'/nowhere/at/all' does not exist); check the address and the network, or give another "
        "one with --source"
    )
    refuse(world, project, missing, "adopt", ".", "--source", "/nowhere/at/all")
    shutil.rmtree(project / ".git")
    no_git = (
        "{project} is not in a git repository, so changes could not be undone; run git init, "
        "git add --all and git commit there"
    )
    refuse(world, project, no_git, "adopt", ".", *source)


def test_what_does_not_resemble_the_template_is_refused(world: World, tmp_path: Path) -> None:
    repository = _repository(world, tmp_path)
    message = (
        "{project} does not look like a project of this template: only 0% of the lines are the "
        "same, and updates need 30% to be useful; write a new project with torchgen new and move "
        "your code there"
    )
    refuse(world, repository, message, "adopt", ".", "--source", str(world.template))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_without_the_right_to_write(world: World, project: Path) -> None:
    (project / RECORD).unlink()
    project.chmod(0o500)
    try:
        message = "cannot write to {project}; change its permissions"
        refuse(world, project, message, "adopt", ".", "--source", str(world.template))
    finally:
        project.chmod(0o700)


def test_a_recorded_source_that_is_gone(world: World, project: Path) -> None:
    replace(project / RECORD, "_commit: v0.1.0\n", "")
    replace(project / RECORD, str(world.template), "/nowhere/at/all")
    world.commit(project)
    found = adopt(world, project)
    assert found["notes"][0].startswith("cannot reach the template's repository /nowhere/at/all (")
    assert found["answers"] == {**NAME, **EACH[0]}
    assert found["template"]["source"] not in {"/nowhere/at/all", str(world.template)}
