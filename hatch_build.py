"""Adds the template to the wheel and the sdist: its commit, its releases, what updates need."""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NOTE = "provenance.json"


class TemplateHook(BuildHookInterface):  # type: ignore[type-arg]
    """A wheel gets `torchgen_cli/bundle/`, an sdist the same files at its root."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # an editable one runs from the checkout; an older Python is refused by pip, after this
        if version == "editable" or sys.version_info < (3, 11):
            return
        root = Path(self.root)
        folder = "torchgen_cli/bundle/" if self.target_name == "wheel" else ""
        self.scratch = tempfile.TemporaryDirectory(
            prefix="torchgen-build-"
        )  # goes with this object
        for name, path in bundled(root, Path(self.scratch.name)).items():
            build_data["force_include"][str(path)] = folder + name


def _is_source(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts


def bundled(root: Path, scratch: Path) -> dict[str, Path]:
    """What is bundled beside the package: each file or folder by its name there."""
    sys.path.insert(0, str(root / "generator"))
    try:
        from torchgen_cli.template import carried, provenance  # found only with the path above
    finally:
        sys.path.pop(0)
    found = {name: root / name for name in carried.FILES if (root / name).exists()}
    note = root / NOTE  # there only in an unpacked sdist
    if not note.exists():
        note = scratch / NOTE
        origin = provenance.of_checkout(root).to_json()
        note.write_text(json.dumps(origin) + "\n", encoding="utf-8")
    releases = carried.complete(root, scratch)
    recipes = (root / "docs" / "recipes").rglob("*")
    found |= {p.relative_to(root).as_posix(): p for p in recipes if _is_source(p)}
    return found | {NOTE: note} | {f"{carried.FOLDER}/{p.name}": p for p in releases.iterdir()}
