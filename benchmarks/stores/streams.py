"""Stores that are read as streams, shard after shard: shuffled as far as that goes."""

import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from drawn import decode
from PIL import Image

from .common import Asked, Batches, collate

BUFFER = 1000  # samples that WebDataset and tfrecord shuffle among
SHARDS = 10


def write_webdataset(asked: Asked) -> None:
    import webdataset as wds  # type: ignore[import-not-found, unused-ignore]

    asked.folder.mkdir()
    pattern, each = str(asked.folder / "%03d.tar"), len(asked.files) // SHARDS
    with wds.ShardWriter(pattern, maxcount=each, verbose=0) as writer:
        for number, (file, label) in enumerate(asked.files):
            image = {"npy": decode(file)} if asked.raw else {"jpg": file.read_bytes()}
            writer.write({"__key__": f"{number:08}", "cls": label, **image})


def webdataset(asked: Asked) -> Batches:
    import webdataset as wds

    shards = [str(path) for path in sorted(asked.folder.glob("*.tar"))]
    found = wds.WebDataset(shards, shardshuffle=len(shards)).shuffle(BUFFER)
    # the first leaves the image as it is stored
    found = found.decode(only=["cls"]) if asked.kind == "jpeg" else found.decode("rgb8")
    found = found.to_tuple("npy" if asked.raw else "jpg", "cls")
    found = found.batched(asked.batch, collation_fn=partial(collate, asked), partial=False)
    loader = wds.WebLoader(
        found,
        batch_size=None,
        num_workers=asked.workers,
        persistent_workers=asked.workers > 0,
    )
    return lambda: iter(loader)


def _lit_sample(file_and_label: tuple[Path, int], raw: bool) -> dict[str, Any]:
    file, label = file_and_label
    return {"image": torch.from_numpy(decode(file)) if raw else file.read_bytes(), "label": label}


def write_litdata(asked: Asked) -> None:
    import litdata  # type: ignore[import-not-found, unused-ignore]

    litdata.optimize(
        fn=partial(_lit_sample, raw=asked.raw),
        inputs=list(asked.files),
        output_dir=str(asked.folder),
        chunk_size=len(asked.files) // SHARDS,
        num_workers=1,
        start_method="fork",
    )


def litdata(asked: Asked) -> Batches:
    import litdata as ld

    found = ld.StreamingDataset(str(asked.folder), shuffle=True, drop_last=True)
    loader = ld.StreamingDataLoader(
        found,
        batch_size=asked.batch,
        num_workers=asked.workers,
        persistent_workers=asked.workers > 0,
        collate_fn=partial(collate, asked),
        drop_last=True,
    )
    return lambda: iter(loader)


def _mosaicml() -> Any:
    """Its package, which imports torchvision for a class that it uses elsewhere."""
    import transformers  # type: ignore[import-not-found, unused-ignore]  # noqa: F401  (looks for torchvision too)

    names = ("torchvision", "torchvision.datasets", "torchvision.transforms.functional")
    stand_ins: dict[str, Any] = {name: ModuleType(name) for name in names}
    stand_ins["torchvision.datasets"].VisionDataset = object
    stand_ins["torchvision.transforms.functional"].to_tensor = None
    sys.modules.update(stand_ins)
    import streaming  # type: ignore[import-not-found, unused-ignore]

    for name in names:
        del sys.modules[name]
    return streaming


def write_mosaicml(asked: Asked) -> None:
    shape = f"{asked.size},{asked.size},3"
    image = {"raw": f"ndarray:uint8:{shape}", "jpeg": "bytes", "pillow": "jpeg"}[asked.kind]
    read: Any = {"raw": decode, "jpeg": Path.read_bytes, "pillow": Image.open}[asked.kind]
    columns = {"image": image, "label": "int"}
    with _mosaicml().MDSWriter(out=str(asked.folder), columns=columns) as writer:
        for file, label in asked.files:
            writer.write({"image": read(file), "label": label})


def mosaicml(asked: Asked) -> Batches:
    found = _mosaicml().StreamingDataset(
        local=str(asked.folder), shuffle=True, batch_size=asked.batch
    )
    options = {"batch_size": asked.batch, "collate_fn": partial(collate, asked)}
    loader = asked.loader(found, drop_last=True, **options)
    return lambda: iter(loader)


def write_tfrecord(asked: Asked) -> None:
    from tfrecord import TFRecordWriter  # type: ignore[import-not-found, unused-ignore]
    from tfrecord.tools.tfrecord2idx import (  # type: ignore[import-not-found, unused-ignore]
        create_index,
    )

    asked.folder.mkdir()
    path = str(asked.folder / "train.tfrecord")
    writer = TFRecordWriter(path)
    for file, label in asked.files:
        image = decode(file).tobytes() if asked.raw else file.read_bytes()
        writer.write({"image": (image, "byte"), "label": (label, "int")})
    writer.close()
    create_index(path, path + ".index")


def tfrecord(asked: Asked) -> Batches:
    from tfrecord.torch.dataset import (  # type: ignore[import-not-found, unused-ignore]
        TFRecordDataset,
    )

    path = str(asked.folder / "train.tfrecord")
    types = {"image": "byte", "label": "int"}
    found = TFRecordDataset(path, path + ".index", types, shuffle_queue_size=BUFFER)
    loader = asked.loader(found, batch_size=asked.batch, collate_fn=partial(collate, asked))
    return lambda: iter(loader)
