"""The layers of the model. It takes the flags of `train`."""

import re
from dataclasses import dataclass, replace

import torchinfo

from ..base import cli, distributed
from ..base.cli import require
from ..config import Config
from ..engine.trainer import Trainer
from ..model import build_model


@dataclass(frozen=True)
class SummaryConfig(Config):
    """Print the layers of the model that `train` would build with these flags."""

    depth: int = 3
    """Levels of layers to show."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "depth", self.depth >= 1, "at least 1")


def main() -> None:
    """Build the model for the data and print it."""
    config = cli.parse(SummaryConfig)
    with distributed.process_group(config.device) as device:
        trainer = Trainer(replace(config, num_workers=0), device)
        found = torchinfo.summary(
            build_model(config, trainer.info).to(device),  # whole, where FSDP has parts
            input_data=trainer.example[0][:1].to(device),
            depth=config.depth,
            col_names=("output_size", "num_params", "mult_adds", "trainable"),
            row_settings=("var_names",),
            verbose=0,
        )
    print(re.sub(r"Units\.(\w)\w*", r"\1", str(found)))  # it prints the name of an enum


if __name__ == "__main__":
    cli.run(main)
