"""A checkout of the generator; the template's repository and a team's fork of it, with releases."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from generator.conftest import ROOT, commit, git, run, template, torchgen, write_tiny_template
from generator.conftest import env as env_with_pytest

from .checkouts import Git

__all__ = ["env_with_pytest", "git", "template", "torchgen"]

QUESTIONS = """
bucket:
  type: str
  help: Where is the data?
  default: "s3://{{ project_name }}"

gpus:
  type: int
  help: How many GPUs per run?
  default: 2
  validator: "{% if gpus < 1 %}One at least, please.{% endif %}"

shared:
  type: bool
  default: false

partner:
  when: "{{ shared }}"
  choices: [blue, green]
  default: green
"""
TEAM_FILE = """{{ project_name }} reads {{ bucket }} on {{ gpus }} GPUs.
{% if shared %}
Shared with {{ partner }}.
{% endif %}
"""


@dataclass(frozen=True)
class Repository:
    """A template's repository."""

    path: Path
    git: Git

    def __call__(self, *arguments: str) -> str:
        return self.git(self.path, *arguments)

    def edit(self, name: str, before: str, after: str) -> None:
        """Replace text that is there, once."""
        file = self.path / name
        text = file.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{name} has {before!r} {text.count(before)} times"
        file.write_text(text.replace(before, after), encoding="utf-8")

    def ask(self, question: str) -> None:
        """One more question, at the end."""
        with (self.path / "copier.yml").open("a", encoding="utf-8") as file:
            file.write(question)

    def commit(self, tag: str | None = None) -> None:
        commit(self.path, self.git, tag)


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python without pytest: collecting the tests costs each update two seconds."""
    folder = tmp_path_factory.mktemp("python")
    run(sys.executable, "-m", "venv", "--without-pip", "bare", cwd=folder, env=os.environ)
    return folder / "bare"


@pytest.fixture
def env(env_with_pytest: dict[str, str], bare: Path) -> dict[str, str]:
    return {**env_with_pytest, "VIRTUAL_ENV": str(bare)}


@pytest.fixture
def ours(tmp_path: Path, git: Git) -> Repository:
    """The tiny template with our questions, at v0.1.0."""
    repository = Repository(write_tiny_template(tmp_path / "ours"), git)
    repository("init", "--quiet", "-b", "main")
    repository.commit("v0.1.0")
    return repository


@pytest.fixture
def fork(ours: Repository, tmp_path: Path, git: Git) -> Repository:
    """A clone with one more file, four more questions and another default, at v0.1.0+acme.1."""
    git(tmp_path, "clone", "--quiet", "--origin", "upstream", str(ours.path), "fork")
    repository = Repository(tmp_path / "fork", git)
    (repository.path / "template" / "TEAM.md.jinja").write_text(TEAM_FILE, encoding="utf-8")
    repository.edit("copier.yml", "  default: tensorboard\n", "  default: wandb\n")
    repository.ask(QUESTIONS)
    repository.commit("v0.1.0+acme.1")
    return repository


@pytest.fixture
def clone(tmp_path: Path, git: Git) -> Path:
    """This generator with the tiny template, in a repository of one commit and no tag."""
    root = write_tiny_template(tmp_path / "a clone")
    for name in ("pyproject.toml", "hatch_build.py"):
        shutil.copy(ROOT / name, root)
    junk = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "generator", root / "generator", ignore=junk)
    for name in ("README.md", "LICENSE"):
        (root / name).write_text("A stand-in.\n", encoding="utf-8")
    (root / ".gitignore").write_text("/dist/\n", encoding="utf-8")
    git(root, "init", "--quiet", "-b", "main")
    commit(root, git)
    return root
