"""Which releases of torch and of other libraries a project asks for, as its packaging says."""

import re
from collections.abc import Iterable
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from .kept import kept

# what a requirement asks for beside a library: `gym[atari]`
EXTRAS = r"(?:\[[\w\s,.-]*\])?"
# `>=2.6`, conda's `=1.10`, ` = "^1.10"` of poetry and pixi, ` 1.10` alone in a line
VERSIONS = (
    r"""(?:\s*=\s*["'])?(\s*[<>=!~^]=?=?\s*[\w.*+!-]+(?:\s*,\s*[<>=!~]=?\s*[\w.*+!-]+)*"""
    r"""|(?<=["'])\d[\w.*]*|[ \t]+\d[\w.]*(?=[ \t]*$))"""
)
FILES = (
    *("pyproject.toml", "setup.py", "setup.cfg", "pixi.toml", "*/pixi.toml"),
    *("*env*.y*ml", "*/*env*.y*ml", "conda*.y*ml", "cog.yaml", "requirement.txt"),
    *("requirements*.txt", "requirements/*.txt", "*/requirements*.txt", "requirements*.lock"),
    *("conda*.txt", "Pipfile", "setup*.sh", "install*.sh", "*env*.sh"),
)
# what a tool has chosen, where the README has one install by it
LOCKS = {
    "Pipfile.lock": r"\bpipenv (install|run|sync)",
    "poetry.lock": r"\bpoetry (install|run)",
    "uv.lock": r"\buv (run|sync)",
}
READMES = "[Rr][Ee][Aa][Dd][Mm][Ee]*"
DOCKERFILES = ("Dockerfile*", "*/Dockerfile*")
INSTALLS = re.compile(r"\b(?:pip3?|conda|mamba) install [^\n`]*")
# of which such a command names the release that was at hand for a GPU of its time
TORCHES = ("torch", "pytorch", "torchaudio", "torchtext", "torchvision")


def _pattern(name: str) -> re.Pattern[str]:
    """Finds the versions of a library: beside its name, in the address of a package, in a lock."""
    beside = rf"""(?:^|["'\s]){name}{EXTRAS}{VERSIONS}"""
    address = rf"/{name}-(\d+\.[\d.]*\d)(?:\.post\d+)?[-%+]"
    locked = rf'"{name}"(?:\r?\nversion = "|: \{{[^}}]*"version": ")((?:==)?\d[\d.]*)'
    return re.compile(rf"{beside}|{address}|{locked}", re.M | re.I)


TORCH = _pattern(r"""-?(?:py)?torch["']?""")


def lowest_torch(root: Path) -> Version | None:
    """The lowest torch that every requirement below `root` allows; None where there is none."""
    lowest = [low for text in _texts(root) if (low := _lowest(text)) is not None]
    return min(lowest, default=None)


def pinned_torch(root: Path) -> Version | None:
    """The highest torch that a requirement below `root` names exactly; None where none does."""
    specifiers = (_specifiers(text) for text in _texts(root))
    exact = [
        Version(one.version.removesuffix(".*"))
        for several in specifiers
        for one in several or ()
        if one.operator == "=="
    ]
    return max(exact, default=None)


def stays_before(root: Path, library: str, release: str) -> bool:
    """Whether a requirement below `root` allows no release of a library from this one on."""
    name = "[-_.]".join(map(re.escape, re.split("[-_.]", library)))  # all are the same to pip
    texts = _texts(root, _pattern(name))
    if library not in TORCHES:
        texts += [t for one in commands(root) for t in _versions(_pattern(name), one)]
    found = [one for text in texts if (one := _specifiers(text)) is not None]
    return any(_is_below(one, Version(release)) for one in found)


@kept
def is_required(root: Path, library: str) -> bool:
    """Whether a list of requirements below `root` names a library."""
    name = "[-_.]".join(map(re.escape, re.split("[-_.]", library)))
    pattern = re.compile(rf"""^[\s-]*["']?({name})(?![\w./-])""", re.M | re.I)
    lists = [name for name in FILES if not name.startswith(("setup.", "pyproject."))]
    return bool(_texts(root, pattern, lists))


def _is_below(specifiers: SpecifierSet, release: Version) -> bool:
    """Whether no version from a release on fits."""
    named = [Version(one.version.removesuffix(".*")) for one in specifiers]
    return not any(
        specifiers.contains(one, prereleases=True)
        for one in (release, Version("99999"), *named)
        if one >= release
    )


def _texts(root: Path, pattern: re.Pattern[str] = TORCH, files: Iterable[str] = FILES) -> list[str]:
    """The specifiers for a library, as they are written."""
    names = [*files, *(locks(root) if files is FILES else ())]
    found = []
    for file in (file for name in names for file in sorted(root.glob(name))):
        found += _versions(pattern, _content(file))
    return found


def _content(file: Path) -> str:
    """The text of a file; empty where it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _versions(pattern: re.Pattern[str], text: str) -> list[str]:
    """What a pattern of versions finds in a text."""
    return [(m[1] or m[2] or m[3]).replace(" ", "") for m in pattern.finditer(text)]


@kept
def locks(root: Path) -> tuple[str, ...]:
    """The locks at `root` by which its README has one install."""
    readmes = "".join(map(_content, sorted(root.glob(READMES))))
    return tuple(name for name, command in LOCKS.items() if re.search(command, readmes))


@kept
def commands(root: Path) -> tuple[str, ...]:
    """The commands of the README and the Dockerfiles at `root` that install something."""
    files = [file for name in (READMES, *DOCKERFILES) for file in sorted(root.glob(name))]
    text = "\n".join(map(_content, files))
    return tuple(INSTALLS.findall(re.sub(r"\\\r?\n", " ", text)))


def _specifiers(text: str) -> SpecifierSet | None:
    """What is written, where it can be read."""
    if re.match(r"=[^=]|\d", text):  # conda's way, and a version alone
        text = "==" + text.removeprefix("=")
    elif text.startswith("^"):  # poetry's
        text = f"~={text[1:]}" if "." in text else f"=={text[1:]}.*"
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
