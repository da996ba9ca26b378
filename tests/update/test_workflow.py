"""The scheduled workflow of a project makes a branch and a pull request of what is new."""

import os
import sys
from pathlib import Path

import pytest
import yaml

from generator.conftest import ROOT, Done, run
from torchgen_cli.template.provenance import FIRST_NAME

from .world import FIX_AFTER, World, replace

ANSWERS = ".copier-answers.yml"
WORKFLOW = ".github/workflows/update.yml"
# takes the place of GitHub's own command, which needs its service: it writes down what it is given
GH = '#!/bin/sh\nprintf "%s\\n" "$@" >> "$HOME/asked"\ncat "$8" >> "$HOME/asked"\n'
BRANCH = "torchgen-v0.2.0"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="GitHub runs it on Linux")


class Forge:
    """A project with a remote, and the last step of its workflow."""

    def __init__(self, world: World, project: Path, folder: Path) -> None:
        self.world, self.project, self.home = world, project, folder / "home"
        programs = folder / "bin"
        for place in (self.home, programs):
            place.mkdir()
        (programs / "gh").write_text(GH)
        (programs / "gh").chmod(0o755)
        world.git(folder, "clone", "--quiet", "--bare", str(project), "remote.git")
        world.git(project, "remote", "add", "origin", str(folder / "remote.git"))
        torchgen = f'#!/bin/sh\nexec {sys.executable} -m torchgen_cli "$@"\n'
        (programs / "torchgen").write_text(torchgen)
        (programs / "torchgen").chmod(0o755)
        self.env = {
            **world.env,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "RUNNER_TEMP": str(self.home),
        }

    def run_workflow(self) -> Done:
        steps = yaml.safe_load((self.project / WORKFLOW).read_text())["jobs"]["update"]["steps"]
        script = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps[-1]["run"])
        return run(*script, cwd=self.project, env=self.env, check=False)

    def asked(self) -> str:
        """What a pull request was asked for with; empty if none was."""
        file = self.home / "asked"
        return file.read_text() if file.exists() else ""

    def show(self, file: str) -> str:
        """A file of the branch that was pushed."""
        return self.world.git(self.project, "show", f"origin/{BRANCH}:{file}")


@pytest.fixture
def forge(world: World, project: Path, tmp_path: Path) -> Forge:
    return Forge(world, project, tmp_path)


def test_what_is_new_becomes_a_pull_request_once(forge: Forge, world: World) -> None:
    done = forge.run_workflow()
    assert done.returncode == 0, done.stdout + done.stderr
    assert FIX_AFTER in forge.show("proj/loop.py")
    assert "Update the template to v0.2.0\n" in forge.asked()
    assert "Reads the loss more often" in forge.asked() and "--draft" not in forge.asked()
    (forge.home / "asked").unlink()
    world.git(forge.project, "switch", "--quiet", "main")
    again = forge.run_workflow()
    assert (again.returncode, forge.asked()) == (0, "")
    world.git(forge.project, "clean", "-dfq")
    world.git(forge.project, "switch", "--quiet", "--force", BRANCH)
    current = forge.run_workflow()
    assert (current.returncode, "up to date" in current.stdout, forge.asked()) == (0, True, "")


def test_conflicts_become_a_draft(forge: Forge, world: World) -> None:
    replace(forge.project / "proj/retired.py", "OLD_7 = 7\n", "OLD_7 = 'mine'\n")
    world.commit(forge.project)
    done = forge.run_workflow()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "conflicts to resolve" in forge.asked() and "--draft" in forge.asked()
    assert "OLD_7 = 'mine'" in forge.show("proj/retired.py")


def test_a_source_that_cannot_be_reached_fails_the_workflow(forge: Forge, world: World) -> None:
    answers = forge.project / ".copier-answers.yml"
    replace(answers, str(world.template), "/nowhere/at/all")
    world.commit(forge.project)
    done = forge.run_workflow()
    assert (done.returncode, forge.asked()) == (1, "")


@pytest.mark.parametrize(
    ("recorded", "variable", "installed"),
    [
        ("gh:acme/fork", "", "torchgen-cli @ git+https://github.com/acme/fork"),
        ("gl:acme/fork.git", "", "torchgen-cli @ git+https://gitlab.com/acme/fork.git"),
        ("git@host.org:acme/fork.git", "", "torchgen-cli @ git+ssh://git@host.org/acme/fork.git"),
        ("https://host.org/fork.git", "", "torchgen-cli @ git+https://host.org/fork.git"),
        ("git+https://host.org/fork", "", "torchgen-cli @ git+https://host.org/fork"),
        ("git+file:///srv/fork", "", "torchgen-cli @ git+file:///srv/fork"),
        ("/srv/a fork", "", "torchgen-cli @ git+file:///srv/a fork"),
        ("'/srv/fork'", "", "torchgen-cli @ git+file:///srv/fork"),
        (FIRST_NAME, "torchgen-cli==0.2.0", "torchgen-cli==0.2.0"),
        ("gh:acme/fork", "./wheels/torchgen.whl", "./wheels/torchgen.whl"),
    ],
)
def test_torchgen_is_installed_from_what_the_answers_record(
    tmp_path: Path, recorded: str, variable: str, installed: str
) -> None:
    text = (ROOT / "template" / WORKFLOW).read_text()
    steps = yaml.safe_load(text)["jobs"]["update"]["steps"]
    command = steps[-2]["run"].replace("pip install", "printf '%s\\n'")
    (tmp_path / ".copier-answers.yml").write_text(f"_commit: v1\n_src_path: {recorded}\n")
    env = {**os.environ, "TORCHGEN": variable}
    said = run("bash", "-eo", "pipefail", "-c", command, cwd=tmp_path, env=env).stdout
    assert said == f"{installed}\n"


def test_a_project_without_an_address_has_no_workflow_until_it_gets_one(
    world: World, project: Path, tmp_path: Path
) -> None:
    made = world.torchgen("new", "made", "--defaults", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert FIRST_NAME in (tmp_path / "made" / ANSWERS).read_text()
    assert not (tmp_path / "made" / WORKFLOW).exists()
    # one of the template with releases, which knows no address either
    replace(project / ANSWERS, str(world.template), FIRST_NAME)
    (project / WORKFLOW).unlink()
    world.commit(project)
    assert "torchgen update --source URL adds one" in world.torchgen("status", cwd=project).stdout
    source = ("--source", str(world.template), "--to", "v0.1.0")
    code, report = world.report("update", *source, cwd=project)
    assert (code, [file["path"] for file in report["files"]]) == (0, [ANSWERS, WORKFLOW])
    world.commit(project)
    code, report = world.report("update", *source, cwd=project)
    assert (code, report["files"]) == (0, [])
