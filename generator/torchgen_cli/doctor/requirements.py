"""Which torch a project asks for, as its packaging says."""

import re
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

EXACTLY = r"""(?:^|["'\s-]){}\s*(==?\s*[\w.*+!-]+)"""
FILES = (
    *("pyproject.toml", "setup.py", "setup.cfg", "environment.yml", "environment.yaml"),
    *("requirements*.txt", "requirements/*.txt", "*/requirements*.txt"),
)
# `torch>=2.6`, `"torch == 1.13.1+cu117"`, conda's `pytorch=1.10`
TORCH = re.compile(
    r"""(?:^|["'\s-])(?:py)?torch\s*((?:[<>=!~]=?=?)\s*[\w.*+!-]+(?:\s*,\s*[<>=!~]=?\s*[\w.*+!-]+)*)""",
    re.M,
)


def lowest_torch(root: Path) -> Version | None:
    """The lowest torch that every requirement below `root` allows; None where there is none."""
    lowest = [low for text in _texts(root) if (low := _lowest(text)) is not None]
    return min(lowest, default=None)


def pinned_torch(root: Path) -> Version | None:
    """The highest torch that a requirement below `root` names exactly; None where none does."""
    return _pinned(root, TORCH)


def pinned(root: Path, library: str) -> Version | None:
    """As `pinned_torch`, for another library."""
    return _pinned(root, re.compile(EXACTLY.format(re.escape(library)), re.M))


def _pinned(root: Path, pattern: re.Pattern[str]) -> Version | None:
    """The highest version of a library that a requirement names exactly."""
    specifiers = (_specifiers(text) for text in _texts(root, pattern))
    exact = [
        Version(one.version.removesuffix(".*"))
        for several in specifiers
        for one in several or ()
        if one.operator == "=="
    ]
    return max(exact, default=None)


def _texts(root: Path, pattern: re.Pattern[str] = TORCH) -> list[str]:
    """The specifiers for a library, as they are written."""
    found = []
    for name in FILES:
        for file in sorted(root.glob(name)):
            try:
                text = file.read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            found += [match[1].replace(" ", "") for match in pattern.finditer(text)]
    return found


def _specifiers(text: str) -> SpecifierSet | None:
    """What is written, where it can be read."""
    if re.match(r"=[^=]", text):  # conda's way
        text = "=" + text
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return None


def _lowest(text: str) -> Version | None:
    """The lower bound of one specifier; 0 where it has none."""
    specifiers = _specifiers(text)
    if specifiers is None:
        return None
    bounds = [
        Version(one.version.removesuffix(".*"))
        for one in specifiers
        if one.operator in (">=", ">", "==", "~=")
    ]
    return max(bounds, default=Version("0"))
