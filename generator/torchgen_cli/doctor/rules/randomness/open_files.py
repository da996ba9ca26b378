"""Files that processes which load data share."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import (
    FUNCTIONS,
    Function,
    is_constant,
    keyword,
    last_name,
    own_calls,
    receiver,
    same,
    walk,
    written,
)
from ..shared.datasets import (
    classes_of,
    is_dataset,
    loaders,
    made_datasets,
    with_helpers,
    worker_loaders,
)

OPENING = ("h5py.File", "open", "zipfile.ZipFile", "tarfile.open", "lmdb.open")


@rule(
    "TG107",
    "a file opened in `__init__` is shared by all workers",
    why="""A worker that is not forked cannot pickle it, and the loader fails: on Windows, on macOS,
    and on Linux since Python 3.14. A forked worker inherits it: processes that read from a plain
    file, or with an old HDF5, move each other's position, and get wrong samples or errors. LMDB
    forbids the use of an environment after a fork; without locks that usually works, and is a hint.
    So is a dataset that no loader is found to read.""",
    remedy="open the file at the first `__getitem__` in each process",
    source="https://docs.h5py.org/en/stable/faq.html#multiprocessing",
    bad="""
import h5py
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")  # <--

    def __getitem__(self, index):
        return self.file["scans"][index]


def load(path):
    return DataLoader(Scans(path), batch_size=8, num_workers=4)
""",
    good="""
import h5py
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __init__(self, path):
        self.path, self.file = path, None

    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return self.file["scans"][index]


def load(path):
    return DataLoader(Scans(path), batch_size=8, num_workers=4)
""",
)
def shared_file(module: Module) -> Iterator[Spot]:
    for node in module.classes:
        methods = [item for item in node.body if isinstance(item, FUNCTIONS)]
        sample = with_helpers(methods)
        shown: dict[ast.Call, ast.AST] = {}
        for statement in started(methods):
            if not isinstance(statement, ast.Assign):
                continue
            opened, kept = opened_by(module, statement.value), statement.targets[0]
            if opened is None or keyword(opened, "driver"):
                continue
            if (
                written(kept).startswith("self.")
                and any(same(n, kept) for one in sample for n in walk(one))
                and not is_let_go(methods, statement)
                and is_dataset(module, node)
                and is_made(module, node)
                and is_read_by_workers(module, node)
            ):
                shown.setdefault(opened, statement if opened is statement.value else opened)
        for opened, place in shown.items():
            without_locks = is_constant(keyword(opened, "lock"), False)
            yield Spot(place, unsure=without_locks or not loaders_over(module, node))


def started(methods: list[Function]) -> Iterator[ast.AST]:
    """The nodes of `__init__`, and of the methods of the same object that it calls."""
    reached = [item for item in methods if item.name == "__init__"]
    for method in reached:  # it grows
        yield from walk(method)
        called = {written(call.func) for call in own_calls(method)}
        reached += [
            item for item in methods if f"self.{item.name}" in called and item not in reached
        ]


def is_let_go(methods: list[Function], opening: ast.Assign) -> bool:
    """Whether `__init__` closes what it keeps, or puts None in its place."""
    kept = opening.targets[0]
    for node in started(methods):
        if isinstance(node, ast.Call) and last_name(node.func) == "close":
            if same(receiver(node), kept):
                return True
        elif isinstance(node, ast.Assign) and node.lineno > opening.lineno:
            if same(node.targets[0], kept) and is_constant(node.value, None):
                return True
        elif isinstance(node, ast.Delete) and any(same(one, kept) for one in node.targets):
            return True
    return False


def opened_by(module: Module, value: ast.expr) -> ast.Call | None:
    """The call that opens a file, of which the value is the handle, or a part still to be read.

    As in `self.images = h5py.File(path)["images"]`, where the handle may have a name of its own.
    """
    read_later = isinstance(value, ast.Subscript) and is_key(value.slice)
    if isinstance(value, ast.Call) and last_name(value.func) == "get" and len(value.args) == 1:
        read_later = is_key(value.args[0])
    handle = receiver(value) if isinstance(value, ast.Call) else getattr(value, "value", None)
    if read_later and isinstance(handle, ast.Name):
        made = module.value_in(handle, module.function(handle))
        handle = made[0] if len(made) == 1 else None
    opened = handle if read_later else value
    if not isinstance(opened, ast.Call):
        return None
    known = OPENING[:1] if read_later else OPENING
    return opened if module.qualified(opened.func) in known else None


def is_key(node: ast.expr) -> bool:
    """Whether it names a part of a file, and is no slice that reads it."""
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return text or isinstance(node, ast.JoinedStr)


def is_made(module: Module, node: ast.ClassDef) -> bool:
    """Whether the program makes an object of a class, or of one that derives from it."""
    derived = {
        one.name
        for other in module.project.code
        for one in other.classes
        if one is node or module.project.derives(other, one, node.name)
    }
    return any(
        name in other.calls
        for other in module.project.code
        for name in (*derived, *(a for a, w in other.imports.items() if last_part(w) in derived))
    )


def last_part(whole: str) -> str:
    """The name of what an import brings: `from data import Scans as D` is Scans."""
    return whole.rpartition(".")[2]


def is_read_by_workers(module: Module, node: ast.ClassDef) -> bool:
    """Whether a loader with workers may read a dataset; none does where all are known without."""
    if known := loaders_over(module, node):
        return any(call in worker_loaders(other) for other, call in known)
    return any(any(worker_loaders(other)) for other in module.project.code)


def loaders_over(module: Module, node: ast.ClassDef) -> list[tuple[Module, ast.Call]]:
    """The loaders that are seen to read a dataset."""
    return [
        (other, call)
        for other in module.project.code
        for call in loaders(other)
        if any(one is node for made in made_datasets(other, call) for _, one in classes_of(*made))
    ]
