"""Each code block of the README and of docs/ does what it says, or the list below says why not.

A page's blocks run in their order, in a copy of one project: `myproj`, with the demo data and a
run in runs/first, beside a folder of pictures. A block that makes a project runs in an empty
folder, and those after it in that project.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from edits.test_how_to import EDITS
from generator.conftest import environment
from warm import python_for

from .blocks import DOCS, PAGES, Block, blocks, name_of

LONGEST = 1200  # words of a page
# pages of generated tables, to look things up in
TO_LOOK_UP = {"docs/rules.md", "docs/size.md"}

# tests elsewhere that take these blocks from their pages
TAKEN = {
    "docs/tutorial.md": "tests/matrix/test_tutorial.py",
    "docs/rules.md": "tests/doctor/test_rules.py",
    ("README.md", "text"): "tests/matrix/test_size.py",
    ("docs/extras.md", "copier.yml"): "tests/template/test_fork.py",
}
# titles of blocks for a place that no test has
ELSEWHERE = {
    "in a clone of this repository": "it installs torchgen, or is make's: .ci/run and "
    "tests/template/test_installs.py do that",
    "in a new environment": "it downloads PyTorch; the tests have an environment",
    "once there is a release": "there is none yet; tests/update has releases of its own",
    "until Ctrl-C": "it serves a page; tests/explore does that",
    "with the page's libraries": "they are from npm; tests/explore has them",
    "on each machine": "it needs several; tests/cluster runs it on hosts of its own",
    "on a cluster": "it needs Slurm or Kubernetes; tests/cluster has a Slurm",
    "with a repository of your team": "it needs an address; tests/template/test_fork.py has one",
    "with your files": "capitals stand for them; tests/recipes runs this on files it draws",
    "with your weights": "a file of a hub; the tests of the extra finetune write one",
    "model.py, with timm": "the tests do not install timm, which needs torchvision",
    "model.py, with torchvision": "the tests do not install torchvision",
    "crashes torch 2.13 on a CPU": "it writes past its memory, which may or may not be noticed",
    "the layout of a folder": "names of files",
    "labels.csv, for example": "a table; tests/recipes draws one",
    "for example": "a made-up report",
    "copier.yml": "a line of a fork's questions; tests/template/test_fork.py has one",
    ".pre-commit-config.yaml": "it names an address, and there is none yet",
    ".github/workflows/ci.yml": "it runs at GitHub",
}
EXITS = {"torchgen doctor gan.py\n": 1}  # there is something to find
# they write and update many projects, as tests/adopting and tests/update do in each commit
SLOW = {"docs/adopt.md", "docs/answers.md"}
# what a page takes for granted
FIRST = {"docs/adopt.md": "git rm -q .copier-answers.yml && git commit -qm 'by hand'"}


def kind(block: Block) -> str:
    """Who looks after a block: `run` and `write` are done here, all else is a reason."""
    by = TAKEN.get(block.page) or TAKEN.get((block.page, block.title or block.language))
    if by:
        return f"taken by {by}"
    if block.title in ELSEWHERE:
        return f"for a reader: {ELSEWHERE[block.title]}"
    if block.language == "diff" and block.text in EDITS.values():
        return "taken by tests/edits/test_how_to.py"
    if block.title:
        return "write"
    if block.language in ("sh", "python"):
        return "run"
    if block.language == "text":
        return "compare"
    raise ValueError(f"{block}: nothing tests this block; see tests/docs/test_pages.py")


ALL = {page: [*blocks(page)] for page in PAGES}
RUN = [
    pytest.param(page, id=name_of(page), marks=[pytest.mark.scheduled] * (name_of(page) in SLOW))
    for page, found in ALL.items()
    if any(kind(block) in ("run", "write") for block in found)
]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """This checkout's torchgen as a command, and a Python that has imported torch already."""
    home = tmp_path_factory.mktemp("home")
    (home / "bin").mkdir()
    (home / "teaching").mkdir()
    folders = [str(home / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    found = environment(home) | {"PATH": os.pathsep.join(folders), "OMP_NUM_THREADS": "1"}
    python = home / "bin" / "python"
    # what bash adds to the environment of its commands
    warm = python_for(found | {"SHLVL": "1", "_": str(python)})
    found["SHLVL"] = "0"
    torchgen = home / "bin" / "torchgen"
    for command, line in ((python, warm), (torchgen, f"{sys.executable} -m torchgen_cli")):
        command.write_text(f'#!/bin/sh\nexec {line} "$@"\n', encoding="utf-8")
        command.chmod(0o755)
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, own: dict[str, str]) -> Path:
    """A project with data and a short run, to be copied."""
    folder = tmp_path_factory.mktemp("shared")
    draw = next(b.text for b in ALL[DOCS / "tutorial.md"] if b.language == "python")
    bash("torchgen new myproj --defaults", folder, own)
    (folder / "draw.py").write_text(draw, encoding="utf-8")
    bash("python ../draw.py", folder / "myproj", own)
    bash("python -m myproj.prepare --demo", folder / "myproj", own)
    bash("python -m myproj.train --epochs 1 --run-dir runs/first", folder / "myproj", own)
    return folder


def bash(script: str, folder: Path, own: dict[str, str], exits: int = 0, name: str = "sh") -> str:
    """What a block prints."""
    line = [sys.executable, "-"] if name == "python" else ["bash", "-euo", "pipefail"]
    done = subprocess.run(
        line,
        cwd=folder,
        env=own,
        input=script,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=200,
        check=False,
    )
    assert done.returncode == exits, f"{script}\n{done.stdout}"
    return done.stdout


@pytest.mark.smoke
@pytest.mark.parametrize("page", RUN)
def test_the_blocks_of_a_page_work_as_printed(
    page: Path, project: Path, own: dict[str, str], tmp_path: Path
) -> None:
    shutil.copytree(project, tmp_path / "work", symlinks=True)
    folder = tmp_path / "work" / "myproj"
    bash(FIRST.get(name_of(page), "true"), folder, own)
    said = ""
    for number, block in enumerate(ALL[page]):
        doing = kind(block)
        if doing == "run" and (made := re.search(r"^torchgen new (\w+)", block.text)):
            empty = tmp_path / f"empty-{number}"
            empty.mkdir()
            for written in [b for b in ALL[page][:number] if kind(b) == "write"]:
                shutil.copy(folder / written.title, empty)
            said = bash(block.text, empty, own)
            folder = empty / made[1]
        elif doing == "run":
            said = bash(block.text, folder, own, EXITS.get(block.text, 0), block.language)
        elif doing == "write":
            path = folder / block.title
            before = path.read_text(encoding="utf-8") if path.suffix == ".toml" else ""
            path.write_text(before + block.text, encoding="utf-8")
        elif doing == "compare":
            assert block.text in said, f"{block}: what its command printed\n{said}"


def test_each_block_is_run_taken_or_for_a_place_that_no_test_has(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = [(block, kind(block)) for page in PAGES for block in ALL[page]]
    assert len(found) > 100
    with capsys.disabled():
        print("\nblocks that no test runs:")
        for title, why in ELSEWHERE.items():
            where = [str(block) for block, reason in found if reason == f"for a reader: {why}"]
            assert where, f"no block has the title {title!r} any more"
            print(f"  {title}: {why} ({', '.join(where)})")


def test_an_edit_that_no_test_applies_is_noticed() -> None:
    with pytest.raises(ValueError, match="nothing tests this block"):
        kind(Block("docs/x.md", 1, "diff", "", "--- a\n+++ b\n"))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_has_at_most_1200_words(page: Path) -> None:
    words = len(page.read_text(encoding="utf-8").split())
    assert words <= LONGEST or name_of(page) in TO_LOOK_UP, words
