"""Which classes a DataLoader reads from, and where it has processes for that."""

import ast
from collections.abc import Iterator

from ..project import Module
from ..syntax import (
    Function,
    argument,
    has_stars,
    is_constant,
    last_name,
    own_calls,
    written,
)

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
    for call in module.torch_calls("DataLoader"):
        options = handed(module, call)
        if options is None:
            continue
        workers = argument(call, 5, "num_workers") or options.get("num_workers")
        seeded = {"worker_init_fn", "generator"}.intersection(options)
        if workers is not None and not is_constant(workers, 0) and not seeded:
            yield call


def handed(module: Module, call: ast.Call) -> dict[str, ast.expr] | None:
    """The options that are handed on by `**options`, where they are written out; else None."""
    found: dict[str, ast.expr] = {}
    if not has_stars(call):
        return found
    stars = [one.value for one in call.keywords if one.arg is None]
    for star in stars:
        values = module.value_in(star, module.function(call))
        if len(values) != 1 or not isinstance(values[0], ast.Dict):
            return None
        for key, value in zip(values[0].keys, values[0].values, strict=True):
            if not isinstance(key, ast.Constant):
                return None
            found[str(key.value)] = value
    return found if stars and not any(isinstance(a, ast.Starred) for a in call.args) else None


def dataset_classes(module: Module, loader: ast.Call) -> list[tuple[Module, ast.ClassDef]]:
    """The project's classes of which the loader's dataset may be, where that can be seen."""
    dataset = argument(loader, 0, "dataset")
    if dataset is None:
        return []
    values = [dataset, *module.value_in(dataset, module.function(loader))]
    if written(dataset):
        values += module.value_in(dataset, module.tree)
    made = [value.func for value in values if isinstance(value, ast.Call)]
    if any(looked_up(module, one) for one in made):
        near = module.project.near(module)  # eval("dataset." + name)(...): one of the program's
        return [(other, c) for other in near for c in other.classes if is_dataset(other, c)]
    if not made:  # an argument: it can only be seen where the file knows of one kind
        own = [node for node in module.classes if is_dataset(module, node)]
        return [(module, node) for node in own] if len(own) == 1 else []
    return [
        found
        for one in made
        for found in module.project.classes_named(module, one) or ()
        if is_dataset(*found)
    ]


def looked_up(module: Module, made: ast.expr) -> bool:
    """Whether a class comes from a table, or by its name: `DATASETS[name](...)`."""
    if isinstance(made, ast.Call) and last_name(made.func) == "eval":
        return True
    table = made.value if isinstance(made, ast.Subscript) else None
    return table is not None and "dataset" in last_name(table).lower()


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
