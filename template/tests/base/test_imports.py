"""Imports go down only: commands -> report -> engine -> data -> toolbox -> base.

The experiment asks for the last two alone. So it may change without its machinery, and no two
modules wait for each other.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

COMMANDS = {"train", "evaluate", "predict", "export", "prepare", "replay"}
EXPERIMENT = {"config", "model", "task", "augment", "optim"}
# what each folder may import of the package, besides itself
FOLDERS = {
    "base": set(),
    "toolbox": {"base"},
    "data": {"toolbox", "base"},
    "engine": {"data", "toolbox", "base", *EXPERIMENT},
    "report": {"engine", "data", "toolbox", "base", *EXPERIMENT},
    "verify": {"engine", "data", "toolbox", "base", *EXPERIMENT},
    "tools": {"report", "engine", "data", "toolbox", "base", *EXPERIMENT},
}


def upward(package: Path) -> list[str]:
    """A line for each import that goes up: file, line, and what to do."""
    found = {path: list(imports(path, package)) for path in sorted(package.rglob("*.py"))}
    shipped = {*COMMANDS, *EXPERIMENT, *FOLDERS, "__init__"}
    # a module of your own is part of the experiment as soon as the experiment or the engine uses it
    users = {*EXPERIMENT, "engine", "data", "toolbox", "base"}
    used = {name for path in found if top(path, package) in users for _, name in found[path]}
    own = used - shipped
    wrong = []
    for path, targets in found.items():
        source = top(path, package)
        if source in FOLDERS:
            allowed = FOLDERS[source] | {source} | (own if "config" in FOLDERS[source] else set())
        elif source in EXPERIMENT | own:
            allowed = {"toolbox", "base", "config", source} | own
        elif source in COMMANDS:
            allowed = {"report", "engine", "data", "toolbox", "base", *EXPERIMENT} | own
        else:
            continue  # a command of your own
        wrong += [
            f"{path.relative_to(package.parent).as_posix()}:{line} imports {name}; {source} may "
            f"import {', '.join(sorted(allowed - {source})) or 'nothing of the package'}. "
            "Pass what it needs as an argument, or move that into a folder that both may import"
            for line, name in targets
            if name not in allowed
        ]
    return wrong


def imports(path: Path, package: Path) -> Iterator[tuple[int, str]]:
    """Line and name of each top-level module or folder of the package that a file imports."""
    here = path.relative_to(package.parent).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules: list[tuple[str, ...]] = []
        if isinstance(node, ast.Import):
            modules = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = here[: -node.level] if node.level else ()
            module = (*start, *(node.module.split(".") if node.module else ()))
            modules = [(*module, alias.name) for alias in node.names]
        for module in modules:
            if len(module) > 1 and module[0] == package.name:
                yield node.lineno, module[1]


def top(path: Path, package: Path) -> str:
    """The top-level module or folder of the package that a file belongs to."""
    return path.relative_to(package).with_suffix("").parts[0]


def test_no_module_imports_from_above() -> None:
    (engine,) = ROOT.glob("*/engine/__init__.py")
    wrong = upward(engine.parent.parent)
    assert not wrong, "\n".join(wrong)
