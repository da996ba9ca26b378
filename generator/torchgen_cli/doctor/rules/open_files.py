"""Files that processes which load data share."""

import ast
from collections.abc import Iterator

from ..project import Module
from ..rule import rule
from ..syntax import FUNCTIONS, keyword, same, walk, written
from .datasets import is_dataset, with_helpers, worker_loaders

OPENING = ("h5py.File", "open", "zipfile.ZipFile", "tarfile.open")


@rule(
    "TG107",
    "a file that is opened in `__init__` is shared by all workers",
    why="""A worker that is forked gets the parent's open file: processes that read from it move
    each other's position, and get wrong samples or errors. One that is spawned cannot pickle
    it.""",
    remedy="open the file at the first `__getitem__` of each process",
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
def shared_file(module: Module) -> Iterator[ast.AST]:
    for node in module.classes:
        methods = [item for item in node.body if isinstance(item, FUNCTIONS)]
        first = next((item for item in methods if item.name == "__init__"), None)
        sample = with_helpers(methods)
        for statement in walk(first) if first else ():
            if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
                continue
            opened, kept = statement.value, statement.targets[0]
            if module.qualified(opened.func) not in OPENING or keyword(opened, "driver"):
                continue
            if (
                written(kept).startswith("self.")
                and any(same(n, kept) for one in sample for n in walk(one))
                and is_dataset(module, node)
                and is_made(module, node)
                and any(any(worker_loaders(other)) for other in module.project.code)
            ):
                yield statement


def is_made(module: Module, node: ast.ClassDef) -> bool:
    """Whether the program makes an object of a class, or of one that derives from it."""
    derived = {
        one.name
        for other in module.project.code
        for one in other.classes
        if one is node or module.project.derives(other, one, node.name)
    }
    return any(name in other.calls for name in derived for other in module.project.code)
