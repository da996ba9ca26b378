"""Real renderings of the template, shared by sessions and by pytest's workers."""

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path

from .answers import ROOT, SETS, Answers, extras_of, name_of

# unlike the package's name in the contract, so that a name written by hand into the template shows
PROJECT, PACKAGE = "my-scans", "my_scans"
HOURS = 6  # that a session may last
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


def render(
    template: Path,
    answers: Answers,
    target: Path,
    project: str = PROJECT,
) -> Path:
    """Write the project for these answers, by Copier itself and free of the user's settings."""
    from copier import Settings, run_copy

    data = {"project_name": project, **answers, "extras": extras_of(answers)}
    run_copy(str(template), target, data=data, defaults=True, quiet=True, settings=Settings())
    return target


class Trees(Mapping[str, Path]):
    """Rendered projects by the names of their sets, rendered when asked for. Read only.

    They lie in `KEPT`, where sessions and pytest's workers share those of the same template.
    """

    def __init__(self, folder: Path, sets: Sequence[Answers] = SETS) -> None:
        """Take a snapshot of the template into an empty folder."""
        self.sets = {name_of(answers): answers for answers in sets}
        self.template = copy_template(folder / "template")
        self.kept = KEPT / state_of(self.template)
        for old in KEPT.glob("*"):
            if old != self.kept and old.stat().st_mtime < time.time() - HOURS * 3600:
                shutil.rmtree(old, ignore_errors=True)
        self.kept.mkdir(parents=True, exist_ok=True)
        os.utime(self.kept)

    def __getitem__(self, name: str) -> Path:
        answers, tree = self.sets[name], self.kept / name
        if not tree.is_dir():
            with tempfile.TemporaryDirectory(dir=self.kept, prefix=".") as unfinished:
                with without_git():
                    render(self.template, answers, Path(unfinished, name))
                with contextlib.suppress(OSError):  # another process was faster
                    Path(unfinished, name).rename(tree)
        return tree

    def __iter__(self) -> Iterator[str]:
        return iter(self.sets)

    def __len__(self) -> int:
        return len(self.sets)


def render_all(folder: Path, sets: Sequence[Answers] = SETS) -> dict[str, Path]:
    """Render the sets at once."""
    folder.mkdir(parents=True, exist_ok=True)
    return dict(Trees(Path(tempfile.mkdtemp(dir=folder)), sets))


def state_of(template: Path) -> str:
    """A name for all that decides what is rendered: the template and the programs that do it."""
    programs = [f"{name} {metadata.version(name)}" for name in ("copier", "jinja2", "pyyaml")]
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    state = " ".join((digest(template), own, sys.version, *programs))
    return hashlib.sha256(state.encode()).hexdigest()[:16]


@contextlib.contextmanager
def without_git() -> Iterator[None]:
    """Make Copier find no git, which it would ask about every file's executable bit."""
    path = os.environ["PATH"]
    os.environ["PATH"] = ""
    try:
        yield
    finally:
        os.environ["PATH"] = path


def files(tree: Path) -> Iterator[tuple[str, bytes]]:
    """The tree's files by path relative to it, in order, without Copier's record of the answers."""
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree).as_posix()
        if path.is_file() and name != ".copier-answers.yml" and "__pycache__" not in name:
            yield name, path.read_bytes()


def digest(tree: Path) -> str:
    """A hash of all names and contents."""
    hashed = hashlib.sha256()
    for name, content in files(tree):
        hashed.update(f"{name}\0{len(content)}\0".encode() + content)
    return hashed.hexdigest()
