"""How `predict` prints its answers: as lines for people, as one JSON object, or as a table."""

import csv
import json
import sys
from collections.abc import Iterable
from typing import Any

from ..base.errors import DataError
from ..base.values import Plain


def say(
    answers: list[Plain], lines: Iterable[str], bad: list[str], *, as_json: bool, as_csv: bool
) -> int:
    """Print the answers, or a line for each; returns 1 if any is `bad`, else 0.

    The reasons go to the standard error. Raises DataError if there is no answer at all.
    """
    if not answers:
        raise DataError("; ".join(bad))
    if as_json:
        print(json.dumps({"predictions": answers}))
    elif as_csv:
        rows = [row_of(answer) for answer in answers]
        columns = dict.fromkeys(name for row in rows for name in row)
        table = csv.DictWriter(sys.stdout, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    else:
        for line in lines:
            print(line)
    for reason in bad:
        print(f"error: {reason}", file=sys.stderr)
    return 1 if bad else 0


def row_of(answer: Plain) -> dict[str, Any]:
    """The columns of an answer: `b` of a dictionary `a` is named a.b, a list is joined by ;."""
    row: dict[str, Any] = {}
    for name, value in answer.items():
        if isinstance(value, dict):
            row |= {f"{name}.{inner}": one for inner, one in row_of(value).items()}
        else:
            row[name] = ";".join(map(str, value)) if isinstance(value, list) else value
    return row
