"""Each recipe: the project keeps its style, its tests and a run's bits, and can be updated."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from edits.test_how_to import differences, result
from matrix.answers import COVER, EXTRAS, ROOT, SETS, Answers, extras_of, name_of, with_extras
from matrix.commands import Project, environment
from matrix.renderings import PACKAGE, PROJECT, Trees
from torchgen_cli import recipes
from torchgen_cli.recipes import Recipe
from update.world import PACKAGE as TEMPLATE
from update.world import World
from update.world import environment as update_environment
from warm import python_for

pytestmark = pytest.mark.recipes

FOLDER = ROOT / recipes.FOLDER
RECIPES = {name: recipes.find(FOLDER, name) for name in recipes.names(FOLDER)}
SMALL = ("--epochs=2", "--batch-size=16", "--max-samples=96", "--num-workers=0", "--device=cpu")
MOST = {"segmentation": 6}  # files of the package that a recipe may touch; others 4


@dataclass(frozen=True)
class Case:
    """What is tried of a recipe."""

    recipe: str
    answers: Answers = field(default_factory=lambda: dict(SETS[0]))
    extras: str = "none"
    slow: bool = False  # also the project's tests that train
    before: tuple[str, ...] = ()  # flags of a run before, whose folder `flags` names as {before}
    flags: tuple[str, ...] = ()


CASES = [
    Case("distillation", before=("--width=32",), flags=("--teacher={before}", "--width=16")),
    Case("multi-label", slow=True),
    Case("pretraining", flags=("--objective=reconstruct", "--epochs=3")),
    Case("regression", SETS[0] | {"data_format": "hdf5", "parallelism": "ddp"}, "report"),
    Case("regression"),
    Case("segmentation"),
]
REST = [Case(name, extras="report") for name in RECIPES if name != "regression"]


COMPARE = f"""
from pathlib import Path
import numpy as np
from {PACKAGE}.data.info import open_split
from {PACKAGE}.data.reader import Reader
train = Reader(Path("data/train"))
for data in train, open_split(Path("data/val"), train):
    bright = data.read(np.arange(len(data)))[..., 0] > 100
    print((bright == data.targets).mean())
"""


def fits(recipe: Recipe, answers: Answers) -> bool:
    """Whether a recipe works with a set of answers."""
    chosen = {**answers, "extras": "none"}
    extras = extras_of(answers)
    return all(recipe.offers(*pair) for pair in chosen.items()) and all(
        recipe.offers("extras", extra) for extra in extras
    )


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A release of the template with its recipes."""
    folder = tmp_path_factory.mktemp("world")
    made = World(folder, update_environment(folder / "home"))
    shutil.copytree(FOLDER, made.template / recipes.FOLDER)
    made.write_first_release()
    return made


@pytest.fixture
def own_world(world: World, tmp_path: Path) -> World:
    """A copy of that repository, to release more."""
    shutil.copytree(world.template, tmp_path / "template", symlinks=True)
    return replace(world, folder=tmp_path)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_fits_each_set_and_leaves_no_lint(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    recipe = RECIPES[name]
    allowed = [extra for extra in EXTRAS if recipe.offers("extras", extra)]
    sets = [*(one for one in COVER if fits(recipe, one)), with_extras(SETS[0], *allowed)]
    trees = Trees(tmp_path_factory.mktemp("renderings"), sets)
    for answers in sets:
        project = tmp_path / "projects" / name_of(answers)
        shutil.copytree(trees[name_of(answers)], project)
        recipe.apply(project, PACKAGE, {**answers, "extras": extras_of(answers)})
    projects = Project(tmp_path / "projects", environment(tmp_path / "home"))
    for part in (["format", "--check"], ["check"]):
        projects.python("-m", "ruff", *part, "--no-cache", "--no-respect-gitignore", ".")


@pytest.mark.parametrize(
    "case",
    [*CASES, *(pytest.param(case, marks=pytest.mark.scheduled) for case in REST)],
    ids=lambda case: f"{case.recipe}-{name_of(case.answers)}-{case.extras}",
)
def test_a_project_of_a_recipe_trains_resumes_and_updates(
    case: Case, own_world: World, tmp_path: Path
) -> None:
    flags = [f"--{name.replace('_', '-')}={choice}" for name, choice in case.answers.items()]
    flags += ["--extras", case.extras, "--recipe", case.recipe]
    folder = own_world.new(tmp_path / PROJECT, *flags)
    subjects = own_world.git(folder, "log", "--format=%s").splitlines()
    assert subjects == [f"Follow the recipe {case.recipe}", f"Start {PACKAGE}"]
    changed = own_world.git(folder, "diff", "--name-only", "HEAD~1").splitlines()
    of_package = [name for name in changed if name.startswith(f"{PACKAGE}/")]
    assert 0 < len(of_package) <= MOST.get(case.recipe, 4), of_package

    project = Project(folder, environment(tmp_path / "home"), timeout=400)
    tests = ["-m", "slow or not slow"] if case.slow else []
    warm = python_for(project.environment)
    project.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, python=warm)
    keeps_its_bits(project, case, tmp_path)
    updates(own_world, folder, RECIPES[case.recipe])


