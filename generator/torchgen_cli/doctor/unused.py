"""Files and functions that no other code of a project uses, and statements nothing leads to."""

import ast
import re
from collections import Counter
from pathlib import PurePath

from .documents import documents
from .kept import kept
from .project import Module, Project
from .syntax import (
    FUNCTIONS,
    LEAVING,
    blocks_of,
    is_constant,
    last_name,
    own_nodes,
    walk,
    written,
)
from .words import is_written_as_text

PACKAGED = ("setup.py", "setup.cfg", "pyproject.toml")
DISTRIBUTES = re.compile(
    rb"packages|py_modules|^\[(project|tool\.poetry|build-system|options)\]", re.M
)
NAME = re.compile(rb"""\bname\s*=\s*["']([\w.-]+)["']""")
# decorators that keep a function nowhere; any other may put it in a table
PLAIN = {"abstractmethod", "amp", "autocast", "cache", "cached_property", "classmethod", "script"}
PLAIN |= {"contextmanager", "custom_bwd", "custom_fwd", "dataclass", "enable_grad", "lru_cache"}
PLAIN |= {"inference_mode", "jit", "njit", "no_grad", "overload", "property", "setter"}
PLAIN |= {"staticmethod", "total_ordering", "wraps"}
# ways to import a file that no import statement names
DYNAMIC = (b"import_module", b"__import__(", b"spec_from_file", b"instantiate(")
EXITS = ("exit", "os._exit", "quit", "sys.exit")


def is_never_reached(module: Module, node: ast.AST) -> bool:
    """Whether the statement before leaves the block, or it is under `if False:`."""
    inner = node
    for around in module.ancestors(node):
        if isinstance(inner, ast.stmt) and is_cut_off(module, inner, around):
            return True
        inner = around
    return False


def is_cut_off(module: Module, statement: ast.stmt, around: ast.AST) -> bool:
    """Whether nothing leads to a statement of what is around it."""
    block = next((one for one in blocks_of(around) if statement in one), None)
    if block is None:
        return False
    before = block[: block.index(statement)]
    if any(isinstance(one, LEAVING) or is_exit(one) or runs_out(module, one) for one in before):
        return True
    if isinstance(around, ast.If) and block is around.orelse and is_true(around.test):
        return True
    asks = isinstance(around, ast.If | ast.While) and block is around.body
    return asks and is_false(module, around)


def is_exit(statement: ast.stmt) -> bool:
    """Whether it is `sys.exit()`, or another call that ends the program."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and written(call.func) in EXITS


def runs_out(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement calls a function of the file that ends the program, always."""
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and written(value.func) in ending(module)


@kept
def ending(module: Module) -> frozenset[str]:
    """The functions of a file that end the program: nothing returns before their last line."""
    return frozenset(
        one.name
        for one in module.tree.body
        if isinstance(one, ast.FunctionDef)
        and is_exit(one.body[-1])
        and not one.decorator_list
        and not any(isinstance(node, ast.Return | ast.Yield) for node in own_nodes(one))
    )


def is_true(test: ast.expr) -> bool:
    """Whether a test is written as true: `if True:`, `if 1:`."""
    return isinstance(test, ast.Constant) and bool(test.value)


def is_false(module: Module, asking: ast.AST) -> bool:
    """Whether its test is false whatever happens: a constant, or a variable that has no other."""
    test = getattr(asking, "test", None)
    if isinstance(test, ast.Constant):
        return not test.value
    scope = module.function(asking)
    if not isinstance(test, ast.Name) or not isinstance(scope, FUNCTIONS):
        return False
    places = [
        one
        for one in own_nodes(scope)
        if isinstance(one, ast.Name) and one.id == test.id and not isinstance(one.ctx, ast.Load)
    ]
    values = module.value_in(test, scope)
    constant = all(isinstance(one, ast.Constant) and not one.value for one in values)
    return bool(values) and len(places) == len(values) and constant


