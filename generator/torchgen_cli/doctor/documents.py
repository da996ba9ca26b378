"""What a repository's pages, scripts and configurations say of its flags."""

import os
import re
from pathlib import Path

from .kept import kept
from .python_files import SKIPPED

SUFFIXES = (".md", ".rst", ".txt", ".sh", ".bash", ".bat", ".yaml", ".yml", ".json", ".toml")
LARGE = 2**18  # bytes; what people write by hand is smaller


@kept
def documents(root: Path) -> bytes:
    """The text of every page, script and configuration below a folder, one after the other."""
    found = []
    for folder, inner, files in os.walk(root):
        inner[:] = sorted(one for one in inner if one not in SKIPPED and not one.startswith("."))
        for file in sorted(files):
            path = Path(folder, file)
            if not file.endswith(SUFFIXES) or path.is_symlink() or path.stat().st_size > LARGE:
                continue
            found.append(path.read_bytes())
    return b"\n".join(found)


def is_given(root: Path, flag: str) -> bool:
    """Whether one of them gives a flag, `--start-epoch`, or has its name for a key."""
    name = "[-_]".join(map(re.escape, re.split("[-_]", flag.strip("-")))).encode()
    given = rb"(^|[\s'\"`])--?%s(?![\w-])|^\W*%s['\"]?\s*[:=]" % (name, name)
    return re.search(given, documents(root), re.M) is not None
