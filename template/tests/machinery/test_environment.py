"""The record of a run says which code, versions and machine it was made with."""

import importlib.metadata
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from toy.base import environment
from toy.base.environment import describe, read_packages, read_patch
from toys import CPU

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for the project's own."""
    monkeypatch.setattr(environment, "ROOT", tmp_path / "project")
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def repository(project: Path) -> Path:
    """The folder with a commit of two files."""
    (project / "train.py").write_text("lr = 1\n" * 9)
    (project / ".gitignore").write_text("runs/\n")
    git(project, "init", "-q")
    git(project, "add", "-A")
    author = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    git(project, *author, "commit", "-q", "-m", "all")
    return project


def git(folder: Path, *arguments: str) -> str:
    line = ["git", "-C", str(folder), *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip()


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@needs_git
def test_the_commit_is_named_and_whether_the_files_are_its_own(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    clean = describe(CPU)
    assert (clean["git_commit"], clean["git_dirty"]) == (commit, False)
    (repository / "new.py").touch()
    changed = describe(CPU)
    assert (changed["git_commit"], changed["git_dirty"]) == (commit, True)


HOSTILE = {
    "color.ui": "always",
    "core.pager": "false",
    "core.safecrlf": "true",
    "diff.context": "0",
    "diff.external": "false",
    "diff.mnemonicPrefix": "true",
    "diff.noprefix": "true",
    "diff.relative": "true",
    "diff.renames": "copies",
    "diff.odd.command": "false",
    "diff.odd.textconv": "false",
    "status.showUntrackedFiles": "no",
}


@needs_git
def test_the_patch_gives_the_code_again_whatever_git_is_set_to(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "elsewhere")  # as within a hook
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    (repository / "train.py").write_text("lr = 1\n" * 4 + "lr = 2\n" + "lr = 1\n" * 4)
    (repository / "pictures").mkdir()
    (repository / "pictures" / 'ä "b".bin').write_bytes(bytes(range(256)))
    (repository / ".gitattributes").write_text("*.py diff=odd\n")
    (repository / "runs").mkdir()
    (repository / "runs" / "ignored").touch()
    monkeypatch.delenv("GIT_DIR")
    for name, value in HOSTILE.items():
        git(repository, "config", name, value)
    index = (repository / ".git" / "index").read_bytes()
    monkeypatch.setenv("GIT_DIR", "elsewhere")
    assert describe(CPU)["git_dirty"]
    patch = read_patch()
    monkeypatch.delenv("GIT_DIR")
    assert patch is not None and b"ignored" not in patch
    assert (repository / ".git" / "index").read_bytes() == index
    git(tmp_path, "clone", "-q", str(repository), "clone")
    (tmp_path / "patch").write_bytes(patch)
    git(tmp_path / "clone", "apply", str(tmp_path / "patch"))
    wanted = {n: v for n, v in contents(repository).items() if not n.startswith("runs/")}
    assert contents(tmp_path / "clone") == wanted


@needs_git
@pytest.mark.parametrize("name", ["train.py", "new.bin"])
def test_a_patch_that_is_too_large_is_left_out(
    repository: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "PATCH_LIMIT", 1000)
    (repository / name).write_text("another = 1\n" * 100)
    assert read_patch() is None


def test_the_templates_version_is_that_of_the_answers_file(project: Path) -> None:
    assert describe(CPU)["template_version"] is None
    (project / ".copier-answers.yml").write_text("# none\n_commit: v1.2.3\n_src_path: x\n")
    assert describe(CPU)["template_version"] == "v1.2.3"


@pytest.mark.usefixtures("project")
def test_without_a_repository_nothing_is_said_of_it() -> None:
    found = describe(CPU)
    assert (found["git_commit"], found["git_dirty"]) == (None, None)
    assert read_patch() is None


def test_versions_and_machine_are_those_of_this_process() -> None:
    found = describe(CPU)
    assert found["command"] == sys.argv
    assert found["python"] == platform.python_version()
    assert torch.__version__.startswith(found["packages"]["torch"])  # a CUDA build adds +cu130
    assert found["packages"]["numpy"] == sys.modules["numpy"].__version__
    assert (found["device"], found["threads"]) == ("cpu", torch.get_num_threads())
    assert found["hostname"] == platform.node()


def test_a_package_that_cannot_be_read_is_named_without_a_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "latin-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_bytes(b"Name: latin\nVersion: 1\nAuthor: M\xfcller\n")
    odd = importlib.metadata.PathDistribution(folder)
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: [odd])
    assert list(read_packages().values()) == [None]
    assert "latin-1.dist-info" in next(iter(read_packages()))
