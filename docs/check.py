"""Find dead links, dead anchors, and pages that no menu leads to: `make site-check`.

Reads README.md, CONTRIBUTING.md and the pages in docs/ as GitHub shows them, and the menu of
zensical.toml. Prints a line for each problem; the exit code is 1 if there is one.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

MARKDOWN = MarkdownIt("commonmark").enable("table")


@cache
def tokens(page: Path) -> list[Token]:
    return MARKDOWN.parse(page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> set[str]:
    """The names of the headings; of two that are equal only one can be linked to."""
    found = set()
    for before, token in zip(tokens(page), tokens(page)[1:], strict=False):
        if before.type == "heading_open":
            text = "".join(part.content for part in token.children or [])
            found.add(re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"))
    return found


def links(page: Path) -> Iterator[str]:
    for token in tokens(page):
        for part in token.children or []:
            address = part.attrs.get("href") or part.attrs.get("src")
            if address:
                yield str(address)


def dead_links(page: Path, inside: Path) -> Iterator[str]:
    """The links of a page that lead nowhere, or out of the folder that is published with it."""
    for link in links(page):
        address = urlsplit(link)
        if address.scheme or address.netloc:
            continue
        target = (page.parent / unquote(address.path)).resolve() if address.path else page
        if not target.exists():
            yield f"{page}: no such file: {link}"
        elif not target.is_relative_to(inside.resolve()) and target != page:
            yield f"{page}: {link} is not in {inside}/, so the site does not have it"
        elif address.fragment and address.fragment not in anchors(target):
            yield f"{page}: no such heading: {link}"


def menu(entries: list[Any]) -> Iterator[str]:
    """The targets of a menu, at any depth."""
    for entry in entries:
        targets = entry.values() if isinstance(entry, dict) else [entry]
        for target in targets:
            yield from menu(target) if isinstance(target, list) else [target]


def problems() -> Iterator[str]:
    settings = tomllib.loads(Path("zensical.toml").read_text(encoding="utf-8"))["project"]
    docs, site = Path(settings["docs_dir"]), Path(settings["site_dir"])
    pages = sorted(docs.rglob("*.md"))
    named = list(menu(settings["nav"]))
    for target in named:
        if target.endswith(".md") and not (docs / target).exists():
            yield f"zensical.toml: the menu names {target}, which is not in {docs}/"
        elif target.endswith("/") and not (site / target / "index.html").exists():
            yield f"zensical.toml: the menu names {target}, which is not in {site}/"
        elif target.endswith("/") and (docs / target).with_suffix(".md").exists():
            yield f"zensical.toml: {target} replaces the page {target[:-1]}.md; rename that"
    for page in (Path("README.md"), Path("CONTRIBUTING.md")):
        yield from dead_links(page, Path())
    for page in pages:
        yield from dead_links(page, docs)
        if page.relative_to(docs).as_posix() not in named:
            yield f"{page}: no menu leads to it; add it to nav in zensical.toml"


def main() -> int:
    found = list(problems())
    for line in found:
        print(line)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
