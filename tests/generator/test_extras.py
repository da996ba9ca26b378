"""`torchgen add`, `remove` and `extras`, with a tiny template whose only extras are three."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from warm import GENERATOR, python_for

from .conftest import ROOT, Done, Torchgen, commit, environment, run, write_tiny_template

Git = Callable[..., str]
QUESTION = """extras:
  type: str
  help: Which extras?
  multiselect: true
  default: []
  choices:
    "serve: the model over HTTP, with a page to try it on": serve
    "sweep: a search for good settings with Optuna": sweep
    "look: what the model is, what it sees and what it learned": look

"""
PYPROJECT = """[project]
name = "{{ project_name }}"

[project.optional-dependencies]
{% if 'serve' in extras %}
serve = ["fastapi", "uvicorn"]
{% endif %}
dev = []
"""
NEEDS = "\nextras_needs:\n  type: yaml\n  default: {sweep: [serve]}\n  when: false\n"


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """One environment for all; its Python has no pytest, which would collect a project's tests."""
    home = tmp_path_factory.mktemp("home")
    run(sys.executable, "-m", "venv", "--without-pip", "bare", cwd=home, env=os.environ)
    return {**environment(home), "VIRTUAL_ENV": str(home / "bare")}


@pytest.fixture
def git(env: dict[str, str]) -> Git:
    return _git(env)


def _git(env: dict[str, str]) -> Git:
    return lambda folder, *arguments: run("git", *arguments, cwd=folder, env=env).stdout.strip()


@pytest.fixture
def torchgen(env: dict[str, str], tmp_path: Path) -> Torchgen:
    return _torchgen(env, tmp_path)


def _torchgen(env: dict[str, str], folder: Path) -> Torchgen:
    def call(*arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = env) -> Done:
        assert env is not None
        command = (python_for(env, GENERATOR), "-m", "torchgen_cli", *arguments)
        return run(*command, cwd=cwd or folder, env=env, check=False)

    return call


