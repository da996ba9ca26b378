"""Which scores are those of a test set: by names, by what was given, by what the data are."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    is_constant,
    keyword,
    own_calls,
    own_nodes,
    same,
    walk,
    written,
)
from ..shared.loops import is_backward
from ..shared.origins import called, origins
from .evaluating import LOADERS, looped_over

TEST = re.compile(r"(^|[^a-z])tests?([^a-z]|$)|^te_", re.I)
VALIDATION = re.compile(r"(^|[^a-z])(val|vali|valid|validation|dev|eval)([^a-z]|$)", re.I)
# those of a search by example, a query and a gallery, are a test's too
TEST_DATA = re.compile(
    r"(^|[^a-z])test_?(set|loader|data|dataset|dataloader)?([^a-z]|$)"
    r"|(^|[^a-z])(query|gall?(ery)?)_?(set|loader|data|dataset|dataloader)([^a-z]|$)",
    re.I,
)
VALIDATION_DATA = re.compile(
    r"(^|[^a-z])(val|valid|validation|dev)(_?[a-z]*loader|_|[^a-z]|$)", re.I
)
KEPT = re.compile(r"best|(^|[^a-z])(max|min)_", re.I)
SPLITTING = ("Subset", "SubsetRandomSampler", "random_split", "train_test_split")
STOPPER = re.compile(r"early_?stop|stopper", re.I)
TESTING = re.compile(r"^(do_|run_)?test(_|$)")
# of all names in a file, where `valid` alone may be a mask, and `eval` is a mode
HELD_OUT = re.compile(
    r"(^|[^a-z])(val|dev|held_?out)([^a-z]|$)|(^|[^a-z])(vali|validat)|valid_", re.I
)
# the list, file or part that a data set is told to read
TEST_PART = re.compile(
    r"(^|[^a-z])test_?(set|data|list|file|path|dir|root|folder|csv|json|split)?(\.\w+)?$", re.I
)


def scored_on_test(module: Module, around: ast.AST, comparison: ast.expr) -> bool:
    """Whether a score without such a name is of a test set: by what its function was given."""
    names = [name for name in map(written, walk(comparison)) if name]
    scores = [name for name in names if not KEPT.search(name)]
    if len(scores) == len(names) or any(map(TEST.search, names)):
        return False
    if isinstance(around, FUNCTIONS) and not any(map(VALIDATION.search, names)) and tests(around):
        return True
    made = [call for name in scores for call in made_by(module, comparison, name)]
    given = [one for call in made for one in call.args]
    if any(is_test_split(module, one) for one in given):
        return True
    if any(map(is_test_function, made)) and has_test_data_alone(module):
        return True
    texts = [*scores, *map(named, given)]
    inner = [found[0][1] for call in made if len(found := called(module, call)) == 1]
    if any(map(tests, inner)) and not any(map(VALIDATION.search, texts)):
        return True
    return any(map(TEST_DATA.search, texts)) and not any(map(VALIDATION.search, texts))


def named(node: ast.expr) -> str:
    """A name, or that of a part: `loaders["test"]` is loaders_test."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return f"{written(node.value)}_{node.slice.value!s}"
    return written(node)


def validates(function: ast.AST) -> bool:
    """Whether a function goes through data for validation, and no others."""
    sources = [looped_over(n.iter) for n in own_nodes(function) if isinstance(n, ast.For)]
    sources = list(filter(LOADERS.search, sources))
    return bool(sources) and all(
        VALIDATION_DATA.search(one) and not TEST_DATA.search(one) for one in sources
    )


def tests(function: Function) -> bool:
    """Whether a function goes through the data of a test, and no others."""
    sources = [looped_over(n.iter) for n in own_nodes(function) if isinstance(n, ast.For)]
    sources = list(filter(LOADERS.search, sources)) or sources
    tested = bool(sources) and all(map(TEST_DATA.search, sources))
    return tested and not any(map(VALIDATION.search, sources))


