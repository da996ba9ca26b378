"""Validation sets that are the test set."""

import ast
import re
from collections.abc import Iterator

from ...documents import documents
from ...project import Module
from ...rule import Severity, rule
from ...syntax import argument, keyword, last_name, receiver, written
from ..shared.states import saves
from .split_names import asked_as_test

VALIDATION = re.compile(r"(^|_)(val|vali|valid|validation|dev)(?=_|$|set$|data$|loader$)", re.I)
# a setting that says where the validation data lie, and a configuration's line that names a test
PLACE = re.compile(r"(val|vali|valid|validation|dev)_?(dir|folder|path|root|file|list)", re.I)
NAMED_TEST = r"^[ \t]*['\"]?{}['\"]?[ \t]*[:=][ \t]*['\"]?(\S*/)?test(/\S*)?['\",]*[ \t]*(#.*)?$"
DATA = re.compile(r"_?(set|data|dataset|loader)$")
CHOOSES = re.compile(r"(^|\.)best(_|$)|is_best|early_?stop", re.I)
TEST_LOADER = re.compile(r"test_?(data_?)?loaders?", re.I)
WATCHING = ("EarlyStopping", "ModelCheckpoint")


@rule(
    "TG215",
    "the validation set is the test set",
    why="""What is chosen on the validation set, such as an epoch, a threshold or when to stop, is
    chosen on the test set: its score is too good, and says nothing about new samples. Shown once
    per repository.""",
    remedy="set aside some of the training data for validation",
    source="https://scikit-learn.org/stable/common_pitfalls.html#data-leakage",
    bad="""
import torch


def fit(model, load, train_epoch, score_of, epochs):
    train_set, test_set = load("train"), load("test")
    val_set = test_set  # <--
    best_score = 0.0
    for epoch in range(epochs):
        train_epoch(model, train_set)
        score = score_of(model, val_set)
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
""",
    good="""
import torch


def fit(model, load, train_epoch, score_of, epochs):
    train_set, val_set = load("train"), load("val")
    best_score = 0.0
    for epoch in range(epochs):
        train_epoch(model, train_set)
        score = score_of(model, val_set)
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
""",
    severity=Severity.WARNING,
    once=True,
)
def validates_on_test(module: Module) -> Iterator[ast.AST]:
    found: list[ast.AST] = [
        statement
        for target, statements in module.assigned.items()
        if VALIDATION.search(target.rpartition(".")[2])
        for statement in statements
        if is_renamed_test(module, statement)
    ]
    found += [
        node
        for node in module.attributes
        if isinstance(node.ctx, ast.Load)
        and PLACE.fullmatch(node.attr)
        and is_configured_test(module, node.attr)
    ]
    found += asked_as_test(module)
    if found and chooses(module):
        yield from found
    yield from fitted_with_test(module)


def is_configured_test(module: Module, name: str) -> bool:
    """Whether a configuration beside a file, or below, gives a setting a folder called test."""
    texts = documents((module.project.root / module.name).parent)
    line = NAMED_TEST.format(re.escape(name)).encode()
    return re.search(line, texts, re.M) is not None


def is_renamed_test(module: Module, statement: ast.Assign) -> bool:
    """Whether a name for validation data is given those of the test."""
    target, value = written(statement.targets[0]), written(statement.value)
    own, other = target.rpartition(".")[2], value.rpartition(".")[2]
    conditional = any(
        isinstance(around, ast.If | ast.Try) for around in module.ancestors(statement)
    )
    return not conditional and VALIDATION.sub(r"\1test", own).lower() in (
        other.lower(),
        DATA.sub("", other.lower()),  # self.val = test_data
    )


def chooses(module: Module) -> bool:
    """Whether the program keeps the best of its weights, or stops early."""
    near = module.project.near(module)
    kept = any(CHOOSES.search(name) for other in near for name in other.assigned)
    return kept and any(any(True for _ in saves(other)) for other in near)


def fitted_with_test(module: Module) -> Iterator[ast.Call]:
    """Where Lightning's trainer validates on a test set, and keeps what is best there, or stops."""
    watched = any(
        keyword(call, "monitor") is not None
        for name in WATCHING
        for call in module.calls.get(name, ())
    )
    for call in module.calls.get("fit", ()) if watched else ():
        trainer, given = receiver(call), argument(call, 2, "val_dataloaders")
        if trainer is None or given is None or "trainer" not in last_name(trainer).lower():
            continue
        if TEST_LOADER.fullmatch(last_name(given)):
            yield call
