"""Jupyter notebooks as Python: the code of all cells, one after the other."""

import json
import re
import textwrap
from bisect import bisect_right
from dataclasses import dataclass

# lines that IPython alone understands, and cells in another language
MAGIC = re.compile(
    r"^(\s*)([%!?].*|[\w., ]+=\s*[%!].*|[\w.]+\?+\s*"
    # commands that IPython takes without a sign, `cd ..`
    r"|(cat|cd|conda|cp|ls|mkdir|mv|pip|pwd|rm|rmdir)(\s+(?![=.(,+*/%-]\s)[^=(]*)?)$"
)


@dataclass(frozen=True)
class Notebook:
    """The code, and where each cell begins in it."""

    code: str
    starts: tuple[int, ...]
    """The first line of each code cell, from 1."""
    numbers: tuple[int, ...]
    """The number of that cell among all, from 1."""

    def place(self, line: int) -> tuple[int, int]:
        """(number of the cell, line within it) of a line of the code."""
        index = bisect_right(self.starts, line) - 1
        return self.numbers[index], line - self.starts[index] + 1


def parse(content: bytes) -> Notebook:
    """Read a notebook; raises ValueError where it is none."""
    try:
        cells = json.loads(content)["cells"]
        codes = [
            (number, "".join(cell["source"]))
            for number, cell in enumerate(cells, start=1)
            if cell["cell_type"] == "code"
        ]
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"not a notebook: {error!r}") from error
    lines: list[str] = []
    starts, numbers = [], []
    for number, code in codes:
        starts.append(len(lines) + 1)
        numbers.append(number)
        rows = code.splitlines() or [""]
        if rows[0].startswith("%%"):  # html, bash, ...; a timed cell is still Python
            plain = rows[0].split()[0] in ("%%time", "%%timeit", "%%capture")
            rows = ["", *(rows[1:] if plain else [""] * (len(rows) - 1))]
        lines += plain_rows(rows)
    return Notebook("\n".join(lines) + "\n", tuple(starts), tuple(numbers))


def plain_rows(rows: list[str]) -> list[str]:
    """The rows of a cell as Python: without its common indent, and without magics."""
    found: list[str] = []
    goes_on = False
    for row in textwrap.dedent("\n".join(rows)).split("\n"):
        found.append("" if goes_on else MAGIC.sub(r"\1pass", row))
        goes_on = row.endswith("\\") and (goes_on or MAGIC.match(row) is not None)
    return found
