"""What the page assembles, by its own code in Node.js, is what `torchgen new` writes."""

import itertools
import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from torchgen_cli.explore.content import Content
from torchgen_cli.template.render import render
from torchgen_cli.template.source import installed

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "generator/torchgen_cli/explore/page/explore.js"
NAME = "my-scans"
DRAWN = 200
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not shutil.which("node"), reason="Node.js runs the page's code"),
]


def sets(content: Content) -> Iterator[dict[str, Any]]:
    """The defaults with each extra alone and with all; every set of the questions; drawn ones."""
    single = {name: list(q.choices) for name, q in content.choices.items() if not q.several}
    extras = content.choices["extras"]
    default = {name: choices[0] for name, choices in single.items()}
    for named in ("all", "none", *extras.choices):
        yield default | {"extras": extras.picked(named)}
    for answers in itertools.product(*single.values()):
        yield {**dict(zip(single, answers, strict=True)), "extras": []}
    drawing = random.Random(0)
    for _ in range(DRAWN):
        answers = {name: drawing.choice(choices) for name, choices in single.items()}
        few = drawing.sample(list(extras.choices), drawing.randint(1, len(extras.choices)))
        yield answers | {"extras": extras.picked(",".join(few))}


def files_of(tree: Path) -> dict[str, str]:
    paths = (path for path in tree.rglob("*") if path.is_file())
    return {path.relative_to(tree).as_posix(): path.read_text(encoding="utf-8") for path in paths}


@pytest.mark.parametrize("step", [40, pytest.param(1, marks=pytest.mark.scheduled)])
def test_the_page_assembles_what_is_written(step: int, tmp_path: Path) -> None:
    template = installed(tmp_path)
    content = Content(template.folder, template.stamp)
    every = list(sets(content))
    assert len(every) > 2 + 13 + 180 + DRAWN
    tried = [*every[:15], *every[15::step]]
    (tmp_path / "content.json").write_text(json.dumps(content.as_json()), encoding="utf-8")
    given = [{"answers": answers, "name": NAME} for answers in tried]
    (tmp_path / "sets.json").write_text(json.dumps(given), encoding="utf-8")
    line = ["node", HERE / "assemble.mjs", PAGE, tmp_path / "content.json", tmp_path / "sets.json"]
    said = subprocess.run(line, check=True, capture_output=True, encoding="utf-8").stdout
    for number, (answers, shown) in enumerate(zip(tried, said.splitlines(), strict=True)):
        tree = tmp_path / str(number) / NAME
        tree.parent.mkdir()
        render(template.folder, tree, {"project_name": NAME, **answers}, template.stamp)
        assert json.loads(shown) == files_of(tree), answers
        shutil.rmtree(tree)


def test_a_fork_with_its_own_questions_is_shown(tmp_path: Path) -> None:
    """Names that depend on answers, conditions around all, a question of the fork's own."""
    root, stamp = tmp_path / "fork", {"_src_path": "fork", "_commit": "v1"}
    (root / "t").mkdir(parents=True)
    (root / "copier.yml").write_text(
        "_subdirectory: t\n"
        '_exclude: ["{% if not notes %}/notes.md{% endif %}"]\n'
        "project_name: {type: str, default: a}\n"
        "cloud: {type: str, default: none, choices: [none, ours, theirs]}\n"
        "notes: {type: str, multiselect: true, default: [], choices: [long, short]}\n"
    )
    (root / "t" / "{{_copier_conf.answers_file}}.jinja").write_text(
        "# comment\n{{ _copier_answers | to_nice_yaml -}}\n"
    )
    (root / "t" / "{% if cloud != 'none' %}{{ cloud }}.txt{% endif %}.jinja").write_text(
        "{{ project_name }} in {{ cloud }}{% if cloud == 'ours' %}!{% elif 'long' in notes %}?"
        "{% else %}.{% endif %}\n"
    )
    (root / "t" / "notes.md").write_text("{{ as it is }}\n")
    content = Content(root, stamp)
    (tmp_path / "content.json").write_text(json.dumps(content.as_json()), encoding="utf-8")
    tried = [
        {"answers": {"cloud": cloud, "notes": notes}, "name": NAME}
        for cloud in ("none", "ours", "theirs")
        for notes in ([], ["long"], ["long", "short"])
    ]
    (tmp_path / "sets.json").write_text(json.dumps(tried), encoding="utf-8")
    line = ["node", HERE / "assemble.mjs", PAGE, tmp_path / "content.json", tmp_path / "sets.json"]
    said = subprocess.run(line, check=True, capture_output=True, encoding="utf-8").stdout
    for number, (one, shown) in enumerate(zip(tried, said.splitlines(), strict=True)):
        tree = tmp_path / str(number)
        render(root, tree, {"project_name": NAME, **one["answers"]}, stamp)
        assert json.loads(shown) == files_of(tree), one


def test_the_page_is_small() -> None:
    folder = PAGE.parent
    own = [folder / name for name in ("index.html", "style.css", "explore.js")]
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in own) <= 900


@pytest.mark.skipif(not (PAGE.parent / "vendor").is_dir(), reason="make explorer")
def test_the_types_hold() -> None:
    tsc = PAGE.parents[1] / "node_modules/.bin/tsc"
    line, folder = [tsc], PAGE.parents[1]
    done = subprocess.run(line, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
