"""Which repository and commit a template is from. Used by the build: imports stdlib only.

A project can be updated if `.copier-answers.yml` names a repository and a commit in it that Copier
can fetch later. A wheel has no `.git`, so the build records the commit it was made from.
"""

import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from ..base.git import git_output


@dataclass(frozen=True)
class Provenance:
    """Where a template came from; None means unknown."""

    version: str
    """Of torchgen, as in pyproject.toml."""
    repository: str | None
    """The canonical address of torchgen, where one is known."""
    source: str | None
    """The repository of this checkout: its origin without credentials, or its absolute path."""
    commit: str | None
    """As Copier records it: `git describe --tags --always`."""
    sha: str | None
    """The full hash of that commit."""
    dirty: bool
    """Whether copier.yml or template/ differed from that commit."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def of_checkout(root: Path) -> Provenance:
    """Read the commit from git, and the release from pyproject.toml."""
    import tomllib  # 4 ms, for checkouts only

    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = commit = sha = None
    dirty = False
    top = git_output(root, "rev-parse", "--show-toplevel")
    if top and Path(top).resolve() == root.resolve():  # else: unpacked inside another repository
        sha = git_output(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        template = ("copier.yml", "template")
        dirty = bool(git_output(root, "status", "--porcelain", "-unormal", "--", *template))
    if sha:
        commit = git_output(root, "describe", "--tags", "--always", sha)
        source = _source(root, str(commit), sha)
    repository = canonical(project["urls"]["Repository"])
    return Provenance(project["version"], repository, source, commit, sha, dirty)


def canonical(url: str) -> str | None:
    """The address, or None for a placeholder: a host in .invalid (RFC 2606)."""
    host = urlsplit(url).hostname or ""
    return None if host == "invalid" or host.endswith(".invalid") else recordable(url, Path())


def recordable(url: str, base: Path) -> str:
    """A git address as Copier can use it from anywhere: absolute, without credentials.

    Paths are taken relative to `base`. Copier takes an address for git's only if it ends in .git,
    starts with git@ or git+, or is GitHub's or GitLab's.
    """
    local = local_path(url, base)
    if local:
        # In a folder Copier asks for the work tree's state, which a bare repository has not.
        if not ((local / "HEAD").is_file() and (local / "objects").is_dir()):
            return str(local)
        bare = local.as_uri()
    else:
        bare = url.removeprefix("git+")
        if bare.startswith(("gh:", "gl:")):  # Copier's own shorthands
            return bare
    if "://" in bare:
        parts = urlsplit(bare)
        user, _, host = parts.netloc.rpartition("@")
        login = user.partition(":")[0] if parts.scheme == "ssh" else ""  # no secret, and needed
        bare = urlunsplit(parts._replace(netloc=f"{login}@{host}" if login else host))
    clear = bare.endswith(".git") or bare.startswith(
        ("git@", "git://", "https://github.com/", "https://gitlab.com/")
    )
    return bare if clear else f"git+{bare}"


def local_path(url: str, base: Path) -> Path | None:
    """The absolute path that a git address names on this machine; None for one elsewhere."""
    bare = url.removeprefix("git+")
    if bare.startswith("file://"):
        path = unquote(urlsplit(bare).path)
        return Path(path.lstrip("/") if os.name == "nt" else path)
    if "://" in bare or re.match(r"[^/\\]{2,}:", bare):  # host:path (a drive has one letter)
        return None
    return Path(os.path.abspath(base / Path(bare).expanduser()))


def _source(root: Path, commit: str, sha: str) -> str:
    """Origin; or the checkout's path if there is no origin, or a local one without the commit."""
    origin = git_output(root, "config", "--get", "remote.origin.url")
    if not origin:
        return str(root.resolve())
    local = local_path(origin, root)
    if local and git_output(local, "rev-parse", f"{commit}^{{commit}}") != sha:
        return str(root.resolve())
    return recordable(origin, root)
