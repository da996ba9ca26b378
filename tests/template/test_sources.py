"""From each kind of installation, plain `copier update` later brings the template's next commit."""

import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.conftest import Torchgen, commit, run
from torchgen_cli.template.provenance import FIRST_NAME, is_name, recordable

from .checkouts import Git, add_a_fix, editable, pip_git, wheel


def record_of(project: Path) -> dict[str, Any]:
    answers = yaml.safe_load((project / ".copier-answers.yml").read_text(encoding="utf-8"))
    return {key: answers.get(key) for key in ("_src_path", "_commit")}


def version_of(repository: Path, git: Git) -> str:
    return git(repository, "describe", "--tags", "--always")


def update(project: Path, env: dict[str, str]) -> None:
    command = (sys.executable, "-m", "copier", "update", "--defaults", "--quiet")
    run(*command, cwd=project, env=env)


def named(clone: Path) -> dict[str, str]:
    """The address of a checkout, as a user configures it."""
    return {"TORCHGEN_SOURCE": str(clone)}


@pytest.mark.parametrize(
    ("install", "tag"),
    [
        *((wheel, None), (editable, None)),
        pytest.param(wheel, "v0.1.0", marks=pytest.mark.scheduled),
        pytest.param(pip_git, "v0.1.0", marks=pytest.mark.scheduled),
    ],
)
def test_with_an_address_plain_copier_update_works_whatever_the_installation(
    torchgen: Torchgen,
    clone: Path,
    git: Git,
    env: dict[str, str],
    install: Callable[[Path, dict[str, str]], dict[str, str]],
    tag: str | None,
) -> None:
    if tag:
        git(clone, "tag", tag)
    installed = install(clone, env) | named(clone)
    done = torchgen("new", "proj", "--json", "--amp", "bf16", env=installed)
    assert (done.returncode, done.stderr) == (0, "")
    project = clone.parent / "proj"
    described = version_of(clone, git)
    assert record_of(project) == {"_src_path": str(clone), "_commit": described}
    result = json.loads(done.stdout)
    assert result["template"] == {"source": str(clone), "version": described}

    update(project, env)
    assert git(project, "status", "--porcelain") == ""  # nothing new: an empty diff

    add_a_fix(clone, git, "v0.2.0" if tag else None)
    update(project, env)
    assert (project / "FIX.md").read_text(encoding="utf-8") == "fixed\n"
    changed = git(project, "status", "--porcelain").splitlines()
    assert sorted(line.split()[1] for line in changed) == [".copier-answers.yml", "FIX.md"]
    recorded = record_of(project)["_commit"]  # by Copier, which abbreviates any commit
    assert git(clone, "rev-parse", f"{recorded}^{{commit}}") == git(clone, "rev-parse", "HEAD")
    assert "bf16" in (project / "proj" / "train.py").read_text(encoding="utf-8")


def test_a_later_commit_in_the_clone_does_not_change_what_its_wheel_records(
    torchgen: Torchgen, clone: Path, git: Git, env: dict[str, str]
) -> None:
    installed = wheel(clone, env) | named(clone)
    built_from = version_of(clone, git)
    add_a_fix(clone, git)
    done = torchgen("new", "proj", env=installed)
    assert done.returncode == 0, done.stderr
    project = clone.parent / "proj"
    assert record_of(project)["_commit"] == built_from
    assert not (project / "FIX.md").exists()
    update(project, env)
    assert (project / "FIX.md").exists()


def test_from_an_untagged_commit_the_next_tag_arrives(
    torchgen: Torchgen, clone: Path, git: Git, env: dict[str, str]
) -> None:
    git(clone, "tag", "v0.1.0")
    (clone / "template" / "MORE.md").write_text("more\n", encoding="utf-8")
    commit(clone, git)
    torchgen("new", "proj", env=editable(clone, env) | named(clone))
    project = clone.parent / "proj"
    assert str(record_of(project)["_commit"]).startswith("v0.1.0-1-g")
    add_a_fix(clone, git, "v0.2.0")
    update(project, env)
    assert (project / "FIX.md").exists()
    assert record_of(project)["_commit"] == "v0.2.0"


@pytest.mark.parametrize("install", [wheel, editable])
def test_changes_that_are_not_committed_are_rendered_and_warned_of(
    torchgen: Torchgen,
    clone: Path,
    git: Git,
    env: dict[str, str],
    install: Callable[[Path, dict[str, str]], dict[str, str]],
) -> None:
    (clone / "template" / "DRAFT.md").write_text("draft\n", encoding="utf-8")
    head = version_of(clone, git)
    done = torchgen("new", "proj", "--json", env=install(clone, env) | named(clone))
    assert done.returncode == 0
    assert done.stderr == (
        f"warning: the template has uncommitted changes; the project records {head}, the last "
        "commit, so a later update treats the changes as your own edits\n"
    )
    assert json.loads(done.stdout)["template"]["version"] == head
    assert (clone.parent / "proj" / "DRAFT.md").exists()
    update(clone.parent / "proj", env)


