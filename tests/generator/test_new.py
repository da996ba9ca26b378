"""What `torchgen new` writes, with the real template and with a tiny one."""

import json
import os
import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import Torchgen, run, tree

Git = Callable[..., str]
AWKWARD = (
    "quo\"te 's' back\\slash {b} {{ x }} {% raw %} {# c #} 😀 é # : - | > & * ! ${HOME} `ls` $"
)


def answers_of(project: Path) -> dict[str, Any]:
    answers = yaml.safe_load((project / ".copier-answers.yml").read_text(encoding="utf-8"))
    assert isinstance(answers, dict)
    return answers


def test_the_defaults_give_a_committed_project_and_three_commands(
    torchgen: Torchgen, tmp_path: Path, git: Git
) -> None:
    done = torchgen("new", "myproj")
    project = tmp_path / "myproj"
    assert done.returncode == 0, done.stderr
    assert git(project, "status", "--porcelain", "--ignored") == ""
    assert git(project, "log", "--format=%an: %s") == "Ada: Start myproj"
    head = git(project, "rev-parse", "--short=7", "HEAD")
    count = len(git(project, "ls-files").splitlines())
    assert done.stdout.split("\n", 1)[0] == ""
    assert done.stdout.endswith(
        f"""
  project_name  myproj
  description   An image classifier in PyTorch
  parallelism   single
  amp           off
  data_format   imagefolder
  logger        tensorboard
  extras        report

Wrote {count} files to {project}, first commit {head}.

Next:
  cd myproj && python3 -m venv .venv && . .venv/bin/activate
  pip install -e '.[dev]'
  python -m myproj.prepare --demo
  python -m myproj.train

Without a GPU, first:
  pip install torch --index-url https://download.pytorch.org/whl/cpu
With uv, `uv sync` makes the environment and installs it all, with CUDA.
"""
    )
    assert (project / "myproj" / "train.py").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["myproj"]
    within = torchgen("new", "other", env={"VIRTUAL_ENV": "here"}).stdout
    assert "\n  cd other && pip install -e '.[dev]'\n" in within


def test_json_is_one_object_with_the_files_and_the_next_commands(
    torchgen: Torchgen, tmp_path: Path, git: Git
) -> None:
    done = torchgen("new", "a folder/Größe 3", "--json", "--parallelism", "ddp", "--amp", "bf16")
    project = tmp_path / "a folder" / "Größe 3"
    result = json.loads(done.stdout)
    record = answers_of(project)
    assert done.stdout.count("\n") == 1
    assert set(result) == {
        "path",
        "answers",
        "files",
        "git",
        "notes",
        "next",
        "template",
        "recipe",
        "dry_run",
    }
    assert result["path"] == str(project)
    assert result["answers"] == {
        "project_name": "grosse-3",
        "description": "An image classifier in PyTorch",
        "parallelism": "ddp",
        "amp": "bf16",
        "data_format": "imagefolder",
        "logger": "tensorboard",
        "extras": ["report"],
    }
    assert result["answers"] == {k: record[k] for k in result["answers"]}
    listed = git(project, "-c", "core.quotePath=false", "ls-files").splitlines()
    assert result["files"] == sorted(listed)
    assert result["git"] == {
        "created": True,
        "commit": git(project, "rev-parse", "HEAD"),
        "note": None,
    }
    assert result["next"] == [
        "cd 'a folder/Größe 3' && pip install -e '.[dev]'",
        "python -m grosse_3.prepare --demo",
        "torchrun --nproc-per-node 2 -m grosse_3.train",
    ]
    assert shlex.split(result["next"][0])[1] == "a folder/Größe 3"
    template = result["template"]
    assert template == {"source": record["_src_path"], "version": record.get("_commit")}
    assert result["dry_run"] is False


def test_a_dry_run_lists_each_file_as_new_and_writes_nothing(
    torchgen: Torchgen, tmp_path: Path
) -> None:
    dry = torchgen("new", "deep/x", "--dry-run")
    assert dry.returncode == 0
    assert tree(tmp_path) == []
    listed = [line.split()[1] for line in dry.stdout.splitlines() if line.startswith("new ")]
    assert dry.stdout.endswith(
        f"{len(listed)} new files in {tmp_path / 'deep' / 'x'}; nothing was written\n"
    )
    as_json = json.loads(torchgen("new", "deep/x", "--dry-run", "--json").stdout)
    assert as_json["dry_run"] is True
    assert as_json["git"] == {"created": False, "commit": None, "note": None}
    assert tree(tmp_path) == []
    written = json.loads(torchgen("new", "deep/x", "--json").stdout)
    assert listed == as_json["files"] == written["files"]


