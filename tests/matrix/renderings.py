"""Real renderings of the template: once per session, shared by all of pytest's workers."""

import contextlib
import hashlib
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from pathlib import Path

from .answers import ROOT, SETS, Answers, name_of

# unlike the package's name in the contract, so that a name written by hand into the template shows
PROJECT, PACKAGE = "my-scans", "my_scans"
WAIT = 300  # seconds for another worker's renderings
KEPT = ROOT / ".renderings"  # by all that decides them, so that each part of the gate has them


def copy_template(folder: Path) -> Path:
    """A plain copy outside git: uncommitted files are tested as they are."""
    for part in ("copier.yml", "template"):
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder)
    return folder


def render(template: Path, answers: Answers, target: Path, project: str = PROJECT) -> Path:
    """Write the project for these answers, by Copier itself and free of the user's settings."""
    from copier import Settings, run_copy

    data = {"project_name": project, **answers}
    run_copy(str(template), target, data=data, defaults=True, quiet=True, settings=Settings())
    return target


def render_all(folder: Path, sets: Sequence[Answers] = SETS) -> dict[str, Path]:
    """Render the sets below `folder`, by whichever worker comes first; the others wait.

    What a session before has rendered of the same template is copied from `KEPT`.
    """
    names = " ".join(map(name_of, sets))  # tests of several folders may run together
    folder = folder / hashlib.sha256(names.encode()).hexdigest()[:8]
    folder.parent.mkdir(exist_ok=True)
    try:
        folder.mkdir()
    except FileExistsError:
        wait_for(folder)
    else:
        try:
            template = copy_template(folder / "template")
            kept = KEPT / state_of(template)
            for old in KEPT.glob("*"):
                if old != kept:
                    shutil.rmtree(old, ignore_errors=True)
            work = [(kept, template, a, folder / "trees" / name_of(a)) for a in sets]
            spawn = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(2, mp_context=spawn, initializer=hide_git) as pool:
                list(pool.map(render_once, *zip(*work, strict=True), chunksize=4))
        except BaseException:
            (folder / "failed").write_text(traceback.format_exc(), encoding="utf-8")
            raise
        (folder / "done").touch()
    return {name_of(answers): folder / "trees" / name_of(answers) for answers in sets}


def state_of(template: Path) -> str:
    """A name for all that decides what is rendered: the template and the programs that do it."""
    programs = [f"{name} {metadata.version(name)}" for name in ("copier", "jinja2", "pyyaml")]
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    state = " ".join((digest(template), own, sys.version, *programs))
    return hashlib.sha256(state.encode()).hexdigest()[:16]


def render_once(kept: Path, template: Path, answers: Answers, target: Path) -> None:
    """Copy what is kept of a set; where nothing is, render it and keep it."""
    known = kept / name_of(answers)
    if not known.is_dir():
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept, prefix=".") as unfinished:
            render(template, answers, Path(unfinished) / target.name)
            with contextlib.suppress(OSError):  # another session was faster
                (Path(unfinished) / target.name).rename(known)
    shutil.copytree(known, target)


def hide_git() -> None:
    """Make Copier find no git, which it would ask about every file's executable bit."""
    os.environ["PATH"] = ""


def wait_for(folder: Path) -> None:
    """Wait until another worker has rendered; raises what it met."""
    end = time.monotonic() + WAIT
    while not (folder / "done").exists():
        if (folder / "failed").exists():
            raise RuntimeError((folder / "failed").read_text(encoding="utf-8"))
        if time.monotonic() > end:
            raise TimeoutError(f"no renderings in {folder} after {WAIT} s")
        time.sleep(0.05)


def files(tree: Path) -> Iterator[tuple[str, bytes]]:
    """The tree's files by path relative to it, in order, without Copier's record of the answers."""
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree).as_posix()
        if path.is_file() and name != ".copier-answers.yml":
            yield name, path.read_bytes()


def digest(tree: Path) -> str:
    """A hash of all names and contents."""
    hashed = hashlib.sha256()
    for name, content in files(tree):
        hashed.update(f"{name}\0{len(content)}\0".encode() + content)
    return hashed.hexdigest()
