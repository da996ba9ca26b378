"""A project's README leads to our docs where their address is known, and nowhere else."""

import re
from pathlib import Path

import pytest

from generator.conftest import Torchgen

LINK = re.compile(r"\[torchgen's docs\]\((.*?)\)")
PAGE = "https://git.example.org/team/torchgen-cli/blob/HEAD/docs/index.md"


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("https://git.example.org/team/torchgen-cli.git", [PAGE]),
        ("https://git.example.org/team/torchgen-cli", [PAGE]),
        ("git@git.example.org:team/torchgen-cli.git", []),  # no web page is known
        ("", []),  # that of pyproject.toml, which is a mere name so far
    ],
)
def test_the_link_follows_from_the_address_that_the_project_records(
    address: str, link: list[str], torchgen: Torchgen, tmp_path: Path
) -> None:
    done = torchgen("new", "proj", "--defaults", "--no-git", env={"TORCHGEN_SOURCE": address})
    assert (done.returncode, done.stderr) == (0, "")
    assert LINK.findall((tmp_path / "proj" / "README.md").read_text(encoding="utf-8")) == link
