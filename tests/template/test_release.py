"""A release is checked before it is tagged, and listed after."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from generator.conftest import ROOT, Done, commit, run

from .checkouts import Git


def release(checkout: Path, env: dict[str, str], *arguments: str) -> Done:
    return run(
        sys.executable, "generator/release.py", *arguments, cwd=checkout, env=env, check=False
    )


def replace(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


@pytest.fixture
def checkout(clone: Path, git: Git) -> Path:
    """A checkout of a version that is not finished."""
    (clone / "tests/matrix").mkdir(parents=True)
    for name in ("CHANGELOG.md", "releases.json", "tests/matrix/golden.json"):
        shutil.copy(ROOT / name, clone / name)
    (clone / "releases.json").write_text("[]\n", encoding="utf-8")
    first = "# Changelog\n\n## 0.1.0 (unreleased)\n\n- All of it.\n"
    (clone / "CHANGELOG.md").write_text(first, encoding="utf-8")
    pyproject = clone / "pyproject.toml"
    text = re.sub(r'^version = ".*"$', 'version = "0.1.0"', pyproject.read_text(), flags=re.M)
    address = 'Repository = "https://torchgen.invalid/torchgen-cli.git"'
    pyproject.write_text(re.sub("^Repository = .*$", address, text, flags=re.M))
    commit(clone, git)
    return clone


@pytest.fixture
def ready(checkout: Path, git: Git) -> Path:
    """A checkout with all that a release needs."""
    replace(checkout / "CHANGELOG.md", "(unreleased)", "(2026-12-01)")
    commit(checkout, git)
    return checkout


def test_a_release_is_tagged_and_listed_and_the_next_one_checked_against_it(
    ready: Path, env: dict[str, str], git: Git
) -> None:
    done = release(ready, env, "v0.1.0", "--tag")
    assert done.returncode == 0, done.stderr
    assert "note: [project.urls] Repository in pyproject.toml is a placeholder" in done.stdout
    assert "releases/v0.1.0.bundle" in git(ready, "show", "--stat", "v0.1.0")
    tagged = git(ready, "rev-parse", "v0.1.0^{commit}")
    listed = json.loads((ready / "releases.json").read_text(encoding="utf-8"))
    assert listed[-1] == {"version": "v0.1.0", "commit": tagged}
    assert git(ready, "status", "--porcelain") == ""
    again = release(ready, env, "v0.1.0", "--tag")
    assert (again.returncode, "v0.1.0 was released already" in again.stderr) == (1, True)

    replace(ready / "pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"')
    section = "# Changelog\n\n## 0.2.0 (2026-12-02)\n\n- Another thing.\n"
    replace(ready / "CHANGELOG.md", "# Changelog\n", section)
    golden = ready / "tests/matrix/golden.json"
    numbers = json.loads(golden.read_text(encoding="utf-8"))
    numbers["numbers"]["ddp-off"][0]["loss"] += 1
    golden.write_text(json.dumps(numbers), encoding="utf-8")
    commit(ready, git)
    refused = release(ready, env, "v0.2.0")
    assert (refused.returncode, refused.stderr.count("\n- ")) == (1, 0), refused.stderr
    assert "no entry of CHANGELOG.md begins with 'Numbers:'" in refused.stderr
    replace(ready / "CHANGELOG.md", "- Another thing.\n", "- Numbers: another mean.\n")
    commit(ready, git)
    assert release(ready, env, "v0.2.0").returncode == 0


def test_all_that_stands_in_the_way_is_said_at_once(
    checkout: Path, env: dict[str, str], git: Git
) -> None:
    (checkout / "template/LEFT_OVER.md").write_text("not committed\n", encoding="utf-8")
    done = release(checkout, env, "v0.3.0", "--tag")
    assert done.returncode == 1
    for words in (
        "version 0.1.0, not 0.3.0",
        "there are uncommitted changes",
        "no section '## 0.3.0 (YYYY-MM-DD)'",
        "template/LEFT_OVER.md in the wheel differs from the commit",
    ):
        assert words in done.stderr
    assert git(checkout, "tag") == ""


def test_a_version_is_three_numbers(checkout: Path, env: dict[str, str]) -> None:
    assert release(checkout, env, "0.1").returncode == 2
