"""Projects that are older than a question take newer templates all the same."""

import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from generator.conftest import ROOT, run

from .world import FIX_AFTER, FIX_BEFORE, LOOP, PACKAGE, World, replace

QUESTION = re.compile(r"^extras(_needs)?:\n(?:  .*\n)+", re.MULTILINE)
RECORD = ".copier-answers.yml"


@pytest.fixture
def older(world: World, tmp_path: Path) -> World:
    """A template from before the question `extras`, and the release that asks it."""
    old = World(tmp_path, world.env)
    shutil.copytree(ROOT / "template", old.template / "template")
    config = (ROOT / "copier.yml").read_text(encoding="utf-8")
    assert len(QUESTION.findall(config)) == 2
    (old.template / "copier.yml").write_text(QUESTION.sub("", config), encoding="utf-8")
    for path in (old.template / "template").rglob("*.jinja"):
        if "extras" in (text := path.read_text(encoding="utf-8")):
            path.write_text(f"{{% set extras = [] %}}\n{text}", encoding="utf-8")
    (old.template / PACKAGE / "loop.py.jinja").write_text(LOOP, encoding="utf-8")
    old.git(old.template, "init", "--quiet", "-b", "main")
    old.commit(old.template, tag="v0.1.0")
    return old


def test_plain_copier_updates_a_project_from_before_the_question_of_extras(older: World) -> None:
    project = older.folder / "proj"
    copier = (sys.executable, "-m", "copier")
    copy = ("copy", "--defaults", "--quiet", str(older.template), str(project))
    run(*copier, *copy, cwd=older.folder, env=older.env)
    assert "extras" not in yaml.safe_load((project / RECORD).read_text(encoding="utf-8"))
    replace(project / "proj/loop.py", "def main(", "LIMIT = 3\n\n\ndef main(")
    own = project / "proj/serve/mine.py"  # in a folder that an extra would have
    own.parent.mkdir()
    own.write_text("MINE = True\n", encoding="utf-8")
    older.git(project, "init", "--quiet")
    older.commit(project)

    shutil.rmtree(older.template / "template")
    shutil.copytree(ROOT / "template", older.template / "template")
    shutil.copy(ROOT / "copier.yml", older.template)
    fixed = LOOP.replace(FIX_BEFORE, FIX_AFTER)
    (older.template / PACKAGE / "loop.py.jinja").write_text(fixed, encoding="utf-8")
    older.commit(older.template, tag="v0.2.0")
    run(*copier, "update", "--defaults", "--quiet", cwd=project, env=older.env)
    answers = yaml.safe_load((project / RECORD).read_text(encoding="utf-8"))
    assert (answers["_commit"], answers["extras"]) == ("v0.2.0", ["report"])
    changed = older.git(project, "status", "--porcelain").split("\n")
    assert {RECORD, "proj/loop.py"} <= {line.split()[-1] for line in changed}
    assert [line for line in changed if line.startswith("U") or line.endswith(".rej")] == []
    train = (project / "proj/loop.py").read_text(encoding="utf-8")
    assert "LIMIT = 3" in train and FIX_AFTER in train
    assert own.read_text(encoding="utf-8") == "MINE = True\n"
