"""Free text in a project's README.md: read as Markdown it says what was typed, and nothing else.

It leads to our docs where their address is known. And the recording in our own README shows the
wizard as it is.
"""

import re
from html import escape, unescape
from pathlib import Path

import pytest
import yaml
from jinja2.sandbox import SandboxedEnvironment
from jinja2_ansible_filters import AnsibleCoreFiltersExtension
from markdown_it import MarkdownIt  # comes with typer

from .conftest import ROOT, Torchgen

# As Copier builds it.
JINJA = SandboxedEnvironment(extensions=[AnsibleCoreFiltersExtension])
README = (ROOT / "template" / "README.md.jinja").read_text(encoding="utf-8")
LINE = JINJA.from_string(README.split("\n")[2])

BLOCKS = (
    "# x", "#", "###### x", "  # x", "    x", "     1. y", "> x", ">x", "=== x", "===", "# ",
    "---", "- - -", "--- ---", "-- ", "- x", "-", "+ x", "+", "* x", "***", "_ _ _", "```x", "~~~",
    "1. x", "1) x", "123456789. x", "1.", "<b>x</b>", "[a]: http://x", "\\# x",
)  # fmt: skip
ORDINARY = (
    "An image classifier in PyTorch", "#1 tool", "1.5 million images", "2024: scans", "--flag x",
    "-x", "+1", "A - b # c > d", "Größe (2 + 3) = 5. Done", "1.x", "####### x", "100% of 3 | 4",
)  # fmt: skip


@pytest.mark.parametrize("description", [*BLOCKS, *ORDINARY])
def test_a_description_is_a_paragraph_that_says_what_was_typed(description: str) -> None:
    written = LINE.render(description=description)
    page = MarkdownIt("commonmark").render(f"# t\n\n{written}\n\n## Start\n")
    paragraph = escape(description.strip(), quote=False)
    assert unescape(page) == unescape(f"<h1>t</h1>\n<p>{paragraph}</p>\n<h2>Start</h2>\n")


@pytest.mark.parametrize("description", ORDINARY)
def test_an_ordinary_description_is_written_as_it_is(description: str) -> None:
    assert LINE.render(description=description) == description


def test_the_recording_shows_the_questions_and_choices_of_today() -> None:
    shown = unescape((ROOT / "docs" / "pictures" / "first-run.svg").read_text(encoding="utf-8"))
    questions = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))
    described = {name: q for name, q in questions.items() if isinstance(q, dict) and "choices" in q}
    asked = {name: q for name, q in described.items() if "when" not in q}
    assert len(asked) == 5
    for question in asked.values():
        assert question["help"] in shown
        for choice in question["choices"]:  # "name: what it means"
            assert all(part in shown for part in choice.split(": ", 1)), choice


PAGE = "https://git.example.org/team/torchgen-cli/blob/HEAD/docs/index.md"


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("https://git.example.org/team/torchgen-cli.git", [PAGE]),
        ("https://git.example.org/team/torchgen-cli", [PAGE]),  # recorded with git+
        ("git@git.example.org:team/torchgen-cli.git", []),  # has no page that we know of
        ("https://torchgen.invalid/torchgen-cli.git", []),  # a mere name
    ],
)
def test_a_project_links_to_the_docs_at_the_address_that_it_records(
    address: str, link: list[str], torchgen: Torchgen, tmp_path: Path
) -> None:
    done = torchgen("new", "proj", "--defaults", "--no-git", env={"TORCHGEN_SOURCE": address})
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "proj" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\[torchgen's docs\]\((.*?)\)", text) == link