def test_flags_outdo_the_file_and_the_file_the_defaults(torchgen: Torchgen, tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(
        "amp: off\nlogger: none\ndata_format: hdf5\nproject_name: from-file\ndescription: 1_000\n",
        encoding="utf-8",
    )
    done = torchgen("new", "x", "--answers", "a.yml", "--data-format", "lmdb", "--json")
    assert json.loads(done.stdout)["answers"] == {
        "project_name": "from-file",
        "description": "1_000",
        "parallelism": "single",
        "amp": "off",
        "data_format": "lmdb",
        "logger": "none",
        "extras": ["report"],
    }


def test_a_toml_file_and_the_answers_of_another_project_serve_as_well(
    torchgen: Torchgen, tmp_path: Path
) -> None:
    (tmp_path / "a.toml").write_text('amp = "fp16"\nlogger = "none"\n', encoding="utf-8")
    first = json.loads(torchgen("new", "x", "--answers", "a.toml", "--json").stdout)
    assert first["answers"]["amp"] == "fp16"
    again = torchgen("new", "y", "--answers", "x/.copier-answers.yml", "--json")
    assert json.loads(again.stdout)["answers"] == first["answers"]


@pytest.mark.parametrize("form", ["flag", "yaml", "toml"])
def test_awkward_free_text_comes_out_as_it_went_in(
    torchgen: Torchgen, tmp_path: Path, form: str
) -> None:
    origin = ""
    if form == "flag":
        done = torchgen("new", "x", "--description", AWKWARD)
    else:
        file = tmp_path / f"a.{form}"
        # JSON strings are YAML's, and without escapes of surrogates TOML's too.
        sign = ":" if form == "yaml" else " ="
        text = json.dumps(AWKWARD, ensure_ascii=False)
        file.write_text(f"description{sign} {text}\n", encoding="utf-8")
        done = torchgen("new", "x", "--answers", str(file))
        origin = f"  (from {file})"
    assert done.returncode == 0, done.stderr
    assert f"  description   {AWKWARD}{origin}\n" in done.stdout
    assert answers_of(tmp_path / "x")["description"] == AWKWARD
    project = tomllib.loads((tmp_path / "x" / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["description"] == AWKWARD


def test_new_in_the_folder_that_one_stands_in(
    torchgen: Torchgen, tmp_path: Path, template: Path, git: Git
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    inode = here.stat().st_ino
    done = torchgen("new", ".", "--source", str(template), cwd=here)
    assert done.returncode == 0, done.stderr
    assert here.stat().st_ino == inode  # the shell that stands in it still does
    assert "  pip install -e '.[dev]'\n  python -m here.prepare --demo\n" in done.stdout
    assert git(here, "status", "--porcelain", "--ignored") == ""
    assert sorted(path.name for path in here.iterdir()) == [
        ".copier-answers.yml",
        ".git",
        "README.md",
        "here",
    ]


@pytest.mark.parametrize("existing", ["outer", "outer/x"])
def test_inside_a_repository_no_second_one_is_made(
    torchgen: Torchgen, tmp_path: Path, template: Path, git: Git, existing: str
) -> None:
    outer = tmp_path / existing
    outer.mkdir(parents=True)
    git(outer, "init", "--quiet")
    done = torchgen("new", "outer/x", "--source", str(template))
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == (
        f"note: inside the git repository {outer.resolve()}, so no new one was created "
        "and nothing committed"
    )
    assert (tmp_path / "outer/x/.git").exists() == (existing == "outer/x")
    assert run("git", "log", cwd=outer, env=dict(os.environ), check=False).returncode == 128


HABITS = "data/\ntests\nreport/\nlib/\n*.yml\n*.toml\n.*\n"


@pytest.mark.parametrize("where", ["around it", "of the user"])
def test_what_git_ignores_elsewhere_is_not_lost(
    torchgen: Torchgen, tmp_path: Path, git: Git, env: dict[str, str], where: str
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "--quiet")
    file = outer / ".gitignore" if where == "around it" else tmp_path / "excludes"
    file.write_text(HABITS, encoding="utf-8")
    if file.name == "excludes":
        with Path(env["GIT_CONFIG_GLOBAL"]).open("a", encoding="utf-8") as config:
            config.write(f"[core]\n  excludesFile = {file}\n")
    done = torchgen("new", "outer/cls", "--json")
    written = json.loads(done.stdout)
    assert [".gitignore" in note for note in written["notes"]] == [True]  # by its own `.*`
    project = outer / "cls"
    (project / "cls" / "data" / "mine.py").touch()
    for name in ("data/a.png", "runs/b", "cls/data/__pycache__/c.pyc", "cls/.DS_Store"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).touch()
    git(outer, "add", "--all")
    listed = git(project, "ls-files").splitlines()
    assert sorted([*listed, ".gitignore"]) == sorted([*written["files"], "cls/data/mine.py"])


def test_what_git_ignores_is_named(torchgen: Torchgen, tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / ".gitignore").write_text("/cls/\n", encoding="utf-8")
    done = torchgen("new", "cls")
    assert done.returncode == 0
    assert re.search(r"note: git ignores .* and \d+ more \(\.gitignore:1:/cls/\)", done.stderr)
    for command in (("set", "amp=bf16"), ("add", "serve", "--project")):
        refused = torchgen(*command, "cls")
        assert refused.returncode == 1 and "Traceback" not in refused.stderr
        assert "error: .copier-answers.yml is not in git" in refused.stderr


def test_a_new_repository_keeps_what_it_has(torchgen: Torchgen, tmp_path: Path, git: Git) -> None:
    own = {"README.md": "# Mine\n", "LICENSE": "MIT\n", ".gitignore": "*.o\n", ".gitattributes": ""}
    (tmp_path / "cls").mkdir()
    git(tmp_path / "cls", "init", "--quiet")
    for name, text in own.items():
        (tmp_path / "cls" / name).write_text(text, encoding="utf-8")
    done = torchgen("new", "cls", "--json")
    assert done.returncode == 0, done.stderr
    written = json.loads(done.stdout)
    assert {n: (tmp_path / "cls" / n).read_text(encoding="utf-8") for n in own} == own
    assert not own.keys() & set(written["files"]) and "cls/train.py" in written["files"]
    assert written["notes"][0] == ".gitignore and README.md stayed as in the repository"
    assert "/data/ /runs/" in written["notes"][1]
    again = torchgen("new", "cls")
    assert again.returncode == 1 and "is not empty" in again.stderr


@pytest.mark.parametrize("name", ["-x", "+1", "-"])
def test_the_next_commands_enter_a_folder_that_looks_like_a_flag(
    torchgen: Torchgen, tmp_path: Path, env: dict[str, str], template: Path, name: str
) -> None:
    done = torchgen("new", "--json", "--source", str(template), "--", name)
    assert done.returncode == 0, done.stderr
    enter = json.loads(done.stdout)["next"][0].partition(" && ")[0]
    entered = run("sh", "-c", f"{enter} && pwd", cwd=tmp_path, env=env).stdout.strip()
    assert Path(entered) == tmp_path / name


def test_no_git_makes_no_repository(torchgen: Torchgen, tmp_path: Path, template: Path) -> None:
    done = torchgen("new", "x", "--no-git", "--source", str(template))
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "x" / ".git").exists()
    assert "first commit" not in done.stdout


def test_without_git_installed_the_project_is_written_and_it_is_said(
    torchgen: Torchgen, tmp_path: Path
) -> None:
    done = torchgen("new", "x", env={"PATH": str(tmp_path / "nothing")})
    assert done.returncode == 0, done.stderr
    note = done.stderr.splitlines()[-1]
    assert note == "note: git is not installed, so no repository was created"
    assert (tmp_path / "x" / "pyproject.toml").exists()
    assert not (tmp_path / "x" / ".git").exists()


def test_without_an_identity_the_first_commit_alone_gets_a_fallback(
    torchgen: Torchgen, tmp_path: Path, template: Path, git: Git, env: dict[str, str]
) -> None:
    Path(env["GIT_CONFIG_GLOBAL"]).write_text("", encoding="utf-8")
    done = torchgen("new", "x", "--source", str(template))
    assert done.returncode == 0, done.stderr
    assert "so the first commit is by torchgen" in done.stderr
    assert git(tmp_path / "x", "log", "--format=%an <%ae>") == "torchgen <torchgen@localhost>"
    config = git(tmp_path / "x", "config", "--list", "--local")
    assert "user." not in config


def test_no_setting_of_the_users_git_breaks_the_first_commit(
    torchgen: Torchgen, tmp_path: Path, git: Git, env: dict[str, str]
) -> None:
    hooks, skeleton = tmp_path / "hooks", tmp_path / "skeleton"
    for folder in (hooks, skeleton / "hooks", skeleton / "info"):
        folder.mkdir(parents=True)
    for hook in (
        hooks / "pre-commit",
        hooks / "post-commit",
        hooks / "prepare-commit-msg",
        skeleton / "hooks" / "pre-commit",
    ):
        hook.write_text("#!/bin/sh\necho no >&2; exit 1\n", encoding="utf-8")
        hook.chmod(0o755)
    (skeleton / "info" / "exclude").write_text("*\n", encoding="utf-8")
    (tmp_path / "ignore").write_text("*.py\nREADME*\n", encoding="utf-8")
    (tmp_path / "attributes").write_text("* filter=gone\n", encoding="utf-8")
    with Path(env["GIT_CONFIG_GLOBAL"]).open("a", encoding="utf-8") as file:
        file.write(
            f"""
[core]
    hooksPath = {hooks}
    excludesFile = {tmp_path / "ignore"}
    attributesFile = {tmp_path / "attributes"}
    autocrlf = true
    safecrlf = true
[commit]
    cleanup = bogus
    gpgSign = true
    template = {tmp_path / "missing"}
[gpg]
    program = {tmp_path / "missing"}
[filter "gone"]
    clean = false
    required = true
[init]
    templateDir = {skeleton}
    defaultBranch = trunk
[status]
    showUntrackedFiles = no
"""
        )
    done = torchgen("new", "x", "--json", env={"GIT_DIR": str(tmp_path / "else")})
    assert done.returncode == 0, done.stderr
    project = tmp_path / "x"
    committed = git(project, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert sorted(committed) == json.loads(done.stdout)["files"]
    assert git(project, "branch", "--show-current") == "trunk"
    in_commit = git(project, "cat-file", "blob", "HEAD:pyproject.toml")
    assert in_commit == (project / "pyproject.toml").read_text(encoding="utf-8").strip()
    assert (project / ".git" / "hooks" / "pre-commit").exists()  # theirs, from now on
    assert not (tmp_path / "else").exists()


def test_the_users_defaults_for_other_templates_do_not_leak_in(
    torchgen: Torchgen, tmp_path: Path, env: dict[str, str]
) -> None:
    Path(env["COPIER_SETTINGS_PATH"]).write_text("defaults:\n  amp: fp16\n", encoding="utf-8")
    done = torchgen("new", "x", "--json")
    assert json.loads(done.stdout)["answers"]["amp"] == "off"


def test_a_template_that_fails_leaves_nothing(
    torchgen: Torchgen, tmp_path: Path, template: Path, git: Git
) -> None:
    (template / "template" / "z.txt.jinja").write_text("{{ undefined_name }}", encoding="utf-8")
    git(template, "add", "--all")
    git(template, "commit", "-qm", "broken")
    done = torchgen("new", "a/b/x", "--source", str(template))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"error: the template at {template}: 'undefined_name' is undefined"
    )
    assert [path.name for path in tmp_path.iterdir()] == [template.name]


def test_a_git_that_fails_leaves_nothing(
    torchgen: Torchgen, tmp_path: Path, env: dict[str, str]
) -> None:
    done = torchgen("new", "a/x", env={"GIT_AUTHOR_DATE": "never"})
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        1,
        "error: git commit failed (fatal: invalid date format: never); fix that, or use --no-git",
    )
    assert tree(tmp_path) == []
    Path(env["GIT_CONFIG_GLOBAL"]).write_text("[user\n", encoding="utf-8")
    done = torchgen("new", "a/x")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: git init failed (fatal: bad config line")
    assert tree(tmp_path) == []


@pytest.mark.parametrize("name", ["tmp", "new", "template-source"])
def test_no_folder_name_clashes_with_the_scratch_folder(
    torchgen: Torchgen, tmp_path: Path, name: str
) -> None:
    done = torchgen("new", name, "--json", "--no-git")
    assert done.returncode == 0, done.stderr
    written = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
    assert len(written) == len(json.loads(done.stdout)["files"])
    assert [path.name for path in tmp_path.iterdir()] == [name]
