"""Code beside the program, where a fault harms no run: what is found there is a hint."""

import ast
import re
from pathlib import PurePath

from .kept import kept
from .parsed import OTHERS
from .project import Module, Project
from .syntax import asks_main, blocks_of, last_name, walk

PACKAGED = ("setup.py", "setup.cfg", "pyproject.toml")
NOTEBOOKS = re.compile(r"notebooks?|nbs?|examples?|demos?|tutorials?", re.I)
# folders of what a rewrite has left behind
KEPT_BACK = re.compile(r"old|archived?|legacy|deprecated|backups?|obsolete|unused", re.I)
LEAVING = (ast.Break, ast.Continue, ast.Raise, ast.Return)
# what a demonstration of a file's classes does not do, and a program does
RUNS = re.compile(
    r"^(backward|load_state_dict|save\w*|fit|main\w*|(run|train|eval|test|valid)\w*|launch|spawn)$"
)
# ways to import a file that no import statement names
DYNAMIC = (b"import_module", b"__import__(", b"spec_from_file", b"instantiate", b"exec(")
# syntax that Python 2 alone reads, as the parser calls it
OLD_SYNTAX = re.compile(
    r"call to '(print|exec)'|multiple exception types|inconsistent use of tabs|leading zeros"
)
OLD_NAMES = re.compile(
    rb"\bxrange\(|\breload\(sys\)|\.has_key\(|^import (Queue|urllib2|ConfigParser)\b|\bunicode\(",
    re.M,
)
OLD_SHEBANG = re.compile(rb"#!.*python2")
OTHER_LIBRARY = re.compile(rb"^\s*(?:import|from)\s+(\w+)", re.M)


def is_aside(module: Module, node: ast.AST) -> bool:
    """Whether a place is in a demonstration, in code that nothing uses, or in a side notebook."""
    if module.name.endswith(".ipynb"):
        flag = isinstance(node, ast.Call) and last_name(node.func) == "add_argument"
        return flag or is_side_notebook(module)  # nobody gives a notebook flags
    if is_kept_back(module) or is_never_reached(module, node):
        return True
    around = demonstration(module)
    shown = around is not None and (node is around or around in module.ancestors(node))
    return shown or is_unused(module) or in_unused_function(module, node)


@kept
def is_kept_back(module: Module) -> bool:
    """Whether it is in a folder of old code, which no other code imports, and that trains too."""
    folders = module.name.split("/")[:-1]
    name = next(filter(KEPT_BACK.fullmatch, folders), None)
    if name is None:
        return False
    others = [other for other in module.project.code if name not in other.name.split("/")]
    imported = any(
        name in part.split(".")
        for other in others
        for statement in other.import_statements
        for part in (getattr(statement, "module", None) or "", *(a.name for a in statement.names))
    )
    return not imported and any("backward" in other.calls for other in others)


def is_never_reached(module: Module, node: ast.AST) -> bool:
    """Whether the statement before leaves the block, or it is under `if False:`."""
    inner = node
    for around in module.ancestors(node):
        for block in blocks_of(around) if isinstance(inner, ast.stmt) else ():
            if inner not in block:
                continue
            test = around.test if isinstance(around, ast.If | ast.While) else None
            never = isinstance(test, ast.Constant) and not test.value
            if never and block is getattr(around, "body", None):
                return True
            if any(isinstance(one, LEAVING) for one in block[: block.index(inner)]):
                return True
        inner = around
    return False


@kept
def is_side_notebook(module: Module) -> bool:
    """Whether it is in a folder of notebooks, and the program that trains is elsewhere."""
    folders = module.name.split("/")[:-1]
    return any(map(NOTEBOOKS.fullmatch, folders)) and any(
        "backward" in other.calls and other.name.endswith(".py") for other in module.project.code
    )


@kept
def demonstration(module: Module) -> ast.If | None:
    """The block for `__main__` of a file that others import, where it trains and loads nothing."""
    if PurePath(module.name).stem not in module.project.imported_parts:
        return None
    for block in module.tree.body:
        if isinstance(block, ast.If) and asks_main(block):
            runs = module.project.reaches(module, block, is_run)
            return None if runs else block
    return None


