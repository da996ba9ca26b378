"""What an update says of the numbers of a run, for the project's answers."""

import json
from typing import Any

import pytest

from torchgen_cli.template.numbers import compare

ANSWERS = {"parallelism": "ddp", "amp": "off", "data_format": "lmdb"}
CHANGELOG = {"0.3.0": ["Numbers: the mean is one of means no more.", "Something else."]}


def recorded(*losses: float, machine: str = "here", variant: str = "ddp-off") -> str:
    lines = [{"split": "train", "loss": loss} for loss in losses]
    return json.dumps({"machine": {"cpu": machine}, "numbers": {variant: lines}})


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        (recorded(2.0, 1.0), recorded(2.0, 1.0), "same bits"),
        (recorded(2.0, 1.0), recorded(2.0, 1.0, machine="there"), "same bits"),
        (recorded(2.0, 1.0), recorded(2.0, 1.00001, machine="there"), "same up to rounding"),
        (recorded(2.0, 1.0), recorded(2.0, 1.001, machine="there"), "changed"),
        (recorded(2.0, 1.0), recorded(2.0, 1.00001), "changed"),
        (recorded(2.0, 1.0), recorded(2.0, 1.0, variant="ddp-bf16"), "not measured"),
        (recorded(2.0, 1.0), recorded(2.0), "not measured"),
        ("", recorded(2.0), "not measured"),
        ("[]", recorded(2.0), "not measured"),
    ],
)
def test_two_versions_are_compared_for_the_answers_of_the_project(
    old: str, new: str, verdict: str
) -> None:
    found = compare(old, new, ANSWERS, CHANGELOG)
    assert found.verdict == verdict
    assert found.why == (["the mean is one of means no more."] if verdict == "changed" else [])


def test_mixed_precision_rounds_more_between_machines() -> None:
    answers: dict[str, Any] = {"parallelism": "single", "amp": "bf16"}
    old = recorded(1.0, variant="single-bf16")
    new = recorded(1.01, machine="there", variant="single-bf16")
    assert compare(old, new, answers, {}).verdict == "same up to rounding"
