"""Calls of the project's own functions that do not fit them."""

import ast
from collections.abc import Iterator

from ...defined import everything_at_the_top, is_cared_for
from ...kept import kept
from ...leads import files as files_by_name
from ...lookup import definitions, imported
from ...project import Module, Project
from ...requirements import is_required
from ...rule import Spot, rule
from ...syntax import FUNCTIONS, Function, last_name, own_nodes, walk, written
from ..shared.runs import is_surely_run
from ..shared.switched_off import is_switched_off
from .methods_called import constructor, is_plain, method_called


@rule(
    "TG005",
    "the function does not take these arguments",
    why="""An argument is missing, is one too many, or has an unknown name: a TypeError as soon as
    the line is reached. It is a hint where no names in the code lead there from a script.""",
    remedy="pass what the function's signature requires",
    source="https://docs.python.org/3/reference/expressions.html#calls",
    bad="""
import torch


def evaluate(model, batches, device):
    model.eval()
    with torch.no_grad():
        return [model(batch.to(device)) for batch in batches]


def test(model, batches):
    return evaluate(model, batches)  # <--
""",
    good="""
import torch


def evaluate(model, batches, device):
    model.eval()
    with torch.no_grad():
        return [model(batch.to(device)) for batch in batches]


def test(model, batches, device):
    return evaluate(model, batches, device)
""",
)
def misfit(module: Module) -> Iterator[Spot]:
    for calls in module.calls.values():
        for call in calls:
            found = called(module, call)
            if found is None or is_cared_for(module, call):
                continue
            if why := unfit(call, *found):
                unsure = is_second_choice(module, call) or not is_surely_run(module, call)
                unsure = unsure or is_switched_off(module, call)
                yield Spot(call, f"`{last_name(call.func)}` {why}", unsure)


def is_second_choice(module: Module, call: ast.Call) -> bool:
    """Whether it is called only where nothing is given: `sampler or Sampler(data)`."""
    around = module.parents[call]
    return (
        isinstance(around, ast.BoolOp)
        and isinstance(around.op, ast.Or)
        and around.values[0] is not call
        and bool(written(around.values[0]))
    )


def called(module: Module, call: ast.Call) -> tuple[Function, bool] | None:
    """(the function, whether its first parameter is filled in), where it can be no other."""
    func, project = call.func, module.project
    name = last_name(func)
    known = name in project.functions or name in project.classes
    several = len(sources_of(module, name)) > 1  # as functions import it, each from elsewhere
    several = several or name in renamed(project)
    plain_name = isinstance(func, ast.Name)
    other = plain_name and (
        is_given_a_value(module, call, name) or is_imported_within(module, call, name)
    )
    if not known or several or other:
        return None
    if isinstance(func, ast.Attribute) and (method := method_called(module, func)) is not None:
        return method, True
    functions = [
        one
        for one in project.functions.get(name, ())
        if isinstance(one[0].parents[one[1]], ast.Module)
    ]
    plain = definitions(module, func, {name: functions}) or []
    classes = project.classes_named(module, func) or []
    files = {where for where, _ in (*plain, *classes)}
    others = files - {module}
    hidden = any(brings_unknown(one) for one in packages_above(others))
    library, _, rest = module.qualified(func).partition(".")
    # a relative import names none
    hidden = hidden or bool(library and rest and is_required(project.root, library))
    if hidden or any(name in one.imports for one in others) or is_rebound(project, name, files):
        return None  # which is defined where an import fails, or is given another value
    if len(plain) == 1 and not classes and is_plain(plain[0][1]):
        return plain[0][1], False
    if len(classes) == 1 and not plain and is_at_the_top(*classes[0]):
        return constructor(*classes[0])
    return None


def is_rebound(project: Project, name: str, files: set[Module]) -> bool:
    """Whether a name gets another value at the top of the files that may define it."""
    packages = {one for one in project.modules if one.name.endswith("__init__.py")}
    return any(name in rebound(one) for one in files | packages)


def packages_above(files: set[Module]) -> list[Module]:
    """The `__init__.py` of the folders in which files are."""
    known = files_by_name(next(iter(files)).project) if files else {}
    folders = {name for one in files for name in folders_of(one.name)}
    return [known[one] for one in folders if one in known]


