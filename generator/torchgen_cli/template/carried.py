"""The releases that come with torchgen: a git bundle each, of what changed since the one before.

A wheel, an sdist and an archive thus know every earlier version of the template without a network.
A bundle holds one commit with the files below; its hash depends on them and its parent alone.
Used by the build and by `release.py` too: imports stdlib only.
"""

import hashlib
import json
import shutil
from pathlib import Path

from ..base.git import ALONE, git, git_output

FOLDER, INDEX = "releases", "index.json"
TEMPLATE = ("copier.yml", "template")
FILES = (*TEMPLATE, "CHANGELOG.md", "tests/matrix/golden.json")
# the same commits everywhere, and a bundle counts as a file that git may fetch
PLAIN = {
    **ALONE,
    "GIT_AUTHOR_DATE": "@0 +0000",
    "GIT_COMMITTER_DATE": "@0 +0000",
    "GIT_ALLOW_PROTOCOL": "file",
}
JUNK = ":(exclude,glob)**/__pycache__/**"


def fingerprint(root: Path) -> str:
    """A hash of a template's files."""
    paths = [root / TEMPLATE[0], *(root / TEMPLATE[1]).rglob("*")]
    found = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file() and not _is_junk(path)):
        content = path.read_bytes()
        found.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return found.hexdigest()


def _is_junk(path: Path) -> bool:
    return "__pycache__" in path.parts or path.parent.name.endswith("_cache")


def listed(root: Path) -> dict[str, str]:
    """The releases in a folder `releases`, oldest first: each name with its fingerprint."""
    index = root / FOLDER / INDEX
    if not index.is_file():
        return {}
    found: dict[str, str] = json.loads(index.read_text(encoding="utf-8"))
    return found


def name_of(root: Path, version: str) -> str:
    """The name of a template without a repository: its release, or the version and a hash."""
    own = fingerprint(root)
    releases = {found: name for name, found in listed(root).items()}
    return releases.get(own) or f"v{version}+{own[:8]}"


class Carried:
    """A bare repository with a commit and a tag for each release."""

    def __init__(self, root: Path, clone: Path) -> None:
        """Unpack the releases of `root` into the new folder `clone`. Raises `GitError`."""
        self.clone = clone
        self.names = dict(listed(root))
        clone.mkdir()
        self._git("init", "--quiet", "--bare", "--template=", "--initial-branch=main")
        for name in self.names:
            bundle = str((root / FOLDER / f"{name}.bundle").resolve())
            self._git(
                "fetch", "--quiet", "--no-auto-gc", bundle, f"refs/tags/{name}:refs/tags/{name}"
            )
            self._git("update-ref", "HEAD", f"refs/tags/{name}")

    def add_folder(self, name: str, root: Path) -> None:
        """Add the files of a folder as a version."""
        present = [file for file in FILES if (root / file).exists()]
        where = (
            "--git-dir",
            str(self.clone.resolve()),
            "--work-tree",
            ".",
            "-c",
            "core.bare=false",
        )
        git(root, *where, "add", "--force", "--", *present, JUNK, env=PLAIN)
        self._commit(name, fingerprint(root))

    def add_commit(self, name: str, repository: Path, sha: str) -> None:
        """Add the files of a commit of another repository as a version."""
        objects = git(repository, "rev-parse", "--git-path", "objects")
        borrowed = self.clone / "objects/info/alternates"
        borrowed.write_text(f"{(repository / objects).resolve()}\n", encoding="utf-8")
        files = git(repository, "ls-tree", "-r", "-z", sha, "--", *FILES)
        self._git("update-index", "-z", "--index-info", stdin=files.encode())
        self._commit(name, "")  # an archive has only what `release.py` wrote

    def _commit(self, name: str, found: str) -> None:
        tree = self._git("write-tree")
        head = git_output(self.clone, "rev-parse", "--verify", "--quiet", "HEAD")
        parents = ("-p", head) if head else ()
        sha = self._git("commit-tree", tree, *parents, "-m", name)
        self._git("update-ref", f"refs/tags/{name}", sha)
        self._git("update-ref", "HEAD", sha)
        (self.clone / "index").unlink()
        self.names[name] = found

    def write(self, name: str, folder: Path) -> None:
        """Write a release's bundle, and the list of all, into a folder `releases`."""
        folder.mkdir(exist_ok=True)
        before = list(self.names)[: list(self.names).index(name)]
        known = (f"^refs/tags/{before[-1]}",) if before else ()
        bundle = folder.resolve() / f"{name}.bundle"
        self._git("bundle", "create", "--quiet", str(bundle), f"refs/tags/{name}", *known)
        text = json.dumps(self.names, indent=1) + "\n"
        (folder / INDEX).write_text(text, encoding="utf-8")

    def _git(self, *arguments: str, stdin: bytes = b"") -> str:
        return git(self.clone, *arguments, env=PLAIN, stdin=stdin)


def complete(root: Path, scratch: Path) -> Path:
    """The folder `releases` of a checkout, with the releases that only its tags name.

    `release.py` writes each release down. Whoever tags by hand, as a fork does, need not.
    """
    folder = scratch / FOLDER
    folder.mkdir()
    for file in (root / FOLDER).glob("*"):
        shutil.copy(file, folder)
    tags = git_output(root, "tag", "--merged", "HEAD", "--sort=creatordate") or ""
    missing = [tag for tag in tags.split() if tag not in listed(root) and _is_release(tag)]
    if missing:
        carried = Carried(root, scratch / "carried.git")
        for tag in missing:
            carried.add_commit(tag, root, f"{tag}^{{commit}}")
            carried.write(tag, folder)
    return folder


def _is_release(tag: str) -> bool:
    return tag.removeprefix("v")[:1].isdigit()
