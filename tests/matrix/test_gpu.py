"""Covering projects train on a GPU, alone and by NCCL, through their own command lines."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import torch

from .answers import SMOKE, Answers, name_of
from .commands import Project, environment
from .training import Start, check_evaluation, check_prediction, check_resume, copy_of, train

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU"),
]


@pytest.mark.parametrize("answers", SMOKE, ids=name_of)
def test_a_set_trains_on_a_gpu(
    answers: Answers, trees: Mapping[str, Path], images: Path, tmp_path: Path
) -> None:
    project = Project(copy_of(trees[name_of(answers)], tmp_path), environment(tmp_path / "home"))
    start = Start("cuda", torch.cuda.device_count() if answers["parallelism"] != "single" else 0)
    project.run("prepare", "--source", images)
    records = train(project, answers, start)
    check_evaluation(project, records, start)
    check_prediction(project, images)
    check_resume(project, answers, records, start)
