"""What an update says before and after, which version it takes, when there is nothing to do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .world import FIX_AFTER, World, all_files, contents, kinds, replace

NOTHING = "up to date: v0.2.0; nothing was changed"


def test_the_report_names_versions_changes_and_every_file(world: World, project: Path) -> None:
    replace(project / "proj/retired.py", "OLD_7 = 7\n", "OLD_7 = 'mine'\n")
    world.commit(project)
    (project / "proj/__pycache__").mkdir()  # ignored by git, so no change
    done = world.torchgen("update", "--dry-run", cwd=project)
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout == (
        "template  v0.1.0 -> v0.2.0\n\n0.2.0\n  - Reads the loss more often.\n"
        "  - Numbers: it rounds up, in loop.py.\n\n"
        "numbers   changed: the losses of a short single-off run differ by up to 2e-01\n"
        "  - it rounds up, in loop.py.\n"
        "  To keep the old ones: let current runs finish before you update, as a resumed\n"
        "  run continues with the new ones; or update, and `git checkout HEAD --` the\n"
        "  files that the entry names.\n\n"
        "changed   .copier-answers.yml\n"
        "new       proj/arrived.py\n"
        "new       proj/fresh.py\n"
        "changed   proj/logo.bin\n"
        "changed   proj/loop.py\n"
        "conflict  proj/retired.py\n"
        "removed   proj/moved.py\n\n"
        "3 changed, 2 new, 1 conflict, 1 removed; nothing was written\n\n"
        "conflict proj/retired.py: the template deleted it, but you changed it, so it is still "
        "there; to keep it: git add proj/retired.py; to delete it: git rm proj/retired.py\n\n"
        "The changed files compile.\n"
    )
    code, report = world.report("update", cwd=project)
    assert code == 3
    assert report["template"] == {
        "source": str(world.template),
        "old": "v0.1.0",
        "new": "v0.2.0",
    }
    assert list(report["changelog"]) == ["0.2.0"]
    assert report["numbers"]["verdict"] == "changed"
    assert report["check"]["compiles"] is True


def test_after_it_the_files_are_compiled_and_the_tests_collected(
    world: World, project: Path
) -> None:
    before = set(all_files(project))
    done = world.torchgen("update", cwd=project, env={"VIRTUAL_ENV": sys.prefix})
    assert done.returncode == 0, done.stderr
    assert "The changed files compile.\npytest collects " in done.stdout
    new = set(all_files(project)) - before
    assert new == {"proj/arrived.py", "proj/fresh.py"}  # no cache, nothing in .git


def test_what_the_check_finds_is_said(own_world: World, project: Path) -> None:
    broken = own_world.template / "template/{{package_name}}/fresh.py"
    broken.write_text("def (:\n", encoding="utf-8")
    tests = own_world.template / "template/tests/test_fresh.py"
    tests.write_text("import no_such_module\n", encoding="utf-8")
    own_world.commit(own_world.template, tag="v0.3.0")
    source = ("--source", str(own_world.template))
    environment = {"VIRTUAL_ENV": sys.prefix}
    done = own_world.torchgen("update", *source, cwd=project, env=environment)
    assert done.returncode == 0
    assert "does not compile: proj/fresh.py:1: invalid syntax" in done.stdout
    assert "cannot collect the tests: ModuleNotFoundError: No module named 'no_" in done.stdout


def test_a_project_just_written_has_nothing_to_update(world: World, tmp_path: Path) -> None:
    project = world.new(tmp_path / "proj", "--amp", "bf16", "--description", "off")
    before = contents(project)
    code, report = world.report("update", cwd=project)
    assert (code, report["message"], report["files"]) == (0, NOTHING, [])
    assert contents(project) == before
    assert world.git(project, "status", "--porcelain") == ""
    done = world.torchgen("update", cwd=project)
    assert (done.returncode, done.stdout) == (0, NOTHING + "\n")


def test_check_has_news_until_the_update_is_made(world: World, project: Path) -> None:
    (project / "proj/loop.py").write_text("not committed\n", encoding="utf-8")  # does not matter
    before = all_files(project)
    code, news = world.report("update", "--check", cwd=project)
    assert (code, news["current"], news["latest"], news["news"]) == (4, "v0.1.0", "v0.2.0", True)
    assert news["changelog"]["0.2.0"][0] == "Reads the loss more often."
    assert news["numbers"]["verdict"] == "changed"
    assert all_files(project) == before
    world.git(project, "restore", ".")
    world.report("update", cwd=project)
    code, news = world.report("update", "--check", cwd=project)
    assert (code, news["news"]) == (0, False)


def test_the_committed_list_stands_in_for_tags(own_world: World, project: Path) -> None:
    """As in a fork, to which a push took no tags."""
    template = own_world.template
    tags = ("v0.1.0", "v0.2.0")
    releases = [
        {"version": tag, "commit": own_world.git(template, "rev-parse", f"{tag}^{{commit}}")}
        for tag in tags
    ]
    own_world.git(template, "tag", "--delete", *tags)
    source = ("--source", str(template))
    refused = own_world.torchgen("update", *source, cwd=project)
    assert (refused.returncode, "no version v0.1.0" in refused.stderr) == (1, True)
    (template / "releases.json").write_text(json.dumps(releases), encoding="utf-8")
    (template / "template/LATER.md").write_text("not released\n", encoding="utf-8")
    own_world.commit(template)
    code, report = own_world.report("update", *source, cwd=project)
    assert (code, report["template"]["new"]) == (0, "v0.2.0")
    assert not (project / "LATER.md").exists()


@pytest.mark.parametrize("text", ["{", "[1]", '[{"version": "v0.2.0"}]', "7"])
def test_a_list_that_cannot_be_read_is_said(own_world: World, project: Path, text: str) -> None:
    (own_world.template / "releases.json").write_text(text, encoding="utf-8")
    own_world.commit(own_world.template)
    done = own_world.torchgen("update", "--source", str(own_world.template), cwd=project)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "releases.json of " in done.stderr


def test_to_a_version_and_on(own_world: World, project: Path) -> None:
    source = ("--source", str(own_world.template))
    (own_world.template / "template/LATER.md").write_text("later\n", encoding="utf-8")
    own_world.commit(own_world.template, tag="v0.3.0")
    for version in ("0.2.0", "v0.2.0"):
        code, report = own_world.report("update", *source, "--to", version, cwd=project)
        assert (code, report["template"]["new"]) == (0, "v0.2.0")
        own_world.git(project, "checkout", "HEAD", "--", ".")
        own_world.git(project, "clean", "-fdq")
    code, report = own_world.report("update", *source, cwd=project)
    assert (code, report["template"]["new"]) == (0, "v0.3.0")
    assert (project / "LATER.md").exists()
    record = (project / ".copier-answers.yml").read_text(encoding="utf-8")
    assert f"_src_path: {own_world.template}\n" in record  # the repository moved, for good
    assert "_commit: v0.3.0\n" in record


def test_without_tags_the_next_commit_arrives(own_world: World, tmp_path: Path) -> None:
    own_world.git(own_world.template, "tag", "--delete", "v0.1.0", "v0.2.0")
    own_world.git(own_world.template, "checkout", "--quiet", "-B", "main", "HEAD^")
    project = own_world.new(tmp_path / "proj")
    own_world.write_second_release()
    own_world.git(own_world.template, "tag", "--delete", "v0.2.0")
    code, report = own_world.report("update", cwd=project)
    described = own_world.git(own_world.template, "describe", "--always")
    assert (code, report["template"]["new"]) == (0, described)
    assert FIX_AFTER in (project / "proj/loop.py").read_text(encoding="utf-8")
    own_world.commit(project)
    code, report = own_world.report("update", cwd=project)
    assert report["up_to_date"]


def test_newer_than_the_latest_release_is_up_to_date(own_world: World, tmp_path: Path) -> None:
    (own_world.template / "template/LATER.md").write_text("later\n", encoding="utf-8")
    own_world.commit(own_world.template)
    head = own_world.git(own_world.template, "describe", "--tags")
    own_world.git(own_world.template, "tag", "--delete", "v0.1.0", "v0.2.0")
    project = own_world.new(tmp_path / "proj")
    own_world.git(own_world.template, "tag", "v0.2.0", "HEAD^")
    code, report = own_world.report("update", cwd=project)
    assert code == 0
    assert report["message"].endswith("is newer than the latest release, v0.2.0")
    assert head.startswith("v0.2.0-1-g")


def test_a_new_question_takes_its_default_and_says_so(own_world: World, project: Path) -> None:
    replace(
        own_world.template / "copier.yml",
        "package_name:\n",
        "colour:\n  type: str\n  help: Which?\n  default: red\n\npackage_name:\n",
    )
    own_world.commit(own_world.template, tag="v0.3.0")
    source = ("--source", str(own_world.template))
    code, report = own_world.report("update", *source, cwd=project)
    assert code == 0
    assert report["answers"] == {"colour": {"old": None, "new": "red"}}
    assert report["notes"] == [
        "the template has a new question, colour, answered by its default 'red'; "
        "to change that: commit, then torchgen set colour=..."
    ]
    own_world.commit(project)
    code, report = own_world.report("set", "colour=blue", cwd=project)
    assert (code, kinds(report)) == (0, {".copier-answers.yml": "changed"})


def test_files_that_the_template_leaves_to_the_user_stay(own_world: World, project: Path) -> None:
    replace(
        own_world.template / "copier.yml",
        "_exclude:\n",
        "_skip_if_exists: [AGENTS.md]\n_exclude:\n",
    )
    agents = own_world.template / "template/AGENTS.md.jinja"
    agents.write_text("Other words.\n", encoding="utf-8")
    own_world.commit(own_world.template, tag="v0.3.0")
    before = (project / "AGENTS.md").read_bytes()
    code, report = own_world.report("update", "--source", str(own_world.template), cwd=project)
    assert (code, kinds(report)["AGENTS.md"]) == (0, "kept")
    assert (project / "AGENTS.md").read_bytes() == before


def test_the_users_git_settings_change_nothing(world: World, project: Path) -> None:
    hook = project / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch HOOK\n", encoding="utf-8")
    hook.chmod(0o755)
    strange = {
        "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_0": "merge.conflictStyle",
        "GIT_CONFIG_VALUE_0": "diff3",
        "GIT_CONFIG_KEY_1": "status.relativePaths",
        "GIT_CONFIG_VALUE_1": "false",
        "GIT_CONFIG_KEY_2": "commit.gpgSign",
        "GIT_CONFIG_VALUE_2": "true",
        "GIT_DIR": str(world.template / ".git"),
    }
    done = world.torchgen("update", cwd=project, env=strange)
    assert done.returncode == 0, done.stderr
    assert FIX_AFTER in (project / "proj/loop.py").read_text(encoding="utf-8")
    assert not (project / "HOOK").exists()


def test_line_ends_in_the_tree_are_as_the_users_git_wants_them(
    world: World, project: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone" / "proj"
    crlf = ("--config", "core.autocrlf=true")
    world.git(tmp_path, "clone", "--quiet", *crlf, str(project), str(clone))
    code, _ = world.report("update", cwd=clone)
    assert code == 0
    train = (clone / "proj/loop.py").read_bytes()
    assert FIX_AFTER.encode() in train
    assert train.count(b"\r\n") == train.count(b"\n")
    world.commit(clone)
    assert "\r" not in world.git(clone, "cat-file", "blob", "HEAD:proj/loop.py")


def test_a_linked_work_tree(world: World, project: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked" / "proj"
    world.git(project, "worktree", "add", "--quiet", "-b", "other", str(linked))
    before = contents(project)
    code, _ = world.report("update", cwd=linked)
    assert code == 0
    assert FIX_AFTER in (linked / "proj/loop.py").read_text(encoding="utf-8")
    assert contents(project) == before


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user who may not write")
def test_a_folder_that_cannot_be_written_stays_as_it_is(world: World, project: Path) -> None:
    before = contents(project)
    (project / "proj").chmod(0o555)
    done = world.torchgen("update", cwd=project)
    (project / "proj").chmod(0o755)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("; nothing was changed")
    assert contents(project) == before


def test_a_lock_on_the_index_leaves_all_as_it_is(world: World, project: Path) -> None:
    replace(project / "proj/retired.py", "OLD_7 = 7\n", "OLD_7 = 'mine'\n")
    world.commit(project)
    before = contents(project)
    (project / ".git/index.lock").touch()
    done = world.torchgen("update", cwd=project)
    assert (done.returncode, done.stdout.count("changed  ")) == (1, 0)
    assert done.stderr.rstrip().endswith("; nothing was changed")
    assert contents(project) == before


def test_plain_copier_updates_what_torchgen_updated(own_world: World, project: Path) -> None:
    source = ("--source", str(own_world.template))
    own_world.report("update", *source, cwd=project)
    own_world.commit(project)
    (own_world.template / "template/LATER.md").write_text("later\n", encoding="utf-8")
    own_world.commit(own_world.template, tag="v0.3.0")
    plain = (sys.executable, "-m", "copier", "update", "--defaults", "--quiet")
    subprocess.run(plain, cwd=project, env=dict(own_world.env), check=True, capture_output=True)
    changed = own_world.git(project, "status", "--porcelain").split()
    assert changed == ["M", ".copier-answers.yml", "??", "LATER.md"]


def test_what_a_killed_command_left_is_removed_a_day_later(world: World, project: Path) -> None:
    old, young, other = (project / ".git" / f".torchgen-{name}" for name in ("0" * 8, "1" * 8, "x"))
    for folder in (old, young, other):
        (folder / "tmp").mkdir(parents=True)
    for folder in (old, other):
        os.utime(folder, (0, 0))
    assert world.torchgen("update", "--dry-run", cwd=project).returncode == 0
    assert [folder.exists() for folder in (old, young, other)] == [False, True, True]


def test_a_version_of_another_branch_is_refused(
    world: World, own_world: World, project: Path
) -> None:
    """It would take away what the project's own version has, as in a fork that lacks a merge."""
    template = own_world.template
    own_world.git(template, "switch", "--quiet", "--create", "fork", "v0.1.0")
    (template / "template/OURS.md").write_text("ours\n", encoding="utf-8")
    own_world.commit(template, tag="v0.1.0+acme.1")
    answers = project / ".copier-answers.yml"
    replace(answers, "_commit: v0.1.0\n", "_commit: v0.1.0+acme.1\n")
    replace(answers, str(world.template), str(template))
    own_world.commit(project)
    for flags in ((), ("--check",), ("--to", "v0.2.0")):
        done = own_world.torchgen("update", *flags, cwd=project)
        assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
        assert "v0.2.0 does not contain the project's v0.1.0+acme.1" in done.stderr
