"""An answers file: one on this disk, or one in a git repository, as ADDRESS#FILE."""

import tempfile
from pathlib import Path

from .errors import UserError
from .gitrun import GitError, git_bytes
from .provenance import recordable


def text_of(where: str) -> tuple[str, bytes]:
    """What messages call the file (no password in it), and its content. Raises `UserError`."""
    repository, sign, name = where.rpartition("#")
    if sign and name and repository and not Path(where).exists():
        return _from_git(repository, name)
    try:
        return where, Path(where).read_bytes()
    except OSError as error:
        raise UserError(f"cannot read the answers file {where}: {error.strerror}", 2) from error


def _from_git(repository: str, name: str) -> tuple[str, bytes]:
    """The file as the newest commit of the repository has it."""
    from .releases import clone  # seldom needed

    source = recordable(repository, Path.cwd())
    label = f"{source}#{name}"
    with tempfile.TemporaryDirectory(prefix="torchgen-") as folder:
        answers = Path(folder) / "answers.git"
        try:
            clone(repository, answers, "--depth", "1")
        except GitError as error:
            raise UserError(f"cannot reach {source} for the answers in {name} ({error})") from error
        try:
            return label, git_bytes(answers, "show", f"HEAD:{name}")
        except GitError as error:
            raise UserError(f"{source} has no file {name} ({error})") from error
