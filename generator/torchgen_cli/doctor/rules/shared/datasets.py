"""Which classes a DataLoader reads from, and where it has processes for that."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    has_stars,
    is_constant,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    written,
)
from .origins import origins

DATASETS = (
    "torch.utils.data.Dataset",
    "torch.utils.data.IterableDataset",
    "data.Dataset",
    "Dataset",
    "IterableDataset",
    "VisionDataset",
)
SAMPLE = ("__getitem__", "__getitems__", "__iter__")


def worker_loaders(module: Module) -> Iterator[ast.Call]:
    """The DataLoaders that have worker processes."""
    for call in loaders(module):
        options = handed(module, call)
        if options is None:
            continue
        workers = argument(call, 5, "num_workers") or options.get("num_workers")
        seeded = {"worker_init_fn", "generator"}.intersection(options)
        if workers is not None and not seeded and not is_zero(module, workers):
            yield call


def is_zero(module: Module, workers: ast.expr) -> bool:
    """Whether a number of workers is 0, whatever it is made of."""
    return all(is_constant(value, 0) for _, value in origins(module, workers))


def loaders(module: Module) -> Iterator[ast.Call]:
    """The calls that make a DataLoader, or one of a class of the project that takes the same."""
    yield from module.torch_calls("DataLoader")
    for name in sorted((module.calls.keys() & module.project.classes.keys()) - {"DataLoader"}):
        for call in module.calls[name]:
            found = module.project.classes_named(module, call.func) or ()
            if any(is_loader_class(*one) for one in found):
                yield call


def is_loader_class(module: Module, node: ast.ClassDef) -> bool:
    """Whether a class derives from torch's DataLoader, and takes the same arguments."""
    own = any(isinstance(item, FUNCTIONS) and item.name == "__init__" for item in node.body)
    return not own and any(module.is_torch(base, "DataLoader") for base in node.bases)


def handed(module: Module, call: ast.Call) -> dict[str, ast.expr] | None:
    """The options that are handed on by `**options`, where they are written out; else None."""
    found: dict[str, ast.expr] = {}
    if not has_stars(call):
        return found
    stars = [one.value for one in call.keywords if one.arg is None]
    scope = module.function(call)
    for star in stars:
        values = module.value_in(star, scope)
        parts = [*values, *put_into(scope, written(star))]
        options = [options_of(one) for one in parts]
        if len(values) != 1 or None in options:
            return None
        for one in options:
            found.update(one or {})
    return found if stars and not any(isinstance(a, ast.Starred) for a in call.args) else None


def options_of(value: ast.expr) -> dict[str, ast.expr] | None:
    """The keys of a dictionary with what they stand for, where they are written out; else None."""
    if isinstance(value, ast.Call) and last_name(value.func) in ("dict", "update"):
        inner = [options_of(one) for one in value.args]
        given = {one.arg: one.value for one in value.keywords}
        if None in inner or None in given:
            return None
        return {str(key): one for part in [*inner, given] for key, one in (part or {}).items()}
    if not isinstance(value, ast.Dict) or not all(isinstance(k, ast.Constant) for k in value.keys):
        return None
    pairs = zip(value.keys, value.values, strict=True)
    return {str(getattr(key, "value", "")): one for key, one in pairs}


def put_into(scope: ast.AST, name: str) -> Iterator[ast.expr]:
    """What a scope puts into a dictionary later: `it["timeout"] = 60`, `it.update(...)`."""
    for node in own_nodes(scope):
        if isinstance(node, ast.Assign):
            for one in node.targets:
                if isinstance(one, ast.Subscript) and written(one.value) == name:
                    yield ast.Dict([one.slice], [node.value])
        elif isinstance(node, ast.Call) and written(node.func) == f"{name}.update":
            yield node


def dataset_classes(module: Module, loader: ast.Call) -> list[tuple[Module, ast.ClassDef]]:
    """The project's classes of which the loader's dataset may be, where that can be seen."""
    found = {one[1]: one for place in made_datasets(module, loader) for one in classes_of(*place)}
    dataset = argument(loader, 0, "dataset")
    if found or dataset is None or any(made_datasets(module, loader)):
        return list(found.values())
    # an argument: it can only be seen where the file knows of one kind
    own = [node for node in module.classes if is_dataset(module, node)]
    return [(module, node) for node in own] if len(own) == 1 else []


