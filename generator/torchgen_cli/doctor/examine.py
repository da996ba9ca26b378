"""Run every check on every file, and drop what is switched off."""

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path

from ..base.errors import UserError
from .checks import all_rules
from .file import File
from .finding import Finding, Result
from .project import Project
from .settings import Settings, in_comment, read_settings
from .sources import LARGE, SUFFIXES, code_of_notebook, find, is_packaging, top_of

# a comment in this line or the one above, in a text that shows faults
DEMONSTRATED = re.compile(r"(?i)#.*\b(bad|bug|wrong|leak|incorrect|mistake)\b")


def examine(paths: list[Path], select: tuple[str, ...] = ()) -> Result:
    """Check folders, files and, as `-`, the standard input. `select` replaces the settings' own.

    Raises `UserError` for what is neither, where nothing is found, and for wrong settings.
    """
    result = Result()
    wanted: dict[Path, set[str]] = defaultdict(set)
    for path in paths:
        if str(path) == "-":
            code = sys.stdin.buffer.read().decode("utf-8", errors="replace")
            _check_file("-", code, Project(code), Settings(select=select), result)
        elif path.is_dir():
            wanted[path.resolve()].add("")
        elif path.is_file() and path.suffix in SUFFIXES:
            top = top_of(path.resolve().parent)
            wanted[top].add(path.resolve().relative_to(top).as_posix())
        elif path.exists():
            raise UserError(f"{path} is not a Python file, notebook or folder", 2)
        else:
            raise UserError(f"{path} is neither a file nor a folder; give a training repository", 2)
    for root, names in wanted.items():
        _check_project(root, names, select, result)
    if not result.files and not result.notes:
        where = ", ".join(map(str, paths))
        raise UserError(f"no Python files of a project were found in {where}; give its folder", 2)
    result.findings.sort()
    return result


def _check_project(root: Path, names: set[str], select: tuple[str, ...], result: Result) -> None:
    """Check some files of a project, or with "" all of them. The others are read for context."""
    settings = read_settings(top_of(root) if "" in names else root)
    settings.select = select or settings.select
    texts: dict[str, str] = {}
    packaging = []
    for name in find(root):
        code = name.endswith(SUFFIXES) and not settings.excludes(name)
        if not code and not is_packaging(name):
            continue
        text = (root / name).read_bytes().decode("utf-8-sig", errors="replace")
        if len(text) > LARGE:
            result.notes.append(f"skipped, as larger than 1 MiB: {name}")
            continue
        packaging += [text] if is_packaging(name) else []
        texts |= {name: text} if code else {}
    if missing := sorted(names - texts.keys() - {""}):
        result.notes.append(f"skipped, as excluded or ignored by git: {', '.join(missing)}")
    project = Project("\n".join(texts.values()), "\n".join(packaging))
    here = Path.cwd().resolve()
    for name in texts if "" in names else names & texts.keys():
        path = root / name
        shown = path.relative_to(here) if path.is_relative_to(here) else path
        _check_file(name, texts[name], project, settings, result, shown.as_posix())


def _check_file(
    name: str, text: str, project: Project, settings: Settings, result: Result, shown: str = "-"
) -> None:
    """Add the findings of one file."""
    result.files += not is_test(name)
    if is_test(name) or not ("torch" in text or "add_argument" in text):
        return
    starts: list[tuple[int, int]] = []
    try:
        if name.endswith(".ipynb"):
            text, starts = code_of_notebook(text)
        file = File(text, project)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        reason = getattr(error, "msg", error)
        result.notes.append(f"does not parse, so was not checked: {shown}:{line}: {reason}")
        return
    lines = text.split("\n")
    for rule in all_rules().values():
        if rule.check is None or not rule.id.startswith(settings.select or ""):
            continue
        places = (one if isinstance(one, tuple) else (one, "") for one in rule.check(file))
        for node, detail in dict(places).items():
            line, end = node.lineno, node.lineno
            if isinstance(node, ast.expr | ast.Assign | ast.Expr):
                end = node.end_lineno or line  # a comment may be at the end of a long call
            comments = {number: in_comment(lines[number - 1]) for number in range(line, end + 1)}
            wrong = [f"{shown}:{number}: {why}" for number, (_, why) in comments.items() if why]
            result.notes += wrong
            if settings.ignores(name, rule.id) or any(
                rule.id in ids for ids, _ in comments.values()
            ):
                result.ignored += 1
                continue
            if DEMONSTRATED.search("\n".join(lines[max(0, line - 2) : line])):
                continue
            cell = None
            for start, number in starts:
                if start <= node.lineno:
                    cell, line = number, node.lineno - start + 1
            column = node.col_offset + 1
            result.findings.append(Finding(shown, line, column, rule.id, detail, cell))


def is_test(name: str) -> bool:
    """Whether a file holds tests, which break rules on purpose."""
    *folders, file = name.split("/")
    return file.startswith(("test_", "conftest")) or file.endswith("_test.py") or "tests" in folders
