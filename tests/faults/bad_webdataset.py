"""Bad tar shards, as `train` and `evaluate` meet them."""

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

from .bad import (
    EVALUATE,
    TRAINING,
    Bad,
    Spoil,
    both,
    cut,
    forbid,
    make_folder,
    remove,
    replace,
)

TAR, VAL = "data/train-000000.tar", "data/val-000000.tar"
Members = dict[str, bytes]


def members(change: Callable[[Members], object], name: str = TAR) -> Spoil:
    """Change the files in a shard."""

    def spoil(here: Path) -> None:
        with tarfile.open(here / name) as archive:
            found = {m.name: archive.extractfile(m).read() for m in archive}  # type: ignore[union-attr]
        change(found)
        with tarfile.open(here / name, "w") as archive:
            for member, content in found.items():
                info = tarfile.TarInfo(member)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))

    return spoil


def compressed(here: Path) -> None:
    """The same files in a gzipped shard."""
    with tarfile.open(here / TAR) as archive:
        found = [(m, archive.extractfile(m)) for m in archive]
        with tarfile.open(here / "data/new.tar", "w:gz") as new:
            for member, content in found:
                new.addfile(member, content)
    (here / "data/new.tar").replace(here / TAR)


def put(name: str, content: bytes) -> Callable[[Members], object]:
    return lambda found: found.update({name: content})


LABEL, IMAGE = "00000005.cls", "00000005.png"
CASES = [
    Bad("no shard", remove(TAR), TRAINING, ("data/train-*.tar", "not found", "prepare")),
    Bad("an empty shard", replace(TAR, b""), TRAINING, (TAR, "complete")),
    Bad("half a shard", cut(TAR, 0.5), TRAINING, (TAR, "complete")),
    Bad("no end", cut(TAR, 0.75), TRAINING, (TAR, "complete")),
    Bad("another kind of file", replace(TAR, b"PK\3\4" * 999), TRAINING, (TAR, "tar file")),
    Bad("a compressed shard", compressed, TRAINING, (TAR, "uncompressed")),
    Bad("a folder in its place", make_folder(TAR), TRAINING, (TAR,)),
    Bad(
        "may not be read",
        both(forbid(TAR), remove("data/.train-index.npz")),
        TRAINING,
        (TAR, "denied"),
        unprivileged=True,
    ),
    Bad("an image without a label", members(lambda f: f.pop(LABEL)), TRAINING, (TAR, "label")),
    Bad("a label without an image", members(lambda f: f.pop(IMAGE)), TRAINING, (TAR, "image")),
    Bad("two images", members(put("00000005.jpg", b"x")), TRAINING, (TAR, "two images")),
    Bad("a label too high", members(put(LABEL, b"3")), TRAINING, ("data/train-", "'3'")),
    Bad("an empty image", members(put(IMAGE, b"")), TRAINING, (TAR, "byte", "empty")),
    Bad("evaluated on a text", members(put("00000004.png", b"x"), VAL), EVALUATE, (VAL, "image")),
]
INDEXED = ("data/.train-index.npz", "data/.val-index.npz")  # of the shards as they are now
CASES = [case._replace(may_change=INDEXED) for case in CASES]