@pytest.mark.parametrize("origin", ["https://ada:secret@git.example.org/torchgen.git", "../x.git"])
def test_without_an_address_a_name_is_recorded_and_no_origin(
    torchgen: Torchgen, clone: Path, git: Git, env: dict[str, str], origin: str
) -> None:
    git(clone, "remote", "add", "origin", origin)
    head = version_of(clone, git)
    for number, install in enumerate((wheel, editable)):
        done = torchgen("new", f"proj{number}", env=install(clone, env))
        assert (done.returncode, done.stderr) == (0, "")
        record = record_of(clone.parent / f"proj{number}")
        assert record == {"_src_path": FIRST_NAME, "_commit": head}


@pytest.mark.parametrize("tag", [None, pytest.param("v0.1.0", marks=pytest.mark.scheduled)])
def test_plain_copier_then_needs_what_torchgen_source_writes(
    torchgen: Torchgen, clone: Path, git: Git, env: dict[str, str], tag: str | None
) -> None:
    if tag:
        git(clone, "tag", tag)
    torchgen("new", "proj", env=wheel(clone, env))
    add_a_fix(clone, git, "v0.2.0" if tag else None)
    for left in ("dist", "../site"):
        shutil.rmtree(clone / left)
    installed = wheel(clone, env) if tag else editable(clone, env)
    done = torchgen("source", "releases", env=installed)
    newest = version_of(clone, git)
    assert done.stdout.splitlines()[0] == (
        f"Wrote {newest} and the releases before it to {clone.parent / 'releases'}."
    )
    tell = shlex.split(done.stdout.splitlines()[-1])
    run(*tell, cwd=clone.parent, env=(writable := {**env, "GIT_CONFIG_GLOBAL": str(clone / "c")}))
    clone.rename(clone.parent / "gone")
    writable["GIT_CONFIG_GLOBAL"] = str(clone.parent / "gone/c")
    project = clone.parent / "proj"
    update(project, writable)
    assert (project / "FIX.md").exists()
    assert record_of(project) == {"_src_path": FIRST_NAME, "_commit": newest}
    refused = torchgen("source", "releases", env=installed)
    assert (refused.returncode, "is not empty" in refused.stderr) == (1, True)


def test_an_sdist_carries_the_template_and_its_commit(
    torchgen: Torchgen, clone: Path, git: Git, env: dict[str, str]
) -> None:
    head = version_of(clone, git)
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", cwd=clone, env=env)
    [archive] = (clone / "dist").glob("*.tar.gz")
    shutil.unpack_archive(archive, clone.parent, filter="data")
    unpacked = clone.parent / archive.name.removesuffix(".tar.gz")
    done = torchgen("new", "proj", env=wheel(unpacked, env))
    assert (done.returncode, done.stderr) == (0, "")
    assert record_of(clone.parent / "proj") == {"_src_path": FIRST_NAME, "_commit": head}


@pytest.mark.parametrize("release", [r"\d{7}", r"\d{6}[abc]|\d{5}[abc]\d"])
def test_a_commit_named_as_a_release_is_recorded_by_its_whole_hash(
    torchgen: Torchgen, clone: Path, git: Git, env: dict[str, str], release: str
) -> None:
    number = 0
    while not re.fullmatch(release, version_of(clone, git)):  # one in 27, one in 45
        git(clone, "commit", "--quiet", "--amend", "--message", f"{(number := number + 1)}")
    installed = editable(clone, env) | named(clone)
    assert torchgen("new", "proj", env=installed).returncode == 0
    whole = git(clone, "rev-parse", "HEAD")
    assert record_of(clone.parent / "proj") == {"_src_path": str(clone), "_commit": whole}
    add_a_fix(clone, git)
    update(clone.parent / "proj", env)
    assert (clone.parent / "proj" / "FIX.md").exists()


def test_without_a_repository_the_version_and_a_hash_are_recorded(
    torchgen: Torchgen, clone: Path, env: dict[str, str]
) -> None:
    shutil.rmtree(clone / ".git")
    done = torchgen("new", "proj", env=editable(clone, env))
    assert (done.returncode, done.stderr) == (0, "")
    record = record_of(clone.parent / "proj")
    assert record["_src_path"] == FIRST_NAME
    assert re.fullmatch(r"v0\.1\.0\+[0-9a-f]{8}", record["_commit"])


