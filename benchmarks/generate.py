"""How fast is torchgen: its help page, and a new project against plain `copier copy`.

    python benchmarks/generate.py [--rounds 15]

Runs the commands in turn, round after round, so that whatever else the machine does hits all alike.
Writes its section of docs/performance.md.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from timing import ROOT, Command, measure, table, write_section


def template_copies(scratch: Path) -> tuple[Path, Path]:
    """The template as a plain folder, and as a git repository of one commit."""
    plain, repository = scratch / "plain", scratch / "repository"
    for folder in (plain, repository):
        shutil.copytree(ROOT / "template", folder / "template")
        shutil.copy(ROOT / "copier.yml", folder)
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for line in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "template"]):
        subprocess.run(["git", *line], cwd=repository, check=True)
    return plain, repository


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    python = sys.executable
    torchgen, copier = [python, "-m", "torchgen_cli"], [python, "-m", "copier", "copy", "-l", "-q"]
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        scratch = Path(name)
        plain, repository = template_copies(scratch)
        start_up = [
            Command("`torchgen --help`", [*torchgen, "--help"]),
            Command('`python -c "import typer"`', [python, "-c", "import typer"]),
        ]
        new = [
            Command("`torchgen new --defaults`", [*torchgen, "new", "x", "--defaults"]),
            Command("the same with `--no-git`", [*torchgen, "new", "x", "--defaults", "--no-git"]),
            Command("`copier copy` of a plain folder", [*copier, str(plain), "x"]),
            Command("`copier copy` of the repository", [*copier, str(repository), "x"]),
        ]
        measure(start_up, rounds, scratch)
        measure(new, rounds, scratch)
    tables = [
        table(start_up, {"`torchgen --help`": "≤ 2.5"}),
        table(new, {"`torchgen new --defaults`": "≤ 1.05"}),
    ]
    note = (
        f"{rounds} rounds. Each is a whole process; the memory is that of the process without its "
        "git children. `torchgen new` also makes the repository and the first commit, which "
        "`copier copy` does not; the repository is what a user of plain Copier copies from."
    )
    write_section("generate.py", "Generating a project", note, tables)


if __name__ == "__main__":
    main()
