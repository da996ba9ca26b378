"""`torchgen status`: every project below, each with what is wrong with it, whatever that is."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from .world import World, all_files, replace

DEFAULTS = {
    "project_name": "proj",
    "description": "An image classifier in PyTorch",
    "parallelism": "single",
    "amp": "off",
    "data_format": "imagefolder",
    "logger": "tensorboard",
}
RECORD = ".copier-answers.yml"


def status(world: World, *arguments: str, cwd: Path) -> dict[str, dict[str, Any]]:
    """The rows, by the project's path below `cwd`."""
    done = world.torchgen("status", *arguments, "--json", cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(done.stdout)
    return {Path(row["path"]).relative_to(cwd).as_posix(): row for row in rows}


def copies(project: Path, folder: Path, *names: str) -> list[Path]:
    return [Path(shutil.copytree(project, folder / name, symlinks=True)) for name in names]


def test_every_state_is_told(world: World, project: Path, tmp_path: Path) -> None:
    lab = tmp_path / "lab"
    names = ("behind", "current", "edited", "conflict", "damaged", "lost", "moved")
    behind, current, edited, conflict, damaged, lost, moved = copies(project, lab, *names)
    world.report("update", cwd=current)
    world.commit(current)
    (edited / "README.md").write_text("mine\n", encoding="utf-8")
    (edited / "proj/mine.py").write_text(
        "from torch import nn\n\nnorm = nn.BatchNorm2d(8, 0.8)\n",
        encoding="utf-8",
    )
    replace(conflict / "proj/retired.py", "OLD_7 = 7\n", "OLD_7 = 'mine'\n")
    world.commit(conflict)
    world.report("update", cwd=conflict)
    (damaged / RECORD).write_text("amp: [\n", encoding="utf-8")
    replace(lost / RECORD, "_commit: v0.1.0\n", "")
    replace(moved / RECORD, str(world.template), "/nowhere/at/all")
    before = all_files(lab)
    rows = status(world, "lab", cwd=tmp_path)
    assert all_files(lab) == before
    assert list(rows) == sorted(f"lab/{name}" for name in names)
    assert rows["lab/behind"] == {
        "path": str(behind),
        "source": str(world.template),
        "version": "v0.1.0",
        "latest": "v0.2.0",
        "behind": 1,
        "answers": {**DEFAULTS, "extras": ["report"]},
        "tree": {"changed": [], "conflicts": []},
        "findings": 0,
        "problems": [],
    }
    assert (rows["lab/current"]["version"], rows["lab/current"]["behind"]) == ("v0.2.0", 0)
    assert rows["lab/edited"]["tree"]["changed"] == ["README.md", "proj/mine.py"]
    assert rows["lab/edited"]["findings"] == 1
    assert rows["lab/conflict"]["tree"]["conflicts"] == ["proj/retired.py"]
    assert rows["lab/damaged"]["problems"][0].startswith(f"cannot read {damaged / RECORD} (")
    assert rows["lab/damaged"]["findings"] == 0  # looked at all the same
    assert rows["lab/lost"]["problems"] == [
        f"{lost} does not record its version of the template: run torchgen adopt"
    ]
    assert rows["lab/moved"]["problems"] == [
        "cannot reach the template's repository /nowhere/at/all (fatal: repository "
        "'/nowhere/at/all' does not exist); check the address and the network, or give another "
        "one with --source"
    ]
    assert (rows["lab/moved"]["latest"], rows["lab/moved"]["version"]) == (None, "v0.1.0")


def test_the_table(world: World, project: Path, tmp_path: Path) -> None:
    first, second = copies(project, tmp_path / "lab", "first", "second-of-all-projects")
    replace(second / RECORD, f"_src_path: {world.template}", "_src_path: /nowhere")
    code = "from torch import nn\n\nnorm = nn.BatchNorm2d(8, 0.8)\n"
    (first / "proj/mine.py").write_text(code, encoding="utf-8")
    done = world.torchgen("status", "lab", cwd=tmp_path, env={"COLUMNS": "200"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "PROJECT                     VERSION  NEWS             ANSWERS                            "
        "        TREE       DOCTOR\n"
        "lab/first                   v0.1.0   1 behind v0.2.0  single off imagefolder tensorboard "
        "report  1 changed  1 finding\n"
        "lab/second-of-all-projects  v0.1.0   not known        single off imagefolder tensorboard "
        "report  1 changed  no findings\n"
        "\n"
        "note: cannot reach the template's repository /nowhere (fatal: repository '/nowhere' does "
        "not exist); check the address and the network, or give another one with --source\n"
    )
    narrow = world.torchgen("status", "lab", "--offline", cwd=tmp_path, env={"COLUMNS": "84"})
    lines = narrow.stdout.splitlines()
    assert len(lines) == 3  # nobody looked, so nothing was out of reach
    assert max(map(len, lines)) <= 84
    assert lines[2].split()[:3] == ["...-projects", "v0.1.0", "not"]
    assert "  single off imagefolder ...  1 changed" in lines[1]


def test_where_projects_are_looked_for(world: World, project: Path, tmp_path: Path) -> None:
    (outer,) = copies(project, tmp_path / "lab", "outer")
    hidden = (".venv/p", "data/p", "runs/p", "node_modules/p", "build/p", "proj/p", "tests/.x/p")
    copies(project, outer, "teams/inner", *hidden)
    other = tmp_path / "lab/other"
    other.mkdir()
    (other / RECORD).write_text("_commit: v1\n_src_path: gh:a/b\nname: x\n", encoding="utf-8")
    fork = tmp_path / "lab/fork"
    fork.mkdir()
    (fork / RECORD).write_text("_commit: v1\n_src_path: /x/torchgen-ours\nhue: 1\n", "utf-8")
    os.symlink(outer, tmp_path / "lab/link", target_is_directory=True)
    rows = status(world, "--offline", "lab", "lab/outer", cwd=tmp_path)
    assert list(rows) == ["lab/fork", "lab/outer", "lab/outer/teams/inner"]
    assert list(status(world, "--offline", cwd=outer)) == [".", "teams/inner"]


def test_each_source_is_cloned_once(world: World, project: Path, tmp_path: Path) -> None:
    copies(project, tmp_path / "lab", "a", "b", "c")
    trace = tmp_path / "trace"
    done = world.torchgen("status", "lab", cwd=tmp_path, env={"GIT_TRACE": str(trace)})
    assert done.stdout.count("1 behind v0.2.0") == 3
    commands = trace.read_text(encoding="utf-8").splitlines()
    assert sum("built-in: git clone" in command for command in commands) == 1


@pytest.mark.parametrize(
    ("folder", "code", "message"),
    [
        ("nowhere", 2, "nowhere is not a folder; give one that contains projects"),
        ("empty", 1, "no project made by torchgen new was found in empty; give another folder"),
    ],
)
def test_nothing_to_list(
    world: World, tmp_path: Path, folder: str, code: int, message: str
) -> None:
    (tmp_path / "empty").mkdir()
    done = world.torchgen("status", folder, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"error: {message}\n")
