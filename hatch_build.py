"""Adds the template to the wheel and the sdist, with a note of its commit."""

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
        if version == "editable":  # runs from the checkout, where git knows the commit
            return
        root = Path(self.root)
        folder = "torchgen_cli/bundle/" if self.target_name == "wheel" else ""
        for name in ("copier.yml", "template"):
            build_data["force_include"][str(root / name)] = folder + name
        note = root / NOTE  # there only in an unpacked sdist
        if not note.exists():
            self.scratch = tempfile.TemporaryDirectory(
                prefix="torchgen-build-"
            )  # removed with this object
            note = Path(self.scratch.name) / NOTE
            note.write_text(json.dumps(provenance_of(root)) + "\n", encoding="utf-8")
        build_data["force_include"][str(note)] = folder + NOTE


def provenance_of(root: Path) -> dict[str, Any]:
    """The provenance of this checkout, as JSON types."""
    sys.path.insert(0, str(root / "generator"))
    try:
        from torchgen_cli.template.provenance import of_checkout  # found only with the path above
    finally:
        sys.path.pop(0)
    return of_checkout(root).to_json()
