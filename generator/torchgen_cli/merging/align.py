"""Apply the user's changes of whole files and folders to the renderings, before the merge.

The merge then sees only edits of lines.
"""

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ..base.git import ALONE, fields, git


def keep_line_ends(ours: Path, renderings: Sequence[Path]) -> None:
    """Convert rendered files to CRLF where the user converted all line ends of the file."""
    for file in renderings[0].rglob("*"):
        name = file.relative_to(renderings[0])
        if not file.is_file() or not (ours / name).is_file():
            continue
        content = (ours / name).read_bytes()
        ends = content.count(b"\r\n")
        if not ends or ends != content.count(b"\n"):
            continue
        for same in (rendering / name for rendering in renderings):
            if same.is_file() and b"\r\n" not in (text := same.read_bytes()):
                same.write_bytes(text.replace(b"\n", b"\r\n"))


def follow_folders(ours: Path, base: str, head: str, renderings: Sequence[Path]) -> bool:
    """Move a folder in the renderings where the user renamed or moved it, such as the package.

    `base` and `head` are the trees of the first rendering and of the user; `ours` is the
    repository with both. Returns whether anything moved.
    """
    missing = [
        folder.name
        for folder in renderings[0].iterdir()
        if folder.is_dir() and not (ours / folder.name).exists()
    ]
    if not missing:
        return False
    diff = ("diff", "-M", "-z", "--name-status", "--diff-filter=R", base, head)
    renames = fields(git(ours, *diff, env=ALONE))
    moved = False
    for folder in missing:
        size = sum(file.is_file() for file in (renderings[0] / folder).rglob("*"))
        votes = Counter(
            new.removesuffix(f"/{rest}")
            for old, new in zip(renames[1::3], renames[2::3], strict=True)
            if old.startswith(f"{folder}/")
            and new.endswith(f"/{(rest := old.removeprefix(f'{folder}/'))}")
        )
        target, count = votes.most_common(1)[0] if votes else ("", 0)
        if 2 * count <= size:
            continue
        for rendering in renderings:
            if (rendering / folder).is_dir() and not (rendering / target).exists():
                (rendering / target).parent.mkdir(parents=True, exist_ok=True)
                shutil.move(rendering / folder, rendering / target)
                moved = True
    return moved
