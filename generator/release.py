"""Check that this checkout can be released, and tag it: see docs/releasing.md."""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from torchgen_cli.template.carried import FOLDER, Carried
from torchgen_cli.template.provenance import is_name

ROOT = Path(__file__).resolve().parent.parent
LIST, CHANGELOG, NUMBERS = "releases.json", "CHANGELOG.md", "tests/matrix/golden.json"
BUNDLE = "torchgen_cli/bundle/"


def git(*arguments: str) -> str:
    """What git prints, without the final line end; exits with its error message if it fails."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"git {arguments[0]}: {done.stderr.decode().strip()}")
    return done.stdout.decode().rstrip("\n")


def released() -> list[dict[str, str]]:
    """The list of releases, oldest first."""
    found: list[dict[str, str]] = json.loads((ROOT / LIST).read_text(encoding="utf-8"))
    return found


def complaints(version: str) -> Iterator[str]:
    """The reasons why it cannot be released."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if version != f"v{project['version']}":
        yield f"pyproject.toml has the version {project['version']}, not {version[1:]}"
    if git("status", "--porcelain"):
        yield "there are uncommitted changes"
    if git("tag", "--list", version) or any(entry["version"] == version for entry in released()):
        yield f"{version} was released already"
    entries = section(version[1:])
    if not entries:
        yield f"{CHANGELOG} has no section '## {version[1:]} (YYYY-MM-DD)'"
    if changed_numbers() and "\n- Numbers:" not in entries:
        yield (
            f"{NUMBERS} differs from that of the last release, but no entry of {CHANGELOG} begins "
            "with 'Numbers:' and says why, and how to keep the old ones"
        )
    yield from differences(wheel_files(), committed_files())


def no_address() -> bool:
    """Whether pyproject.toml names no repository yet."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return is_name(project["urls"]["Repository"])


def section(version: str) -> str:
    """The changelog entries of a version with a date; empty if there are none."""
    text = (ROOT / CHANGELOG).read_text(encoding="utf-8")
    pattern = rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)\n(.*?)(?=^## |\Z)"
    found = re.search(pattern, text, flags=re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def changed_numbers() -> bool:
    """Whether a run's numbers differ from those of the last release."""
    if not released():
        return False
    before = json.loads(git("show", f"{released()[-1]['commit']}:{NUMBERS}"))
    now = json.loads((ROOT / NUMBERS).read_text(encoding="utf-8"))
    return bool(before["numbers"] != now["numbers"])


def committed_files() -> dict[str, bytes]:
    """The template at HEAD, byte for byte."""
    names = git("ls-tree", "-r", "-z", "--name-only", "HEAD", "--", "copier.yml", "template")
    show = ["git", "cat-file", "blob"]
    return {
        name: subprocess.run(
            [*show, f"HEAD:{name}"], cwd=ROOT, capture_output=True, check=True
        ).stdout
        for name in names.split("\0")
        if name
    }


def wheel_files() -> dict[str, bytes]:
    """The template in a wheel built from this checkout."""
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            return {
                name.removeprefix(BUNDLE): wheel.read(name)
                for name in wheel.namelist()
                if name.startswith((BUNDLE + "copier.yml", BUNDLE + "template/"))
            }


def differences(wheel: dict[str, bytes], committed: dict[str, bytes]) -> Iterator[str]:
    """The files that differ between the wheel and the commit."""
    for name in sorted(wheel.keys() | committed.keys()):
        if wheel.get(name) != committed.get(name):
            yield f"{name} in the wheel differs from the commit"


def tag(version: str) -> None:
    """Commit the release's bundle, tag that commit, and list it in a further one."""
    with tempfile.TemporaryDirectory() as folder:
        carried = Carried(ROOT, Path(folder) / "carried.git")
        carried.add_folder(version, ROOT)
        carried.write(version, ROOT / FOLDER)
    git("add", "--", FOLDER)
    git("commit", "--quiet", "--message", f"Release {version}", "--", FOLDER)
    commit = git("rev-parse", "HEAD")
    git("tag", "--annotate", version, "--message", f"torchgen {version}")
    entries = [*released(), {"version": version, "commit": commit}]
    (ROOT / LIST).write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    git("commit", "--quiet", "--message", f"List the release {version}", "--", LIST)
    print(f"{version} is {commit[:12]}. Next: git push origin HEAD {version}")


def main() -> None:
    """Check, and with --tag also tag."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="as in v0.1.0")
    parser.add_argument("--tag", action="store_true", help="tag HEAD and list it, if all is well")
    given = parser.parse_args()
    if not re.fullmatch(r"v\d+\.\d+\.\d+", given.version):
        parser.error(f"{given.version!r} is not a version like v0.1.0")
    found = list(complaints(given.version))
    for complaint in found:
        print(f"- {complaint}", file=sys.stderr)
    if found:
        sys.exit(f"{given.version} cannot be released")
    print(f"{given.version} can be released")
    if no_address():
        print(
            "note: [project.urls] Repository in pyproject.toml is a placeholder. Projects then "
            "record no address: torchgen update works, plain copier update needs torchgen source"
        )
    if given.tag:
        tag(given.version)


if __name__ == "__main__":
    main()