@pytest.fixture(scope="module")
def made(env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `source`, a template with extras, one with packages, and a project."""
    folder = tmp_path_factory.mktemp("made")
    source = write_tiny_template(folder / "source")
    package = source / "template" / "{{package_name}}"
    for extra in ("serve", "sweep"):
        (package / extra).mkdir()
        (package / extra / "__init__.py").write_text("", encoding="utf-8")
        (package / extra / "main.py").write_text(f'NAME = "{extra}"\nPORT = 8000\n', "utf-8")
    (source / "template/pyproject.toml.jinja").write_text(PYPROJECT, encoding="utf-8")
    config = (source / "copier.yml").read_text(encoding="utf-8")
    start, end = config.index("extras:\n"), config.index("# Asked by nobody")
    (source / "copier.yml").write_text(config[:start] + QUESTION + config[end:], encoding="utf-8")
    _git(env)(source, "init", "--quiet", "-b", "main")
    commit(source, _git(env), "v0.1.0")
    done = _torchgen(env, folder)("new", "proj", "--defaults", "--source", "source")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def source(made: Path, tmp_path: Path) -> Path:
    """A copy of the template, to change."""
    return shutil.copytree(made / "source", tmp_path / "source")


@pytest.fixture
def project(made: Path, source: Path, tmp_path: Path, git: Git) -> Path:
    """A copy of the project, which has no extras; it records the copy of the template."""
    project = shutil.copytree(made / "proj", tmp_path / "proj")
    record = project / ".copier-answers.yml"
    text = record.read_text(encoding="utf-8").replace(str(made / "source"), str(source))
    record.write_text(text, encoding="utf-8")
    git(project, "commit", "--quiet", "--all", "--amend", "--no-edit")
    return project


def require_serve(source: Path, git: Git) -> None:
    """From now on `sweep` needs `serve`."""
    with (source / "copier.yml").open("a", encoding="utf-8") as config:
        config.write(NEEDS)
    commit(source, git, "v0.2.0")


def extras_of(project: Path) -> Any:
    record = yaml.safe_load((project / ".copier-answers.yml").read_text(encoding="utf-8"))
    return record.get("extras")


def test_add_puts_files_in_and_remove_leaves_the_project_as_it_was(
    project: Path, torchgen: Torchgen, git: Git
) -> None:
    before = git(project, "rev-parse", "HEAD")
    done = torchgen("add", "sweep", "serve", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("extras  none -> serve,sweep\n")
    assert "new       proj/serve/main.py\n" in done.stdout
    assert "  pip install -e '.[dev]'   # the dependencies changed\n" in done.stdout
    assert extras_of(project) == ["serve", "sweep"]
    assert (project / "proj/sweep/main.py").exists()
    commit(project, git)
    done = torchgen("remove", "serve,sweep", "--project", "proj", cwd=project.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("extras  serve,sweep -> none\n")
    commit(project, git)
    assert git(project, "diff", before, "HEAD") == ""
    assert not (project / "proj/serve").exists()


def test_all_stands_for_each_of_them(project: Path, torchgen: Torchgen, git: Git) -> None:
    assert torchgen("add", "all", cwd=project).returncode == 0
    assert extras_of(project) == ["serve", "sweep", "look"]
    commit(project, git)
    assert torchgen("remove", "all", cwd=project).returncode == 0
    assert extras_of(project) == []


def test_what_is_there_or_is_not_there_changes_nothing(
    project: Path, torchgen: Torchgen, git: Git
) -> None:
    done = torchgen("remove", "serve", cwd=project)
    assert (done.returncode, done.stdout) == (0, "already without serve; nothing was changed\n")
    torchgen("add", "serve", "sweep", cwd=project)
    commit(project, git)
    done = torchgen("add", "serve", cwd=project)
    assert (done.returncode, done.stdout) == (0, "already has serve; nothing was changed\n")
    done = torchgen("set", "extras=sweep,serve", cwd=project)
    assert done.returncode == 0
    assert done.stdout == "already extras=serve,sweep; nothing was changed\n"
    assert git(project, "status", "--porcelain") == ""


def test_set_takes_a_list(project: Path, torchgen: Torchgen, git: Git) -> None:
    done = torchgen("set", "extras=look,serve", "amp=bf16", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "extras  none -> serve,look\n" in done.stdout
    assert extras_of(project) == ["serve", "look"]
    commit(project, git)
    assert torchgen("set", "extras=none", cwd=project).returncode == 0
    assert extras_of(project) == []


def test_json_and_a_dry_run_are_those_of_set(project: Path, torchgen: Torchgen, git: Git) -> None:
    done = torchgen("add", "serve", "--dry-run", "--json", cwd=project)
    report = json.loads(done.stdout)
    assert report["answers"] == {"extras": {"old": [], "new": ["serve"]}}
    assert {change["path"]: change["kind"] for change in report["files"]} == {
        ".copier-answers.yml": "changed",
        "proj/serve/__init__.py": "new",
        "proj/serve/main.py": "new",
        "pyproject.toml": "changed",
    }
    assert git(project, "status", "--porcelain") == ""


def test_an_edited_file_of_a_removed_extra_stays_and_is_reported(
    project: Path, torchgen: Torchgen, git: Git
) -> None:
    torchgen("add", "serve", cwd=project)
    commit(project, git)
    (project / "proj/serve/main.py").write_text("MINE = 1\n", encoding="utf-8")
    (project / "proj/serve/own.py").write_text("OWN = 1\n", encoding="utf-8")
    commit(project, git)
    done = torchgen("remove", "serve", cwd=project)
    assert done.returncode == 3
    assert "conflict  proj/serve/main.py\n" in done.stdout
    assert "to delete it: git rm proj/serve/main.py" in done.stdout
    assert (project / "proj/serve/main.py").read_text(encoding="utf-8") == "MINE = 1\n"
    assert (project / "proj/serve/own.py").exists()
    assert not (project / "proj/serve/__init__.py").exists()
    assert extras_of(project) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["add", "srve"], "'srve' is not one of serve, sweep, look; did you mean 'serve'?"),
        (["remove", "loo"], "'loo' is not one of serve, sweep, look; did you mean 'look'?"),
        (["add", "none"], "name an extra: serve, sweep, look"),
        (
            ["set", "extras=serve,lok"],
            "extras: 'lok' is not one of serve, sweep, look; did you mean 'look'?",
        ),
    ],
)
def test_an_unknown_extra_is_one_line_and_exit_code_2(
    project: Path, torchgen: Torchgen, git: Git, words: list[str], message: str
) -> None:
    done = torchgen(*words, cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {message}\n")
    assert git(project, "status", "--porcelain") == ""


def test_no_project_is_one_line(torchgen: Torchgen, tmp_path: Path) -> None:
    done = torchgen("add", "serve", "--project", "nowhere")
    assert (done.returncode, done.stderr) == (
        1,
        "error: nowhere is not a folder; give the folder of a project made by torchgen new\n",
    )


def test_a_project_that_records_no_extras_has_none(
    project: Path, torchgen: Torchgen, git: Git
) -> None:
    record = project / ".copier-answers.yml"
    text = record.read_text(encoding="utf-8").replace("extras: []\n", "")
    record.write_text(text, encoding="utf-8")
    commit(project, git)
    assert extras_of(project) is None
    assert torchgen("remove", "serve", cwd=project).stdout.startswith("already without serve")
    done = torchgen("add", "serve", cwd=project)
    assert done.stdout.startswith("extras  none -> serve\n"), done.stderr
    assert extras_of(project) == ["serve"]


def test_a_project_older_than_the_question_gets_it_with_an_update(
    source: Path, project: Path, torchgen: Torchgen, git: Git
) -> None:
    config = (source / "copier.yml").read_text(encoding="utf-8")
    start, end = config.index("extras:\n"), config.index("# Asked by nobody")
    (source / "copier.yml").write_text(config[:start] + config[end:], encoding="utf-8")
    pyproject = source / "template/pyproject.toml.jinja"
    pyproject.write_text('[project]\nname = "{{ project_name }}"\n', encoding="utf-8")
    commit(source, git, "v0.2.0")
    assert torchgen("new", "old", "--defaults", "--source", str(source)).returncode == 0
    old = project.parent / "old"
    done = torchgen("add", "serve", cwd=old)
    assert (done.returncode, done.stderr) == (
        1,
        "error: this version of the template has no extras; torchgen update may bring them\n",
    )
    git(source, "checkout", "--quiet", "v0.1.0", "--", ".")
    commit(source, git, "v0.3.0")
    done = torchgen("update", cwd=old)
    assert done.returncode == 0, done.stderr
    assert "a new question, extras, answered by its default 'none'" in done.stdout
    assert extras_of(old) == []
    commit(old, git)
    assert torchgen("add", "serve", cwd=old).returncode == 0


def test_an_update_keeps_the_extras(
    source: Path, project: Path, torchgen: Torchgen, git: Git
) -> None:
    torchgen("add", "serve", cwd=project)
    commit(project, git)
    main = source / "template/{{package_name}}/serve/main.py"
    main.write_text('NAME = "serve"\nPORT = 9000\n', encoding="utf-8")
    commit(source, git, "v0.2.0")
    assert torchgen("update", cwd=project).returncode == 0
    assert "9000" in (project / "proj/serve/main.py").read_text(encoding="utf-8")
    assert extras_of(project) == ["serve"]


def test_an_extra_brings_along_what_it_needs_and_says_so(
    source: Path, torchgen: Torchgen, git: Git, tmp_path: Path
) -> None:
    require_serve(source, git)
    done = torchgen("new", "proj", "--source", str(source), "--extras", "sweep")
    assert (done.returncode, done.stderr) == (0, "note: serve comes along, for sweep\n")
    assert extras_of(tmp_path / "proj") == ["serve", "sweep"]
    assert torchgen("new", "x", "--defaults", "--source", str(source)).returncode == 0
    done = torchgen("add", "sweep", cwd=tmp_path / "x")
    assert "note: serve comes along, for sweep\n" in done.stdout
    assert extras_of(tmp_path / "x") == ["serve", "sweep"]
    commit(tmp_path / "x", git)
    done = torchgen("remove", "serve", cwd=tmp_path / "x")
    assert (done.returncode, done.stderr) == (
        1,
        "error: sweep needs serve, which stays; or: torchgen remove sweep serve\n",
    )
    assert torchgen("remove", "sweep", "serve", cwd=tmp_path / "x").returncode == 0
    assert extras_of(tmp_path / "x") == []


def test_plain_copier_takes_what_says_that_an_extra_needs_another(
    source: Path, git: Git, tmp_path: Path, env: dict[str, str]
) -> None:
    require_serve(source, git)
    command = (sys.executable, "-m", "copier", "copy", "--defaults", "--data", "extras=[sweep]")
    run(*command, str(source), "proj", cwd=tmp_path, env=env)
    assert extras_of(tmp_path / "proj") == ["sweep"]
    assert "extras_needs" not in (tmp_path / "proj/.copier-answers.yml").read_text("utf-8")


def test_the_list_says_what_each_adds_and_which_the_project_has(
    source: Path, project: Path, torchgen: Torchgen, git: Git
) -> None:
    torchgen("add", "serve", cwd=project)
    commit(project, git)
    done = torchgen("extras", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "[x] serve  the model over HTTP, with a page to try it on\n"
        "      3 lines in proj/serve/ (2), pyproject.toml\n"
        "      packages: fastapi, uvicorn\n"
        "[ ] sweep  a search for good settings with Optuna\n"
        "      2 lines in proj/sweep/ (2)\n"
        "[ ] look  what the model is, what it sees and what it learned\n"
    )
    done = torchgen("extras", "--project", "proj", "--json", cwd=project.parent)
    serve, sweep, look = json.loads(done.stdout)
    assert serve == {
        "name": "serve",
        "advice": "the model over HTTP, with a page to try it on",
        "needs": [],
        "files": {"proj/serve/__init__.py": 0, "proj/serve/main.py": 2, "pyproject.toml": 1},
        "packages": ["fastapi", "uvicorn"],
        "chosen": True,
        "lines": 3,
    }
    assert (sweep["chosen"], sweep["packages"], look["files"]) == (False, [], {})


def test_without_a_project_the_list_is_that_of_the_installed_template(torchgen: Torchgen) -> None:
    done = torchgen("extras", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    config = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))
    assert [extra["name"] for extra in found] == list(config["extras"]["choices"].values())
    assert {extra["chosen"] for extra in found} == {None}


def test_status_shows_the_extras_where_there_are_some(
    project: Path, torchgen: Torchgen, git: Git
) -> None:
    wide = {"COLUMNS": "200"}
    row = torchgen("status", "--offline", cwd=project, env=wide).stdout.splitlines()[1]
    assert "single off imagefolder tensorboard  " in row
    torchgen("add", "serve", "look", cwd=project)
    row = torchgen("status", "--offline", cwd=project, env=wide).stdout.splitlines()[1]
    assert "single off imagefolder tensorboard serve,look" in row
