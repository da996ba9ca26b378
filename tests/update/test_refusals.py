"""What update and set refuse: one line that says what to do, exit code 1 or 2, nothing changed."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .world import World, all_files, contents, replace

Spoil = Callable[[World, Path], None]


def _edit(_: World, project: Path) -> None:
    (project / "README.md").write_text("mine\n", encoding="utf-8")


def _untracked(_: World, project: Path) -> None:
    for number in range(5):
        (project / f"file{number}").touch()


def _no_repository(_: World, project: Path) -> None:
    shutil.rmtree(project / ".git")


def _detached(world: World, project: Path) -> None:
    world.git(project, "checkout", "--quiet", "--detach")


def _reject(world: World, project: Path) -> None:
    (project / "proj/train.py.rej").write_text("@@\n", encoding="utf-8")
    world.commit(project)


def _markers(world: World, project: Path) -> None:
    (project / "proj/model.py").write_text("<<<<<<< a\n=======\n>>>>>>> b\n", encoding="utf-8")
    world.commit(project)


def _unmerged(world: World, project: Path) -> None:
    replace(project / "proj/retired.py", "OLD_7 = 7\n", "OLD_7 = 'mine'\n")
    world.commit(project)
    assert world.torchgen("update", cwd=project).returncode == 3


def _broken_record(world: World, project: Path) -> None:
    (project / ".copier-answers.yml").write_text("- amp\n", encoding="utf-8")


def _record(before: str, after: str) -> Spoil:
    def spoil(world: World, project: Path) -> None:
        replace(project / ".copier-answers.yml", before, after)
        world.commit(project)

    return spoil


COMMIT_THEM = (
    "git commit (or git stash -u) them first, so that the new changes can be reviewed and undone "
    "separately"
)
RESOLVE = "resolve them, then git add and git commit"
REFUSED: list[tuple[str, Spoil, str]] = [
    ("edit", _edit, f"there are uncommitted changes: README.md; {COMMIT_THEM}"),
    (
        "untracked",
        _untracked,
        f"there are uncommitted changes: file0, file1, file2 and 2 more; {COMMIT_THEM}",
    ),
    (
        "no repository",
        _no_repository,
        "{project} is not in a git repository, so changes could not be undone; run git init, "
        "git add --all and git commit there",
    ),
    (
        "detached",
        _detached,
        "no branch is checked out (HEAD is detached), so a commit could get lost; git switch to a "
        "branch first, or git switch -c NAME",
    ),
    ("reject", _reject, f"an earlier update left conflicts in proj/train.py.rej; {RESOLVE}"),
    ("markers", _markers, f"an earlier update left conflicts in proj/model.py; {RESOLVE}"),
    ("unmerged", _unmerged, f"an earlier update left conflicts in proj/retired.py; {RESOLVE}"),
    (
        "broken record",
        _broken_record,
        "{project}/.copier-answers.yml has no lines of the form `question: answer`; restore it "
        "with git restore",
    ),
]
REFUSED_UPDATES: list[tuple[str, Spoil, str]] = [
    (
        "unknown commit",
        _record("_commit: v0.1.0", "_commit: v0.9.9"),
        "the template's repository {template} has no version v0.9.9, which the project records; "
        "set _commit in .copier-answers.yml to the version it was made from, and commit that",
    ),
    (
        "no commit",
        _record("_commit: v0.1.0\n", ""),
        "{project} does not record its version of the template; torchgen adopt finds and "
        "records it",
    ),
]


def refuse(world: World, project: Path, message: str, *arguments: str, code: int = 1) -> None:
    """The command must end so, and leave everything as it is."""
    before, names = contents(project), all_files(project)
    done = world.torchgen(*arguments, cwd=project)
    text = message.format(project=project, template=world.template)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"error: {text}\n")
    assert (contents(project), all_files(project)) == (before, names)


@pytest.mark.parametrize(
    ("spoil", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_a_state_that_git_could_not_bring_back(
    world: World, project: Path, spoil: Spoil, message: str
) -> None:
    spoil(world, project)
    refuse(world, project, message, "update")
    refuse(world, project, message, "set", "amp=bf16")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [case[1:] for case in REFUSED_UPDATES],
    ids=[case[0] for case in REFUSED_UPDATES],
)
def test_a_version_that_cannot_be_told(
    world: World, project: Path, spoil: Spoil, message: str
) -> None:
    spoil(world, project)
    refuse(world, project, message, "update")
    refuse(world, project, message, "update", "--check")


def test_a_source_that_cannot_be_reached(world: World, project: Path) -> None:
    _record(f"_src_path: {world.template}", "_src_path: /nowhere/at/all")(world, project)
    message = (
        "cannot reach the template's repository /nowhere/at/all (fatal: repository "
        "'/nowhere/at/all' does not exist); check the address and the network, or give another "
        "one with --source"
    )
    for command in (("update",), ("update", "--check"), ("set", "amp=bf16")):
        refuse(world, project, message, *command)


def test_a_shallow_source(world: World, project: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    depth = ("--depth", "1", "--branch", "v0.2.0")
    world.git(tmp_path, "clone", "--quiet", *depth, world.template.as_uri(), str(shallow))
    message = (
        f"the template's repository {shallow} is a shallow clone, so versions are missing; "
        "run git fetch --unshallow there"
    )
    refuse(world, project, message, "update", "--source", str(shallow))


def test_a_downgrade(world: World, project: Path) -> None:
    world.report("update", cwd=project)
    world.commit(project)
    message = (
        "--to v0.1.0 is older than the project's v0.2.0, and an update never goes back; to "
        "undo an update, git revert its commit"
    )
    refuse(world, project, message, "update", "--to", "v0.1.0")


def test_a_version_that_does_not_exist(world: World, project: Path) -> None:
    message = "--to: the template has no version 'v0.3.0'; did you mean 'v0.2.0'?"
    refuse(world, project, message, "update", "--to", "v0.3.0", code=2)
    message = "--to: the template has no version '--help'"
    refuse(world, project, message, "update", "--to=--help", code=2)


def test_a_folder_that_is_no_project(world: World, project: Path) -> None:
    inner = project / "proj"
    hint = f"{inner} has no .copier-answers.yml; the project is in {project}: give that as PATH"
    refuse(world, inner, hint, "update")
    outer = project.parent / "outer"
    for name in ("b", "a"):
        shutil.copytree(project, outer / name)
    hint = "there are projects in its subfolders: give a or b as PATH"
    hint = f"{outer} has no .copier-answers.yml; {hint}"
    refuse(world, outer, hint, "update")
    empty = project.parent / "empty"
    empty.mkdir()
    hint = f"{empty} has no .copier-answers.yml; give the folder of a project made by torchgen new"
    refuse(world, empty, hint, "update")
    refuse(
        world,
        empty,
        "nowhere is not a folder; give the folder of a project made by torchgen new",
        "update",
        "nowhere",
    )


def test_without_git(world: World, project: Path, tmp_path: Path) -> None:
    before = contents(project)
    path = {"PATH": os.fspath(tmp_path)}
    done = world.torchgen("update", cwd=project, env=path)
    assert (done.returncode, done.stderr) == (
        1,
        "error: git is not installed, and torchgen merges changes with it: install git\n",
    )
    assert contents(project) == before


QUESTIONS = "project_name, description, parallelism, amp, data_format, logger, extras, launcher"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("amp=bf15", "amp: 'bf15' is not one of off, bf16, fp16; did you mean 'bf16'?"),
        (
            "apm=off",
            f"no question is called 'apm'; did you mean 'amp'? (the questions: {QUESTIONS})",
        ),
        (
            "package_name=x",
            "no question is called 'package_name'; did you mean 'project_name'? "
            f"(the questions: {QUESTIONS})",
        ),
        ("amp=off amp=bf16", "amp is answered twice; remove one"),
        (".", "give QUESTION=ANSWER, as in: torchgen set amp=bf16"),
        ("amp amp=off", "'amp' is not QUESTION=ANSWER; PATH comes last"),
        ("project_name=torch", "project_name: Try 'torch-project': 'torch' is the name of a "
         "package that the project uses."),
    ],
)  # fmt: skip
def test_answers_that_new_would_refuse(
    world: World, project: Path, words: str, message: str
) -> None:
    refuse(world, project, message, "set", *words.split(), code=2)


def test_a_password_in_an_address_is_not_shown(world: World, project: Path) -> None:
    address = "https://ada:s3cret@torchgen.invalid/template.git"
    done = world.torchgen("update", "--source", address, cwd=project)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "cannot reach" in done.stderr and "s3cret" not in done.stderr
