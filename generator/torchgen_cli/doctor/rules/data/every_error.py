"""Handlers that take every error of the data for the one that they are for."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    is_constant,
    last_name,
    own_calls,
    parameters,
    same,
    walk,
    written,
)
from ..checkpoint.swallowed import WORDS, catches_all

GETTING = ("next", "__next__")
HANDLING = "https://docs.python.org/3/tutorial/errors.html#handling-exceptions"


@rule(
    "TG220",
    "any error of the loader counts as its end",
    why="""Any error restarts the iterator: an unreadable file, a killed worker, memory that ran out
    and, with a bare `except`, Ctrl-C. The run silently continues with the first samples, and sees
    the others less often or never.""",
    remedy="catch only `StopIteration`",
    source=HANDLING,
    bad="""
def train(step, loader, steps):
    batches = iter(loader)
    for _ in range(steps):
        try:
            images, labels = next(batches)
        except:  # <--
            batches = iter(loader)
            images, labels = next(batches)
        step(images, labels)
""",
    good="""
def train(step, loader, steps):
    batches = iter(loader)
    for _ in range(steps):
        try:
            images, labels = next(batches)
        except StopIteration:
            batches = iter(loader)
            images, labels = next(batches)
        step(images, labels)
""",
    severity=Severity.WARNING,
    once=True,
)
def restarted(module: Module) -> Iterator[Spot]:
    for name in GETTING:
        for call in module.calls.get(name, ()):
            handler = catching(module, call)
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            batches = owner or next(iter(call.args), None)
            if handler is not None and batches is not None and begins_anew(handler, batches):
                yield Spot(handler, unsure=shows_error(handler))


def shows_error(handler: ast.ExceptHandler) -> bool:
    """Whether a handler says which error it was."""
    return bool(own_calls(handler, "exception", "format_exc", "print_exc")) or any(
        last_name(one.func) in WORDS
        and any(isinstance(part, ast.Name) and part.id == handler.name for part in walk(one))
        for one in own_calls(handler)
    )


def catching(module: Module, node: ast.AST) -> ast.ExceptHandler | None:
    """The handler of every error around a place that does not raise it again."""
    inner = node
    for around in module.ancestors(node):
        if isinstance(around, ast.Try) and inner in around.body:
            handler = around.handlers[0] if around.handlers else None
            if handler is None or not catches_all(handler.type):
                return None
            ends = any(isinstance(one, ast.Raise) for one in walk(handler))
            return None if ends else handler
        inner = around
    return None


def begins_anew(handler: ast.ExceptHandler, batches: ast.expr) -> bool:
    """Whether a handler sets an iterator to a new one."""
    return any(
        isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Call)
        and last_name(one.value.func) in ("iter", "cycle", "enumerate")
        and any(same(target, batches) for target in one.targets)
        for one in handler.body
    )


@rule(
    "TG221",
    "each sample that fails is silently replaced by another",
    why="""Any error in `__getitem__`, be it a missing file or a bug, returns another sample: the
    dataset is smaller than it seems, other samples count more than once, and an evaluation scores
    the wrong ones. It is a hint where the handler reports what failed.""",
    remedy="catch only the expected error and log the sample, or remove bad samples",
    source=HANDLING,
    bad="""
from torch.utils.data import Dataset


class Videos(Dataset):
    def __init__(self, names, read):
        self.names, self.read = names, read

    def __getitem__(self, index):
        try:
            return self.read(self.names[index])
        except Exception:  # <--
            return self[0]
""",
    good="""
from torch.utils.data import Dataset


class Videos(Dataset):
    def __init__(self, names, read):
        self.names, self.read = names, read

    def __getitem__(self, index):
        return self.read(self.names[index])
""",
    severity=Severity.WARNING,
)
def replaced(module: Module) -> Iterator[Spot]:
    for function in module.functions:
        if function.name != "__getitem__" or module.class_of(function) is None:
            continue
        for node in walk(function):
            if not isinstance(node, ast.Try):
                continue
            for handler in node.handlers:
                if not catches_all(handler.type):
                    continue
                if gives_another(node, handler) or asks_again(module, node, handler):
                    told = any(last_name(one.func) in WORDS for one in own_calls(handler))
                    yield Spot(handler, unsure=told or uses_error(handler))


def uses_error(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does anything with the error, such as keeping it."""
    return any(isinstance(one, ast.Name) and one.id == handler.name for one in walk(handler))


def asks_again(module: Module, tried: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Whether a loop tries again with another index, until a sample comes."""
    loop = next(module.loops_around(tried), None)
    if loop is None or any(isinstance(one, ast.Raise | ast.Return) for one in walk(handler)):
        return False
    endless = isinstance(loop, ast.While) and is_constant(loop.test, True, 1)
    ends = (ast.Return, ast.Break)
    leaves = [one for part in tried.body for one in walk(part) if isinstance(one, ends)]
    read = {one.id for part in tried.body for one in walk(part) if isinstance(one, ast.Name)}
    sampled = module.function(tried)
    index = parameters(sampled)[:1] if isinstance(sampled, FUNCTIONS) else []
    return (
        endless
        and bool(leaves)
        and any(
            isinstance(one, ast.Assign) and written(one.targets[0]) in read.intersection(index)
            for one in handler.body
        )
    )


def gives_another(tried: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Whether a handler gets a sample in the same way with other arguments, or by `self[0]`."""
    below = list(walk(handler))
    if any(isinstance(one, ast.Raise) for one in below):
        return False
    before = [one for part in tried.body for one in walk(part) if isinstance(one, ast.Call)]
    for one in below:
        if isinstance(one, ast.Subscript) and written(one.value) == "self":
            return True
        if isinstance(one, ast.Call) and written(one.func).startswith("self."):
            again = any(
                same(one.func, other.func) and ast.unparse(one) != ast.unparse(other)
                for other in before
            )
            if again or last_name(one.func) == "__getitem__":
                return True
    return False
