"""The receipt of a run says which code, versions and machine it was made with."""

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from conftest import CPU

from toy.base import environment
from toy.base.environment import describe


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for the project's own."""
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    line = ["git", "-C", folder, *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_commit_is_named_and_whether_the_files_are_its_own(project: Path) -> None:
    (project / "train.py").touch()
    git(project, "init", "-q")
    git(project, "add", "-A")
    author = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    git(project, *author, "commit", "-q", "-m", "all")
    commit = git(project, "rev-parse", "HEAD")
    clean = describe("f", CPU)
    assert (clean["git_commit"], clean["git_dirty"]) == (commit, False)
    (project / "train.py").write_text("changed")
    changed = describe("f", CPU)
    assert (changed["git_commit"], changed["git_dirty"]) == (commit, True)


def test_the_templates_version_is_that_of_the_answers_file(project: Path) -> None:
    assert describe("f", CPU)["template_version"] is None
    (project / ".copier-answers.yml").write_text("# none\n_commit: v1.2.3\n_src_path: x\n")
    assert describe("f", CPU)["template_version"] == "v1.2.3"


@pytest.mark.usefixtures("project")
def test_without_a_repository_nothing_is_said_of_it() -> None:
    found = describe("f", CPU)
    assert (found["git_commit"], found["git_dirty"]) == (None, None)


def test_versions_machine_and_data_are_those_of_this_process() -> None:
    found = describe("fingerprint", CPU)
    assert found["data_fingerprint"] == "fingerprint"
    assert found["command"] == sys.argv
    assert found["python"] == platform.python_version()
    assert torch.__version__.startswith(found["packages"]["torch"])  # a CUDA build adds +cu130
    assert found["packages"]["numpy"] == sys.modules["numpy"].__version__
    assert (found["device"], found["threads"]) == ("cpu", torch.get_num_threads())
    assert found["hostname"] == platform.node()
