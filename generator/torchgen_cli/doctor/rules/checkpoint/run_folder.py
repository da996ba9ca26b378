"""The folder to which a run writes."""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path, PurePosixPath

from ...kept import kept
from ...project import Module, Project
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    has_stars,
    is_constant,
    keyword,
    last_name,
    mentions,
    receiver,
    written,
)
from ...unused import is_never_named
from ..shared.states import plain_saves, takes

MAKING = re.compile(
    r"mk_?dir|make_?(dir|folder|path)|(create|ensure|prepare|check|setup|init)_?\w*(dir|folder|path|exp)"
    r"|SummaryWriter|FileWriter|copytree|FileHandler|^(system|run|Popen|call|check_call)$",
    re.I,
)
HERE = ("os.getcwd", "pathlib.Path.cwd")
TEXTS = ("README*", "readme*", "*.sh", "Makefile", "scripts/*.sh", "docs/*.md", "*.md", "*.bat")
LARGE = 200_000  # bytes; what tells how to run a program stands before


@rule(
    "TG620",
    "nothing creates the folder that the run is saved to",
    why="""`torch.save` creates no folders: this one is not in the repository, and no code in the
    program creates it. The first checkpoint, after the whole first epoch, fails with an error.""",
    remedy="call `os.makedirs(folder, exist_ok=True)` at the start of the run",
    source="https://docs.python.org/3/library/os.html#os.makedirs",
    bad="""
import torch


def save(model, name):
    torch.save(model.state_dict(), f"checkpoints/{name}.pt")  # <--
""",
    good="""
import os

import torch


def save(model, name):
    os.makedirs("checkpoints", exist_ok=True)
    torch.save(model.state_dict(), f"checkpoints/{name}.pt")
""",
    severity=Severity.WARNING,
)
def no_folder(module: Module) -> Iterator[Spot]:
    told: set[str] = set()
    for call in plain_saves(module):
        path = argument(call, 1, "f")
        if path is None or has_stars(call) or asks_before(module, call):
            continue
        text = beginning_of(module, path)[0]
        folder = text.rpartition("/")[0]
        if not is_below(folder) or folder in told:
            continue
        told.add(folder)
        where = Path(module.name).parent
        if exists(module.project, where, folder) or is_made(module, folder):
            continue
        yield Spot(call, folder)


def asks_before(module: Module, call: ast.Call) -> bool:
    """Whether it is tried, or reached only where something exists."""
    return any(
        isinstance(one, ast.Try) or (isinstance(one, ast.If) and mentions(one.test, "exist", "dir"))
        for one in module.ancestors(call)
    )


def is_below(folder: str) -> bool:
    """Whether a folder is said to be below the one where the program is started."""
    first = PurePosixPath(folder).parts[:1]
    return bool(first) and first[0] not in ("/", "~", "..") and not folder.startswith(("$", "{"))


def exists(project: Project, where: Path, folder: str) -> bool:
    """Whether the repository has the folder, seen from its root or from a script."""
    near = [project.root / one / folder for one in (Path(), where, *where.parents)]
    if any(one.is_dir() for one in near):
        return True
    first = PurePosixPath(folder).parts[0]
    return any(first in Path(m.name).parent.parts for m in project.modules)


def beginning_of(module: Module, node: ast.expr | None, depth: int = 4) -> tuple[str, bool]:
    """How the text of a path begins, as far as it is known, and whether that is all of it."""
    if node is None or not depth:
        return "", False
    if isinstance(node, ast.Constant):
        return (node.value, True) if isinstance(node.value, str) else ("", False)
    if (plain := known_place(module, node)) is not None:
        return plain, True
    filled, mark = filled_in(node)
    if filled is not None:
        return beginning_of(module, filled, depth)[0].partition(mark)[0], False
    parts, between = put_together(node)
    if parts:
        return added(module, parts, between, depth)
    begun = [beginning_of(module, value, depth - 1) for value in settings(module, node)]
    return begun[0] if len(begun) == 1 else (beginning_alike([text for text, _ in begun]), False)


def beginning_alike(texts: list[str]) -> str:
    """What all of several texts begin with."""
    ends = zip(min(texts, default=""), max(texts, default=""), strict=False)
    return "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], ends))


def known_place(module: Module, node: ast.expr) -> str | None:
    """The text of `os.getcwd()`, the folder in which a program is started, or of `os.sep`."""
    if isinstance(node, ast.Call):
        return "." if module.qualified(node.func) in HERE else None
    return "/" if module.qualified(node) in ("os.sep", "os.path.sep") else None


