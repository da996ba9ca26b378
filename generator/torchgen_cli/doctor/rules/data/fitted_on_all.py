"""Data that are scaled by what all samples tell, and split afterwards."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import (
    has_stars,
    last_name,
    own_calls,
    own_nodes,
    pairs,
    parameters,
    receiver,
    same,
    walk,
    written,
)
from .overlapping import HELD_OUT, TRAINING
from .split_datasets import splits_of_dataset

# of scikit-learn: what learns numbers from the samples that it is given
LEARNING = {"MaxAbsScaler", "MinMaxScaler", "PCA", "PowerTransformer", "QuantileTransformer"}
LEARNING |= {"RobustScaler", "SimpleImputer", "StandardScaler"}
STATISTICS = ("max", "mean", "min", "std", "var")
SCALING = re.compile(r"normali[sz]e|standardi[sz]e|(^|_)scale", re.I)


@rule(
    "TG216",
    "the data is scaled with statistics of all samples, then split",
    why="""The mean, the range or the components come from all samples, including those of the test:
    the training uses what it is measured on, and the score is too good. The effect is larger where
    values drift, as in time series.""",
    remedy="split first, fit on the training part, and apply that to the other parts",
    source="https://scikit-learn.org/stable/common_pitfalls.html#data-leakage-during-pre-processing",
    bad="""
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def parts(values, labels):
    values = StandardScaler().fit_transform(values)  # <--
    return train_test_split(values, labels, random_state=0)


def step(model, optimizer, loss_of, batch):
    optimizer.zero_grad()
    loss_of(model, batch).backward()
    optimizer.step()
""",
    good="""
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def parts(values, labels):
    train_x, test_x, train_y, test_y = train_test_split(values, labels, random_state=0)
    scaler = StandardScaler().fit(train_x)
    return scaler.transform(train_x), scaler.transform(test_x), train_y, test_y


def step(model, optimizer, loss_of, batch):
    optimizer.zero_grad()
    loss_of(model, batch).backward()
    optimizer.step()
""",
    severity=Severity.WARNING,
)
def fitted_on_all(module: Module) -> Iterator[ast.Assign]:
    for statement in scalings(module) if "backward" in module.project.callers else ():
        target = statement.targets[0]
        first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
        while isinstance(first, ast.Subscript):  # X[columns] = ...
            first = first.value
        name = written(first)
        if not name or TRAINING.search(name):
            continue
        if is_split_later(module, statement, name) or any(splits_of_dataset(module, statement)):
            yield statement


def scalings(module: Module) -> Iterator[ast.Assign]:
    """The assignments of what is scaled by numbers that the data themselves give."""
    calls = module.calls
    scaled = [call for call in calls.get("fit_transform", ()) if is_learning(module, call)]
    scaled += [call for call in calls.get("transform", ()) if is_fitted_on_same(module, call)]
    for name, named in calls.items():
        if SCALING.search(name):
            scaled += [call for call in named if scales_by_itself(module, call)]
    for call in scaled:
        statement = module.parents[call]
        if isinstance(statement, ast.Assign) and not is_part(call.args[0]):
            yield statement


def is_part(node: ast.expr) -> bool:
    """Whether it is some rows of something, or named as what is trained on."""
    return any(takes_rows(one) or TRAINING.search(written(one)) for one in walk(node))


def takes_rows(node: ast.AST) -> bool:
    """Whether it is a slice of the rows, and not of the columns alone: `table[:, 1:]`."""
    if not isinstance(node, ast.Subscript):
        return False
    part = node.slice
    rows = part.elts[0] if isinstance(part, ast.Tuple) and part.elts else part
    return isinstance(rows, ast.Slice) and (rows.lower or rows.upper) is not None


def is_learning(module: Module, call: ast.Call) -> bool:
    """Whether a scaler of scikit-learn is fitted, and gives back what it was fitted on."""
    owner = receiver(call)
    made: list[ast.expr] = [owner] if isinstance(owner, ast.Call) else []
    if owner is not None and written(owner):
        made += module.value_in(owner, module.function(call))
    known = [isinstance(one, ast.Call) and last_name(one.func) in LEARNING for one in made]
    return bool(call.args) and bool(known) and all(known)


def is_fitted_on_same(module: Module, call: ast.Call) -> bool:
    """Whether a scaler of scikit-learn was fitted on what it transforms, lines before."""
    return is_learning(module, call) and any(
        one.lineno < call.lineno
        and same(receiver(one), receiver(call))
        and bool(one.args)
        and same(one.args[0], call.args[0])
        for one in own_calls(module.function(call), "fit")
    )


def scales_by_itself(module: Module, call: ast.Call) -> bool:
    """Whether a function of the project takes the statistics of its first argument."""
    found = module.project.resolve(module, call)
    if len(found) != 1 or not call.args or has_stars(call):
        return False
    function = found[0][1]
    names = parameters(function)
    taken = {
        last_name(one.func)
        for one in own_calls(function, *STATISTICS)
        if names and any(written(n) == names[0] for n in (receiver(one), *one.args[:1]) if n)
    }
    return {"mean", "std"} <= taken or {"max", "min"} <= taken


def is_split_later(module: Module, statement: ast.Assign, name: str) -> bool:
    """Whether a name is cut behind a statement into what is trained on and what is held out."""
    scope = module.function(statement)
    end = statement.end_lineno or 0
    cut: set[str] = set()
    for node in sorted(own_nodes(scope), key=lambda one: getattr(one, "lineno", 0)):
        if isinstance(node, ast.Call) and node.lineno > end and splits(node, name):
            return True
        if isinstance(node, ast.Assign) and node.lineno > end:
            for target, value in pairs(node):
                if written(target) == name and not any(written(n) == name for n in walk(value)):
                    return False  # something else from here on
                if is_slice_of(value, name):
                    cut.add(written(target))
    held = any(HELD_OUT.search(one) and not TRAINING.search(one) for one in cut)
    return held and any(TRAINING.search(one) and not HELD_OUT.search(one) for one in cut)


def splits(call: ast.Call, name: str) -> bool:
    """Whether it is a call that splits what is given first, by its name."""
    called = last_name(call.func)
    known = called in ("train_test_split", "random_split") or called.startswith("split_data")
    return known and bool(call.args) and same(call.args[0], ast.Name(name))


def is_slice_of(value: ast.expr, name: str) -> bool:
    """Whether it is a slice of what a name stands for."""
    return (
        isinstance(value, ast.Subscript)
        and written(value.value) == name
        and any(isinstance(one, ast.Slice) and one.lower != one.upper for one in walk(value.slice))
    )
