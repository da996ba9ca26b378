"""The data of a run, opened as its settings say."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..base.errors import DataError, FlagError
from ..config import Config
from ..data.samplers import Order
from ..data.splits import open_splits, place_of
from ..data.subset import Samples, Subset
from ..task import check_data
from ..toolbox.settings import read_share


class Opened(NamedTuple):
    """What a run trains on, and what it is validated on."""

    train: Samples
    val: Samples
    order: Order | None  # what an epoch draws, where it is not each training sample once
    notes: list[str]  # lines about them, to print when the run starts


def open_readers(config: Config) -> Opened:
    """The training and the validation data, or as much of them as --max-samples says."""
    refuse_two_orders(config)
    notes: list[str] = []
    data_dir, shards = staged(config.data_dir, config, notes), config.shards
    train, val = open_splits(data_dir, config.size, shards=shards)
    sources = [train]
    if config.join:
        from ..data.joining import Joined, open_like

        for folder, _ in map(read_share, config.join):
            place = staged(folder, config, notes)
            sources.append(open_like(train, place, folder, shards=shards))
        train = Joined(sources)
    try:
        check_data(train, val)
    except DataError as error:  # the task knows what is wrong, not where the data lies
        places = (str(place_of(data_dir, split, shards=shards)) for split in ("train", "val"))
        raise DataError(f"{' and '.join(places)}: {error}") from error
    if config.max_samples is not None:
        sources = [Subset(source, config.max_samples) for source in sources]
        train, val = sources[0], Subset(val, config.max_samples)
        if config.join:
            train = Joined(sources)
    order = order_of(config, train, sources, notes)
    if config.skip_bad:
        from ..data.skipping import Skipping

        train, val = Skipping(train), Skipping(val)
    return Opened(train, val, order, notes)


def refuse_two_orders(config: Config) -> None:
    """Raise FlagError where two settings choose what an epoch draws."""
    asked = {"join": config.join, "balance": config.balance, "shard-window": config.shard_window}
    flags = [f"--{flag}" for flag, value in asked.items() if value]
    if len(flags) > 1:
        raise FlagError(f"{' and '.join(flags[:2])} both say what an epoch is made of: choose one")


def staged(data_dir: Path, config: Config, notes: list[str]) -> Path:
    """Where a data folder is read: in its copy, with --stage, of which a note is made."""
    if config.stage is None or not data_dir.is_dir():  # the reader says what is missing
        return data_dir
    from ..data.staging import stage

    place, line = stage(data_dir, config.stage)
    notes.append(line)
    return place


def order_of(
    config: Config, train: Samples, sources: list[Samples], notes: list[str]
) -> Order | None:
    """What an epoch draws of the training data; None for each sample once."""
    if config.balance:
        from ..toolbox.balance import Balanced

        return Balanced(train.targets)
    if config.shard_window:
        from ..data.shards import files_of
        from ..toolbox.windows import Windows

        return Windows(np.bincount(files_of(train)), config.shard_window)
    if config.join:
        from ..toolbox.shares import Shares

        counts = [len(source) for source in sources]
        order = Shares(counts, [read_share(word)[1] for word in config.join])
        places = order.samples // config.batch_size * config.batch_size
        sizes = order.sizes(places)
        for word, count, size in zip(config.join, counts[1:], sizes[1:], strict=True):
            if places and not size:
                raise FlagError(f"--join {word} is less than one of an epoch's {places:,} samples")
            notes.append(f"join    {word}: {size:,} samples of each epoch, out of {count:,}")
        return order
    return None
