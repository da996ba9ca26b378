"""Two releases of the template and a project made at the first: once per session, then copied."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from generator.conftest import env, git, torchgen

from .world import World, environment

__all__ = ["env", "git", "torchgen"]


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The releases v0.1.0 and v0.2.0, and `made`: a project with the defaults made at v0.1.0."""
    folder = tmp_path_factory.mktemp("world")
    made = World(folder, environment(folder / "home"))
    made.write_first_release()
    made.new(folder / "made" / "proj")
    made.write_second_release()
    return made


@pytest.fixture
def project(world: World, tmp_path: Path) -> Path:
    """A copy of that project, to edit."""
    shutil.copytree(world.folder / "made" / "proj", tmp_path / "proj", symlinks=True)
    return tmp_path / "proj"


@pytest.fixture
def own_world(world: World, tmp_path: Path) -> World:
    """A copy of the template's repository, to change."""
    shutil.copytree(world.template, tmp_path / "template", symlinks=True)
    return replace(world, folder=tmp_path)
