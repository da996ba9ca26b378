"""A recipe gives a project that learns its demo, keeps all promises, and can be updated."""

import json
from pathlib import Path
from typing import Any

import pytest

from matrix.answers import Answers, name_of
from matrix.commands import Project, environment
from matrix.renderings import PACKAGE, PROJECT
from torchgen_cli.recipes import Recipe
from update.conftest import env, git, own_world, torchgen, world
from update.world import FIX_AFTER, World

from .demos import DEMOS, all_recipes, dealt, fitting

__all__ = ["env", "git", "own_world", "torchgen", "world"]

pytestmark = pytest.mark.recipes

DEALT = dealt()
# a target of another shape, an input of another kind, a run that needs another run's weights
OFTEN = ("segmentation", "text", "distillation")
REST = [(r, a) for r in all_recipes() for a in fitting(r) if (r, a) not in DEALT]
MOST = {"segmentation": 8, "text": 8}  # files of the package that a recipe may change; else 4
# the other tests run on the toy experiment, which a recipe does not change
QUICK = ("tests/data", "tests/experiment")
DRAW = f"""
from pathlib import Path
from {PACKAGE}.data.source import draw_demo
draw_demo(Path("drawn"))
"""


def made(world: World, recipe: Recipe, answers: Answers, folder: Path) -> Path:
    """A project of the first release that follows the recipe."""
    flags = [f"--{question.replace('_', '-')}={choice}" for question, choice in answers.items()]
    newest = world.git(world.template, "rev-parse", "v0.2.0")
    world.git(world.template, "tag", "--delete", "v0.2.0")
    world.git(world.template, "reset", "--quiet", "--hard", "v0.1.0")
    project = world.new(folder / PROJECT, "--recipe", recipe.name, *flags)
    world.git(world.template, "reset", "--quiet", "--hard", newest)
    world.git(world.template, "tag", "v0.2.0")
    return project


def check(
    world: World, recipe: Recipe, answers: Answers, folder: Path, tests: tuple[str, ...]
) -> None:
    """Everything that a user does with the project."""
    path = made(world, recipe, answers, folder)
    subjects = world.git(path, "log", "--format=%s").splitlines()
    assert subjects == [f"Follow the recipe {recipe.name}", f"Start {PACKAGE}"]
    assert world.git(path, "status", "--porcelain") == ""
    changed = world.git(path, "diff", "--name-only", "HEAD~1").splitlines()
    of_package = [name for name in changed if name.startswith(f"{PACKAGE}/")]
    assert 0 < len(of_package) <= MOST.get(recipe.name, 4), of_package
    project = Project(path, environment(folder / "home"), timeout=800)
    written = [name for name in changed if name.endswith(".py") and (path / name).exists()]
    project.python("-m", "ruff", "check", "--no-respect-gitignore", *written)
    project.python("-m", "ruff", "format", "--check", "--no-respect-gitignore", *written)
    learns(project, recipe, answers)
    keeps_its_promises(project, recipe, tests, folder)
    project.python("-c", "import shutil; [shutil.rmtree(n) for n in ('data', 'drawn', 'runs')]")
    updates(world, path, changed)


def learns(project: Project, recipe: Recipe, answers: Answers) -> None:
    """The demo is learned; the commands say of the model what the run said of itself."""
    demo, processes = DEMOS[recipe.name], 2 if answers["parallelism"] != "single" else 0
    project.python("-c", DRAW)
    project.run("prepare", "--source", "drawn")
    for number, flags in enumerate(demo.runs):
        where = ("--device", "cpu", "--run-dir", f"runs/{number}")
        said = project.run("train", *flags, *where, processes=processes)
        assert "warning" not in said, said
    run_dir = f"runs/{len(demo.runs) - 1}"
    asked = ("evaluate", run_dir, "--json", "--device", "cpu", *demo.evaluated)
    found = json.loads(project.run(*asked))
    assert found[demo.metric] >= demo.at_least, found
    lines = (project.folder / run_dir / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    logged = [json.loads(line) for line in lines]
    values = [line[demo.metric] for line in logged if line["split"] == "val"]
    alike = json.loads(project.run(*asked, processes=2)) if processes else found
    assert alike[demo.metric] == max(values)  # by as many processes, so in the same batches
    # one process batches otherwise, so sums are rounded otherwise
    assert found == pytest.approx(alike, rel=1e-6 if answers["amp"] == "off" else 1e-2)
    files = [*map(str, sorted((project.folder / "drawn").rglob(demo.files))[:3])]
    given, name = (("--text", *demo.texts), "text") if demo.texts else (files, "image")
    found = json.loads(project.run("predict", run_dir, "--json", *given))["predictions"]
    assert [answer[name] for answer in found] == [*(demo.texts or files)]
    project.run("export", run_dir)


def keeps_its_promises(
    project: Project, recipe: Recipe, tests: tuple[str, ...], folder: Path
) -> None:
    """The project's own tests pass, and `verify`, a kill with resume among it."""
    base = f"--basetemp={folder / 'pytest'}"
    said = project.python("-m", "pytest", "-q", "-p", "no:cacheprovider", base, *tests)
    assert " passed" in said.splitlines()[-1]
    said = project.run("verify", "--json", "--device", "cpu", *DEMOS[recipe.name].proven)
    certificate: dict[str, Any] = json.loads(said)
    broken = [found for found in certificate["checks"] if found["holds"] is False]
    assert certificate["holds"] and not broken, broken
    kept = {found["check"] for found in certificate["checks"] if found["holds"]}
    assert {"repeats", "resumes", "evaluates", "counts", "accumulates"} <= kept


def updates(world: World, path: Path, changed: list[str]) -> None:
    """An update brings a fix and leaves the recipe's files, those deleted among them."""

    def content() -> dict[str, bytes | None]:
        files = {name: path / name for name in changed}
        return {name: f.read_bytes() if f.exists() else None for name, f in files.items()}

    before = content()
    done = world.torchgen("update", cwd=path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert content() == before
    assert FIX_AFTER in (path / PACKAGE / "train.py").read_text(encoding="utf-8")


def test_each_recipe_has_a_demo_and_a_page() -> None:
    names = {recipe.name for recipe in all_recipes()}
    assert names == DEMOS.keys()
    for recipe in all_recipes():
        page = (recipe.folder / "README.md").read_text(encoding="utf-8")
        assert page.startswith("# ") and f"--recipe {recipe.name}" in page
        assert recipe.summary and "\n" not in recipe.summary


@pytest.mark.parametrize(
    ("recipe", "answers"),
    [
        pair if pair[0].name in OFTEN else pytest.param(*pair, marks=pytest.mark.scheduled)
        for pair in DEALT
    ],
    ids=lambda v: v.name if isinstance(v, Recipe) else name_of(v),
)
def test_a_project_follows_a_recipe(
    recipe: Recipe, answers: Answers, own_world: World, tmp_path: Path
) -> None:
    check(own_world, recipe, answers, tmp_path, QUICK)


# each takes minutes; all are applied, and their packages type-checked, in test_fit.py
@pytest.mark.scheduled
@pytest.mark.parametrize(
    ("recipe", "answers"), REST, ids=lambda v: v.name if isinstance(v, Recipe) else name_of(v)
)
def test_further_sets_follow_a_recipe(
    recipe: Recipe, answers: Answers, own_world: World, tmp_path: Path
) -> None:
    check(own_world, recipe, answers, tmp_path, ("-m", "slow or not slow"))