def test_from_an_index_the_canonical_address_is_recorded(
    torchgen: Torchgen, clone: Path, git: Git, env: dict[str, str]
) -> None:
    project = clone / "pyproject.toml"
    real = project.read_text(encoding="utf-8").replace("torchgen.invalid", "git.example.org")
    project.write_text(real, encoding="utf-8")
    commit(clone, git, "v0.1.0")
    done = torchgen("new", "proj", env=wheel(clone, env))
    assert (done.returncode, done.stderr) == (0, "")
    canonical_record = {
        "_src_path": "https://git.example.org/torchgen-cli.git",
        "_commit": "v0.1.0",
    }
    assert record_of(clone.parent / "proj") == canonical_record
    # As for a user who has that address: a mirror in its place, without network.
    add_a_fix(clone, git, "v0.2.0")
    mirror = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{clone}.insteadOf",
        "GIT_CONFIG_VALUE_0": canonical_record["_src_path"],
    }
    update(clone.parent / "proj", {**env, **mirror})
    assert record_of(clone.parent / "proj") == {**canonical_record, "_commit": "v0.2.0"}


def test_another_template_by_source_updates_as_well(
    torchgen: Torchgen, template: Path, git: Git, env: dict[str, str]
) -> None:
    done = torchgen("new", "proj", "--source", template.name)
    assert done.returncode == 0, done.stderr
    project = template.parent / "proj"
    head = version_of(template, git)
    assert record_of(project) == {"_src_path": str(template), "_commit": head}
    add_a_fix(template, git)
    update(project, env)
    assert (project / "FIX.md").exists()


@pytest.mark.parametrize(
    ("name", "prefix"), [("bare é 100%.git", "file://"), ("a bare one", "git+file://")]
)
def test_a_bare_repository_on_this_disk_updates_as_well(
    torchgen: Torchgen, template: Path, git: Git, env: dict[str, str], name: str, prefix: str
) -> None:
    here = template.parent
    git(here, "clone", "--quiet", "--bare", str(template), name)
    done = torchgen("new", "proj", "--source", f"./{name}")
    assert (done.returncode, done.stderr) == (0, "")
    recorded = record_of(here / "proj")["_src_path"]
    assert recorded == prefix + (here / name).as_uri().removeprefix("file://")
    assert recordable(recorded, Path("/")) == recorded
    add_a_fix(template, git)
    git(template, "push", "--quiet", str(here / name), "main")
    assert torchgen("update", "proj", "--check").returncode == 4
    update(here / "proj", env)
    assert (here / "proj" / "FIX.md").exists()
    git(here / "proj", "add", "--all")
    git(here / "proj", "commit", "--quiet", "-m", "updated")
    assert torchgen("update", "proj").stdout.startswith("up to date")


def test_of_a_changed_source_what_is_committed_is_taken(
    torchgen: Torchgen, template: Path, git: Git, env: dict[str, str]
) -> None:
    (template / "template" / "DRAFT.md").write_text("draft\n", encoding="utf-8")
    done = torchgen("new", "proj", "--source", str(template))
    assert (done.returncode, done.stderr) == (
        0,
        f"warning: {template} has uncommitted changes, which are ignored: only commits are used\n",
    )
    project = template.parent / "proj"
    assert not (project / "DRAFT.md").exists()
    commit(template, git)
    update(project, env)
    assert (project / "DRAFT.md").exists()


def test_a_password_in_the_source_is_used_but_not_recorded(
    torchgen: Torchgen, template: Path, env: dict[str, str]
) -> None:
    url = "https://ada:secret@git.example.org/fork.git"
    mirror = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{template}.insteadOf",
        "GIT_CONFIG_VALUE_0": url,
    }
    done = torchgen("new", "proj", "--source", url, env=mirror)
    assert done.returncode == 0, done.stderr
    assert record_of(template.parent / "proj")["_src_path"] == "https://git.example.org/fork.git"
    everything = "".join(
        file.read_text(encoding="utf-8", errors="replace")
        for file in (template.parent / "proj").rglob("*")
        if file.is_file()
    )
    assert "secret" not in everything + done.stdout + done.stderr


@pytest.mark.parametrize(
    ("url", "recorded"),
    [
        ("https://github.com/a/b", "https://github.com/a/b"),
        ("https://git.example.org/a/b", "git+https://git.example.org/a/b"),
        ("https://git.example.org/a/b.git", "https://git.example.org/a/b.git"),
        ("https://u:p@git.example.org:8443/b.git", "https://git.example.org:8443/b.git"),
        ("git+https://token@git.example.org/b", "git+https://git.example.org/b"),
        ("ssh://git:p@git.example.org/b", "git+ssh://git@git.example.org/b"),
        ("git@git.example.org:a/b", "git@git.example.org:a/b"),
        ("ada@git.example.org:a/b", "git+ada@git.example.org:a/b"),
        ("gh:a/b", "gh:a/b"),
        ("file:///srv/a%20b", "/srv/a b"),
        ("../b", "/base/b"),
        ("/srv/b.git", "/srv/b.git"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths")
def test_addresses_are_recorded_as_copier_can_use_them(url: str, recorded: str) -> None:
    assert recordable(url, Path("/base/a")) == recorded


def test_an_address_that_nobody_can_own_is_a_name() -> None:
    assert is_name(FIRST_NAME) and is_name("git+https://invalid/x.git")
    assert not is_name("https://github.com/a/b") and not is_name("git@host:a/b")
