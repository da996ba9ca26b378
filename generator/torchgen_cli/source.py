"""Which template a project is made from, and what its answers file records of it."""

import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .errors import UserError
from .provenance import Provenance, git_output, of_checkout, recordable

HERE = Path(__file__).parent
BUNDLE = HERE / "bundle"  # in a wheel; a checkout has copier.yml at its root


@dataclass(frozen=True)
class Template:
    """What `copier.run_copy` needs to render a template and to record where it came from."""

    src_path: str
    stamp: dict[str, str]
    """Overrides `_src_path` and `_commit` in the answers file."""
    vcs_ref: str | None = None
    """None: Copier takes the latest tag, or HEAD if there is none."""
    warning: str | None = None
    plain: bool = False
    """A folder that git has no part in."""


def template_root() -> Path:
    """The folder with the copier.yml that came with this torchgen."""
    return BUNDLE if BUNDLE.exists() else HERE.parents[1]


@cache
def provenance() -> Provenance:
    """What is known of the template that came with this torchgen."""
    note = BUNDLE / "provenance.json"
    if note.exists():
        return Provenance(**json.loads(note.read_text(encoding="utf-8")))
    return of_checkout(template_root())


def installed(workshop: Path) -> Template:
    """The template that came with this torchgen; a checkout is rendered from a copy in `workshop`.

    Rendered as a plain folder, of which Copier records nothing, so the record is stamped on.
    """
    found, root = provenance(), template_root()
    src = root if root == BUNDLE else _plain_copy(root, workshop)
    source, commit = _record(found)
    if not source or not commit:
        return Template(
            src_path=str(src),
            stamp={"_src_path": source or str(root)},
            warning="the template's repository or commit is not known, so `copier update` will "
            "not work in this project; install torchgen from its repository or a release to have "
            "that",
            plain=True,
        )
    warning = None
    if found.dirty:
        warning = (
            f"the template has uncommitted changes; the project records {commit}, the commit below "
            "them, so a later update takes them for your own edits"
        )
    stamp = {"_src_path": source, "_commit": commit}
    return Template(str(src), stamp, warning=warning, plain=True)


def named(url: str) -> Template:
    """The template at `--source`: a git repository's address or folder.

    Raises `UserError` if it is a folder without a repository.
    """
    source = recordable(url, Path.cwd())
    stamp = {"_src_path": source}  # an address with a password in it is used, but not recorded
    folder = Path(source)
    if not folder.is_absolute():
        unclear = source.startswith("git+") and not url.startswith("git+")
        return Template(f"git+{url}" if unclear else url, stamp)
    if not folder.exists():
        raise UserError(f"--source {url} does not exist; give a git repository's folder or URL", 2)
    if not folder.is_dir() or folder.suffix == ".git":  # a bundle, or a bare repository
        return Template(source, stamp)
    top = git_output(folder, "rev-parse", "--show-toplevel")
    if not top or Path(top).resolve() != folder.resolve():
        raise UserError(f"--source {url} is no git repository's top; run git init there", 2)
    if git_output(folder, "status", "--porcelain", "-unormal"):
        return _committed_state(folder, stamp)
    return Template(source, stamp)


def _committed_state(folder: Path, stamp: dict[str, str]) -> Template:
    """Of a changed repository, what is committed: Copier would add a commit that nobody has."""
    from packaging.version import InvalidVersion, Version  # 10 ms, seldom needed

    ref = git_output(folder, "rev-parse", "HEAD")
    for tag in (git_output(folder, "tag") or "").split():
        try:
            if not Version(tag).is_prerelease:
                ref = None  # Copier picks the latest
        except InvalidVersion:
            continue
    warning = f"{folder} has uncommitted changes, which are left out: only commits can be updated"
    return Template(str(folder), stamp, ref, warning)


def _record(found: Provenance) -> tuple[str | None, str | None]:
    """The address and commit by which the template of this installation can be fetched later."""
    install = _direct_url()
    if install and "vcs_info" in install:  # pip install git+...
        sha = install["vcs_info"]["commit_id"]
        return recordable(install["url"], Path()), found.commit if sha == found.sha else sha
    release = found.repository, found.commit or f"v{found.version}"
    from_index = BUNDLE.exists() and install is None
    if found.repository and (from_index or not found.source):
        return release
    return found.source, found.commit


def _direct_url() -> dict[str, Any] | None:
    """How this package was installed (PEP 610); None if from an index, or not at all."""
    file = next(HERE.parent.glob("torchgen_cli-*.dist-info/direct_url.json"), None)
    return json.loads(file.read_text(encoding="utf-8")) if file else None


def _plain_copy(root: Path, workshop: Path) -> Path:
    """copier.yml and template/ outside of their repository, where Copier would take a commit."""
    copy = workshop / "template-source"
    junk = shutil.ignore_patterns("__pycache__", ".*_cache")
    shutil.copytree(root / "template", copy / "template", ignore=junk)
    shutil.copy(root / "copier.yml", copy)
    return copy