def filled_in(node: ast.expr) -> tuple[ast.expr | None, str]:
    """The text of `"%s.pt" % name` or `"{}.pt".format(name)`, and what marks a place in it."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return node.left, "%"
    if isinstance(node, ast.Call) and last_name(node.func) == "format":
        return receiver(node), "{"
    return None, ""


def put_together(node: ast.expr) -> tuple[list[ast.expr], str]:
    """The parts of which a path is made, and what stands between them."""
    if isinstance(node, ast.JoinedStr):
        return [o.value if isinstance(o, ast.FormattedValue) else o for o in node.values], ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
        return [node.left, node.right], "/" if isinstance(node.op, ast.Div) else ""
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        if name in ("Path", "str", "abspath") or (name == "join" and "path" in written(node.func)):
            return node.args, "/"
    return [], ""


def added(module: Module, parts: list[ast.expr], between: str, depth: int) -> tuple[str, bool]:
    """How parts begin that are put together, as far as each is known to its end."""
    text = ""
    for number, part in enumerate(parts):
        more, whole = beginning_of(module, part, depth)
        gap = between if number and not text.endswith("/") else ""
        text += gap + more
        if not whole:
            return text, False
    return text, True


def settings(module: Module, node: ast.expr) -> list[ast.expr]:
    """What a name is given where it is used, or the default of the flag that it is."""
    if isinstance(node, ast.Name):
        scope = module.function(node)
        if isinstance(scope, FUNCTIONS) and takes(scope, node.id):
            return []
        own = module.value_in(node, scope)
        opened = [
            item.context_expr.args[0]  # with open(path, "wb") as file
            for one in module.ancestors(node)
            for item in (one.items if isinstance(one, ast.With) else ())
            if item.optional_vars is not None and written(item.optional_vars) == node.id
            if isinstance(item.context_expr, ast.Call) and item.context_expr.args
        ]
        return own or opened or module_level(module, node.id)
    if not isinstance(node, ast.Attribute):
        return []
    if isinstance(node.value, ast.Name) and node.value.id == "self":
        return module.value_in(node, module.tree)
    name = node.attr
    near = module.project.near(module)
    if any(target.endswith(f".{name}") for other in near for target in other.assigned):
        return []
    return flag_default([module], name) or flag_default(near, name)


def module_level(module: Module, name: str) -> list[ast.expr]:
    """What a name is given outside of functions."""
    statements = module.assigned.get(name, ())
    return [one.value for one in statements if module.function(one) is module.tree]


def flag_default(modules: list[Module], name: str) -> list[ast.expr]:
    """The defaults of the flags of a name in these files."""
    flags = (f"--{name}", f"--{name.replace('_', '-')}")
    return [
        value
        for other in modules
        for call in other.calls.get("add_argument", ())
        if any(is_constant(one, *flags) for one in call.args)
        if (value := keyword(call, "default")) is not None
    ]


def is_made(module: Module, folder: str) -> bool:
    """Whether something may make the folder, or tells the user to."""
    first = PurePosixPath(folder).parts[0]
    if first in told_to_make(module.project.root):
        return True
    for other in module.project.code:
        for name, calls in other.calls.items():
            for call in calls if MAKING.search(name) else ():
                text = beginning_of(other, call.args[0] if call.args else None)[0]
                here = not is_below(text) or PurePosixPath(text).parts[0] == first
                if here and not in_unused_helper(other, call):
                    return True
    return False


def in_unused_helper(module: Module, call: ast.Call) -> bool:
    """Whether a call is in a function that makes folders by its name, and that nothing names."""
    function = module.function(call)
    plain = isinstance(function, FUNCTIONS) and isinstance(module.parents[function], ast.Module)
    if not isinstance(function, FUNCTIONS) or not plain or not MAKING.search(function.name):
        return False
    return not function.decorator_list and is_never_named(module.project, function.name)


@kept
def told_to_make(root: Path) -> frozenset[str]:
    """The words of the lines with `mkdir` in the texts and scripts of a repository."""
    files = [file for pattern in TEXTS for file in root.glob(pattern) if file.is_file()]
    words: set[str] = set()
    for file in files:
        with suppress(OSError):  # that may not be read
            text = file.read_bytes()[:LARGE].decode(errors="replace")
            for line in text.splitlines():
                if re.search(r"mkdir|creat\w+|make", line, re.I):
                    words.update(re.split(r"[^\w.-]+", line))
    return frozenset(words)