def is_run(node: ast.AST) -> bool:
    """Whether it is a call that a program makes, and a demonstration does not."""
    return isinstance(node, ast.Call) and RUNS.match(last_name(node.func)) is not None


@kept
def is_unused(module: Module) -> bool:
    """Whether a file defines something for others, and no file of the project imports it."""
    project = module.project
    path = PurePath(module.name)
    if path.name in (*PACKAGED, "__init__.py", "hubconf.py", "conftest.py") or module.is_test:
        return False
    if path.stem in project.imported_parts or any(map(does_something, module.tree.body)):
        return False
    named = (f'"{path.stem}"'.encode(), f"'{path.stem}'".encode())
    if has_hidden_users(project) or any(map(project.contains, named)):
        return False
    return any("backward" in other.calls for other in project.code if other is not module)


def in_unused_function(module: Module, node: ast.AST) -> bool:
    """Whether it is in a function of a file that others import, which no file of them names."""
    project = module.project
    around = {node, *module.ancestors(node)}
    function = next((one for one in module.tree.body if one in around), None)
    if not isinstance(function, ast.FunctionDef) or module.is_test:
        return False
    made = [one.func if isinstance(one, ast.Call) else one for one in function.decorator_list]
    if any(last_name(one) not in ("no_grad", "inference_mode") for one in made):
        return False  # which may keep it in a table
    imported = PurePath(module.name).stem in project.imported_parts
    return imported and (
        is_never_named(project, function.name) or is_never_called(module, function)
    )


def is_never_called(module: Module, function: ast.FunctionDef) -> bool:
    """Whether nothing calls a function, or hands it on, though others may have its name."""
    project = module.project
    if has_hidden_users(project) or function.name in project.imported_parts:
        return False
    named = any(
        isinstance(node, ast.Name) and node.id == function.name
        for other in project.modules
        if other is module or has_star(other)
        for node in other.parents
    )
    return not named and not any(True for _ in project.calls_of(module, function))


def has_star(module: Module) -> bool:
    """Whether a file imports names that it does not say."""
    return any(
        alias.name == "*" for statement in module.import_statements for alias in statement.names
    )


def is_never_named(project: Project, function: str) -> bool:
    """Whether no code names a function but where it is defined."""
    word = re.compile(rb"\b%s\b" % function.encode())
    times = sum(len(word.findall(text)) for text in project.contents.values())
    return times == 1 and not has_hidden_users(project)


def has_hidden_users(project: Project) -> bool:
    """Whether code that was not read, or other projects, may use what this one defines."""
    unread = any(name not in project.contents for name in project.broken)
    packaged = any((project.root / name).exists() for name in PACKAGED)
    return unread or packaged or any(map(project.contains, DYNAMIC))


def does_something(statement: ast.stmt) -> bool:
    """Whether a statement of a file is more than a definition, or names a value."""
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return any(isinstance(node, ast.Call) for node in walk(statement))
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, ast.Constant)
    return not isinstance(
        statement,
        ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    )


def is_for_python_2(project: Project, name: str, content: bytes, message: str) -> bool:
    """Whether a file that does not parse was never meant for Python 3."""
    if OLD_SYNTAX.search(message) is None:
        return False
    if OLD_SHEBANG.match(content) or b"torch" not in content:
        return True
    base = PurePath(name).name
    newer = any(PurePath(module.name).name == base for module in project.modules)
    contents = [content, *(project.contents[module.name] for module in project.code)]
    return newer or any(b"six" not in text and OLD_NAMES.search(text) for text in contents)


def is_for_another_library(content: bytes) -> bool:
    """Whether a file that does not parse imports another library, and not torch."""
    roots = {match[1].decode() for match in OTHER_LIBRARY.finditer(content)}
    return "torch" not in roots and not OTHERS.isdisjoint(roots)
