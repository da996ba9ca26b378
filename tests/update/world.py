"""A template with two releases, projects made at the first, and the commands that update them."""

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator import conftest
from generator.conftest import ROOT, Done, run
from torchgen_cli.template import numbers
from warm import GENERATOR, python_for

PACKAGE = "template/{{package_name}}"
LOGO = bytes(range(256))
RETIRED = "".join(f"OLD_{number} = {number}\n" for number in range(20))
MOVED = "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(9))
FIX_BEFORE, FIX_AFTER = "READ_EVERY = 20 ", "READ_EVERY = 10 "  # of every project
# in a block that only projects with a logger have
BLOCK_BEFORE = "        if trainer.ended():\n"
BLOCK_AFTER = "        if config.epochs == progress.epoch:\n"
# a file of these releases alone, with what they change, so that no edit of the template matters
LOOP = f'''"""A loop that this template's releases change."""

import torch

{FIX_BEFORE} # steps between two readings of the loss


def main(config, trainer):
    """Train to the end."""
    headroom = Headroom()
    progress = trainer.progress
    for batch in trainer.batches():
        trainer.step(batch)
        headroom.add(batch)
        if progress.step % READ_EVERY == 0:
            trainer.read()
            print(f"loss {{trainer.loss:.3f}}, {{headroom}}")
    metrics = trainer.evaluate()
    progress.epoch += 1
    {{% if logger != "none" %}}
    with torch.no_grad():
        trainer.totals = Totals()
        headroom.close()
        trainer.log(metrics)
        trainer.save()
{BLOCK_BEFORE}            trainer.tracker.finish(metrics)
    {{% endif %}}
    return 0


class Headroom:
    """How long the loop waits for data."""

    def __init__(self):
        self.batches = 0

    def add(self, batch):
        self.batches += len(batch)

    def close(self):
        self.batches = 0


class Totals:
    """Sums over an epoch."""

    loss = 0.0
'''


def environment(home: Path) -> dict[str, str]:
    """A git identity, an empty home, this checkout's torchgen, and a Python without pytest.

    Listing the tests costs two seconds, so only the tests about that have an environment for it.
    """
    home.mkdir()
    run(sys.executable, "-m", "venv", "--without-pip", "bare", cwd=home, env=os.environ)
    bare = {"VIRTUAL_ENV": str(home / "bare"), "OMP_NUM_THREADS": "1"}
    return {**conftest.environment(home), **bare}


def replace(file: Path, before: str, after: str) -> None:
    """Replace text that is there, once; line ends stay."""
    content = file.read_bytes().decode()
    assert content.count(before) == 1, f"{file.name} has {before!r} {content.count(before)} times"
    file.write_bytes(content.replace(before, after).encode())


@dataclass(frozen=True)
class World:
    """A folder with the template's repository, and what is made from it."""

    folder: Path
    env: Mapping[str, str]

    @property
    def template(self) -> Path:
        return self.folder / "template"

    def git(self, folder: Path, *arguments: str) -> str:
        return run("git", *arguments, cwd=folder, env=self.env).stdout.strip("\n")

    def commit(self, folder: Path, message: str = "a commit", tag: str | None = None) -> None:
        self.git(folder, "add", "--all")
        self.git(folder, "commit", "--quiet", "--message", message)
        if tag:
            self.git(folder, "tag", tag)

    def torchgen(self, *arguments: str, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
        python = python_for(self.env, GENERATOR) if env is None else sys.executable
        command = (python, "-m", "torchgen_cli", *arguments)
        return run(*command, cwd=cwd, env={**self.env, **(env or {})}, check=False)

    def write_first_release(self) -> None:
        """The template as it stands in this checkout, and four files that will not stay so."""
        junk = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "template", self.template / "template", ignore=junk)
        shutil.copy(ROOT / "copier.yml", self.template)
        package = self.template / PACKAGE
        (package / "loop.py.jinja").write_text(LOOP, encoding="utf-8")
        (package / "retired.py").write_text(RETIRED, encoding="utf-8")
        (package / "moved.py").write_text(MOVED, encoding="utf-8")
        (package / "logo.bin").write_bytes(LOGO)
        (self.template / "tests/matrix").mkdir(parents=True)
        shutil.copy(ROOT / numbers.FILE, self.template / numbers.FILE)
        changelog = "# Changelog\n\n## 0.1.0\n\n- The first release.\n"
        (self.template / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
        self.git(self.template, "init", "--quiet", "-b", "main")
        self.commit(self.template, tag="v0.1.0")

    def write_second_release(self) -> None:
        """Fixes; a file that is new, one that is dropped, one that is moved, one that is binary."""
        package = self.template / PACKAGE
        replace(package / "loop.py.jinja", FIX_BEFORE, FIX_AFTER)
        replace(package / "loop.py.jinja", BLOCK_BEFORE, BLOCK_AFTER)
        (package / "fresh.py").write_text("FRESH = True\n", encoding="utf-8")
        (package / "retired.py").unlink()
        (package / "moved.py").rename(package / "arrived.py")
        (package / "logo.bin").write_bytes(LOGO[::-1])
        golden = self.template / numbers.FILE
        recorded = json.loads(golden.read_bytes())
        recorded["numbers"]["single-off"][0]["loss"] *= 1.25
        golden.write_text(json.dumps(recorded), encoding="utf-8")
        changelog = self.template / "CHANGELOG.md"
        entries = "- Reads the loss\n  more often.\n- Numbers: it rounds\n  up, in loop.py.\n\n"
        replace(changelog, "## 0.1.0", f"## 0.2.0\n\n{entries}## 0.1.0")
        self.commit(self.template, tag="v0.2.0")

    def new(self, project: Path, *flags: str) -> Path:
        """A project of the template's present state."""
        project.parent.mkdir(parents=True, exist_ok=True)
        command = ("new", str(project), "--defaults", "--source", str(self.template), *flags)
        done = self.torchgen(*command, cwd=project.parent)
        assert done.returncode == 0, done.stderr
        return project

    def report(self, *arguments: str, cwd: Path) -> tuple[int, dict[str, Any]]:
        """The exit code and the JSON of a command."""
        done = self.torchgen(*arguments, "--json", cwd=cwd)
        assert done.returncode in {0, 3, 4}, done.stderr
        assert done.stderr == ""
        return done.returncode, json.loads(done.stdout)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below, but git's own."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def all_files(folder: Path) -> list[str]:
    """The names of everything below, git's own folder included but for its objects and logs."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    return sorted(name for name in names if not name.startswith((".git/objects", ".git/logs")))


def kinds(report: dict[str, Any]) -> dict[str, str]:
    """Of each file in a report what becomes of it."""
    return {change["path"]: change["kind"] for change in report["files"]}
