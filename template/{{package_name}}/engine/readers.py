"""The data of a run, opened as its settings say."""

from typing import NamedTuple

from ..base.errors import DataError
from ..config import Config
from ..data.splits import open_splits
from ..data.storage import split_path
from ..data.subset import Samples, Subset
from ..task import check_data


class Opened(NamedTuple):
    """What a run trains on, and what it is validated on."""

    train: Samples
    val: Samples
    notes: list[str]  # lines about them, to print when the run starts


def open_readers(config: Config) -> Opened:
    """The training and the validation data, or as much of them as --max-samples says."""
    data_dir, notes = config.data_dir, list[str]()
    if config.stage and data_dir.is_dir():  # or else the reader says what is missing
        from ..data.staging import stage

        data_dir, line = stage(data_dir, config.stage)
        notes.append(line)
    train: Samples
    val: Samples
    train, val = open_splits(data_dir, config.image_size)
    try:
        check_data(train, val)
    except DataError as error:  # the task knows what is wrong, not where the data lies
        where = " and ".join(str(split_path(data_dir, split)) for split in ("train", "val"))
        raise DataError(f"{where}: {error}") from error
    if config.max_samples is not None:
        train, val = Subset(train, config.max_samples), Subset(val, config.max_samples)
    if config.skip_bad:
        from ..data.skipping import Skipping

        train, val = Skipping(train), Skipping(val)
    return Opened(train, val, notes)
