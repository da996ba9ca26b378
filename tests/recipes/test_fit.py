"""Every recipe fits every covering set of answers, stays free of lint, and is as large as said."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from matrix.answers import COVER, Answers, name_of
from matrix.commands import Project, environment
from matrix.renderings import PACKAGE, render_all
from torchgen_cli.recipes import Recipe

from .demos import FOLDER, all_recipes, dealt, fitting

pytestmark = pytest.mark.recipes

CHOICES = {"imagefolder": "image files", "hdf5": "HDF5", "lmdb": "LMDB"}


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return render_all(tmp_path_factory.mktemp("fit") / "renderings", COVER)


def followed(trees: dict[str, Path], recipe: Recipe, answers: Answers, folder: Path) -> Path:
    """A project that a recipe has changed."""
    project = folder / f"{recipe.name}-{name_of(answers)}"
    shutil.copytree(trees[name_of(answers)], project)
    recipe.apply(project, PACKAGE, answers)
    return project


def test_each_recipe_fits_each_set_and_leaves_no_lint(
    trees: dict[str, Path], tmp_path: Path
) -> None:
    pairs = [(recipe, answers) for recipe in all_recipes() for answers in fitting(recipe)]
    for recipe, answers in pairs:
        followed(trees, recipe, answers, tmp_path / "projects")
    project = Project(tmp_path / "projects", environment(tmp_path / "home"))
    project.python("-m", "ruff", "format", "--check", "--no-cache", "--no-respect-gitignore", ".")
    project.python("-m", "ruff", "check", "--no-cache", "--no-respect-gitignore", ".")


def test_the_packages_type_check(trees: dict[str, Path], tmp_path: Path) -> None:
    names = []
    for recipe, answers in dealt():
        project = followed(trees, recipe, answers, tmp_path / "projects")
        names.append(recipe.name.replace("-", "_"))
        shutil.copytree(project / PACKAGE, tmp_path / "packages" / names[-1])
    packages = Project(tmp_path / "packages", environment(tmp_path / "home"))
    said = packages.python("-m", "mypy", "--ignore-missing-imports", *names)
    modules = len(list((tmp_path / "packages").rglob("*.py")))
    assert said == f"Success: no issues found in {modules} source files\n"


def test_the_page_of_all_recipes_says_which_formats_and_how_many_lines(
    trees: dict[str, Path], tmp_path: Path
) -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[([a-z-]+)\]\(\1/README\.md\) \|.*$", page, re.MULTILINE)
    assert rows == [recipe.name for recipe in all_recipes()]
    for recipe in all_recipes():
        first = fitting(recipe)[0]
        project = followed(trees, recipe, first, tmp_path)
        files, added, removed = size_of(trees[name_of(first)] / PACKAGE, project / PACKAGE)
        formats = recipe.needs.get("data_format", list(CHOICES))
        words = "all" if len(formats) == len(CHOICES) else ", ".join(CHOICES[f] for f in formats)
        row = next(line for line in page.splitlines() if line.startswith(f"| [{recipe.name}]"))
        assert f" | {words} | {files}, +{added} -{removed} | " in row, (
            words,
            files,
            added,
            removed,
        )


def size_of(before: Path, after: Path) -> tuple[int, int, int]:
    """Files that differ, lines that came and lines that went."""
    command = ["git", "diff", "--no-index", "--numstat", "--no-renames", str(before), str(after)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ, encoding="utf-8"
    )
    assert done.returncode in (0, 1), done.stderr
    found = [line.split("\t")[:2] for line in done.stdout.splitlines()]
    return len(found), sum(int(a) for a, _ in found), sum(int(r) for _, r in found)
