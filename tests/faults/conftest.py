"""What the fault tests share: projects to run, data for each format, short names for sockets."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from matrix.answers import COVER, SETS, Answers, name_of
from matrix.commands import Project, environment
from matrix.conftest import pytest_collection_modifyitems, pytest_configure, shared
from matrix.renderings import render_all
from matrix.training import copy_of

__all__ = ["pytest_collection_modifyitems", "pytest_configure", "shared"]

from .trials import CLASSES, PER_CLASS, SIDE, Trial

SHOWN = "shown"  # the name of a test's property that the summary prints

MakeProject = Callable[[Answers], Project]
DataFor = Callable[[Project, str], Path]
Show = Callable[[str], None]


@pytest.fixture(scope="session")
def trees(shared: Path) -> dict[str, Path]:
    """The rendered projects: the covering sets, and the plain ones, where kinds of faults are."""
    plain = [a for a in SETS if a["logger"] == "none" and a["amp"] != "bf16" and a not in COVER]
    return render_all(shared / "renderings", [*COVER, *plain])


@pytest.fixture(scope="session", autouse=True)
def linux() -> None:
    """Processes are looked at through /proc."""
    if sys.platform != "linux":
        pytest.skip("needs Linux: processes are watched through /proc")


@pytest.fixture(scope="session")
def scratch() -> Iterator[Path]:
    """A folder for temporary files with a short name: a socket's may have 107 letters at most.

    What killed processes leave in it is cleared away.
    """
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def make_project(trees: dict[str, Path], tmp_path: Path, scratch: Path) -> MakeProject:
    """Copies the rendered project of a set of answers, to run its commands there."""

    def make(answers: Answers) -> Project:
        folder = copy_of(trees[name_of(answers)], tmp_path)
        own = {"TMPDIR": str(scratch), "COLUMNS": "100"}
        return Project(folder, environment(tmp_path / "home") | own)

    return make


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """DIR/{train,val}/<class>/<number>.png: noise, and a bar where the class says."""
    folder = tmp_path_factory.mktemp("source")
    random = np.random.default_rng(0)
    for split, count in PER_CLASS.items():
        for place, name in enumerate(CLASSES):
            (folder / split / name).mkdir(parents=True)
            for number in range(count):
                pixels = random.integers(0, 130, (SIDE, SIDE, 3), dtype=np.uint8)
                pixels[:, 8 * place : 8 * place + 8] += 50
                Image.fromarray(pixels).save(folder / split / name / f"{number:03}.png")
    return folder


@pytest.fixture(scope="session")
def data_for(source: Path, tmp_path_factory: pytest.TempPathFactory) -> DataFor:
    """Prepares the data of a project's format once. Read only: copy what is to be spoilt."""
    prepared: dict[str, Path] = {}

    def prepare(project: Project, data_format: str) -> Path:
        if data_format not in prepared:
            folder = tmp_path_factory.mktemp(data_format) / "data"
            project.run("prepare", "--source", source, "--data-dir", folder)
            prepared[data_format] = folder
        return prepared[data_format]

    return prepare


@pytest.fixture
def trial(make_project: MakeProject, data_for: DataFor, parallelism: str) -> Trial:
    """A run to interrupt; the images are in files, which take longest to read."""
    project = make_project(
        {"parallelism": parallelism, "amp": "off", "data_format": "imagefolder", "logger": "none"}
    )
    return Trial(project, data_for(project, "imagefolder"), parallelism)


@pytest.fixture
def show(record_property: Callable[[str, object], None]) -> Show:
    """Has a line printed in the summary, where the test passes."""
    return lambda line: record_property(SHOWN, line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the tests have counted."""
    for report in terminalreporter.stats.get("passed", ()):
        for name, value in report.user_properties:
            if name == SHOWN:
                terminalreporter.write_line(f"faults: {value}")
