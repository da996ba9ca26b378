"""The generator's folders and commands may import only what is listed here: one way, no cycles."""

import ast
import shutil
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

from .conftest import ROOT

PACKAGE = "torchgen_cli"
MAY_IMPORT = {
    "base": set(),
    "template": {"base"},
    "questions": {"base", "template"},
    "merging": {"base", "template"},
    "adopting": {"base", "template", "questions"},
    "doctor": {"base", "template"},
    "recipes": {"base"},
    "new": {"base", "template", "questions", "recipes"},
    "update": {"base", "template", "merging"},
    "set_answers": {"base", "template", "questions", "merging"},
    "extras": {"base", "template", "questions", "merging", "set_answers"},
    "adopt": {"base", "adopting"},
    "explain": {"base", "template", "questions"},
    "explore": {"base", "template", "questions"},
    "status": {"base", "template", "questions", "doctor"},
    "verify": {"base", "template", "questions", "set_answers", "extras"},
    "commands": {
        "base", "template", "questions", "merging", "doctor",
        "recipes", "new", "update", "set_answers", "extras", "adopt", "explain", "explore",
        "status", "verify",
    },
    "cli": {"template", "commands"},
    "__main__": {"base", "cli"},
}  # fmt: skip


def imports(package: Path) -> Iterator[tuple[str, str, str]]:
    """Every import of the package's own modules: the importing module, `file:line`, the imported.

    Imports inside functions and under TYPE_CHECKING count.
    """
    modules = {_dotted(file, package): file for file in sorted(package.rglob("*.py"))}
    for name, file in modules.items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                folder = [PACKAGE, *file.relative_to(package).parent.parts]
                base = ".".join(folder[: len(folder) - node.level + 1]) if node.level else ""
                base = ".".join(filter(None, (base, node.module)))
                found = [f"{base}.{alias.name}" for alias in node.names]
                found = [one if one in modules else base for one in found]
            else:
                continue
            where = f"{file.relative_to(package).as_posix()}:{node.lineno}"
            for one in found:
                if one.partition(".")[0] == PACKAGE:
                    yield name, where, one


def _dotted(file: Path, package: Path) -> str:
    parts = (PACKAGE, *file.relative_to(package).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def forbidden(package: Path) -> list[str]:
    """The imports that `MAY_IMPORT` does not allow, and the cycles between modules."""
    complaints = []
    graph: dict[str, set[str]] = {}
    lines: dict[tuple[str, str], str] = {}
    for name, where, other in imports(package):
        part, imported = (f"{one}.".split(".")[1] for one in (name, other))
        if part != imported and imported not in MAY_IMPORT.get(part, ()):
            complaints.append(f"{where}: {part or PACKAGE} must not import {imported or PACKAGE}")
        graph.setdefault(name, set()).add(other)
        lines[name, other] = where
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle = error.args[1][::-1]
        steps = (lines[pair] for pair in pairwise(cycle))
        complaints.append(f"a cycle: {', '.join(steps)}")
    return complaints


def test_the_list_goes_one_way_and_names_every_folder_and_module() -> None:
    before: set[str] = set()
    for part, allowed in MAY_IMPORT.items():
        assert allowed <= before, f"{part} may import what is listed after it"
        before.add(part)
    here = ROOT / "generator" / PACKAGE
    found = {
        path.stem for path in here.iterdir() if path.suffix == ".py" or list(path.glob("*.py"))
    }
    assert found - {"__init__"} == MAY_IMPORT.keys()


def test_imports_go_one_way() -> None:
    assert forbidden(ROOT / "generator" / PACKAGE) == []


@pytest.mark.parametrize(
    ("file", "line", "complaint"),
    [
        ("base/git.py", "from ..template.numbers import Numbers", "base must not import template"),
        ("questions/question.py", "from .. import new", "questions must not import new"),
        ("update.py", "import torchgen_cli.adopt", "update must not import adopt"),
        ("merging/health.py", "def f():\n    from .report import Report", "a cycle: "),
        ("doctor/rule.py", "def f():\n    from . import examine", "a cycle: "),
    ],
)
def test_an_import_the_other_way_is_reported_with_file_and_line(
    file: str, line: str, complaint: str, tmp_path: Path
) -> None:
    package = shutil.copytree(ROOT / "generator" / PACKAGE, tmp_path / PACKAGE)
    text = (package / file).read_text(encoding="utf-8") + line + "\n"
    (package / file).write_text(text, encoding="utf-8")
    where = f"{file}:{len(text.splitlines())}"
    assert any(complaint in one and where in one for one in forbidden(package))
