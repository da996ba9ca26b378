"""The same matrix on a GPU: NCCL with one process, gloo with two on one device."""

from pathlib import Path

import pytest

from .answers import COVER, SETS, Answers, name_of
from .commands import Project, environment
from .training import Start, check_use, copy_of, give_data, train

pytestmark = [pytest.mark.gpu, pytest.mark.smoke, pytest.mark.usefixtures("cuda")]

STARTS = {"single": (0,), "ddp": (1, 2), "fsdp": (1, 2)}
CASES = [(answers, count) for answers in SETS for count in STARTS[answers["parallelism"]]]


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
    folder = copy_of(trees[name_of(answers)], tmp_path)
    one_gpu = {"CUDA_VISIBLE_DEVICES": "0", "NCCL_DEBUG": "INFO", "NCCL_DEBUG_FILE": "nccl.log"}
    project = Project(folder, environment(tmp_path / "home") | one_gpu)
    give_data(project, answers, images, kept)
    train(project, answers, Start("cuda", processes))
    assert (folder / "nccl.log").exists() == (processes == 1), "not the backend that was meant"
    if answers in COVER:
        check_use(project, answers, images)
