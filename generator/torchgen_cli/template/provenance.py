"""Which repository and commit a template is from. Used by the build: imports stdlib only.

A project can be updated if `.copier-answers.yml` names the template and its version. The name is
the template's address if one is known. A wheel has no `.git`, so the build records the version.
"""

import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from ..base.git import git_output
from .carried import name_of

FIRST_NAME = "https://torchgen.invalid/torchgen-cli.git"  # recorded while there is no address


@dataclass(frozen=True)
class Provenance:
    """Where a template came from; None means unknown."""

    version: str
    """Of torchgen, as in pyproject.toml."""
    repository: str
    """The address of torchgen's repository, or a mere name: see `is_name`."""
    commit: str
    """As Copier records it, `git describe --tags --always`; `carried.name_of` without git."""
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
    version, address = project["version"], project["urls"]["Repository"]
    repository = address if is_name(address) else recordable(address, Path())
    if not is_repository(root):
        return Provenance(version, repository, name_of(root, version), None, False)
    sha = str(git_output(root, "rev-parse", "HEAD^{commit}"))
    commit = str(git_output(root, "describe", "--tags", "--always", sha))
    template = ("copier.yml", "template")
    dirty = bool(git_output(root, "status", "--porcelain", "-unormal", "--", *template))
    # 1234567 and 12345b6 would pass for releases, which no later commit is newer than
    is_number = re.fullmatch(r"\d+([abc]\d*)?", commit)
    return Provenance(version, repository, sha if is_number else commit, sha, dirty)


def is_repository(root: Path) -> bool:
    """Whether the folder is a repository with a commit, and not merely unpacked inside one."""
    top = git_output(root, "rev-parse", "--show-toplevel")
    here = top is not None and Path(top).resolve() == root.resolve()
    return (
        here and git_output(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") is not None
    )


def is_name(address: str) -> bool:
    """Whether an address leads nowhere: its host is in .invalid, which nobody can own (RFC 2606).

    It then only says which template is meant. git can be told where that is, by `insteadOf`.
    """
    host = urlsplit(address.removeprefix("git+")).hostname or ""
    return host == "invalid" or host.endswith(".invalid")


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
