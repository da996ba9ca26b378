"""An answers file: one on this disk, or one in a git repository, as ADDRESS#FILE."""

import sys
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
    from .releases import address  # seldom needed

    source = recordable(repository, Path.cwd())
    label = f"{source}#{name}"
    with tempfile.TemporaryDirectory(prefix="torchgen-") as folder:
        clone = Path(folder) / "answers.git"
        command = ("clone", "--quiet", "--bare", "--depth", "1", "--", address(repository))
        # nobody sees a question for a password where no terminal is
        env = {} if sys.stdin and sys.stdin.isatty() else {"GIT_TERMINAL_PROMPT": "0"}
        try:
            git_bytes(clone.parent, *command, str(clone), env=env, asks=True)
        except GitError as error:
            raise UserError(f"cannot reach {source} for the answers in {name} ({error})") from error
        try:
            return label, git_bytes(clone, "show", f"HEAD:{name}")
        except GitError as error:
            raise UserError(f"{source} has no file {name} ({error})") from error
