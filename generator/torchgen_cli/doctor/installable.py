"""Which old releases no Python of today can install, and whether a project gives an old Python."""

import re
from pathlib import Path

from .requirements import stays_before

# Of releases before these the package index has no wheel for Python 3.10 or newer, as was looked
# up for each. Networkx before 2.4 is installed, and fails at its import.
FIRST = {
    "matplotlib": "3.5",
    "networkx": "2.4",
    "numpy": "1.21",
    "pandas": "1.3",
    "pytorch": "1.11",
    "scikit-image": "0.19",
    "scikit-learn": "1.0",
    "scipy": "1.7",
    "tensorflow": "2.8",
    "torch": "1.11",
    "torchaudio": "0.11",
    "torchtext": "0.12",
    "torchvision": "0.12",
}
# of an environment with releases and a Python of their own, which conda or Docker can still make
ENVIRONMENTS = (
    *("environment*.y*ml", "*/environment*.y*ml", "pixi.toml", "*/pixi.toml"),
    *("*[Dd]ockerfile*", "*/*[Dd]ockerfile*"),
)
PAGES = (
    "[Rr][Ee][Aa][Dd][Mm][Ee]*",
    "INSTALL*",
    "docs/INSTALL*",
    "runtime.txt",
    "Pipfile",
    "pyproject.toml",
)
# `python=3.7`, "Python 3.6", "python3.7", and not "Python 3.6+", "Python >= 3.6"
OLD_PYTHON = re.compile(
    r"python(?:[\s_]*version)?[\s=:\-\"'`*(]*(?:2\.7|3\.\d)(?!\d)"
    r"(?![.\dx\s`*)]*(?:\+|(?:or|and)\s+(?:higher|later|above|newer|greater|up)|>))",
    re.I,
)


def is_out_of_date(root: Path, library: str) -> bool:
    """Whether the packaging allows no release of a library that a Python of today can install.

    Such a pin keeps nobody at the old release, unless the project says where an old Python comes
    from.
    """
    first = FIRST.get(library)
    return first is not None and stays_before(root, library, first) and not has_old_python(root)


def has_old_python(root: Path) -> bool:
    """Whether an environment, or a page that names it, gives a Python before 3.10."""
    if any(True for name in ENVIRONMENTS for _ in root.glob(name)):
        return True
    files = (file for name in PAGES for file in sorted(root.glob(name)) if file.is_file())
    return any(
        OLD_PYTHON.search(file.read_text(encoding="utf-8", errors="replace")) for file in files
    )
