"""The fix arrives and the edit stays, or a conflict is reported: no line of the user's is lost."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from .edits import EDITS, TRAIN, Edit
from .world import FIX_AFTER, World, all_files, contents, kinds, run


def updated(world: World, project: Path, edit: Edit) -> None:
    """Update the project, which holds the edit, and compare with what the edit says."""
    before, names = contents(project), all_files(project)
    code, plan = world.report("update", "--dry-run", cwd=project)
    assert (contents(project), all_files(project)) == (before, names)  # nothing written
    assert code == (3 if edit.conflicts else 0)
    code, report = world.report("update", cwd=project)
    assert code == (3 if edit.conflicts else 0)
    assert kinds(plan) == kinds(report)
    assert tuple(report["conflicts"]) == edit.conflicts
    assert {p for p, kind in kinds(report).items() if kind == "kept"} == set(edit.kept)
    after = contents(project)
    everything = b"\n".join(after.values()).decode("utf-8", "replace")
    for line in edit.lines:
        assert line in everything
    for name, texts in edit.holds.items():
        for text in texts:
            assert text.encode() in after[name], name
    for name in edit.gone:
        assert not (project / name).exists()
    unmerged = world.git(project, "diff", "--name-only", "--diff-filter=U").split("\n")
    assert tuple(filter(None, unmerged)) == edit.conflicts
    assert not [name for name in all_files(project) if "torchgen-" in name or "pycache" in name]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_after_each_kind_of_edit(world: World, project: Path, edit: Edit) -> None:
    edit.make(project, world)
    world.git(project, "add", "--all")
    world.git(project, "commit", "--quiet", "--allow-empty", "--message", "mine")
    before = contents(project)
    updated(world, project, edit)
    undo = "git checkout HEAD -- . && git clean -fd ."  # as the report says
    run("sh", "-c", undo, cwd=project, env=world.env)
    assert contents(project) == before
    assert world.git(project, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "names", [("none",), ("change", "add", "delete"), ("delete what changes",)]
)
def test_where_nothing_conflicts_the_result_is_that_of_plain_copier(
    world: World, project: Path, tmp_path: Path, names: tuple[str, ...]
) -> None:
    for edit in EDITS:
        if edit.name in names:
            edit.make(project, world)
    world.git(project, "add", "--all")
    world.git(project, "commit", "--quiet", "--allow-empty", "--message", "mine")
    plain = tmp_path / "plain" / "proj"
    shutil.copytree(project, plain)
    world.report("update", cwd=project)
    run(sys.executable, "-m", "copier", "update", "--defaults", "--quiet", cwd=plain, env=world.env)
    assert contents(project) == contents(plain)
    same = ("status", "--porcelain", "--untracked-files=all")
    assert world.git(project, *same) == world.git(plain, *same)


def test_a_project_in_a_subfolder_of_a_repository(
    world: World, project: Path, tmp_path: Path
) -> None:
    shutil.rmtree(project / ".git")
    whole = tmp_path / "whole"
    (whole / "deep").mkdir(parents=True)
    shutil.copytree(project, whole / "deep/one")
    shutil.copytree(project, whole / "two")
    world.git(whole, "init", "--quiet", "-b", "main")
    world.commit(whole)
    (whole / "unrelated.txt").write_text("not committed\n", encoding="utf-8")
    before = contents(whole)
    code, report = world.report("update", "deep/one", cwd=whole)
    assert code == 0
    assert TRAIN in kinds(report)
    after = contents(whole)
    assert FIX_AFTER.encode() in after[f"deep/one/{TRAIN}"]
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert changed
    assert all(name.startswith("deep/one/") for name in changed)


def test_conflicts_in_a_subfolder_stand_in_the_index(
    world: World, project: Path, tmp_path: Path
) -> None:
    edit = next(edit for edit in EDITS if edit.name == "the same line")
    shutil.rmtree(project / ".git")
    whole = tmp_path / "whole"
    shutil.copytree(project, whole / "deep/one")
    world.git(whole, "init", "--quiet", "-b", "main")
    edit.make(whole / "deep/one", world)
    world.commit(whole)
    code, report = world.report("update", cwd=whole / "deep/one")
    assert (code, report["conflicts"]) == (3, [TRAIN])
    assert f"UU deep/one/{TRAIN}" in world.git(whole, "status", "--porcelain").splitlines()


def test_a_folder_with_another_name(world: World, project: Path) -> None:
    elsewhere = project.rename(project.with_name("Another name"))
    code, report = world.report("update", str(elsewhere), cwd=project.parent)
    assert code == 0
    assert FIX_AFTER in (elsewhere / TRAIN).read_text(encoding="utf-8")
    assert not {"README.md", "pyproject.toml"} & kinds(report).keys()


def test_a_conflict_is_resolved_as_the_report_says(world: World, project: Path) -> None:
    edits = {edit.name: edit for edit in EDITS}
    for name in ("dropped", "binary", "the same line"):
        edits[name].make(project, world)
    world.commit(project)
    done = world.torchgen("update", cwd=project)
    assert done.returncode == 3
    text = done.stdout
    assert "to keep it: git add proj/retired.py; to delete it: git rm proj/retired.py" in text
    assert "git checkout --theirs proj/logo.bin" in text
    assert f"edit between the markers <<<<<<< and >>>>>>>, then: git add {TRAIN}" in text
    world.git(project, "rm", "--quiet", "proj/retired.py")
    world.git(project, "checkout", "--theirs", "proj/logo.bin")
    assert (project / "proj/logo.bin").read_bytes()[:1] == b"\xff"
    train = (project / TRAIN).read_text(encoding="utf-8")
    assert ">>>>>>> v0.2.0\n" in train
    world.git(project, "checkout", "--theirs", TRAIN)
    assert FIX_AFTER in (project / TRAIN).read_text(encoding="utf-8")
    world.commit(project)
    code, report = world.report("update", cwd=project)
    assert (code, report["message"]) == (0, "up to date: v0.2.0; nothing was changed")


def test_a_file_that_git_ignores_is_not_replaced(world: World, project: Path) -> None:
    with (project / ".gitignore").open("a", encoding="utf-8") as file:
        file.write("fresh.py\n")
    world.commit(project)
    (project / "proj/fresh.py").write_text("MINE = 3\n", encoding="utf-8")
    before = contents(project)
    done = world.torchgen("update", cwd=project)
    assert (done.returncode, done.stderr) == (
        1,
        "error: the template's new proj/fresh.py would overwrite your file, which git ignores; "
        "rename yours, or git add --force and commit it\n",
    )
    assert contents(project) == before


def test_a_file_that_is_on_the_disk_but_not_in_git_is_not_called_deleted(
    world: World, project: Path
) -> None:
    world.git(project, "rm", "--quiet", "--cached", TRAIN)
    with (project / ".gitignore").open("a", encoding="utf-8") as file:
        file.write(f"{Path(TRAIN).name}\n")
    world.commit(project)
    before = contents(project)
    done = world.torchgen("update", cwd=project)
    assert (done.returncode, done.stderr) == (
        1,
        f"error: {TRAIN} is not in git, so the template's change cannot be merged: git add --force "
        "and commit it, or delete it\n",
    )
    assert contents(project) == before
    row = json.loads(world.torchgen("status", "--json", cwd=project).stdout)[0]
    assert any(f"git ignores {TRAIN} " in problem for problem in row["problems"])


def test_a_new_file_that_git_ignores_is_named(world: World, project: Path) -> None:
    with (project / ".gitignore").open("a", encoding="utf-8") as file:
        file.write("fresh.py\n")
    world.commit(project)
    code, report = world.report("update", cwd=project)
    assert code == 0 and (project / "proj/fresh.py").is_file()
    assert any("git ignores proj/fresh.py " in note for note in report["notes"])


def test_mode_and_links_survive(world: World, project: Path) -> None:
    for edit in EDITS:
        if edit.name in {"executable", "a link"}:
            edit.make(project, world)
    world.commit(project)
    world.report("update", cwd=project)
    assert os.access(project / TRAIN, os.X_OK)
    assert (project / "latest").is_symlink()
