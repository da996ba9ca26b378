"""Check the prepared data.

It reads every sample of every split, and writes a page with pictures of what it finds.
"""

import base64
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from PIL import Image

from ..base import cli
from ..base.cli import Settings, require
from ..base.device import pick_device
from ..base.errors import DataError, UserError
from ..base.files import write_atomic
from ..data.reader import Reader
from ..engine.trained import load_trained
from .findings import Finding, Sample, Split, check
from .labels import suspicious_labels

GROUPS, MEMBERS, SIDE = 30, 6, 160  # shown of a finding, of a group; pixels of a picture


@dataclass(frozen=True)
class CheckConfig(Settings):
    """Look for unreadable files, copies, leaks, contradictory labels and uneven classes."""

    run: Annotated[Path | None, tyro.conf.Positional] = None
    """A run's folder or a checkpoint: samples whose label its model doubts are shown, too."""
    data_dir: Path = Path("data")
    """Folder that `prepare` filled."""
    output: Path = Path("data-check.html")
    """Page to write."""
    device: str = "auto"
    """Device of the run's model."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "output", self.output.suffix == ".html", "an .html file")


def main() -> int:
    """Check, write the page, print the findings; returns 1 if something is wrong."""
    config = cli.parse(CheckConfig)
    try:
        from jinja2 import Environment
    except ImportError as error:
        raise UserError(f"the page needs pip install {error.name}") from error
    trained = config.run and load_trained(config.run, pick_device(config.device))
    splits = open_data(config.data_dir, trained.info.shape[:2] if trained else None)
    findings = check(splits)
    if trained:
        findings += suspicious_labels(trained, splits)
    text = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    page = Environment(autoescape=True, trim_blocks=True).from_string(text)
    shown = [show(finding, splits) for finding in findings]
    counts = ", ".join(f"{len(split.data):,} in {split.name}" for split in splits)
    balance = [split.counts() for split in splits if split.has_classes()]
    content = page.render(
        data=config.data_dir, counts=counts, findings=shown, splits=splits, balance=balance
    )
    config.output.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(config.output, content.encode("utf-8", "replace"))
    for finding in findings:
        print(f"{'wrong' if finding.wrong else 'look '} {finding.text}")
    print(f"{counts}: {len(findings)} findings; {config.output} shows them")
    return int(any(finding.wrong for finding in findings))


def open_data(data_dir: Path, size: tuple[int, ...] | None) -> list[Split]:
    """The splits of a data folder, test if there is one. Raises DataError."""
    train = Reader(data_dir / "train", size)
    splits = [Split("train", train), Split("val", Reader(data_dir / "val", train.size))]
    if any(data_dir.glob("test*")):
        splits.append(Split("test", Reader(data_dir / "test", train.size)))
    return splits


def show(finding: Finding, splits: list[Split]) -> dict[str, Any]:
    """What the page shows of a finding."""
    names, groups = dict(splits), []
    for group in finding.groups[:GROUPS]:
        groups.append([show_sample(s, Split(s.split, names[s.split])) for s in group[:MEMBERS]])
    more = max(len(finding.groups) - GROUPS, 0)
    return {"text": finding.text, "wrong": finding.wrong, "groups": groups, "more": more}


def show_sample(sample: Sample, split: Split) -> dict[str, str]:
    """A sample's split, place, label and note, and its picture if it is an image."""
    row = {"split": sample.split, "where": split.data.where(sample.index), "note": sample.note}
    row |= {"label": split.label(sample.index), "picture": ""}
    try:
        pixels = split.data.read(np.array([sample.index]))[0]
    except DataError:
        return row
    if pixels.dtype == np.uint8 and pixels.ndim == 3 and pixels.shape[2] in (1, 3):
        picture, file = Image.fromarray(pixels.squeeze()), io.BytesIO()
        picture.thumbnail((SIDE, SIDE))
        picture.save(file, "PNG")
        row["picture"] = base64.b64encode(file.getvalue()).decode()
    return row


if __name__ == "__main__":
    cli.run(main)
