"""`torchgen new --recipe`: edits as a second commit, or a refusal before anything is written."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from torchgen_cli.base.errors import UserError
from torchgen_cli.recipes import find

from .conftest import ROOT, Torchgen, tree

Git = Callable[..., str]
DIFF = """\
--- a/myproj/train.py
+++ b/myproj/train.py
@@ -1 +1,2 @@
 AMP = "off"
+NAME = "myproj"
"""
HDF5 = "\n".join(
    [
        "--- a/README.md",
        "+++ b/README.md",
        "@@ -1,3 +1,4 @@",
        " # my-scans",
        " ",
        " Finds masks",
        "+Read from HDF5.",
        "",
    ]
)


@pytest.fixture
def source(template: Path, git: Git) -> str:
    """A template with a recipe."""
    recipe = template / "docs/recipes/masks"
    (recipe / "files/tests").mkdir(parents=True)
    (recipe / "files/myproj/data").mkdir(parents=True)
    (recipe / "recipe.toml").write_text(
        'summary = "Masks."\ndescription = "Finds masks"\ndelete = ["myproj/__init__.py"]\n'
        'refuses = ["imbalance", "look"]\n'
        '[needs]\ndata_format = ["imagefolder", "hdf5"]\n',
        encoding="utf-8",
    )
    (recipe / "README.md").write_text("# Masks\n\npython -m myproj.train\n", encoding="utf-8")
    (recipe / "files/tests/test_it.py").write_text("import myproj, myproject\n", encoding="utf-8")
    (recipe / "files/myproj/data/masks.py").write_text("MASKS = 1\n", encoding="utf-8")
    (recipe / "edits.diff").write_text(DIFF, encoding="utf-8")
    (recipe / "hdf5.diff").write_text(HDF5, encoding="utf-8")
    git(template, "add", "--all")
    git(template, "commit", "--quiet", "-m", "a recipe")
    return str(template)


def test_a_recipe_is_a_second_commit(
    torchgen: Torchgen, tmp_path: Path, git: Git, source: str
) -> None:
    flags = ("--source", source, "--recipe", "masks", "--project-name", "my-scans")
    done = torchgen("new", "proj", *flags, "--data-format", "hdf5", "--json")
    assert done.returncode == 0, done.stderr
    project = tmp_path / "proj"
    log = git(project, "log", "--format=%an: %s").splitlines()
    assert log == ["Ada: Follow the recipe masks", "Ada: Start my_scans"]
    assert git(project, "status", "--porcelain", "--ignored") == ""
    assert (project / "my_scans/train.py").read_text() == 'AMP = "off"\nNAME = "my_scans"\n'
    assert (project / "my_scans/data/masks.py").read_text() == "MASKS = 1\n"
    assert (project / "tests/test_it.py").read_text() == "import my_scans, myproject\n"
    assert (project / "RECIPE.md").read_text() == "# Masks\n\npython -m my_scans.train\n"
    assert not (project / "my_scans/__init__.py").exists()
    assert "Read from HDF5.\n" in (project / "README.md").read_text()
    result = json.loads(done.stdout)
    assert result["recipe"] == "masks"
    assert result["files"] == sorted(git(project, "ls-files").splitlines())
    torchgen("new", "other", *flags)
    assert "HDF5" not in (tmp_path / "other/README.md").read_text()


def test_a_recipe_describes_the_project_unless_the_user_does(
    torchgen: Torchgen, tmp_path: Path, source: str
) -> None:
    flags = ("--source", source, "--recipe", "masks", "--no-git")
    torchgen("new", "proj", *flags)
    assert "# proj\n\nFinds masks\n" in (tmp_path / "proj/README.md").read_text()
    torchgen("new", "other", *flags, "--description", "Finds cats")
    assert "# other\n\nFinds cats\n" in (tmp_path / "other/README.md").read_text()


def test_an_edit_for_an_extra_is_made_where_it_is_chosen(
    torchgen: Torchgen, tmp_path: Path, git: Git, source: str
) -> None:
    recipe = Path(source) / "docs/recipes/masks"
    (recipe / "report.diff").write_text(DIFF.replace("NAME", "PAGE"), encoding="utf-8")
    (recipe / "edits.diff").unlink()
    git(Path(source), "add", "--all")
    git(Path(source), "commit", "--quiet", "-m", "for an extra")
    flags = ("--source", source, "--recipe", "masks", "--no-git")
    for extras, last in (("report,verify", 'PAGE = "proj"\n'), ("none", 'AMP = "off"\n')):
        done = torchgen("new", f"{extras}/proj", *flags, "--extras", extras)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / extras / "proj/proj/train.py").read_text().endswith(last)


def test_all_extras_are_those_that_a_recipe_works_with(torchgen: Torchgen, source: str) -> None:
    flags = ("--source", source, "--recipe", "masks", "--dry-run", "--json")
    chosen = json.loads(torchgen("new", "proj", *flags, "--extras", "all").stdout)["answers"]
    assert {"report", "verify"} < {*chosen["extras"]}
    assert not {"imbalance", "look"} & {*chosen["extras"]}


def test_the_wizard_offers_what_a_recipe_works_with(
    tmp_path: Path, env: dict[str, str], source: str
) -> None:
    terminal = pytest.importorskip("generator.terminal", reason="needs pseudo-terminals")
    ours = ("--project-name", "p", "--parallelism", "single", "--amp", "off", "--logger", "none")
    command = (sys.executable, "-m", "torchgen_cli", "new", "proj", "--no-git", *ours)
    asked = terminal.Terminal(
        (*command, "--source", source, "--recipe", "masks"),
        tmp_path,
        {**env, "TERM": "xterm", "NO_COLOR": "1"},
    )
    for prompt in (
        "What does it do",
        "How are the images stored",
        "Which extras",
        "Write the project to",
    ):
        asked.wait_for(prompt)
        asked.press("\r")
    assert asked.finish() == 0, asked.screen
    assert "Finds masks" in asked.screen
    assert "verify" in asked.screen and "hdf5" in asked.screen
    assert not re.search("imbalance|what it sees|lmdb", asked.screen)


def test_what_it_would_write_is_listed_and_said(
    torchgen: Torchgen, tmp_path: Path, source: str
) -> None:
    dry = torchgen("new", "proj", "--source", source, "--recipe", "masks", "--dry-run")
    assert "new      proj/data/masks.py\n" in dry.stdout and "proj/__init__.py" not in dry.stdout
    assert not (tmp_path / "proj").exists()
    done = torchgen("new", "proj", "--source", source, "--recipe", "masks", "--no-git")
    assert "It follows the recipe masks: RECIPE.md says what that is.\n" in done.stdout
    assert not (tmp_path / "proj/.git").exists()
    assert (tmp_path / "proj/proj/data/masks.py").exists()


def test_within_a_repository_nothing_is_committed(
    torchgen: Torchgen, tmp_path: Path, git: Git, source: str
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "--quiet")
    done = torchgen("new", "outer/proj", "--source", source, "--recipe", "masks")
    assert done.returncode == 0, done.stderr
    assert (outer / "proj/proj/train.py").read_text().endswith('NAME = "proj"\n')
    assert git(outer, "status", "--porcelain") == "?? proj/"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (
            ["--recipe", "mask"],
            2,
            "there is no recipe 'mask'; did you mean masks? There are masks.",
        ),
        (["--recipe", "zebra"], 2, "there is no recipe 'zebra'. There are masks."),
        (
            ["--recipe", "masks", "--data-format", "lmdb"],
            2,
            "the recipe masks needs --data-format imagefolder or hdf5, not lmdb",
        ),
        (
            ["--recipe", "masks", "--extras", "look,report,imbalance"],
            2,
            "the recipe masks does not work with --extras look,imbalance",
        ),
    ],
)
def test_a_recipe_that_does_not_fit_is_refused_before_anything_is_written(
    torchgen: Torchgen, tmp_path: Path, source: str, arguments: list[str], code: int, said: str
) -> None:
    before = tree(tmp_path)
    done = torchgen("new", "proj", "--source", source, *arguments)
    assert (done.returncode, done.stderr, done.stdout) == (code, f"error: {said}\n", "")
    assert tree(tmp_path) == before


def test_a_recipe_that_has_fallen_behind_its_template_is_one_line(
    torchgen: Torchgen, tmp_path: Path, git: Git, source: str
) -> None:
    train = Path(source) / "template/{{package_name}}/train.py.jinja"
    train.write_text("PRECISION = {{ amp | to_json }}\n", encoding="utf-8")
    git(Path(source), "commit", "--quiet", "--all", "-m", "moved on")
    done = torchgen("new", "proj", "--source", source, "--recipe", "masks")
    said = "error: the recipe masks does not fit this template: error: proj/train.py: "
    assert (done.returncode, done.stderr) == (1, f"{said}patch does not apply\n")
    assert not (tmp_path / "proj").exists()


def test_a_template_without_recipes_says_so(torchgen: Torchgen, template: Path) -> None:
    done = torchgen("new", "proj", "--source", str(template), "--recipe", "masks")
    said = "error: there is no recipe 'masks'. This template has none.\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_without_git_a_recipe_cannot_be_followed(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    recipe = find(Path(source) / "docs/recipes", "masks")
    with pytest.raises(UserError, match="--recipe needs git, which is not installed: install git"):
        recipe.check({"data_format": "hdf5"})


def test_the_recipes_are_completed(torchgen: Torchgen) -> None:
    from torchgen_cli.commands.new import recipes_like

    names = [path.parent.name for path in (ROOT / "docs/recipes").glob("*/recipe.toml")]
    assert recipes_like("") == sorted(names)
    assert recipes_like("no such recipe") == []
