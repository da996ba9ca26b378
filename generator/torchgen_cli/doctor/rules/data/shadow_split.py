"""Loaders for validation that read the data of the training."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import argument, keyword, walk

KINDS = {
    "validation": re.compile(r"(^|_)(val|valid|validation|dev)(_|$|set|data|loader)", re.I),
    "test": re.compile(r"(^|_)test(_|$|set|data|loader)", re.I),
}
DATA = re.compile(r"(set|data)$|(^|_)(ds|db)(_|$)", re.I)
TRAIN = re.compile(r"(^|_)(train|tr|trn)", re.I)


@rule(
    "TG212",
    "the loader reads the training data, and the split it is named after is unused",
    why="""A dataset is created for validation or test, but nothing reads it; the loader of that
    name gets the training dataset. The scores are those of samples that the model was trained on,
    and the best checkpoint is the one that fits them best.""",
    remedy="pass the loader the dataset that was created for it",
    source=f"{STABLE}/data.html#torch.utils.data.DataLoader",
    bad="""
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR10


def loaders(root, transform):
    train_set = CIFAR10(root, train=True, transform=transform)
    val_set = CIFAR10(root, train=False, transform=transform)
    train_loader = DataLoader(train_set, batch_size=128, shuffle=True)
    val_loader = DataLoader(train_set, batch_size=128)  # <--
    return train_loader, val_loader
""",
    good="""
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR10


def loaders(root, transform):
    train_set = CIFAR10(root, train=True, transform=transform)
    val_set = CIFAR10(root, train=False, transform=transform)
    train_loader = DataLoader(train_set, batch_size=128, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=128)
    return train_loader, val_loader
""",
)
def reads_the_training(module: Module) -> Iterator[Spot]:
    for call in module.torch_calls("DataLoader"):
        statement, given = module.parents[call], argument(call, 0, "dataset")
        drawn = keyword(call, "sampler") or keyword(call, "batch_sampler")  # from a part of it
        if not isinstance(statement, ast.Assign) or not isinstance(given, ast.Name) or drawn:
            continue
        target = statement.targets[0]
        kind = kind_of(target)
        if not kind or not TRAIN.search(given.id) or kind_of(given):
            continue
        scope = module.function(call)
        for name in unread(scope):
            if DATA.search(name) and kind_of(ast.Name(name)) == kind:
                yield Spot(call, f"`{name}` is never read")
                break


def kind_of(node: ast.AST) -> str:
    """The split that a plain name says it is for, and no training."""
    if not isinstance(node, ast.Name) or TRAIN.search(node.id):
        return ""
    return next((kind for kind, pattern in KINDS.items() if pattern.search(node.id)), "")


def unread(scope: ast.AST) -> list[str]:
    """The names that get a value in a scope, and are read nowhere in it."""
    names = [node for node in walk(scope) if isinstance(node, ast.Name)]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    return [n.id for n in names if isinstance(n.ctx, ast.Store) and n.id not in read]
