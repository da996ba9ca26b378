"""Answers are printed as JSON, as a table that other programs read, or as lines."""

import csv
import io
import json
from typing import Any

import pytest

from toy.base.errors import DataError
from toy.engine.answers import say

ANSWERS: list[dict[str, Any]] = [
    {"image": "a, b.png", "labels": ["cat", "dog"], "values": {"light [lux]": 0.1 + 0.2, "n": 1}},
    {"image": 'é "2".png', "labels": [], "values": {"light [lux]": -1e-9, "n": 2}},
]


def test_a_table_has_a_column_for_each_value_and_every_digit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert say([*ANSWERS, {"text": "c"}], [], [], as_json=False, as_csv=True) == 0
    *rows, last = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert {name: value for name, value in last.items() if value} == {"text": "c"}
    for row, answer in zip(rows, ANSWERS, strict=True):
        assert row["image"] == answer["image"]
        assert row["labels"] == ";".join(answer["labels"])
        assert float(row["values.light [lux]"]) == answer["values"]["light [lux]"]
        assert int(row["values.n"]) == answer["values"]["n"]


@pytest.mark.parametrize("as_json", [True, False])
def test_what_cannot_be_read_goes_to_the_standard_error(
    capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    assert say(ANSWERS, ["1", "2"], ["c: bad"], as_json=as_json, as_csv=False) == 1
    printed = capsys.readouterr()
    assert printed.err == "error: c: bad\n"
    assert printed.out == (f"{json.dumps({'predictions': ANSWERS})}\n" if as_json else "1\n2\n")
    with pytest.raises(DataError, match="c: bad; d: bad"):
        say([], [], ["c: bad", "d: bad"], as_json=as_json, as_csv=False)
