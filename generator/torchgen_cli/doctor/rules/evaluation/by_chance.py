"""Evaluations on samples that are changed by chance."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    is_constant,
    last_name,
    mentions,
    parameters,
    written,
)
from ..data.data import EVALUATION
from ..data.test_for_validation import chooses
from ..randomness.sampled import APPLIED
from ..shared.datasets import is_dataset
from ..shared.unasked import drawn_unasked
from .parts import TRAINING, drawn_alike, serves

# transforms of torchvision that change each sample otherwise
RANDOM = re.compile(r"^(Random[A-Z]\w+|ColorJitter|RandAugment|AutoAugment|TrivialAugmentWide)$")


@rule(
    "TG510",
    "the evaluation augments its samples at random",
    why="""Each evaluation draws new flips, crops or points. The same weights get another score each
    time, and the epoch that is kept as the best is one with a lucky draw. One place is shown for
    the whole repository.""",
    remedy="""use deterministic transforms for the evaluation, such as a centre crop, and draw only
    for the training split""",
    source="https://docs.pytorch.org/tutorials/beginner/transfer_learning_tutorial.html",
    bad="""
import torch
from torchvision import transforms
from torchvision.datasets import ImageFolder


def fit(model, folder, train_epoch, score_of, epochs):
    augment = transforms.Compose([transforms.RandomHorizontalFlip(), transforms.ToTensor()])
    train_set = ImageFolder(folder / "train", transform=augment)
    val_set = ImageFolder(folder / "val", transform=augment)  # <--
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
from torchvision import transforms
from torchvision.datasets import ImageFolder


def fit(model, folder, train_epoch, score_of, epochs):
    augment = transforms.Compose([transforms.RandomHorizontalFlip(), transforms.ToTensor()])
    train_set = ImageFolder(folder / "train", transform=augment)
    val_set = ImageFolder(folder / "val", transform=transforms.ToTensor())
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
def evaluated_by_chance(module: Module) -> Iterator[Spot]:
    found = [
        Spot(made, what)
        for made in evaluated_sets(module)
        if (what := random_transform(module, made) or drawn_alike(module, made))
    ]
    for call in module.torch_calls("random_split"):
        whole = divided(module, call)
        if whole is not None and (what := random_transform(module, whole)):
            found.append(Spot(call, what))
    if found and not counts_votes(module) and chooses(module):
        yield from found


def counts_votes(module: Module) -> bool:
    """Whether a file, or a function that it calls, takes a mean over draws by intention."""
    return mentions(module.tree, "vote") or any(
        "vote" in name
        for calls in module.calls.values()
        for call in calls
        for _, function in module.project.resolve(module, call)
        for name in parameters(function)
    )


def evaluated_sets(module: Module) -> Iterator[ast.Call]:
    """The calls that make a data set for evaluation, as the names and texts around say."""
    for name, calls in module.calls.items():
        for call in calls if name in module.project.classes or name[:1].isupper() else ():
            evaluates = serves(module, call, EVALUATION) and not serves(module, call, TRAINING)
            if evaluates and makes_set(module, call):
                yield call


def makes_set(module: Module, call: ast.Call) -> bool:
    """Whether a call makes a data set, of torchvision or of the project."""
    if module.qualified(call.func).startswith("torchvision.datasets."):
        return True
    return any(is_dataset(*one) for one in module.project.classes_named(module, call.func) or ())


def random_transform(module: Module, made: ast.Call) -> str:
    """The name of a transform that draws, among those that a set is surely given."""
    given = [one.value for one in made.keywords if APPLIED.search(one.arg or "")]
    given += [one for one in made.args if isinstance(one, ast.Call) or names_transform(one)]
    applied = (call for value in given for call in surely_applied(module, value))
    return next((last_name(call.func) for call in applied if is_random(module, call)), "")


def names_transform(node: ast.expr) -> bool:
    """Whether it is a transform, by its name."""
    return APPLIED.search(last_name(node)) is not None


def surely_applied(module: Module, value: ast.expr) -> Iterator[ast.Call]:
    """The transforms of which a value is made, whatever happens."""
    if isinstance(value, ast.Name):
        scope = module.function(value)
        own = isinstance(scope, FUNCTIONS) and value.id in parameters(scope)
        values = module.value_in(value, scope) or module.value_in(value, module.tree)
        if len(values) == 1 and not own and module.function(values[0]) in (scope, module.tree):
            yield from surely_applied(module, values[0])
    elif isinstance(value, ast.List | ast.Tuple):
        for one in value.elts:
            yield from surely_applied(module, one)
    elif isinstance(value, ast.Call) and last_name(value.func) in ("Compose", "Sequential"):
        for one in value.args:
            yield from surely_applied(module, one)
    elif isinstance(value, ast.Call):
        yield value


def is_random(module: Module, call: ast.Call) -> bool:
    """Whether a call makes a transform that draws."""
    if module.qualified(call.func).startswith("torchvision.transforms."):
        never = is_constant(argument(call, 0, "p"), 0, 0.0)
        return RANDOM.match(last_name(call.func)) is not None and not never
    return any(
        drawn_unasked(other, method)
        for other, node in module.project.classes_named(module, call.func) or ()
        for method in node.body
        if isinstance(method, FUNCTIONS) and method.name == "__call__"
    )


def divided(module: Module, call: ast.Call) -> ast.Call | None:
    """What makes the set of which a part becomes the evaluation's, with the same transform."""
    around = module.parents[call]
    targets = [one for target in getattr(around, "targets", ()) for one in unpacked(target)]
    evaluated = [one for one in targets if EVALUATION.search(one)]
    changed = any(name.startswith(f"{one}.") for one in evaluated for name in module.assigned)
    values = module.value_in(call.args[0], module.function(call)) if call.args else []
    whole = values[0] if len(values) == 1 else None
    return whole if evaluated and not changed and isinstance(whole, ast.Call) else None


def unpacked(target: ast.expr) -> list[str]:
    """The names that the parts of a value are given."""
    return [written(one) for one in getattr(target, "elts", ())]
