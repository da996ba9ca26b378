"""What code names: functions, classes and methods, by the words or by what chooses them."""

import ast
import re
from collections.abc import Iterator

from .kept import kept
from .lookup import imported, path_of
from .project import Module, Project
from .syntax import last_name, walk, written
from .variables import values_of

# the names of what holds options, whose attributes are no functions
OPTIONS = re.compile(r"^(args?|opts?|cfg|conf|config|flags|hparams?|hps?|params?)$", re.I)
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
        if not is_asked_for_its_kind(module, node):
            yield from meant_by(module, node.id)
    elif isinstance(node, ast.Attribute):
        yield from named_by_attribute(module, node)
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


def named_by_attribute(module: Module, node: ast.Attribute) -> Iterator[str]:
    """What `models.Net` names."""
    root = written(node).partition(".")[0]
    imported = root in module.imports
    if imported and not is_of_project(module, root):
        return
    if imported:
        yield from member_of(module, node)
    elif not isinstance(node.value, ast.Name):  # models[args.name].Net
        yield node.attr
    if imported and node.attr == "__dict__":  # models.__dict__[args.arch]
        yield from any_of(module, node.value)


def is_asked_for_its_kind(module: Module, node: ast.AST) -> bool:
    """Whether it is the class of `isinstance(model, Net)`, which makes no object."""
    around = module.parents.get(node)
    if isinstance(around, ast.Tuple):
        node, around = around, module.parents[around]
    asks = isinstance(around, ast.Call) and last_name(around.func) in ("isinstance", "issubclass")
    return asks and node in around.args[1:]  # type: ignore[union-attr]


def member_of(module: Module, node: ast.Attribute) -> list[str]:
    """What `models.Net` stands for, with its file where that is the one that is named."""
    source, _, name = module.qualified(node).rpartition(".")
    known = defined_as(module.project, name)
    parts = [part for part in source.split(".") if part]
    files = [path_of(other) for other, _ in imported(module, source, known)]
    exact = bool(files) and all(path[-len(parts) :] == parts for path in files)
    names = {other.name for other, _ in imported(module, source, known)}
    return [name + OF_FILE + one for one in names] if exact else [node.attr]


def defined_as(project: Project, name: str) -> list[tuple[Module, ast.AST]]:
    """The functions and classes of a name."""
    return [*project.functions.get(name, ()), *project.classes.get(name, ())]


def meant_by(module: Module, name: str) -> Iterator[str]:
    """The function or class that a name of a file stands for, with its file where that is known."""
    own = name in own_names(module)
    if own:
        yield name + OF_FILE + module.name
    if name in module.imports:
        source, _, name = module.imports[name].rpartition(".")
        known = defined_as(module.project, name)
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
    told = texts_of(module, attribute) or OPTIONS.match(last_name(owner))
    root = written(owner).partition(".")[0]
    foreign = root in module.imports and not is_of_project(module, root)
    return None if told or foreign or is_of_no_function(module.project, attribute) else owner


def texts_of(module: Module, node: ast.expr) -> list[str]:
    """The texts that an expression may be, where all are written: `("cpu", "cuda")[on_gpu]`.

    Or that a name stands for: `METHOD = "encode"`.
    """
    values = values_of(module, node) if isinstance(node, ast.Name) else [node]
    value = values[0] if len(values) == 1 else None
    parts: list[ast.expr | None] = [value]
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.List | ast.Tuple):
        parts = [*value.value.elts]
    elif isinstance(value, ast.IfExp):
        parts = [value.body, value.orelse]
    texts = [one.value for one in parts if isinstance(one, ast.Constant)]
    found = [one for one in texts if isinstance(one, str)]
    return found if len(found) == len(parts) else []


def is_of_no_function(project: Project, name: ast.expr) -> bool:
    """Whether none begins and ends as a name that is put together: `getattr(it, name + "_u")`."""
    if not isinstance(name, ast.BinOp | ast.JoinedStr):
        return False
    parts = [name.left, name.right] if isinstance(name, ast.BinOp) else name.values
    begun, ended = (
        (getattr(one, "value", "") for one in (parts[0], parts[-1])) if parts else ("", "")
    )
    known = (*project.functions, *project.classes)
    begins = begun if isinstance(begun, str) and "%" not in begun else ""
    ends = ended if isinstance(ended, str) else ""
    return not any(one.startswith(begins) and one.endswith(ends) for one in known)


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
