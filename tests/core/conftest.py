"""One project per data format, rendered once, imported under a package name of its own."""

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from copier import Settings, run_copy
from PIL import Image

ROOT = Path(__file__).parents[2]
FORMATS = ("imagefolder", "hdf5", "lmdb", "webdataset")

os.environ.setdefault("OMP_NUM_THREADS", "1")  # CPU bits differ with the number of threads


class Project:
    """A rendered project whose package this process can import."""

    def __init__(self, folder: Path, package: str, data_format: str) -> None:
        self.folder, self.package, self.data_format = folder, package, data_format

    def module(self, name: str) -> ModuleType:
        """Import a module of the package: `module("data.images")`."""
        return importlib.import_module(f"{self.package}.{name}")

    def command(self, name: str, *arguments: Any) -> list[str]:
        """The command line of `python -m PACKAGE.NAME`."""
        return [sys.executable, "-m", f"{self.package}.{name}", *map(str, arguments)]

    def environment(self, **more: str) -> dict[str, str]:
        """Find the package from any working directory."""
        return os.environ | {"PYTHONPATH": str(self.folder)} | more

    def run(
        self, name: str, *arguments: Any, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of the project in a process of its own; it may fail."""
        return subprocess.run(
            self.command(name, *arguments),
            cwd=cwd or self.folder,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def render(target: Path, **answers: Any) -> Path:
    """Write the project for these answers from the working tree's template, outside git."""
    template = target.with_name(f"{target.name}-template")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "template", template / "template", ignore=ignore)
    shutil.copy(ROOT / "copier.yml", template)
    run_copy(
        str(template),
        target,
        data={"extras": [], "logger": "none"} | answers,
        defaults=True,
        quiet=True,
        settings=Settings(),
    )
    return target


@pytest.fixture(scope="session")
def new_project(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Project]:
    """A function that renders a project with these answers, once; its package is importable."""
    known: dict[str, Project] = {}

    def new(package: str, **answers: Any) -> Project:
        if package not in known:
            folder = render(tmp_path_factory.mktemp(package) / "project", **answers)
            sys.path.insert(0, str(folder))
            known[package] = Project(folder, package, answers.get("data_format", "imagefolder"))
        return known[package]

    return lambda package, **answers: new(
        package, project_name=package.replace("_", "-"), **answers
    )


@pytest.fixture(scope="session")
def project_of(new_project: Callable[..., Project]) -> Callable[[str], Project]:
    """A function that gives the project of a data format; its package is named after it."""
    return lambda data_format: new_project(f"with_{data_format}", data_format=data_format)


@pytest.fixture(scope="session", params=FORMATS)
def project(request: pytest.FixtureRequest, project_of: Callable[[str], Project]) -> Project:
    """A project of each data format in turn."""
    return project_of(request.param)


@pytest.fixture(scope="session")
def folder_project(project_of: Callable[[str], Project]) -> Project:
    """The project that reads images from folders."""
    return project_of("imagefolder")


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """{train,val}/<class>/<image>: three classes of 12 x 12 pixels, 8 and 3 images of each."""
    folder, random = tmp_path_factory.mktemp("source"), np.random.default_rng(0)
    for split, count in (("train", 8), ("val", 3)):
        for place, name in enumerate(("left", "middle", "right")):
            for number in range(count):
                pixels = random.integers(0, 100, (12, 12, 3), dtype=np.uint8)
                pixels[:, 4 * place : 4 * place + 4] += 100
                save(folder / split / name / f"{number:03d}.png", pixels)
    return folder


def save(path: Path, pixels: np.ndarray, **options: Any) -> Path:
    """Write an image file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, **options)
    return path
