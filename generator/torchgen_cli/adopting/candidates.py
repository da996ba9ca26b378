"""The versions of the template that a project may have been made from."""

import re
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import UserError
from ..base.project import Project
from ..template.places import releases_of
from ..template.provenance import recordable
from ..template.releases import Releases, cloned
from ..template.source import installed


@dataclass
class Version:
    """A version of the template that a project may have been made from."""

    name: str
    folder: Path
    stamp: dict[str, str]


def candidates(
    project: Project, source: str | None, wanted: str | None, scratch: Path, notes: list[str]
) -> list[Version]:
    """The versions to compare: first the likeliest, then from the newest to the oldest.

    Adds to `notes` what could not be reached. Raises `UserError` if there is no version.
    """
    own = installed(scratch)
    recorded, record = own.stamp["_commit"], own.stamp["_src_path"]
    noted = project.source if re.match(r"[/\\]|\w+:|git[+@]", project.source) else ""
    releases = None
    if source or noted:
        releases = _reachable(source or noted, scratch, notes)
        record = recordable(source or noted, Path.cwd())
    if source and not releases:
        raise UserError(notes[-1])
    if not releases:
        record = own.stamp["_src_path"]
        (scratch / "ours").mkdir()
        releases = releases_of(record, recorded, scratch / "ours")
    if wanted:
        found = [releases.wanted(wanted, "--version")]
    else:
        likeliest = releases.find(recorded) or releases.latest()
        found = [likeliest, releases.latest(), *reversed(releases.released())]
    return [
        Version(
            name=one.name,
            folder=releases.extract(one, scratch / f"template-{number}"),
            stamp={"_src_path": record, "_commit": one.name},
        )
        for number, one in enumerate({one.sha: one for one in found}.values())
    ]


def _reachable(address: str, scratch: Path, notes: list[str]) -> Releases | None:
    """The repository, if it can be reached; else `notes` gets the error."""
    try:
        return cloned(address, scratch)
    except UserError as error:
        notes.append(str(error))
        return None
