"""The same matrix on one GPU: NCCL with one process, gloo with two of DDP; FSDP refuses two."""

from pathlib import Path

import pytest

from .answers import COVER, SETS, Answers, name_of
from .commands import Project, environment
from .training import Start, check_use, copy_of, give_data, train

pytestmark = [pytest.mark.gpu, pytest.mark.smoke, pytest.mark.usefixtures("cuda")]

STARTS = {"single": (0,), "ddp": (1, 2), "fsdp": (1,)}
CASES = [(answers, count) for answers in SETS for count in STARTS[answers["parallelism"]]]


def first(parallelism: str) -> Answers:
    """The first of the covering sets that trains like this."""
    return next(answers for answers in COVER if answers["parallelism"] == parallelism)


def project_of(trees: dict[str, Path], answers: Answers, folder: Path, **variables: str) -> Project:
    """A copy of the set's project whose commands see one GPU."""
    one_gpu = {"CUDA_VISIBLE_DEVICES": "0", **variables}
    copy = copy_of(trees[name_of(answers)], folder)
    return Project(copy, environment(folder / "home") | one_gpu)


@pytest.fixture(scope="session")
def cuda() -> None:
    """Skip where there is no CUDA device."""
    import torch

    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")


@pytest.mark.parametrize(
    ("answers", "processes"), CASES, ids=lambda value: name_of(value) if value in SETS else value
)
def test_a_set_trains_on_a_gpu(
    answers: Answers,
    processes: int,
    trees: dict[str, Path],
    images: Path,
    kept: dict[str, Path],
    tmp_path: Path,
) -> None:
    project = project_of(trees, answers, tmp_path)
    give_data(project, answers, images, kept)
    train(project, answers, Start("cuda", processes))
    if answers in COVER:
        check_use(project, answers, images)


@pytest.mark.parametrize("processes", [1, 2])
def test_nccl_joins_processes_that_have_a_gpu_each(
    processes: int, trees: dict[str, Path], images: Path, tmp_path: Path
) -> None:
    answers = first("ddp")
    logs = {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_FILE": "nccl.log"}
    project = project_of(trees, answers, tmp_path, **logs)
    give_data(project, answers, images, {})
    flags = ("--device", "cuda", "--batch-size", "16", "--max-steps", "2")
    project.run("train", *flags, processes=processes)
    log = project.folder / "nccl.log"  # the library may open it without joining any processes
    joined = log.exists() and "Init COMPLETE" in log.read_text(encoding="utf-8")
    assert joined == (processes == 1)


def test_parts_of_a_model_want_a_gpu_each(
    trees: dict[str, Path], images: Path, tmp_path: Path
) -> None:
    answers = first("fsdp")
    project = project_of(trees, answers, tmp_path)
    give_data(project, answers, images, {})
    project.run("train", "--device", "cuda", processes=2, exits=1)
    assert not (project.folder / "runs").exists()
