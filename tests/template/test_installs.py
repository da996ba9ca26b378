"""From each kind of installation a project is set, without any network, and updated."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.conftest import Torchgen

from .checkouts import add_a_fix, commit, editable, pip_git, wheel

Git = Callable[..., str]
Install = Callable[[Path, dict[str, str]], dict[str, str]]
OFFLINE = {"GIT_ALLOW_PROTOCOL": "none"}  # nor may git clone from a folder


@pytest.mark.parametrize(
    ("install", "tag"),
    [(wheel, None), (wheel, "v0.1.0"), (pip_git, "v0.1.0"), (editable, None)],
)
def test_set_and_update(
    torchgen: Torchgen,
    clone: Path,
    git: Git,
    env: dict[str, str],
    install: Install,
    tag: str | None,
) -> None:
    if tag:
        git(clone, "tag", tag)
    installed = install(clone, env)
    torchgen("new", "proj", "--defaults", env=installed)
    project = clone.parent / "proj"
    done = torchgen("set", "amp=bf16", "proj", env={**installed, **OFFLINE})
    assert done.returncode == 0, done.stderr
    train = project / "proj/train.py"
    assert train.read_text(encoding="utf-8") == 'AMP = "bf16"\n'
    commit(project, git)
    done = torchgen("update", "proj", env=installed)
    assert (done.returncode, done.stdout[:12]) == (0, "up to date: "), done.stderr

    add_a_fix(clone, git, "v0.2.0" if tag else None)
    done = torchgen("update", "proj", env=installed)
    assert done.returncode == 0, done.stderr
    changed = git(project, "status", "--porcelain").split()
    assert changed == ["M", ".copier-answers.yml", "??", "FIX.md"]
    assert train.read_text(encoding="utf-8") == 'AMP = "bf16"\n'


def test_a_release_from_an_index(
    torchgen: Torchgen, clone: Path, git: Git, env: dict[str, str]
) -> None:
    """The template's address is then the canonical one, which no test can reach."""
    project = clone / "pyproject.toml"
    real = project.read_text(encoding="utf-8").replace("torchgen.invalid", "git.example.org")
    project.write_text(real, encoding="utf-8")
    commit(clone, git, "v0.1.0")
    installed = wheel(clone, env)
    hidden = clone.rename(clone.parent / "hidden")
    torchgen("new", "proj", "--defaults", env=installed)
    done = torchgen("set", "amp=bf16", "proj", env={**installed, **OFFLINE})
    assert done.returncode == 0, done.stderr
    commit(clone.parent / "proj", git)
    done = torchgen("update", "proj", env={**installed, **OFFLINE})
    assert done.returncode == 1
    assert done.stderr.startswith(
        "error: cannot reach the template's repository https://git.example.org/torchgen-cli.git ("
    )
    add_a_fix(hidden, git, "v0.2.0")
    done = torchgen("update", "proj", "--source", str(hidden), env=installed)
    assert done.returncode == 0, done.stderr
    assert (clone.parent / "proj/FIX.md").exists()


def test_a_project_without_a_recorded_version(
    torchgen: Torchgen, clone: Path, git: Git, env: dict[str, str]
) -> None:
    shutil.rmtree(clone / ".git")
    installed = editable(clone, env)
    torchgen("new", "proj", "--defaults", env=installed)
    done = torchgen("update", "proj", env=installed)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "does not record its version of the template" in done.stderr
    done = torchgen("set", "amp=bf16", "proj", env=installed)
    assert done.returncode == 0, done.stderr
