"""For every set of answers: made at the first release and updated equals made at the second."""

from dataclasses import replace
from pathlib import Path

import pytest

from matrix.answers import COVER, EACH, SETS, Answers, name_of

from .test_set import flags
from .world import World, contents

# where each two answers meet with each commit, the rest by schedule
WITH_SCHEDULE = [
    answers if answers in COVER else pytest.param(answers, marks=pytest.mark.scheduled)
    for answers in SETS
]


@pytest.fixture(scope="session")
def first_release(world: World, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The template's repository as it was then."""
    folder = tmp_path_factory.mktemp("first")
    clone = ("clone", "--quiet", "--branch", "v0.1.0", str(world.template), "template")
    world.git(folder, *clone)
    world.git(folder / "template", "tag", "--delete", "v0.2.0")
    return replace(world, folder=folder)


def updated_is_fresh(world: World, first: World, folder: Path, answers: Answers) -> None:
    project = first.new(folder / "old/proj", *flags(answers))
    fresh = world.new(folder / "fresh/proj", *flags(answers))
    code, _ = world.report("update", "--source", str(world.template), cwd=project)
    assert code == 0
    assert contents(project) == contents(fresh)


@pytest.mark.parametrize("answers", EACH, ids=name_of)
def test_updated_is_fresh(
    world: World, first_release: World, tmp_path: Path, answers: Answers
) -> None:
    updated_is_fresh(world, first_release, tmp_path, answers)


@pytest.mark.updates
@pytest.mark.parametrize("answers", WITH_SCHEDULE, ids=name_of)
def test_updated_is_fresh_for_every_set(
    world: World, first_release: World, tmp_path: Path, answers: Answers
) -> None:
    updated_is_fresh(world, first_release, tmp_path, answers)
