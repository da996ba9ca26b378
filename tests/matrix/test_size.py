"""No project is larger than what was promised, and docs/size.md says how large they are."""

import re
from collections.abc import Mapping
from pathlib import Path

from .sizes import PAGE, page, rows


def test_nothing_is_larger_than_its_ceiling_and_the_page_is_up_to_date(
    trees: Mapping[str, Path], extra_trees: Mapping[str, Path]
) -> None:
    found = list(rows(trees, extra_trees))
    broken = [str(row) for row in found if row.grows()]
    assert not broken, "\n".join(broken)
    written, now = (rows_of(text) for text in (PAGE.read_text(encoding="utf-8"), page(found)))
    assert written.keys() == now.keys(), "run: make size"
    # a few lines more or less are no news
    far = {what: (written[what], size) for what, size in now.items() if differ(written[what], size)}
    assert not far, f"run: make size {far}"


def rows_of(text: str) -> dict[str, float]:
    """The sizes of the page, by what they are of."""
    found = re.findall(r"^\| ([^|]+?)(?: \(largest.*\))? \| \**([\d.,]+)\** \|", text, re.MULTILINE)
    return {what: float(size.replace(",", "")) for what, size in found}


def differ(one: float, other: float) -> bool:
    """Whether two sizes differ by more than a tenth."""
    return abs(one - other) > max(2, max(one, other) / 10)
