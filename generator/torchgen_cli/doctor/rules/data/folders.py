"""Files that belong together."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import rule
from ...syntax import FUNCTIONS, last_name, walk, written
from ..shared.datasets import is_dataset

LISTING = ("listdir", "glob", "iglob", "scandir", "iterdir", "rglob")


@rule(
    "TG207",
    "two file lists are paired in the order that the system lists them",
    why="""`listdir` and `glob` guarantee no order. It differs between folders and between machines:
    an image gets another image's target.""",
    remedy="wrap both in `sorted(...)`, or derive one name from the other",
    source="https://docs.python.org/3/library/os.html#os.listdir",
    bad="""
import os

from PIL import Image
from torch.utils.data import Dataset


class Pairs(Dataset):
    def __init__(self, images, masks):
        self.images = [os.path.join(images, name) for name in os.listdir(images)]  # <--
        self.masks = [os.path.join(masks, name) for name in os.listdir(masks)]

    def __getitem__(self, index):
        return Image.open(self.images[index]), Image.open(self.masks[index])
""",
    good="""
import os

from PIL import Image
from torch.utils.data import Dataset


class Pairs(Dataset):
    def __init__(self, images, masks):
        self.images = [os.path.join(images, name) for name in sorted(os.listdir(images))]
        self.masks = [os.path.join(masks, name) for name in sorted(os.listdir(masks))]

    def __getitem__(self, index):
        return Image.open(self.images[index]), Image.open(self.masks[index])
""",
)
def paired_by_chance(module: Module) -> Iterator[ast.AST]:
    for node in module.classes:
        methods = {one.name: one for one in node.body if isinstance(one, FUNCTIONS)}
        getter = methods.get("__getitem__")
        if getter is None or not is_dataset(module, node):
            continue
        index = getter.args.args[-1].arg
        indexed = {
            written(one.value)
            for one in walk(getter)
            if isinstance(one, ast.Subscript) and written(one.slice) == index
        }
        found = [
            statement
            for name in indexed - {""}
            for statement in module.assigned.get(name, ())
            if module.class_of(statement) is node and lists_files(statement.value)
        ]
        sorts = any(
            "sort" in last_name(one.func)
            for m in methods.values()
            for one in walk(m)
            if isinstance(one, ast.Call)
        )
        if len({written(one.targets[0]) for one in found}) > 1 and not sorts:
            yield min(found, key=lambda one: one.lineno)


def lists_files(value: ast.expr) -> bool:
    """Whether it is what a folder holds, in no order."""
    return any(isinstance(one, ast.Call) and last_name(one.func) in LISTING for one in walk(value))