def made_datasets(module: Module, loader: ast.Call) -> Iterator[tuple[Module, ast.Call]]:
    """The calls that may make the loader's dataset; none of another way of one condition."""
    dataset = argument(loader, 0, "dataset")
    for where, value in origins(module, dataset) if dataset is not None else ():
        if isinstance(value, ast.Call) and not excludes(where, value, loader):
            yield where, value


def excludes(module: Module, one: ast.AST, other: ast.AST) -> bool:
    """Whether two places are in the two ways of one condition."""
    ways = [set(module.ancestors(place)) for place in (one, other)]
    both = [node for node in ways[0] & ways[1] if isinstance(node, ast.If)]
    return any(
        any(n in ways[0] for n in node.body) != any(n in ways[1] for n in node.body)
        for node in both
    )


def classes_of(module: Module, made: ast.Call) -> Iterator[tuple[Module, ast.ClassDef]]:
    """The datasets that a call makes: of a class, or of one from a table; and those within."""
    named = module.project.classes_named(module, made.func) or ()
    if tables := looked_up(module, made.func):
        named = in_tables(module, tables)
    for other, node in () if named else classes_returned(module, made.func):
        tables = [table for base in node.bases for table in looked_up(other, base)]
        named = in_tables(other, tables) if tables else [(other, node)]
    found = [one for one in named if is_dataset(*one)]
    yield from found
    for value in made.args + [one.value for one in made.keywords] if found else ():
        for other, inner in origins(module, value):  # a dataset that wraps another
            if isinstance(inner, ast.Call) and inner is not made:
                named = other.project.classes_named(other, inner.func) or ()
                yield from (one for one in named if is_dataset(*one))


def in_tables(module: Module, tables: list[list[ast.expr]]) -> list[tuple[Module, ast.ClassDef]]:
    """The classes of these tables; an empty one holds any."""
    names = {last_name(one) for table in tables for one in table}
    near = [(other, c) for other in module.project.near(module) for c in other.classes]
    everywhere = [(other, c) for other in module.project.code for c in other.classes]
    named = near if any(is_dataset(*one) for one in near) else everywhere
    return [one for one in named if not names or one[1].name in names]


def classes_returned(module: Module, made: ast.expr) -> Iterator[tuple[Module, ast.ClassDef]]:
    """The classes that a function defines and returns: `Dataset = get_dataset(name)`."""
    if not isinstance(made, ast.Name):
        return
    for value in module.value_in(made, module.function(made)):
        found = module.project.resolve(module, value) if isinstance(value, ast.Call) else []
        for other, function in found:
            own = {one.name: one for one in function.body if isinstance(one, ast.ClassDef)}
            for node in own_nodes(function):
                if isinstance(node, ast.Return) and last_name(node.value or node) in own:
                    yield other, own[last_name(node.value or node)]


def looked_up(module: Module, made: ast.expr) -> list[list[ast.expr]]:
    """What a class may be that comes from a table or by its name; an empty list for any.

    As in `DATASETS[name](...)` or `getattr(datasets, name)(...)`.
    """
    if isinstance(made, ast.Name):
        values = module.value_in(made, module.function(made))
        return [table for one in values[:3] for table in looked_up(module, one)]
    if isinstance(made, ast.Call) and last_name(made.func) in ("eval", "getattr", "globals"):
        return [[]] if last_name(made.func) == "eval" or mentions(made, "data") else []
    if not isinstance(made, ast.Subscript):
        return []
    near = module.project.near(module)
    kept = [a.value for other in near for a in other.assigned.get(last_name(made.value), ())]
    tables = [one.values for one in kept if isinstance(one, ast.Dict)]
    return tables or ([[]] if "dataset" in last_name(made.value).lower() else [])


def is_dataset(module: Module, node: ast.ClassDef) -> bool:
    """Whether a class is a dataset."""
    return module.project.derives(module, node, *DATASETS)


def with_helpers(methods: list[Function]) -> list[Function]:
    """The methods of a dataset that get a sample, and those that they call."""
    found = [item for item in methods if item.name in SAMPLE]
    for method in found:  # it grows
        called = {last_name(call.func) for call in own_calls(method)}
        found += [item for item in methods if item.name in called and item not in found]
    return found
