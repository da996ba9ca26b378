"""What a repository's pages, scripts and configurations say of its flags."""

import re
from contextlib import suppress
from pathlib import Path

from .kept import kept
from .python_files import find

SUFFIXES = (".md", ".rst", ".txt", ".sh", ".bash", ".bat", ".yaml", ".yml", ".json", ".toml")
LARGE = 2**18  # bytes; what people write by hand is smaller
MOST = 2000  # files; what experiments left behind lies further down


@kept
def documents(root: Path) -> bytes:
    """The text of the pages, scripts and configurations below a folder, the topmost first."""
    found = []
    for name in sorted(find(root, SUFFIXES), key=lambda one: (one.count("/"), one))[:MOST]:
        with suppress(OSError):
            if (root / name).stat().st_size <= LARGE:
                found.append((root / name).read_bytes())
    return b"\n".join(found)


def is_given(root: Path, flag: str) -> bool:
    """Whether one of them gives a flag, `--start-epoch`, or has its name for a key."""
    name = "[-_]".join(map(re.escape, re.split("[-_]", flag.strip("-")))).encode()
    given = rb"(^|[\s'\"`])--?%s(?![\w-])|^\W*%s['\"]?\s*[:=]" % (name, name)
    return re.search(given, documents(root), re.M) is not None
