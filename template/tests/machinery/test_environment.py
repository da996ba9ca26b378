"""The record of a run says which code, versions and machine it was made with."""

import importlib.metadata
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from toy.engine import run
from toy.engine.run import describe, read_packages
from toys import CPU

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for the project's own."""
    monkeypatch.setattr(run, "ROOT", tmp_path / "project")
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


@needs_git
def test_the_commit_is_named_and_whether_the_files_are_its_own(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    clean = describe(CPU)
    assert (clean["git_commit"], clean["git_dirty"]) == (commit, False)
    (repository / "new.py").touch()
    changed = describe(CPU)
    assert (changed["git_commit"], changed["git_dirty"]) == (commit, True)


@needs_git
def test_a_user_of_git_may_hide_new_files(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "config", "status.showUntrackedFiles", "no")
    (repository / "new.py").touch()
    monkeypatch.setenv("GIT_DIR", "elsewhere")  # as within a hook
    assert describe(CPU)["git_dirty"]


def test_the_templates_version_is_that_of_the_answers_file(project: Path) -> None:
    assert describe(CPU)["template_version"] is None
    (project / ".copier-answers.yml").write_text("# none\n_commit: v1.2.3\n_src_path: x\n")
    assert describe(CPU)["template_version"] == "v1.2.3"


@pytest.mark.usefixtures("project")
def test_without_a_repository_nothing_is_said_of_it() -> None:
    found = describe(CPU)
    assert (found["git_commit"], found["git_dirty"]) == (None, None)


def test_versions_and_machine_are_those_of_this_process() -> None:
    found = describe(CPU)
    assert found["command"] == sys.argv
    assert found["python"] == platform.python_version()
    assert torch.__version__.startswith(found["packages"]["torch"])  # a CUDA build adds +cu130
    assert found["packages"]["numpy"] == sys.modules["numpy"].__version__
    assert (found["device"], found["threads"]) == ("cpu", torch.get_num_threads())
    assert found["hostname"] == platform.node() and found["cpu"]


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
