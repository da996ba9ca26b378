"""Checks on the code of a rendered project: what nobody uses or declares, imports that go up.

Each check takes a tree and yields a line per finding; none is good. They go by names, not by
scopes: a name that is used anywhere in the package counts as used.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from .answers import EXTRAS, folder_of
from .renderings import PACKAGE

# names that someone else's code asks for, and who does
ASKED_FOR = {
    "forward": "torch.nn.Module",
    "add_param_group": "torch.optim.Optimizer",
    "get_next": "onnxruntime.quantization.CalibrationDataReader",
    "load_program": "who deploys an exported model",
    "load_safetensors": "who deploys an exported model",
    "find_class": "pickle.Unpickler",
    "send_400_response": "uvicorn's H11Protocol",
}
EXPERIMENT = {"config", "task", "augment", "optim"}  # and the model, which knows no config
# distributions that are needed without an import of ours, and why
NOT_IMPORTED = {
    "alembic": "mlflow-skinny's SQLite store makes its tables with it",
    "trackio": "the tracker imports it once it knows the run's folder",
    "sqlalchemy": "mlflow-skinny's SQLite store",
    "pytest-xdist": "pytest -n",
    "ruff": "a command",
    "onnxscript": "torch.onnx",
    "python-multipart": "starlette's forms",
}
# imported where they are there, with a message that says how to install them where they are not
OPTIONAL = {"safetensors", "matplotlib"}  # their absence is told in a line
# modules whose import needs a distribution that has another one's name
HIDDEN = {"torch.utils.tensorboard": "tensorboard"}


class Definition(NamedTuple):
    """A name that a module gives to something, and the lines of it."""

    name: str
    first: int
    last: int


class Module(NamedTuple):
    """What a module defines and uses."""

    definitions: list[Definition]
    uses: dict[str, list[int]]  # name: lines
    imports: list[tuple[str, bool]]  # absolute ones; whether they run at import


def unused(tree: Path) -> Iterator[str]:
    """Functions, classes, methods, fields, attributes and constants that the package never reads.

    The tests do not count: what only they use is dead weight.
    """
    modules = {path: read(path.read_text(encoding="utf-8")) for path in package_files(tree)}
    for path, module in modules.items():
        for name, first, last in module.definitions:
            if name in ASKED_FOR or (name.startswith("__") and name.endswith("__")):
                continue
            lines = module.uses.get(name, [])
            own = [line for line in lines if not first <= line <= last]
            others = (other for other in modules if other != path)
            if not own and not any(name in modules[other].uses for other in others):
                yield f"{path.relative_to(tree).as_posix()}: {name} is never used"


def package_files(tree: Path) -> list[Path]:
    """The package's modules."""
    return sorted((tree / PACKAGE).rglob("*.py"))


@cache
def read(source: str) -> Module:
    """Collect a module's definitions and uses; many sets share a module's text."""
    parsed = ast.parse(source)
    module = Module([], {}, [])
    for node in ast.walk(parsed):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()):
                module.uses.setdefault(name, []).append(node.lineno)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                module.definitions.append(Definition(name, node.lineno, node.lineno - 1))
            case ast.Import(names=names):
                at_top = node in parsed.body
                module.imports.extend((alias.name, at_top) for alias in names)
            case ast.ImportFrom(module=str(name), level=0):
                module.imports.append((name, node in parsed.body))
            case ast.Module(body=body) | ast.ClassDef(body=body):
                module.definitions.extend(defined(body))
    return module


def defined(body: list[ast.stmt]) -> Iterator[Definition]:
    """The names that the statements of a module or a class define."""
    for node in body:
        last = node.end_lineno or node.lineno
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield Definition(name, node.lineno, last)
            case ast.Assign(targets=targets):
                for target in targets:
                    for part in ast.walk(target):
                        if isinstance(part, ast.Name):
                            yield Definition(part.id, node.lineno, last)
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield Definition(name, node.lineno, last)


def undeclared(tree: Path) -> Iterator[str]:
    """Imports that pyproject.toml does not declare, and declared ones that nothing imports."""
    project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    always = {distribution(line) for line in project["dependencies"]}
    extras = project["optional-dependencies"].values()
    extra = {distribution(line) for lines in extras for line in lines} - {project["name"]}
    imports = set(third_party(package_files(tree)))
    parts = project["optional-dependencies"]
    needed = set()
    for path in package_files(tree):
        folder = path.relative_to(tree / PACKAGE).parts[0].replace("_", "-")
        own = {distribution(line) for line in parts.get(folder, [])}  # of an extra's command
        needed |= {name for name, at_top in third_party([path]) if at_top} - own
    tests = {name for name, _ in third_party(sorted((tree / "tests").rglob("*.py")))}
    all_needed = tests | {name for name, _ in imports}
    for name in sorted(needed - always):
        yield f"the package imports {name}, which it does not depend on"
    for name in sorted(all_needed - always - extra - OPTIONAL):
        yield f"{name} is imported, but neither a dependency nor in an extra"
    for name in sorted((always - needed) | (extra - all_needed)):
        if name not in NOT_IMPORTED:
            yield f"{name} is declared, but nothing imports it"


def third_party(paths: list[Path]) -> Iterator[tuple[str, bool]]:
    """The distributions that modules import, and whether as soon as they are imported."""
    own = {PACKAGE, "toy", *(path.stem for path in paths)}
    for path in paths:
        for name, at_top in read(path.read_text(encoding="utf-8")).imports:
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names and top not in own:
                yield HIDDEN.get(name) or distributions().get(top, top), at_top


def upward(tree: Path) -> Iterator[str]:
    """Imports that go up: `base`, `data`, the experiment, `engine`, then commands and extras."""
    for path in package_files(tree):
        parts = path.relative_to(tree / PACKAGE).with_suffix("").parts
        allowed = may_import(parts)
        for level, module, line in relative(path.read_text(encoding="utf-8")):
            target = (*parts[:-level], *module)
            top = target[0] if target else ""
            if top != parts[0] and top and top not in allowed:
                yield f"{path.relative_to(tree).as_posix()}:{line} imports {'.'.join(target)}"


def may_import(parts: tuple[str, ...]) -> set[str]:
    """The modules and folders at the top of the package that a module may import."""
    place = parts[0]
    extras = {folder_of(name) for name in EXTRAS}
    lower = {"base": set(), "data": {"base"}, "model": {"base", "data"}}
    if place in lower:
        return lower[place]
    if place in EXPERIMENT:  # their hooks call the chosen extras
        return {"base", "data", "config", "model"} | extras
    below = {"base", "data", "config", "model", *EXPERIMENT}
    if place == "engine":
        return below
    # a command, or an extra, some of which build on others
    return below | {"engine", *extras} | ({"train"} if place in extras else set())


@cache
def relative(source: str) -> list[tuple[int, tuple[str, ...], int]]:
    """The relative imports: how many folders up, the module's parts, the line."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            if node.module:
                found.append((node.level, tuple(node.module.split(".")), node.lineno))
            else:
                found.extend((node.level, (alias.name,), node.lineno) for alias in node.names)
    return found


@cache
def distributions() -> dict[str, str]:
    """The distribution of each installed top-level module."""
    return {top: normal(names[0]) for top, names in metadata.packages_distributions().items()}


def distribution(requirement: str) -> str:
    """The name in a requirement such as `torch>=2.11`."""
    return normal(re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0])


def normal(name: str) -> str:
    """A distribution's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
