"""No project is larger than promised; docs/size.md and the README say how large they are."""

import re
from collections.abc import Mapping
from pathlib import Path

from .answers import name_of
from .sizes import DEFAULT, PAGE, README, page, rows, tree_of


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


def test_the_readme_shows_the_tree_of_a_default_project(trees: Mapping[str, Path]) -> None:
    text = README.read_text(encoding="utf-8")
    assert text.count("\n") <= 90
    written = text.partition("```text\n")[2].partition("```")[0]
    now, number = tree_of(trees[name_of(DEFAULT)]), re.compile(r"\d[\d,]*")
    assert number.sub("", written).split() == number.sub("", now).split(), "run: make size"
    pairs = zip(
        *(map(int, number.findall(t.replace(",", ""))) for t in (written, now)), strict=True
    )
    assert not any(differ(*pair) for pair in pairs), "run: make size"


def rows_of(text: str) -> dict[str, float]:
    """The sizes of the page, by what they are of."""
    found = re.findall(r"^\| ([^|]+?)(?: \(largest.*\))? \| \**([\d.,]+)\** \|", text, re.MULTILINE)
    return {what: float(size.replace(",", "")) for what, size in found}


def differ(one: float, other: float) -> bool:
    """Whether two sizes differ by more than a tenth."""
    return abs(one - other) > max(2, max(one, other) / 10)
