"""What code names: functions, classes and methods, by the words or by what chooses them."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from .documents import documents
from .kept import kept
from .lookup import imported, path_of
from .project import Module, Project
from .syntax import last_name, walk, written
from .variables import values_of

# the names of what holds options, whose attributes are no functions
OPTIONS = re.compile(r"^(args?|opts?|cfg|conf|config|flags|hparams?|hps?|params?)$", re.I)
WORD = re.compile(r"[^\W\d]\w*")
# a function or a class, named by a text: "models.net:Net"
PATH = re.compile(r"[^\W\d][\w.]*[.:][^\W\d]\w*")
# stands for the names of all functions and classes
ANY_FUNCTION = "any function"
# begins the name of a file or folder, any of whose functions and classes may be used
IN_FILE = "any of "
# stands between the name of a function or class and the file that defines it
OF_FILE = " of "


def named_by(module: Module, node: ast.AST) -> Iterator[str]:
    """What a node names, without those below it."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from meant_by(module, node.id)
    elif isinstance(node, ast.Attribute):
        root = written(node).partition(".")[0]
        imported = root in module.imports
        if imported and not is_of_project(module, root):
            return
        if imported or not isinstance(node.value, ast.Name):  # models[args.name].Net
            yield node.attr
        if imported and node.attr == "__dict__":  # models.__dict__[args.arch]
            yield from any_of(module, node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if PATH.fullmatch(node.value) and not isinstance(module.parents[node], ast.Expr):
            yield re.split("[.:]", node.value)[-1]
    elif isinstance(node, ast.Call):
        yield from chosen_by(module, node)
    elif isinstance(node, ast.ImportFrom):  # one of several of the same name
        for alias in node.names:
            whole = module.imports.get(alias.asname or alias.name, "")
            if not whole.endswith(f"{node.module or ''}.{alias.name}"):
                yield alias.name


def meant_by(module: Module, name: str) -> Iterator[str]:
    """The function or class that a name of a file stands for, with its file where that is known."""
    own = name in own_names(module)
    if own:
        yield name + OF_FILE + module.name
    if name in module.imports:
        source, _, name = module.imports[name].rpartition(".")
        project = module.project
        known: list[tuple[Module, ast.AST]] = [
            *project.functions.get(name, ()),
            *project.classes.get(name, ()),
        ]
        files = {other.name for other, _ in imported(module, source, known)}
        yield from [name + OF_FILE + one for one in files] or [name]
    elif not own:
        yield name


@kept
def own_names(module: Module) -> frozenset[str]:
    """The functions and classes that a file defines, and not within others."""
    return frozenset(
        node.name
        for node in (*module.functions, *module.classes)
        if module.function(node) is module.tree and module.class_of(node) is None
    )


def is_of_project(module: Module, name: str) -> bool:
    """Whether what a file imports by a name is of the project, and not of a library."""
    source = module.imports[name].lstrip(".").partition(".")[0]
    return module.imports[name].startswith(".") or source in module.project.own_parts


def chosen_by(module: Module, call: ast.Call) -> Iterator[str]:
    """What a call may use by names that are not written in the code."""
    name = last_name(call.func)
    if name == "Fire":
        yield ANY_FUNCTION
    elif name == "globals" or (name == "eval" and is_of_functions(module, call)):
        package = beginning(call.args[0]).partition(".") if call.args else ("", "", "")
        yield from [IN_FILE + package[0]] if package[1] else visible_in(module)
    elif (owner := looked_up_in(module, call)) is not None:
        yield from any_of(module, owner)


def is_of_functions(module: Module, call: ast.Call) -> bool:
    """Whether `eval` makes a function, or calls one: `eval(name)(...)`, `eval(name + "(...)")`."""
    texts = (getattr(one, "value", "") for argument in call.args for one in walk(argument))
    calls = any(isinstance(text, str) and "(" in text for text in texts)
    return isinstance(call.func, ast.Name) and (calls or is_called_then(module, call))


def looked_up_in(module: Module, call: ast.Call) -> ast.expr | None:
    """Where `getattr` looks for a function or a method whose name is not written."""
    if last_name(call.func) != "getattr" or len(call.args) < 2 or not is_called_then(module, call):
        return None
    owner, attribute = call.args[:2]
    told = text_of(module, attribute) is not None or OPTIONS.match(last_name(owner))
    root = written(owner).partition(".")[0]
    foreign = root in module.imports and not is_of_project(module, root)
    return None if told or foreign or is_of_no_function(module.project, attribute) else owner


def text_of(module: Module, node: ast.expr) -> str | None:
    """The text that an expression is, if it is one, or the name of one: `METHOD = "encode"`."""
    values = values_of(module, node) if isinstance(node, ast.Name) else [node]
    value = values[0] if len(values) == 1 else None
    text = getattr(value, "value", None) if isinstance(value, ast.Constant) else None
    return text if isinstance(text, str) else None


def is_of_no_function(project: Project, name: ast.expr) -> bool:
    """Whether a name is put together with an ending that none has: `getattr(it, name + "_u")`."""
    if not isinstance(name, ast.BinOp | ast.JoinedStr):
        return False
    parts = [name.right] if isinstance(name, ast.BinOp) else name.values
    ending = getattr(parts[-1], "value", None) if parts else None
    known = (*project.functions, *project.classes)
    return isinstance(ending, str) and not any(one.endswith(ending) for one in known)


def beginning(node: ast.expr) -> str:
    """The text that an expression begins with, as far as it is written: of `"nets." + name`."""
    while isinstance(node, ast.BinOp):
        node = node.left
    first = node.values[0] if isinstance(node, ast.JoinedStr) and node.values else node
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def visible_in(module: Module) -> Iterator[str]:
    """The functions and classes that a file defines or imports."""
    yield from (node.name for node in (*module.functions, *module.classes))
    yield from (whole.rpartition(".")[2] for whole in module.imports.values())
    yield from (IN_FILE + one.rpartition(".")[2] for one in module.starred)
    files = [(other, other.tree) for other in module.project.modules if other is not module]
    for source in module.starred:  # which brings what it imports itself
        for other, _ in imported(module, source, files):
            yield from (whole.rpartition(".")[2] for whole in other.imports.values())


def any_of(module: Module, node: ast.AST) -> Iterator[str]:
    """What may be taken out of a module or an object by a name that is not written."""
    if is_file(module, node):
        yield IN_FILE + module.qualified(node).rpartition(".")[2]
    elif written(node).partition(".")[0] not in ("self", *module.imports):
        yield ANY_FUNCTION


def is_file(module: Module, node: ast.AST) -> bool:
    """Whether the last part of a name is that of a file or a folder of the project."""
    last = module.qualified(node).rpartition(".")[2]
    return bool(last) and any(last in path_of(other) for other in module.project.modules)


def is_called_then(module: Module, call: ast.Call) -> bool:
    """Whether what a call returns is called, returned or kept for others to call."""
    parent = module.parents[call]
    if isinstance(parent, ast.Call):
        return parent.func is call or last_name(parent.func) in ("partial", "map", "filter")
    if isinstance(parent, ast.Assign):
        return any(last_name(one) in module.calls for one in parent.targets)
    return not isinstance(parent, ast.Expr | ast.Compare | ast.If | ast.BinOp | ast.Attribute)


def is_written_elsewhere(project: Project, name: str, own: bytes) -> bool:
    """Whether a name stands in a text of the project more often than in this part of it."""
    here = len(re.findall(rb"\b%s\b" % name.encode(), own))
    return words(project)[name] > here


@kept
def words(project: Project) -> Counter[str]:
    """How often each word stands in the code, the pages and the configurations of a project."""
    code = b"\n".join(project.contents.values()).decode("utf-8", "replace")
    return Counter(WORD.findall(code)) + words_beside(project)


@kept
def words_beside(project: Project) -> Counter[str]:
    """How often each word stands in the pages, in the configurations and in unreadable code."""
    texts = [*project.unread.values(), documents(project.root)]
    return Counter(one for text in texts for one in WORD.findall(text.decode("utf-8", "replace")))


def is_written_as_text(module: Module, node: ast.AST, name: str) -> bool:
    """Whether a name stands in a string outside a part of the code, in a page or configuration.

    In lower case or upper case: `getattr(nets, args.net.upper())`. What copies of it say of
    themselves does not count.
    """
    lower, project = name.lower(), module.project
    copies = {node: module} | {
        one: other
        for other, one in (*project.functions.get(name, ()), *project.classes.get(name, ()))
    }
    own = Counter(
        word.lower() for one, other in copies.items() for word in words_of_strings(other, walk(one))
    )
    return words_as_texts(project)[lower] > own[lower]


@kept
def words_as_texts(project: Project) -> Counter[str]:
    """How often each word stands in the strings of the code, and beside the code."""
    strings = (
        one for module in project.modules for one in words_of_strings(module, module.parents)
    )
    return Counter(one.lower() for one in (*strings, *words_beside(project).elements()))


def words_of_strings(module: Module, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The words of strings, but for what `__all__` lists and the docstrings of functions."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            above = module.parents[node]
            around = module.parents.get(above)
            says = isinstance(above, ast.Expr) and around is not module.tree  # how it is started
            if not says and not (around is not None and is_public(around)):
                yield from WORD.findall(node.value)


def is_public(node: ast.AST) -> bool:
    """Whether it is `__all__ = [...]`."""
    return isinstance(node, ast.Assign) and written(node.targets[0]) == "__all__"
