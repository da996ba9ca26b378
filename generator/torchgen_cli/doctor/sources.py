"""The files of a project: its Python files and notebooks, and what names its packages."""

import json
import os
import re
import subprocess
import textwrap
from pathlib import Path

from ..base.git import GIT_LOCATIONS

SUFFIXES = (".py", ".ipynb")
SKIPPED = {"__pycache__", "build", "dist", "env", "node_modules", "site-packages", "venv"}
PACKAGING = re.compile(r"requirements[\w.-]*\.txt|environment[\w.-]*\.ya?ml|setup\.(py|cfg)")
LARGE = 2**20  # bytes; what people write by hand is smaller
# lines that IPython alone understands
MAGIC = re.compile(r"^(\s*)([%!?].*|[\w., ]+=\s*[%!].*|[\w.]+\?+\s*|(pip|conda|cd|ls) .*)$")


def top_of(folder: Path) -> Path:
    """The nearest folder upwards that holds pyproject.toml or .git; or the folder itself."""
    marks = ("pyproject.toml", ".git")
    around = (folder, *folder.parents)
    return next((one for one in around if any((one / mark).exists() for mark in marks)), folder)


def find(root: Path) -> list[str]:
    """The files below a folder, as git lists them, or else all but environments and the like."""
    env = {name: value for name, value in os.environ.items() if name not in GIT_LOCATIONS}
    command = ["git", "-c", "core.fsmonitor=false", "--no-optional-locks", "ls-files", "-z"]
    command += ["--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, check=True)
        names = [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = []
    names = names or [path.relative_to(root).as_posix() for path in root.rglob("*")]
    return sorted(name for name in names if _is_own(root, name))


def _is_own(root: Path, name: str) -> bool:
    folders = name.split("/")[:-1]
    hidden = any(part in SKIPPED or part.startswith(".") for part in folders)
    return not hidden and (root / name).is_file() and not (root / name).is_symlink()


def is_packaging(name: str) -> bool:
    """Whether a file names the packages that a project needs."""
    last = name.rpartition("/")[2]
    return last == "pyproject.toml" or PACKAGING.fullmatch(last) is not None


def code_of_notebook(content: str) -> tuple[str, list[tuple[int, int]]]:
    """The code of all cells, and (its first line in it, number of the cell) of each.

    Raises ValueError where it is no notebook.
    """
    try:
        cells = json.loads(content)["cells"]
        codes = [
            (number, "".join(cell["source"]))
            for number, cell in enumerate(cells, 1)
            if cell["cell_type"] == "code"
        ]
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"not a notebook: {error!r}") from error
    lines: list[str] = []
    starts = []
    for number, code in codes:
        starts.append((len(lines) + 1, number))
        rows = textwrap.dedent(code).split("\n")
        if rows[0].startswith("%%") and rows[0].split()[0] not in ("%%time", "%%capture"):
            rows = [""] * len(rows)  # another language
        continued = False
        for row in rows:
            magic = continued or MAGIC.match(row) is not None
            lines.append(MAGIC.sub(r"\1pass", row) if not continued else "")
            continued = magic and row.endswith("\\")
    return "\n".join(lines) + "\n", starts