def folders_of(name: str) -> list[str]:
    """The `__init__.py` that a file's folder may have, and those above it."""
    parts = name.split("/")[:-1]
    return ["/".join([*parts[: depth + 1], "__init__.py"]) for depth in range(len(parts))]


@kept
def brings_unknown(module: Module) -> bool:
    """Whether a package takes all names of what is not read: `from .render import *` of C code."""
    files = [(other, other.tree) for other in module.project.modules if other is not module]
    return any(not imported(module, source, files) for source in module.starred)


@kept
def rebound(module: Module) -> frozenset[str]:
    """The variables of the top of a file, and those that a function declares as global."""
    nodes = [*everything_at_the_top(module.tree, True)]
    nodes += [one for one in module.parents if isinstance(one, ast.Global)]
    stored = [one for one in nodes if isinstance(one, ast.Name)]
    names = [one.id for one in stored if not isinstance(one.ctx, ast.Load)]
    return frozenset(names).union(*(one.names for one in nodes if isinstance(one, ast.Global)))


@kept
def renamed(project: Project) -> frozenset[str]:
    """The names that an import gives to something of another name: `Net as Model`."""
    return frozenset(
        alias.asname
        for module in project.modules
        for statement in module.import_statements
        for alias in statement.names
        if alias.asname and alias.asname != alias.name.rpartition(".")[2]
    )


def sources_of(module: Module, name: str) -> set[str]:
    """The modules from which a file imports a name."""
    return {
        f"{'.' * statement.level}{statement.module or ''}"
        for statement in module.import_statements
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
        if name == (alias.asname or alias.name)
    }


def is_at_the_top(module: Module, node: ast.AST) -> bool:
    """Whether it is defined whatever happens: under no condition, and in no function."""
    return isinstance(module.parents[node], ast.Module)


def is_given_a_value(module: Module, node: ast.AST, name: str) -> bool:
    """Whether a name stands for something else here: a variable, or a parameter."""
    around = (one for one in module.ancestors(node) if isinstance(one, (*FUNCTIONS, ast.Lambda)))
    return name in module.assigned or any(name in names_in(one) for one in around)


def is_imported_within(module: Module, node: ast.AST, name: str) -> bool:
    """Whether a function around imports a name that the file itself defines as well."""
    project = module.project
    own = [*project.functions.get(name, ()), *project.classes.get(name, ())]
    around = {one for one in module.ancestors(node) if isinstance(one, FUNCTIONS)}
    return any(where is module for where, _ in own) and any(
        name in (alias.asname or alias.name for alias in statement.names)
        and not around.isdisjoint(module.ancestors(statement))
        for statement in module.import_statements
    )


@kept
def names_in(function: Function | ast.Lambda) -> frozenset[str]:
    """The parameters, variables and functions of a function."""
    given = [one.arg for one in walk(function.args) if isinstance(one, ast.arg)]
    inner = list(own_nodes(function))
    made = [
        one.id for one in inner if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)
    ]
    return frozenset([*given, *made, *(one.name for one in inner if isinstance(one, FUNCTIONS))])


def unfit(call: ast.Call, function: Function, bound: bool) -> str:
    """What does not fit, in words; empty where all does."""
    args = function.args
    names = [one.arg for one in (*args.posonlyargs, *args.args)][int(bound) :]
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    doubled = any(one.arg is None for one in call.keywords)
    given = {one.arg for one in call.keywords if one.arg}
    known = {*names, *(one.arg for one in args.kwonlyargs)}
    if args.kwarg is None and (unknown := sorted(given - known)):
        return f"has no parameter `{unknown[0]}`"
    if starred or doubled:
        return ""
    if args.vararg is None and len(call.args) > len(names):
        return f"takes {len(names)} arguments, but is given {len(call.args)}"
    required = names[: len(names) - len(args.defaults)]
    missing = [one for one in required[len(call.args) :] if one not in given]
    missing += [
        one.arg
        for one, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        if default is None and one.arg not in given
    ]
    twice = [one for one in names[: len(call.args)] if one in given]
    if twice:
        return f"is given `{twice[0]}` twice"
    return f"needs `{missing[0]}`" if missing else ""
