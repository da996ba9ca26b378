"""How long does an update take: `torchgen update` against plain `copier update`.

    python benchmarks/update.py [--rounds 9]

The same project and the same two releases of a local template for both, in turn. Writes its section
of docs/performance.md.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from generate import template_copies
from timing import ENVIRONMENT, Command, measure, table, write_section

IDENTITY = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
EDITED = "template/{{package_name}}/config.py.jinja"


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True)


def project_between_two_releases(scratch: Path) -> Path:
    """A project of a template's first release, edited; a second release changes a line nearby."""
    _, template = template_copies(scratch)
    git(template, "tag", "v0.1.0")
    made = scratch / "made" / "proj"
    new = [sys.executable, "-m", "torchgen_cli", "new", str(made), "--defaults"]
    subprocess.run(
        [*new, "--source", str(template)],
        env=ENVIRONMENT,
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    config = made / "proj" / "config.py"
    config.write_text(f"{config.read_text()}\n# an edit\n")
    git(made, "commit", "--quiet", "--all", "--message", "an edit")
    newer = template / EDITED
    newer.write_text(newer.read_text().replace("log_every: int = 50", "log_every: int = 20"))
    git(template, "commit", "--quiet", "--all", "--message", "a fix")
    git(template, "tag", "v0.2.0")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    python = [sys.executable, "-m"]
    commands = [
        Command("`torchgen update`", [*python, "torchgen_cli", "update"]),
        Command("`torchgen update --dry-run`", [*python, "torchgen_cli", "update", "--dry-run"]),
        Command("`torchgen update --check`", ["sh", "-c", CHECK]),
        Command("`copier update`", [*python, "copier", "update", "--defaults", "--quiet"]),
    ]
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        scratch = Path(name)
        made = project_between_two_releases(scratch)
        measure(commands, rounds, scratch, lambda folder: shutil.copytree(made, folder))
    note = (
        f"{rounds} rounds, one project with an edit, two releases of a local template. `torchgen "
        "update` also compiles what changed and has pytest, in this environment with torch, list "
        "the tests; `copier update` does not."
    )
    aims = {"`torchgen update`": "≤ 1.2"}
    write_section("update.py", "Updating a project", note, [table(commands, aims)])


# it exits with 4: there is news
CHECK = f"{sys.executable} -m torchgen_cli update --check; [ $? -eq 4 ]"

if __name__ == "__main__":
    main()