@kept
def is_unused(module: Module) -> bool:
    """Whether a file defines something for others, and no file of the project imports it."""
    project = module.project
    path = PurePath(module.name)
    if path.name in (*PACKAGED, "__init__.py", "hubconf.py", "conftest.py") or module.is_test:
        return False
    if path.stem in project.imported_parts or any(map(does_something, module.tree.body)):
        return False
    by_name = has_unread_files(project) or is_open(project)
    own = sum(is_constant(node, path.stem) for node in module.parents)
    if is_distributed(project) or texts(project)[path.stem] > own:
        return False
    if by_name and is_written_as_text(module, module.tree, path.stem):
        return False
    return any("backward" in other.calls for other in project.code if other is not module)


@kept
def texts(project: Project) -> Counter[str]:
    """How often each string is written in the code."""
    return Counter(
        node.value
        for module in project.code
        for node in module.parents
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


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


@kept
def is_distributed(project: Project) -> bool:
    """Whether other projects may use the code: its pages have them install it by its name.

    Packaging alone tells little, as many a program has a setup.py for `pip install -e .`.
    """
    files = (project.root / name for name in PACKAGED)
    packaging = [file.read_bytes() for file in files if file.exists()]
    names = {one for text in packaging if DISTRIBUTES.search(text) for one in NAME.findall(text)}
    pages = documents(project.root, (".md", ".rst"))
    return any(
        re.search(rb"\bpip3? install (-\S+ )*[\"']?%s(?![\w./-])" % re.escape(name), pages)
        for name in names
    )


def is_open(project: Project) -> bool:
    """Whether files are imported, or classes made, by names that are not written in the code."""
    return any(map(project.contains, DYNAMIC)) or runs_texts(project)


@kept
def runs_texts(project: Project) -> bool:
    """Whether `exec` runs code that may name anything; not `exec(f"self.{name} = value")`."""
    calls = (call for module in project.code for call in module.calls.get("exec", ()))
    return any(
        isinstance(call.func, ast.Name) and not (call.args and sets_a_value(call.args[0]))
        for call in calls
    )


def sets_a_value(code: ast.expr) -> bool:
    """Whether a text is of code that calls nothing, and in which nothing but attributes is open."""
    if not isinstance(code, ast.Constant | ast.JoinedStr):
        return False
    parts = [getattr(one, "value", "") for one in getattr(code, "values", [code])]
    text = "".join(one if isinstance(one, str) else "{}" for one in parts)
    return "(" not in text and "import" not in text and not re.search(r"(?<!\.)\{\}", text)


def in_unused_function(module: Module, node: ast.AST) -> bool:
    """Whether it is in a function of a file that others import, which no file of them names."""
    project = module.project
    around = {node, *module.ancestors(node)}
    function = next((one for one in module.tree.body if one in around), None)
    if not isinstance(function, ast.FunctionDef) or module.is_test or is_registered(function):
        return False
    imported = PurePath(module.name).stem in project.imported_parts
    return imported and (
        is_never_named(project, function.name) or is_never_called(module, function)
    )


def is_registered(node: ast.AST) -> bool:
    """Whether a decorator may keep a function or a class in a table, or call it."""
    decorators = getattr(node, "decorator_list", [])
    made = [one.func if isinstance(one, ast.Call) else one for one in decorators]
    return any(last_name(one) not in PLAIN for one in made)


def is_never_called(module: Module, function: ast.FunctionDef) -> bool:
    """Whether nothing calls a function, or hands it on, though others may have its name."""
    project = module.project
    if has_hidden_users(project) or function.name in project.imported_parts:
        return False
    named = any(
        isinstance(node, ast.Name) and node.id == function.name
        for other in project.modules
        if other is module or other.starred
        for node in other.parents
    )
    return not named and not any(True for _ in project.calls_of(module, function))


def is_never_named(project: Project, function: str) -> bool:
    """Whether no code names a function but where it is defined."""
    word = re.compile(rb"\b%s\b" % function.encode())
    times = sum(len(word.findall(text)) for text in project.contents.values())
    return times == 1 and not has_hidden_users(project)


def has_hidden_users(project: Project) -> bool:
    """Whether code that was not read, or other projects, may use what this one defines."""
    return has_unread_files(project) or is_distributed(project) or is_open(project)


def has_unread_files(project: Project) -> bool:
    """Whether files of the project do not parse."""
    return any(name not in project.contents for name in project.broken)
