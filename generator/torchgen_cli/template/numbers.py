"""Whether a newer template changes a run's numbers, from the committed losses of a short run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FILE = "tests/matrix/golden.json"  # of the template's repository: see its tests/matrix/golden.py
PREFIX = "Numbers:"  # of changelog entries that explain why the numbers changed
ROUNDING = {"off": 1e-4}  # relative, between two kinds of machine; with mixed precision 2e-2
MIXED = 2e-2


@dataclass(frozen=True)
class Numbers:
    """The comparison of two versions for one project's answers."""

    verdict: str
    """`same bits`, `same up to rounding`, `changed` or `not measured`."""
    variant: str
    largest: float
    """The largest relative difference of a loss."""
    why: list[str]

    def __str__(self) -> str:
        if self.verdict == "not measured":
            return "numbers   not measured: the versions record no losses for these answers"
        of = f"the losses of a short {self.variant} run"
        if self.verdict == "same bits":
            return f"numbers   same bits: {of} are equal in both versions"
        if self.verdict != "changed":
            return (
                f"numbers   same up to rounding: {of} differ by {self.largest:.0e} at most, "
                "measured on two different machines"
            )
        return "\n".join(
            [
                f"numbers   changed: {of} differ by up to {self.largest:.0e}",
                *(f"  - {entry}" for entry in self.why or ["The changelog does not say why."]),
                "  To keep the old ones: let current runs finish before you update, as a resumed",
                "  run continues with the new ones; or update, and `git checkout HEAD --` the",
                "  files that the entry names.",
            ]
        )


def compare(
    old: str, new: str, answers: Mapping[str, Any], changelog: Mapping[str, list[str]]
) -> Numbers:
    """Compare two versions' records (the content of FILE, or "") for a project's answers."""
    variant = f"{answers.get('parallelism')}-{answers.get('amp')}"
    before, after = (_read(text) for text in (old, new))
    lines = before.get("numbers", {}).get(variant), after.get("numbers", {}).get(variant)
    if not lines[0] or not lines[1] or len(lines[0]) != len(lines[1]):  # another short run
        return Numbers("not measured", variant, 0.0, [])
    largest = _largest(*lines)
    why = [
        entry.removeprefix(PREFIX).strip()
        for entries in changelog.values()
        for entry in entries
        if entry.startswith(PREFIX)
    ]
    if lines[0] == lines[1]:
        return Numbers("same bits", variant, 0.0, [])
    allowed = ROUNDING.get(str(answers.get("amp")), MIXED)
    if before["machine"] != after["machine"] and largest <= allowed:
        return Numbers("same up to rounding", variant, largest, [])
    return Numbers("changed", variant, largest, why)


def _read(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _largest(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> float:
    """The largest relative difference of the losses."""
    pairs = [(a["loss"], b["loss"]) for a, b in zip(one, other, strict=True)]
    return max((abs(a - b) / max(abs(a), 1e-12) for a, b in pairs), default=0.0)
