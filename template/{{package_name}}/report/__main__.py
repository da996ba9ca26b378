"""Write a page about a run, or compare several."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from ..base import cli
from ..base.cli import Settings
from ..base.errors import FlagError, UserError


@dataclass(frozen=True)
class PageConfig(Settings):
    """Write report.html into a run's folder: curves, classes, mistakes, calibration.

    Of several runs, write comparison.html into the folder that holds them.
    """

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Folders of runs."""
    data_dir: Path | None = None
    """Folder of the data; by default that of the run."""
    device: str = "auto"
    """cpu, cuda, cuda:1, mps, ...; auto takes an accelerator if there is one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.runs:
            raise FlagError("name the folder of a run, or several")
        if len({folder.resolve() for folder in self.runs}) < len(self.runs):
            raise FlagError("a run is named twice")


def main() -> None:
    """Read what the runs left, and write the page."""
    config = cli.parse(PageConfig)
    try:
        from .page import write_comparison, write_report
    except ImportError as error:
        raise UserError(f"a report needs pip install {error.name}") from error
    if len(config.runs) > 1:
        # runs/* names an earlier comparison, too
        print(write_comparison([folder for folder in config.runs if folder.is_dir()]))
    else:
        print(write_report(config.runs[0], data_dir=config.data_dir, device=config.device))


if __name__ == "__main__":
    cli.run(main)
