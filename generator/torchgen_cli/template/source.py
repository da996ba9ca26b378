"""Which template a project is made from, and what its answers file records about it."""

import json
import os
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..base.errors import UserError, disk_full
from ..base.git import git_output
from .provenance import Provenance, local_path, of_checkout, recordable

PACKAGE = Path(__file__).parents[1]
BUNDLE = PACKAGE / "bundle"  # in a wheel; a checkout has copier.yml at its root


@dataclass(frozen=True)
class Template:
    """A template's files, and the origin that a project records."""

    folder: Path
    """Plain files without a repository, so that Copier does not use git to render them."""
    stamp: dict[str, str]
    """`_src_path` and `_commit` of the answers file."""
    warning: str | None = None


def template_root() -> Path:
    """The folder with the copier.yml that came with this torchgen."""
    return BUNDLE if BUNDLE.exists() else PACKAGE.parents[1]


@cache
def provenance() -> Provenance:
    """The origin of the template that came with this torchgen."""
    note = BUNDLE / "provenance.json"
    if note.exists():
        return Provenance(**json.loads(note.read_text(encoding="utf-8")))
    return of_checkout(template_root())


def installed(scratch: Path) -> Template:
    """The template that came with this torchgen; a checkout is rendered from a copy in `scratch`.

    Copier records no origin for a plain folder, so the origin is added to the answers file.
    """
    found, root = provenance(), template_root()
    src = root if root == BUNDLE else _plain_copy(root, scratch)
    warning = None
    if found.dirty:
        warning = (
            f"the template has uncommitted changes; the project records {found.commit}, the last "
            "commit, so a later update treats the changes as your own edits"
        )
    source, commit = origin(found)
    return Template(src, {"_src_path": source, "_commit": commit}, warning)


def named(url: str, scratch: Path) -> Template:
    """The latest release of the template at `--source`, or its newest commit if it has none.

    `url` is a git repository's address or folder. Raises `UserError` if it cannot be fetched.
    """
    from .releases import cloned  # 10 ms, for sources only

    folder = _local(url)
    source = recordable(url, Path.cwd())  # a password in it is used, but not recorded or shown
    releases = cloned(url, scratch)
    version, newest = releases.latest(), releases.find("HEAD")
    warning = None
    if folder and git_output(folder, "status", "--porcelain", "-unormal"):
        warning = f"{folder} has uncommitted changes, which are ignored: only commits are used"
    elif newest and releases.is_older(version, newest):
        warning = (
            f"{source} has commits after {version.name}, its latest release, which are ignored; "
            f"to release them, tag one (a fork: {version.name}+NAME.1)"
        )
    stamp = {"_src_path": source, "_commit": version.name}
    return Template(releases.extract(version, scratch / "named-template"), stamp, warning)


def _local(url: str) -> Path | None:
    """The working tree that `--source` names, if it names one."""
    folder = local_path(url, Path.cwd())
    if not folder:
        return None
    if not folder.exists():
        raise UserError(
            f"--source {url} does not exist; give the folder or URL of a git repository", 2
        )
    if not folder.is_dir() or "://" in recordable(url, Path.cwd()):  # a bundle, or a bare one
        return None
    top = git_output(folder, "rev-parse", "--show-toplevel")
    if not top or Path(top).resolve() != folder.resolve():
        raise UserError(
            f"--source {url} is not the top folder of a git repository; run git init there", 2
        )
    return folder


def origin(found: Provenance) -> tuple[str, str]:
    """What a project records: the template's address, or its name where none is known; the version.

    The address is that of `TORCHGEN_SOURCE`, `pip install git+https://...` or pyproject.toml; a
    folder of this machine only if `TORCHGEN_SOURCE` names one.
    """
    configured = os.environ.get("TORCHGEN_SOURCE")
    if configured:
        return recordable(configured, Path.cwd()), found.commit
    install = direct_url()
    if install and "vcs_info" in install and not local_path(install["url"], Path()):
        sha = install["vcs_info"]["commit_id"]
        return recordable(install["url"], Path()), found.commit if sha == found.sha else sha
    return found.repository, found.commit


def direct_url() -> dict[str, Any] | None:
    """How this package was installed (PEP 610); None if from an index, or not at all."""
    file = next(PACKAGE.parent.glob("torchgen_cli-*.dist-info/direct_url.json"), None)
    return json.loads(file.read_text(encoding="utf-8")) if file else None


def _plain_copy(root: Path, scratch: Path) -> Path:
    """Copy copier.yml and template/ out of the repository, so that Copier reads plain files."""
    copy = scratch / "template-source"
    junk = shutil.ignore_patterns("__pycache__", ".*_cache")
    try:
        shutil.copytree(root / "template", copy / "template", ignore=junk)
        shutil.copy(root / "copier.yml", copy)
    except shutil.Error as error:  # with a line for each file
        _, _, reason = error.args[0][0]
        unread = UserError(f"cannot read the template: {reason}")
        raise disk_full(reason) or unread from error
    return copy
