"""The report of one run: report.html, and its numbers as report.json."""

import base64
import io
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment
from PIL import Image

from ..base.errors import PACKAGE, UserError
from ..base.facts import Facts
from ..base.files import write_atomic
from ..base.values import Plain
from ..data.source import counted
from ..data.subset import Samples
from . import figures
from .folder import Best, Run
from .look import Seen
from .numbers import measure

PAGE = Path(__file__).with_name("page.html")
ROWS = 50  # classes in the table of the page
SIDE = 160  # pixels: the longer side of a picture
NOT_CLASSES = (
    "The targets are not class numbers, or the model's answers not one probability per class: "
    "this page has the curves alone."
)


def write_report(run: Run, seen: Seen | None, output: Path, note: str = "") -> None:
    """Write the page and, beside it, its numbers.

    `note` stands where the samples would, if nothing was seen of them. Raises UserError where the
    files cannot be written.
    """
    best = run.best() if seen is None else run.best(seen.trained.task.best, higher_of(seen))
    facts = None if seen is None else seen.trained.facts
    samples: Plain | None = None
    shown: Plain = {"note": note or NOT_CLASSES}
    if seen is not None and seen.judged is not None:
        samples = measure(seen.judged, seen.trained.facts.classes)
        shown = view(samples, seen) | {"differs": difference(run, best, samples)}
    environment = {
        name: value if not isinstance(value, list) else " ".join(map(str, value))
        for name, value in run.environment.items()
        if name not in ("packages", "earlier") and value is not None
    }
    page = render(
        title=f"{PACKAGE}: {run.folder.resolve().name}",
        subtitle=f"{run.folder}, {run.lines[-1]['epoch']} of {run.settings['epochs']} epochs",
        head=headline(run, best),
        curves=figures.as_svg(figures.curves({run.folder.name: run})),
        tables={"Settings": run.settings, "Environment": environment, "Data": of_data(facts)},
        packages=run.environment.get("packages", {}),
        differences={},
        **shown,
    )
    numbers = {
        "run": str(run.folder),
        "best": best._asdict(),
        "metrics": run.lines,
        "samples": samples,
        "settings": run.settings,
        "environment": run.environment,
        "data": None if facts is None else facts.to_plain(),
    }
    write(output, page, numbers)


def higher_of(seen: Seen) -> bool:
    """Whether more is better of the metric that `best.pt` follows."""
    return bool(seen.trained.task.higher_is_better)


def view(measured: Plain, seen: Seen) -> Plain:
    """What the page shows of the samples, whose places are added to the numbers."""
    classes, shown = seen.trained.facts.classes, dict(measured)
    for name in ("worst", "right"):
        for row in measured[name]:
            row["where"] = seen.reader.where(row["sample"])
        images = pictures(seen.reader, [row["sample"] for row in measured[name]])
        if images is not None:
            pairs = zip(measured[name], images, strict=True)
            shown[name] = [row | {"picture": as_png(image)} for row, image in pairs]
    rows = measured["per_class"]
    if len(rows) > ROWS:
        rows = sorted(rows, key=lambda row: (row["f1"] is None, row["f1"]))[:ROWS]
    matrix = measured["confusion"]
    drawn = "" if matrix is None else figures.as_svg(figures.confusion(np.array(matrix), classes))
    return {
        "measured": shown,
        "classes": rows,
        "numbered": len(classes) > figures.LABELLED,  # as the confusion matrix then says
        "confusion": drawn,
        "calibration": figures.as_svg(figures.calibration(measured["calibration"])),
    }


def headline(run: Run, best: Best) -> Plain:
    """The numbers to see first: of the best epoch."""
    line = line_of(run, best)
    others = [name for name in line if name not in ("split", "epoch", "step", best.metric)]
    head = {f"best {best.metric}": number(best.value), "in epoch": best.epoch}
    return head | {f"validation {name}": number(line[name]) for name in others}


def line_of(run: Run, best: Best) -> Plain:
    """What the best epoch measured on the validation data."""
    return next(x for x in run.lines if (x["split"], x["epoch"]) == ("val", best.epoch))


def number(value: Any) -> str:
    """A number as a table shows it."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def difference(run: Run, best: Best, measured: Plain) -> str:
    """What to say where the samples give another accuracy than the run wrote down; else ""."""
    logged = line_of(run, best).get("accuracy")
    found, few = measured["accuracy"], 2 / measured["samples"]  # which may round to another class
    if logged is None or abs(found - logged) <= max(few, 1e-3):
        return ""
    return (
        f"These samples give an accuracy of {found:.4f}, but the run wrote {logged:.4f} down: "
        "the data or the code is not what it was."
    )


def of_data(facts: Facts | None) -> Plain:
    """What the run knew of its data."""
    if facts is None:
        return {}
    return {
        "training samples": f"{facts.samples:,}",
        "shape": " x ".join(map(str, facts.shape)),
        "type": facts.dtype,
        "targets": counted(facts.classes),
        "mean": ", ".join(map(number, facts.mean)),
        "standard deviation": ", ".join(map(number, facts.std)),
        "fingerprint": facts.fingerprint,
    }


def pictures(reader: Samples, samples: Sequence[int]) -> np.ndarray | None:
    """Samples as images (N, H, W, C) uint8; None where they are none, as text is not."""
    if not samples or len(reader.shape) != 3 or reader.shape[2] not in (1, 3):
        return None
    images = reader.read(np.array(samples))
    return images if images.dtype == np.uint8 else None


def as_png(image: np.ndarray) -> str:
    """An image (H, W, C) as the base64 of a small PNG file."""
    picture, file = Image.fromarray(image.squeeze()), io.BytesIO()
    picture.thumbnail((SIDE, SIDE))
    picture.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def finite(value: Any) -> Any:
    """The same, with null in place of the numbers that JSON does not have."""
    if isinstance(value, Mapping):
        return {name: finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def render(page: Path = PAGE, **content: Any) -> str:
    """Fill a page in; all text is escaped."""
    template = page.read_text(encoding="utf-8")
    engine = Environment("[%", "%]", "[[", "]]", autoescape=True, trim_blocks=True)
    text = engine.from_string(template).render(content)
    return text.encode("utf-8", "replace").decode()  # a file's name may be anything


def write(output: Path, page: str, numbers: Mapping[str, Any]) -> None:
    """Write both files; raises UserError where that fails."""
    try:
        text = json.dumps(finite(numbers), allow_nan=False)
        write_atomic(output.with_suffix(".json"), f"{text}\n".encode())
        write_atomic(output, page.encode())
    except OSError as error:
        raise UserError(f"{error.filename} cannot be written: {error.strerror}") from error
