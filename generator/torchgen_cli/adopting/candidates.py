"""The versions of the template that a project may have been made from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import UserError
from ..base.project import Project
from ..template.provenance import recordable
from ..template.releases import Releases
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
    recorded = own.stamp.get("_commit", "")
    noted = project.source if re.match(r"[/\\]|\w+:|git[+@]", project.source) else ""
    addresses = [source] if source else [noted, own.stamp["_src_path"]]
    releases = _reachable(addresses, scratch, notes)
    if releases is None:
        if source or wanted not in (None, recorded) or not recorded:
            raise UserError(notes[-1])
        notes.append(f"only the installed version, {recorded}, was compared")
        return [Version(recorded, own.folder, own.stamp)]
    if wanted:
        found = [releases.wanted(wanted, "--version")]
    else:
        likeliest = releases.find(recorded) or releases.latest()
        found = [likeliest, releases.latest(), *reversed(releases.released())]
    record = recordable(releases.source, Path.cwd())
    return [
        Version(
            name=one.name,
            folder=releases.extract(one, scratch / f"template-{number}"),
            stamp={"_src_path": record, "_commit": one.name},
        )
        for number, one in enumerate({one.sha: one for one in found}.values())
    ]


def _reachable(addresses: Sequence[str], scratch: Path, notes: list[str]) -> Releases | None:
    """The first repository that can be reached; `notes` gets the errors of those before."""
    for address in dict.fromkeys(filter(None, addresses)):
        try:
            return Releases(address, scratch)
        except UserError as error:
            notes.append(str(error))
    return None
