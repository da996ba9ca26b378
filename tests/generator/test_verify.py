"""`torchgen verify`, with a tiny template whose extra `verify` says what it was run with."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from torchgen_cli.base.errors import UserError
from torchgen_cli.base.project import Project
from torchgen_cli.verify import copy_code, find_python

from .conftest import ROOT, Torchgen, commit, tree, write_tiny_template

Git = Callable[..., str]

PROOFS = """import json, os, sys
from pathlib import Path
from .. import train

print(json.dumps([str(Path(train.__file__)), os.getcwd(), train.AMP, sys.argv[1:]]))
sys.exit(int(sys.argv[-1]) if sys.argv[-1].isdigit() else 0)
"""
TEST = """import os
from {{ package_name }} import train

def test_the_toy() -> None:
    assert os.path.dirname(os.path.dirname(train.__file__)) == os.getcwd()
    assert train.AMP != "broken"
"""


@pytest.fixture
def project(tmp_path: Path, torchgen: Torchgen, git: Git) -> Path:
    """A project without the extra, whose train.py the user has edited."""
    source = write_tiny_template(tmp_path / "source")
    package = source / "template" / "{{package_name}}"
    (package / "verify").mkdir()
    (package / "verify" / "__init__.py").write_text("")
    (package / "verify" / "__main__.py").write_text(PROOFS)
    tests = source / "template" / "tests" / "machinery"
    tests.mkdir(parents=True)
    (tests / "test_toy.py.jinja").write_text(TEST)
    git(source, "init", "--quiet", "-b", "main")
    commit(source, git, "v1.0.0")
    target = tmp_path / "my-project"
    done = torchgen("new", str(target), "-y", "--source", str(source), "--extras", "none")
    assert done.returncode == 0, done.stderr
    (target / "my_project" / "train.py").write_text('AMP = "mine"\n')
    (target / "data").mkdir()
    (target / "data" / "image.png").write_text("an image")
    return target


def test_the_proofs_run_on_a_copy_with_the_user_s_edits(
    project: Path, tmp_path: Path, torchgen: Torchgen
) -> None:
    before = {name: (project / name).stat().st_mtime_ns for name in tree(project)}
    # an installed project is found there, too: it is the copy that counts
    env = {"PYTHONPATH": os.pathsep.join([str(ROOT / "generator"), str(project)])}
    done = torchgen(
        "verify", str(project), "--python", sys.executable, "--", "--amp", "bf16", env=env
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first, *rest = done.stdout.splitlines()
    file, folder, amp, arguments = json.loads(first)
    assert not Path(file).is_relative_to(project) and not Path(file).exists()
    assert (folder, amp, arguments) == (str(project), "mine", ["--amp", "bf16"])
    assert "1 passed" in done.stdout and rest[-1] == "my-project: all promises hold"
    assert {name: (project / name).stat().st_mtime_ns for name in tree(project)} == before


@pytest.mark.parametrize(
    ("amp", "flags", "code", "message"),
    [
        ("broken", [], 1, "BROKEN on the toy experiment, see above"),
        ("mine", ["1"], 1, "BROKEN on your experiment, see above"),
        ("broken", ["1"], 1, "BROKEN on your experiment and on the toy experiment"),
        ("mine", ["2"], 2, ""),
    ],
)
def test_the_exit_code_says_what_was_found(
    project: Path, torchgen: Torchgen, amp: str, flags: list[str], code: int, message: str
) -> None:
    (project / "my_project" / "train.py").write_text(f'AMP = "{amp}"\n')
    done = torchgen("verify", "--python", sys.executable, "--", *flags, cwd=project)
    assert done.returncode == code, done.stdout + done.stderr
    assert message in done.stdout
    assert ("toy" in done.stdout) == (code < 2), "flags that train refuses are told at once"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere is not a folder"),
        (["."], "no environment is active and .* has no .venv"),
        ([".", "--python", "no-such-python"], "--python no-such-python is not an interpreter"),
        ([".", "more"], "give one PATH"),
    ],
)
def test_a_wrong_call_has_an_exit_code_of_its_own(
    project: Path, torchgen: Torchgen, arguments: list[str], message: str
) -> None:
    none = {"VIRTUAL_ENV": "", "CONDA_PREFIX": ""}
    done = torchgen("verify", *arguments, cwd=project, env=none)
    assert done.returncode == 2
    assert re.search(message, done.stderr), done.stderr
    assert "Traceback" not in done.stderr


def test_an_older_project_is_told_to_update(
    project: Path, torchgen: Torchgen, git: Git, tmp_path: Path
) -> None:
    (tmp_path / "source" / "copier.yml").write_text(
        (tmp_path / "source" / "copier.yml").read_text().replace("verify", "proofs")
    )
    commit(tmp_path / "source", git, "v2.0.0")
    answers = project / ".copier-answers.yml"
    answers.write_text(answers.read_text().replace("v1.0.0", "v2.0.0"))
    done = torchgen("verify", "--python", sys.executable, cwd=project)
    assert done.returncode == 2 and "has no extra verify" in done.stderr


def test_the_interpreter_is_that_of_the_active_environment_or_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("active/bin", "conda/bin", "project/.venv/Scripts"):
        (tmp_path / name).mkdir(parents=True)
    files = {"active": "bin/python", "conda": "bin/python", "project": ".venv/Scripts/python.exe"}
    for folder, file in files.items():
        (tmp_path / folder / file).touch()
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "conda"))
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    project = tmp_path / "project"
    assert find_python(None, project) == str(tmp_path / "active" / "bin" / "python")
    monkeypatch.delenv("VIRTUAL_ENV")
    assert find_python(None, project) == str(tmp_path / "conda" / "bin" / "python")
    monkeypatch.delenv("CONDA_PREFIX")
    assert find_python(None, project) == str(project / ".venv" / "Scripts" / "python.exe")
    assert find_python(sys.executable, project) == sys.executable
    with pytest.raises(UserError, match="no environment is active"):
        find_python(None, tmp_path)


@pytest.mark.parametrize("in_git", [True, False])
def test_code_tests_and_settings_are_copied_and_nothing_else(
    tmp_path: Path, git: Git, in_git: bool
) -> None:
    root = tmp_path / "proj"
    kept = ["pyproject.toml", "proj/train.py", "proj/data/loader.py", "proj/classes.txt"]
    kept += ["tests/test_it.py", "tests/image.png", "configs/small.toml", "tools/mine.py"]
    left = ["data/train/a.png", "data/index.json", "runs/a/config.json", "images/b.png"]
    left += [".venv/lib/module.py", "env/lib/module.py", "ignored/module.py"]
    for name in kept + left:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (root / "weights.pt").write_bytes(b"0" * 10_000_001)
    (root / "env" / "pyvenv.cfg").touch()
    (root / "ignored" / "pyvenv.cfg").touch()
    if in_git:
        (root / ".gitignore").write_text("/.venv\n/env\n/ignored\n/data\n")
        git(root, "init", "--quiet")
        git(root, "add", "tests")
    copy_code(Project(root, {"project_name": "proj"}, "", ""), tmp_path / "copy")
    found = [p.relative_to(tmp_path / "copy").as_posix() for p in (tmp_path / "copy").rglob("*")]
    files = sorted(name for name in found if (tmp_path / "copy" / name).is_file())
    assert files == sorted(kept + [".gitignore"] * in_git)
