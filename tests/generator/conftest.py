"""Real commands in processes of their own, with a git and a Copier that know no user's settings."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import pytest

ROOT = Path(__file__).parents[2]
Done = subprocess.CompletedProcess[str]

# A template of three files with the real questions: enough for everything but the template itself.
TINY = {
    "{{_copier_conf.answers_file}}.jinja": None,  # the real one
    "README.md.jinja": "# {{ project_name }}\n\n{{ description }}\n",
    "{{package_name}}/__init__.py": "",
    "{{package_name}}/train.py.jinja": "AMP = {{ amp | to_json }}\n",
}


class Torchgen(Protocol):
    def __call__(
        self, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Done: ...


@pytest.fixture
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment of its own for each test."""
    return environment(tmp_path_factory.mktemp("home"))


def environment(home: Path) -> dict[str, str]:
    """A git identity, an empty home, and this checkout's torchgen."""
    git_config = home / "gitconfig"
    git_config.write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n", encoding="utf-8")
    foreign = ("GIT_", "COPIER_", "TORCHGEN_")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
    return {
        **inherited,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "GIT_CONFIG_GLOBAL": str(git_config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "COPIER_CACHE_DIR": str(home / "cache"),
        "COPIER_SETTINGS_PATH": str(home / "copier.yml"),
        "PYTHONPATH": str(ROOT / "generator"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run(*command: str, cwd: Path, env: Mapping[str, str], check: bool = True) -> Done:
    """A command without a terminal."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    if check:
        assert done.returncode == 0, done.stderr + done.stdout
    return done


@pytest.fixture
def torchgen(tmp_path: Path, env: dict[str, str]) -> Torchgen:
    """Runs `torchgen ...` in `tmp_path`, whatever its exit code."""
    own_env = env

    def call(
        *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Done:
        command = (sys.executable, "-m", "torchgen_cli", *arguments)
        return run(*command, cwd=cwd or tmp_path, env={**own_env, **(env or {})}, check=False)

    return call


@pytest.fixture
def git(env: dict[str, str]) -> Callable[..., str]:
    """Runs git in a folder and gives what it prints, stripped."""

    def call(folder: Path, *arguments: str) -> str:
        return run("git", *arguments, cwd=folder, env=env).stdout.strip()

    return call


def commit(root: Path, git: Callable[..., str], tag: str | None = None) -> None:
    """Commit everything; its short hash is none that Copier takes for a release (PEP 440)."""
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "a commit")
    while re.fullmatch(r"\d+([abc]\d*)?", git(root, "rev-parse", "--short=7", "HEAD")):
        more = git(root, "log", "-1", "--format=%B") + "."
        git(root, "commit", "--quiet", "--amend", "--message", more)
    if tag:
        git(root, "tag", tag)


def write_tiny_template(root: Path) -> Path:
    """A template with the real copier.yml and `TINY`; a plain folder as yet."""
    (root / "template").mkdir(parents=True)
    shutil.copy(ROOT / "copier.yml", root)
    for name, text in TINY.items():
        file = root / "template" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(
            (ROOT / "template" / name).read_text(encoding="utf-8") if text is None else text,
            encoding="utf-8",
        )
    return root


@pytest.fixture
def template(tmp_path: Path, git: Callable[..., str]) -> Path:
    """A git repository with the tiny template, without tags."""
    root = write_tiny_template(tmp_path / "template repo")
    git(root, "init", "--quiet", "-b", "main")
    commit(root, git)
    return root


def tree(folder: Path) -> list[str]:
    """Every file and folder below, relative."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
