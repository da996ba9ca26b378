"""Imports go down only: commands -> engine -> data -> base.

The experiment asks for the last two alone. So it may change without its machinery, and no two
modules wait for each other.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from toys import PACKAGE

COMMANDS = {"train", "evaluate", "predict", "prepare"}
EXPERIMENT = {"config", "model", "task", "augment", "optim"}
# what each folder may import of the package, besides itself
FOLDERS = {
    "base": set(),
    "data": {"base"},
    "engine": {"data", "base", *EXPERIMENT},
}


def upward(package: Path) -> list[str]:
    """A line for each import that goes up: file, line, and what to do."""
    found = []
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).with_suffix("").parts[0]
        for line, target in imports(path, package):
            if name in FOLDERS:
                wrong = target not in FOLDERS[name] | {name}
            else:  # a module of yours, and an extra, may be imported wherever you like
                wrong = target in COMMANDS and name in COMMANDS | EXPERIMENT
                wrong |= target == "engine" and name in EXPERIMENT
            if wrong:
                where = path.relative_to(package.parent).as_posix()
                found.append(
                    f"{where}:{line} imports {target}. Pass what it needs as an argument, or move "
                    "that into a folder that both may import"
                )
    return found


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


def test_no_module_imports_from_above() -> None:
    wrong = upward(PACKAGE)
    assert not wrong, "\n".join(wrong)
