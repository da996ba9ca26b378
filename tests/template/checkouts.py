"""A checkout of the generator, its next commit, and the ways to install it."""

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from generator.conftest import commit, run

Git = Callable[..., str]


def add_a_fix(root: Path, git: Git, tag: str | None = None) -> None:
    (root / "template" / "FIX.md").write_text("fixed\n", encoding="utf-8")
    commit(root, git, tag)


def wheel(clone: Path, env: dict[str, str]) -> dict[str, str]:
    """Build, unpack as an installer does, and give an environment that runs it."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", cwd=clone, env=env)
    site = clone.parent / "site"
    [file] = (clone / "dist").glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        archive.extractall(site)
    return {"PYTHONPATH": str(site)}


def pip_git(clone: Path, env: dict[str, str]) -> dict[str, str]:
    site = clone.parent / "site"
    pip = (sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--no-compile")
    url = "git+" + clone.as_uri()
    run(*pip, "--no-build-isolation", "--target", str(site), url, cwd=clone.parent, env=env)
    return {"PYTHONPATH": str(site)}


def editable(clone: Path, _: dict[str, str]) -> dict[str, str]:
    return {"PYTHONPATH": str(clone / "generator")}
