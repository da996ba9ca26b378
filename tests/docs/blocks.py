"""The code blocks of the README and of docs/, as a reader sees them.

`sh` is for commands that a reader types and the tests run. A title says where a block belongs: the
name of a file, or a place of the reader's own that no test has.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
INFO = re.compile(r'([\w-]+)(?: title="([^"]+)")?')


class Block(NamedTuple):
    page: str
    line: int
    language: str
    title: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> Iterator[Block]:
    """Each block of a page. Raises `ValueError` for one without a language."""
    name = name_of(page)
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type in ("fence", "code_block"):
            line = (token.map or [0])[0] + 1
            info = INFO.fullmatch(token.info)
            if not info:
                raise ValueError(f"{name}:{line}: a code block needs a fence with a language")
            yield Block(name, line, info[1], info[2] or "", token.content)
