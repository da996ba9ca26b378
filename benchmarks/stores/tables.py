"""Stores that are read at random, so that every epoch is shuffled truly: ours among them."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from drawn import decode, module_of, package_name
from torch.utils.data import BatchSampler, Dataset, RandomSampler

from .common import Asked, Batches, Files, collate, to_batch


def ours(asked: Asked, data_format: str, folder: str) -> Batches:
    """A generated project's own loader, as its training uses it, without augmentation.

    Where workers are wanted it chooses: two processes to decode, a thread to copy. Class folders
    are those that the other libraries read: a copy, written later, can be slower to open.
    """
    scratch, name = asked.folder.parent, package_name(data_format, asked.size)
    drawn = data_format == "imagefolder"
    data = scratch / f"images{asked.size}" if drawn else scratch / name / folder
    module, storage = (module_of(scratch, name, f"data.{part}") for part in ("loader", "storage"))
    module_of(scratch, name, "base.memory").keep_freed()  # as every command of a project does
    reader = storage.Reader(storage.split_path(data, "train"))
    sampler = module.TrainSampler(len(reader), asked.batch, seed=0)
    device, workers = torch.device("cpu"), None if asked.workers else 0
    loader = module.make_loader(module.BatchDataset(reader), sampler, seed=0, workers=workers)
    epoch = -1

    def batches() -> Iterator[Any]:
        nonlocal epoch
        epoch += 1
        sampler.set_epoch(epoch)
        for batch in module.batches(loader, device):
            yield batch.inputs, batch.targets

    return batches


class OneByOne(Dataset[tuple[Any, int]]):
    """What PyTorch's tutorials write: a list of files, each opened when it is asked for."""

    def __init__(self, files: Files, read: Callable[[Path], Any] = decode) -> None:
        self.files, self.read = list(files), read

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        file, label = self.files[index]
        return self.read(file), label


def pytorch(asked: Asked) -> Batches:
    read = decode if asked.kind == "pillow" else Path.read_bytes
    loader = asked.loader(
        OneByOne(asked.files, read),
        batch_size=asked.batch,
        shuffle=True,
        collate_fn=partial(collate, asked),
    )
    return lambda: iter(loader)


def _samples(files: Files, raw: bool) -> Iterator[dict[str, Any]]:
    for file, label in files:
        image: Any = decode(file) if raw else {"path": None, "bytes": file.read_bytes()}
        yield {"image": image, "label": label}


def write_huggingface(asked: Asked) -> None:
    import datasets  # type: ignore[import-not-found, unused-ignore]

    shape = (asked.size, asked.size, 3)
    image = datasets.Array3D(shape, "uint8") if asked.raw else datasets.Image()
    found = datasets.Dataset.from_generator(
        _samples,
        features=datasets.Features({"image": image, "label": datasets.Value("int64")}),
        gen_kwargs={"files": list(asked.files), "raw": asked.raw},
        cache_dir=f"{asked.folder}-cache",
    )
    found.save_to_disk(str(asked.folder))


def huggingface(asked: Asked) -> Batches:
    import datasets

    found = datasets.load_from_disk(str(asked.folder))
    if asked.kind == "jpeg":
        found = found.cast_column("image", datasets.Image(decode=False))
    # pixels stay bytes: the labels, of which there are ten, may be bytes too
    found = found.with_format("numpy", dtype=np.uint8) if asked.raw else found.with_format("numpy")
    # whole batches by their indices, as its manual advises: one look-up instead of many
    order = BatchSampler(RandomSampler(found), asked.batch, drop_last=True)
    loader = asked.loader(found, batch_size=None, sampler=order, collate_fn=partial(_unpack, asked))
    return lambda: iter(loader)


def _unpack(asked: Asked, rows: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    images = rows["image"]
    if asked.raw:
        return torch.from_numpy(images), torch.from_numpy(rows["label"])
    if asked.kind == "jpeg":
        images = [image["bytes"] for image in images]
    return to_batch(asked, images, rows["label"])


def write_ffcv(asked: Asked) -> None:
    from ffcv.fields import (  # type: ignore[import-not-found, unused-ignore]
        IntField,
        RGBImageField,
    )
    from ffcv.writer import DatasetWriter  # type: ignore[import-not-found, unused-ignore]

    asked.folder.mkdir()
    image = RGBImageField(write_mode="raw" if asked.raw else "jpg")
    if not asked.raw:  # it would compress the pixels again, and so store other images
        image.encode = partial(_store_file, asked.size)
    fields = {"image": image, "label": IntField()}
    writer = DatasetWriter(str(asked.folder / "train.beton"), fields, num_workers=1)
    writer.from_indexed_dataset(OneByOne(asked.files, decode if asked.raw else Path.read_bytes))


def _store_file(size: int, destination: Any, content: bytes, malloc: Any) -> None:
    """Store a JPEG file as it is, in the place of RGBImageField.encode."""
    destination["mode"], destination["height"], destination["width"] = 0, size, size
    destination["data_ptr"], storage = malloc(len(content))
    storage[:] = np.frombuffer(content, np.uint8)


def ffcv(asked: Asked) -> Batches:
    """Its threads are its workers: it has at least one."""
    from ffcv.fields.basics import (  # type: ignore[import-not-found, unused-ignore]
        IntDecoder,
    )
    from ffcv.fields.rgb_image import (  # type: ignore[import-not-found, unused-ignore]
        SimpleRGBImageDecoder,
    )
    from ffcv.loader import (  # type: ignore[import-not-found, unused-ignore]
        Loader,
        OrderOption,
    )
    from ffcv.transforms import (  # type: ignore[import-not-found, unused-ignore]
        Squeeze,
        ToTensor,
    )

    loader = Loader(
        str(Path(asked.folder, "train.beton")),
        batch_size=asked.batch,
        num_workers=max(1, asked.workers),
        order=OrderOption.RANDOM,
        os_cache=True,
        drop_last=True,
        pipelines={
            "image": [SimpleRGBImageDecoder(), ToTensor()],
            "label": [IntDecoder(), ToTensor(), Squeeze()],
        },
    )
    return lambda: iter(loader)