def made_by(module: Module, near: ast.expr, name: str) -> list[ast.Call]:
    """The call whose result, or a part of it, a name was last set to before a place."""
    before = [
        node
        for node in own_nodes(module.function(near))
        if isinstance(node, ast.Assign)
        and node.lineno < near.lineno
        and name in {written(one) for target in node.targets for one in walk(target)}
    ]
    last = max(before, key=lambda one: one.lineno) if before else None
    if last is not None and isinstance(last.value, ast.Subscript):  # label_mA = outputs[0]
        return made_by(module, last.value, written(last.value.value))
    return [last.value] if last is not None and isinstance(last.value, ast.Call) else []


def is_tested_later(module: Module, loop: ast.AST, comparison: ast.expr) -> bool:
    """Whether a score is of a loader that another function, called a test, is given afterwards."""
    end = getattr(loop, "end_lineno", None) or 0
    later = [one for one in own_calls(module.function(loop)) if one.lineno > end]
    later = list(filter(is_test_function, later))
    names = filter(None, map(written, walk(comparison) if later else ()))
    scored = [call for name in names for call in made_by(module, comparison, name)]
    loaders = {text for call in scored for one in call.args if LOADERS.search(text := written(one))}
    return any(
        loaders.intersection(map(written, call.args))
        and not any(same(call.func, one.func) for one in scored)
        for call in later
    )


def stopped_by_test(module: Module) -> Iterator[ast.Call]:
    """Where a class that keeps the best weights is given the score of a test set."""
    calls = [call for name, found in module.calls.items() if STOPPER.search(name) for call in found]
    if not calls or not any(map(is_saving_stopper, module.project.near(module))):
        return
    for call in calls:
        loop = next(module.loops_around(call), None)
        if loop is None or len(call.args) < 2:
            continue
        name = written(call.args[0])
        made = made_by(module, call, name) if name else []
        texts = [written(one) for value in made for one in value.args]
        tested = any(map(TEST_DATA.search, texts)) and not any(map(VALIDATION.search, texts))
        if tested and module.project.reaches(module, loop, is_backward):
            yield call


def is_saving_stopper(module: Module) -> bool:
    """Whether a file has a class that ends a run early, and saves the best weights."""
    return any(
        STOPPER.search(node.name)
        and any(
            isinstance(one, ast.Attribute) and one.attr == "save"
            for method in node.body
            if isinstance(method, FUNCTIONS)
            for one in walk(method)
        )
        for node in module.classes
    )


def is_test_function(call: ast.Call) -> bool:
    """Whether a plain function is called that tests, by its name."""
    return isinstance(call.func, ast.Name) and TESTING.match(call.func.id) is not None


@kept
def has_test_data_alone(module: Module) -> bool:
    """Whether a file names data for training and for the test, and no others."""
    nodes = list(walk(module.tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.arg or "" for node in nodes if isinstance(node, ast.arg | ast.keyword)}
    if any(map(HELD_OUT.search, names)):
        return False
    return any(
        name.startswith("test_") and name.replace("test_", "train_", 1) in names for name in names
    )


def is_test_split(module: Module, loader: ast.expr) -> bool:
    """Whether a loader goes through the test part of a data set, whatever it is called."""
    near = module.project.near(module)
    if any(name in other.calls for other in near for name in SPLITTING):
        return False
    data = [
        one
        for where, made in origins(module, loader)
        if isinstance(made, ast.Call) and where.is_torch(made.func, "DataLoader")
        for given in [argument(made, 0, "dataset")]
        for one in (origins(where, given) if given is not None else ())
    ]
    return bool(data) and all(
        isinstance(made, ast.Call) and (is_public_test(where, made) or is_own_test(where, made))
        for where, made in data
    )


def is_public_test(module: Module, made: ast.Call) -> bool:
    """Whether it is the test part of one of torchvision's data sets."""
    return module.qualified(made.func).startswith("torchvision.datasets.") and (
        is_constant(keyword(made, "train"), False) or is_constant(keyword(made, "split"), "test")
    )


def is_own_test(module: Module, made: ast.Call) -> bool:
    """Whether a data set of the project is told to read what is called a test set."""
    if not module.project.classes_named(module, made.func):
        return False
    told = [*made.args, *(one.value for one in made.keywords)]
    texts = [str(one.value) if isinstance(one, ast.Constant) else written(one) for one in told]
    return any(map(TEST_PART.search, texts)) and not any(map(HELD_OUT.search, texts))
