"""Bad data, checkpoints, folders, flags and disks: one message each, and nothing half-written."""

import ctypes
import hashlib
import os
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from matrix.commands import HIDDEN, environment
from warm import python_for

from . import bad, bad_folders, bad_hdf5, bad_lmdb, bad_webdataset
from .bad import Bad
from .bad_checkpoints import EVALUATED
from .bad_flags import FLAGS
from .bad_runs import RUNS
from .bad_sources import SOURCES
from .conftest import Show
from .processes import OUR_TRACEBACK, command
from .receipts import collect, receipt

pytestmark = pytest.mark.faults

DATA = {
    "imagefolder": bad_folders,
    "hdf5": bad_hdf5,
    "lmdb": bad_lmdb,
    "webdataset": bad_webdataset,
}
CASES = [
    *(case._replace(project=name) for name, module in DATA.items() for case in module.CASES),
    *(*SOURCES, *EVALUATED, *RUNS, *FLAGS),
]
ENOUGH = 60
PROJECTS = {
    "imagefolder": "single-off-imagefolder-none",
    "hdf5": "single-off-hdf5-none",
    "lmdb": "single-off-lmdb-none",
    "webdataset": "single-off-webdataset-none",
    "torchrun": "ddp-off-hdf5-none",  # with a run of its own
}
TIMEOUT = 60  # seconds: a command takes two or three

Good = Callable[[str, Path], Path]


class Commands:
    """Runs a project's command lines in any folder."""

    def __init__(self, trees: dict[str, Path], home: Path, scratch: Path) -> None:
        self.trees = trees
        self.environment = environment(home) | {"TMPDIR": str(scratch), "COLUMNS": "100"}

    def run(self, case: Bad, here: Path) -> subprocess.CompletedProcess[str]:
        """The command of a bad input, as the user and on the disk that it asks for."""
        module, *flags = shlex.split(case.command)
        path = os.pathsep.join([str(HIDDEN), str(self.trees[PROJECTS[case.project]])])
        environment = self.environment | {"PYTHONPATH": path}
        restricted = case.largest_file is not None or case.unprivileged
        python = sys.executable if restricted else python_for(environment)

        def prepare() -> None:
            if case.largest_file is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (case.largest_file,) * 2)
            if case.unprivileged:
                give_up_privileges()

        return subprocess.run(
            command(module, *flags, processes=case.processes, python=python),
            cwd=here,
            env=environment | {"PYTHON_EXEC": python},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=TIMEOUT,
            check=False,
            preexec_fn=prepare if restricted else None,
        )


def give_up_privileges() -> None:
    """From the next program on even root is bound to the permissions of files (Linux)."""
    drop = 24  # PR_CAPBSET_DROP of prctl(2)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH of capabilities(7)
        ctypes.CDLL(None).prctl(drop, capability)


@pytest.fixture(scope="session")
def commands(
    trees: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, scratch: Path
) -> Commands:
    return Commands(trees, tmp_path_factory.mktemp("home"), scratch)


@pytest.fixture(scope="session")
def good(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Good:
    """Makes the folder that a bad input is tried in, where all is still good."""
    first = tmp_path_factory.mktemp("good")
    draw(first / "source")
    made: dict[str, Path] = {}

    def run(command: str, project: str, here: Path) -> None:
        done = commands.run(Bad("good", bad.nothing, command, (), project=project), here)
        assert done.returncode == 0, done.stderr

    def make(project: str, here: Path) -> Path:
        if not made:
            run("prepare --source source", "hdf5", first)
            run(f"train --run-dir run {bad.SMALL}", "hdf5", first)
            made["hdf5"] = first
        if project not in made:  # the same pixels in another format: the same run
            made[project] = folder = first.with_name(f"good-{project}")
            shutil.copytree(first / "source", folder / "source")
            run("prepare --source source", project, folder)
            if project == "torchrun":
                run(f"train --run-dir run {bad.SMALL}", project, folder)
            else:
                shutil.copytree(first / "run", folder / "run")
        return Path(shutil.copytree(made[project], here, symlinks=True))

    return make


def draw(folder: Path) -> None:
    """Write FOLDER/{train,val}/<class>/<image>: noise, the first of each class as a JPEG."""
    random = np.random.default_rng(0)
    for split, count in (("train", bad.TRAIN), ("val", bad.VAL)):
        for name in bad.CLASSES:
            (folder / split / name).mkdir(parents=True)
            for number in range(count):
                pixels = random.integers(0, 256, (bad.SIDE, bad.SIDE, 3), dtype=np.uint8)
                suffix = "png" if number else "jpg"
                Image.fromarray(pixels).save(folder / split / name / f"{number:03}.{suffix}")


@pytest.fixture(scope="session")
def bound(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where permissions bind nobody."""
    secret = tmp_path_factory.mktemp("secret") / "file"
    secret.touch(0)
    read = [sys.executable, "-c", f"open({str(secret)!r})"]
    done = subprocess.run(
        read, preexec_fn=give_up_privileges, stderr=subprocess.DEVNULL, check=False
    )
    if done.returncode == 0:
        pytest.skip("this user may read everything, and cannot give that up")


def name_of(case: Bad) -> str:
    return f"{case.command.split()[0]} {case.project}: {case.what}"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_bad_input_is_said_in_one_message(
    case: Bad,
    commands: Commands,
    good: Good,
    shared: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    if case.unprivileged:
        request.getfixturevalue("bound")
    here = good(case.project, tmp_path / "here")
    case.spoil(here)
    before = content_of(here)
    with receipt(shared / "bad", hashlib.sha256(name_of(case).encode()).hexdigest()[:16]):
        done = commands.run(case, here)
        check_message(case, done)
        changed = {
            name
            for name, content in (before.items() ^ content_of(here).items())
            if not name.startswith(case.may_change or "\0")
        }
        assert not changed, f"{changed} changed\n{done.stderr}"
        assert not list(here.rglob("*partial*")), "something is half-written"


def check_message(case: Bad, done: subprocess.CompletedProcess[str]) -> None:
    """The exit code, and one message that names what is wrong."""
    said = done.stdout + done.stderr
    assert done.returncode == case.exits, said
    assert not OUR_TRACEBACK.search(said) and (case.processes or "Traceback" not in said), said
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    if case.boxed:
        assert "error: " not in said and lines[0][0] == "╭", said
    elif case.processes:
        assert said.count("error: ") == 1, said
    else:
        assert lines[0].startswith("error: ") and said.count("error: ") == 1, said
        assert len(lines) == case.lines, said
    words = " ".join(said.split())
    missing = [word for word in case.says if word not in words]
    assert not missing, f"{missing} not in {words}"


def content_of(folder: Path) -> dict[str, bytes | None]:
    """Every file's content and every folder; nothing of what may not be read."""
    found: dict[str, bytes | None] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        found[name] = path.read_bytes() if path.is_file() else None
    return found


@pytest.mark.last
def test_sixty_bad_inputs_were_tried(
    request: pytest.FixtureRequest, shared: Path, show: Show
) -> None:
    assert len({name_of(case) for case in CASES}) == len(CASES) >= ENOUGH
    each = test_a_bad_input_is_said_in_one_message.__name__
    chosen = [item for item in request.session.items if item.name.startswith(each)]
    if len(chosen) < len(CASES):
        pytest.skip(f"only {len(chosen)} of {len(CASES)} bad inputs were chosen")
    found = collect(shared / "bad", len(CASES))
    show(f"{len(found)} bad inputs tried, each said in one message")