def keeps_its_bits(project: Project, case: Case, folder: Path) -> None:
    """A run that is killed and resumed ends as one that never was; the commands know its model."""
    processes = 0 if case.answers["parallelism"] == "single" else 2
    project.run("prepare", "--demo")
    whole, stopped, before = (folder / name for name in ("whole", "stopped", "before"))
    if case.before:
        project.run("train", *SMALL, *case.before, "--run-dir", before)
    flags = [*SMALL, *(flag.format(before=before) for flag in case.flags)]
    said = project.run("train", *flags, "--run-dir", whole, processes=processes)
    assert "warning" not in said, said
    start = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    line = [sys.executable, *(start if processes else []), "-m", f"{PACKAGE}.train", *flags]
    process = subprocess.Popen(
        [*line, "--run-dir", str(stopped), "--checkpoint-every=2"],
        cwd=project.folder,
        env=project.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not (stopped / "checkpoints" / "last.pt").exists() and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    project.run("train", *flags, "--run-dir", stopped, "--resume", processes=processes)
    (metrics, state), (others, other) = result(whole), result(stopped)
    assert metrics == others
    assert differences(state, other) == []

    last = whole / "checkpoints" / "last.pt"
    asked = ("evaluate", last, "--max-samples=96", "--json")
    found = json.loads(project.run(*asked, processes=processes))
    del found["samples"]
    assert found == {name: metrics[-1][name] for name in found}
    images = draw(folder / "images")
    answers = json.loads(project.run("predict", whole, "--json", *images))["predictions"]
    assert [answer["image"] for answer in answers] == [*map(str, images)]
    assert project.run("predict", whole, *images).count("\n") == len(images)
    if case.recipe == "segmentation":
        masks = [project.folder / "predictions" / f"{path.stem}-mask.png" for path in images]
        assert all(np.array(Image.open(mask)).max() < 11 for mask in masks)


@pytest.mark.parametrize("data_format", ["imagefolder", "hdf5", "lmdb"])
def test_masks_are_fitted_as_their_images(
    data_format: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    answers = SETS[0] | {"data_format": data_format}
    trees = Trees(tmp_path_factory.mktemp("renderings"), [answers])
    shutil.copytree(trees[name_of(answers)], tmp_path / "project")
    RECIPES["segmentation"].apply(tmp_path / "project", PACKAGE, {**answers, "extras": []})
    random = np.random.default_rng(0)
    for part in ("images", "masks"):
        (tmp_path / "source" / part).mkdir(parents=True)
    (tmp_path / "source" / "classes.txt").write_text("dark\nbright\n")
    for number in range(12):
        mask = np.zeros(random.integers(20, 60, 2), np.uint8)
        top, left = random.integers(0, 10, 2)
        mask[top : top + 12, left : left + 15] = 1
        Image.fromarray(200 * mask).save(tmp_path / "source" / "images" / f"{number}.png")
        Image.fromarray(mask).save(tmp_path / "source" / "masks" / f"{number}.png")
    project = Project(tmp_path / "project", environment(tmp_path / "home"))
    project.run("prepare", "--source", tmp_path / "source")
    said = project.python("-c", COMPARE)
    assert [float(share) for share in said.split()] == pytest.approx([1, 1], abs=5e-3)
    project.run("train", "--image-size=16", "--batch-size=4", "--device=cpu", exits=1)


def draw(folder: Path) -> list[Path]:
    """Two images of scikit-learn's digits."""
    from sklearn.datasets import load_digits

    folder.mkdir()
    paths = [folder / f"{number}.png" for number in range(2)]
    for path, pixels in zip(paths, load_digits().images, strict=False):
        Image.fromarray((pixels * 255 / 16).astype("uint8")).save(path)
    return paths


def edited(recipe: Recipe) -> Iterator[str]:
    """The files of the package that a recipe's diffs edit."""
    for diff in sorted(recipe.folder.glob("*.diff")):
        yield from re.findall(r"^\+\+\+ b/myproj/(.*)$", diff.read_text(encoding="utf-8"), re.M)


def updates(world: World, folder: Path, recipe: Recipe) -> None:
    """A newer template's lines come into the files that the recipe edits; its own lines stay."""
    names, fixed = {"train.py", *edited(recipe)}, "# the template's new line\n"
    before = {name: (folder / PACKAGE / name).read_text(encoding="utf-8") for name in names}
    for name in names:
        (file,) = (world.template / TEMPLATE).glob(f"{name}*")
        file.write_text(file.read_text(encoding="utf-8") + fixed, encoding="utf-8")
    world.commit(world.template, tag="v0.2.0")
    done = world.torchgen("update", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    for name, text in before.items():
        assert (folder / PACKAGE / name).read_text(encoding="utf-8") == text + fixed
    assert (folder / recipes.PAGE).exists()


def test_the_table_says_how_many_files_and_lines_a_recipe_touches(tmp_path: Path) -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| \[([a-z-]+)\]\(\1/README\.md\) \| .* \| (.*) \|$", page, re.M))
    said = {name: size_of(recipe, tmp_path / name) for name, recipe in RECIPES.items()}
    assert rows == said
    for name in RECIPES:
        text = (FOLDER / name / "README.md").read_text(encoding="utf-8")
        assert text.startswith("# ") and f"--recipe {name}" in text
        assert text.count("\n") <= 80


def size_of(recipe: Recipe, folder: Path) -> str:
    """Files and lines of the package that a recipe touches in a default project."""
    tree = Trees(folder / "rendered", [SETS[0]])[name_of(SETS[0])]
    project = folder / "project"
    shutil.copytree(tree, project)
    recipe.apply(project, PACKAGE, {**SETS[0], "extras": []})
    both = [str(place / PACKAGE) for place in (tree, project)]
    command = ["git", "diff", "--no-index", "--numstat", "--no-renames", *both]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    found = [line.split("\t") for line in done.stdout.splitlines()]
    added, gone = (sum(int(line[column]) for line in found) for column in (0, 1))
    return f"{len(found)} files, +{added} -{gone}"
