"""What a repository's pages, scripts and configurations say of its flags."""

import re
from contextlib import suppress
from pathlib import Path

from .kept import kept
from .python_files import find

SUFFIXES = (".md", ".rst", ".txt", ".sh", ".bash", ".bat", ".yaml", ".yml", ".json", ".toml")
LARGE = 2**18  # bytes; what people write by hand is smaller
MOST = 2000  # files; what experiments left behind lies further down
IN_ALL = 2**23  # bytes; a repository of programs and pages has less


@kept
def documents(root: Path, suffixes: tuple[str, ...] = SUFFIXES) -> bytes:
    """The text of the pages, scripts and configurations below a folder, the topmost first."""
    found: list[bytes] = []
    left = IN_ALL
    for name in sorted(find(root, suffixes), key=lambda one: (one.count("/"), one))[:MOST]:
        with suppress(OSError):
            size = (root / name).stat().st_size
            if size <= min(LARGE, left):
                found.append((root / name).read_bytes())
                left -= size
    return b"\n".join(found)


def values_given(root: Path, file: str, flag: str) -> set[str]:
    """What the commands for a file on these pages and scripts give a flag; "" for nothing."""
    name = "[-_]".join(map(re.escape, re.split("[-_]", flag.strip("-")))).encode()
    given = re.compile(rb"\s--?%s(?:[\s=]+([^\s-][^\s\\]*|-[\d.]+))?(?=\s|$)" % name)
    return {
        (match[1] or b"").decode("utf-8", "replace").strip("`'\".,")
        for rest in commands_for(root, Path(file).name)
        for match in given.finditer(rest)
    }


@kept
def commands_for(root: Path, name: str) -> tuple[bytes, ...]:
    """What follows the name of a file on the lines of the pages and scripts."""
    lines = re.sub(rb"\\\r?\n", b" ", documents(root)).splitlines()
    start, base = re.compile(rb"(^|[\s/])%s(?=\s)" % re.escape(name.encode())), name.encode()
    found = [(line, start.search(line)) for line in lines if base in line]
    rests = (line[begin.end() :] for line, begin in found if begin is not None)
    return tuple(dict.fromkeys(rests))
