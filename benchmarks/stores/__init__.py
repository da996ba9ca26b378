"""How other libraries store images and give batches of them, each as its manual advises.

Every store writes the same drawn images, shuffled once, as JPEG files or as raw pixels; what it
opens gives epochs of batches: images (B, H, W, 3) uint8 and labels (B,). Where a library leaves the
decoder to its user, it gets the one that ours has.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from . import streams, tables
from .common import Asked, Batches

ANY, BUFFERED, SHARDED = "any order", "within a buffer", "within shards"
JPEG, RAW = ("jpeg", "pillow"), ("raw",)


def nothing_to_write(_: Asked) -> None:
    """The images are stored already: as the drawn files, or by a project's `prepare`."""


@dataclass(frozen=True)
class Store:
    """A library, and how it is used here."""

    title: str
    package: str
    shuffles: str
    kinds: tuple[str, ...]
    write: Callable[[Asked], None]
    open: Callable[[Asked], Batches]
    approximate: bool = False
    """Whether it decodes JPEG by the faster transform, which gives slightly other pixels."""


def _ours(data_format: str, kind: str, flag: str = "") -> Store:
    folder = flag.lstrip("-") or "data"
    give = partial(tables.ours, data_format=data_format, folder=folder)
    title = f"ours, {data_format} {flag}".rstrip()
    return Store(title, "torchgen-cli", ANY, (kind,), nothing_to_write, give)


STORES = {
    "imagefolder": _ours("imagefolder", "jpeg"),
    "encoded": _ours("lmdb", "jpeg", "--encoded"),
    "hdf5": _ours("hdf5", "raw"),
    "lmdb": _ours("lmdb", "raw"),
    "pytorch": Store(
        "a Dataset of files, item by item", "torch", ANY, JPEG, nothing_to_write, tables.pytorch
    ),
    "huggingface": Store(
        "Hugging Face datasets",
        "datasets",
        ANY,
        JPEG + RAW,
        tables.write_huggingface,
        tables.huggingface,
    ),
    "ffcv": Store(
        "FFCV", "ffcv", ANY, ("jpeg", *RAW), tables.write_ffcv, tables.ffcv, approximate=True
    ),
    "webdataset": Store(
        "WebDataset",
        "webdataset",
        BUFFERED,
        JPEG + RAW,
        streams.write_webdataset,
        streams.webdataset,
    ),
    "litdata": Store(
        "LitData",
        "litdata",
        SHARDED,
        ("jpeg", *RAW),
        streams.write_litdata,
        streams.litdata,
    ),
    "mosaicml": Store(
        "MosaicML streaming",
        "mosaicml-streaming",
        SHARDED,
        JPEG + RAW,
        streams.write_mosaicml,
        streams.mosaicml,
    ),
    "tfrecord": Store(
        "tfrecord", "tfrecord", BUFFERED, ("jpeg", *RAW), streams.write_tfrecord, streams.tfrecord
    ),
}
