"""Where a project's version of the template is found: its address, or what came with torchgen."""

import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..base.errors import UserError
from ..base.git import GitError, git, git_output
from ..base.staging import check_target, scratch_folder
from .carried import Carried
from .provenance import FIRST_NAME, is_name, is_repository, local_path
from .releases import Releases, cloned
from .source import BUNDLE, direct_url, origin, provenance, template_root


def releases_of(source: str, commit: str, scratch: Path) -> Releases:
    """The releases of the template that a project records, its own version among them.

    Where the address is torchgen's own and cannot be reached, those that came with torchgen serve.
    Raises `UserError` if the version cannot be found.
    """
    ours = source in (origin(provenance())[0], FIRST_NAME)
    if is_name(source) and ours:
        return _known(commit, scratch)
    try:
        return cloned(source, scratch)
    except UserError as error:
        own = came_along(scratch / "own") if ours else None
        if not own or not own.find(commit):
            raise
        problem = str(error).partition(";")[0]
        print(f"note: {problem}; using {own.source}", file=sys.stderr)
        return own


def address_of(source: str) -> str:
    """What a project records after an update: torchgen's own address once one is known."""
    return origin(provenance())[0] if source == FIRST_NAME else source


def came_along(scratch: Path) -> Releases:
    """The releases that this torchgen knows by itself."""
    scratch.mkdir()
    root, found = template_root(), provenance()
    name = f"the releases that came with torchgen {found.version}"
    if not BUNDLE.exists() and is_repository(root):
        shallow = git_output(root, "rev-parse", "--is-shallow-repository") == "true"
        if not shallow:
            return Releases(name, cloned(str(root), scratch).clone)
    try:
        carried = Carried(root, scratch / "carried.git")
        if found.commit not in carried.names:
            carried.add_folder(found.commit, root)
    except GitError as error:
        raise UserError(f"cannot read {name} ({error}); install torchgen again") from error
    return Releases(name, carried.clone)


def _known(commit: str, scratch: Path) -> Releases:
    """The first of the places without an address that has a version."""
    for releases in _places(scratch):
        if not commit or releases.find(commit):
            return releases
    version = provenance().version
    raise UserError(
        f"torchgen {version} does not know the template's version {commit}, which the project "
        "records: install a newer torchgen, or give the template's repository with --source"
    )


def _places(scratch: Path) -> Iterator[Releases]:
    yield came_along(scratch / "own")
    install = direct_url()
    folder = local_path(install["url"], Path()) if install else None
    if folder and is_repository(folder):  # `pip install FOLDER`: it may have moved on since
        (scratch / "folder").mkdir()
        yield cloned(str(folder), scratch / "folder")


def write_clone(path: str) -> str:
    """Write torchgen's releases into a new folder, as a repository that plain Copier can use.

    Returns what to do with it. Raises `UserError`.
    """
    folder = Path(os.path.abspath(path))
    check_target(folder)
    with scratch_folder(Path(tempfile.gettempdir())) as scratch:
        releases = came_along(scratch / "own")
        clone = ("clone", "--quiet", "--no-hardlinks", "--origin", "torchgen", "--")
        try:
            git(scratch, *clone, str(releases.clone), str(folder))
            git(folder, "remote", "remove", "torchgen")
        except GitError as error:
            raise UserError(f"cannot write to {folder}: {error}") from error
        latest = releases.latest().name
    name = origin(provenance())[0]
    lines = [f"Wrote {latest} and the releases before it to {folder}."]
    if is_name(name):
        tell = f"git config --global {shlex.quote(f'url.{folder}.insteadOf')} {name}"
        lines += ["", "To let `copier update` find it:", f"  {tell}"]
    return "\n".join(lines)
