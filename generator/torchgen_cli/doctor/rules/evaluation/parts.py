"""Sets of one class for the training and for the evaluation."""

import ast
import re

from ...project import Module
from ...syntax import (
    Function,
    argument,
    has_stars,
    is_constant,
    method_of,
    own_nodes,
    parameters,
    written,
)
from ..data.data import EVALUATION
from ..randomness.sampled import samplers, seeds
from ..shared.unasked import drawn_unasked

TRAINING = re.compile(r"(^|[^a-z])train(ing)?([^a-z]|$)", re.I)
IS_TRAINING = re.compile(r"^(is_?)?train(ing)?$", re.I)


def serves(module: Module, made: ast.Call, part: re.Pattern[str]) -> bool:
    """Whether the names and texts around say that a set is made for this part of the data."""
    around = module.parents[made]
    given = [*made.args, *(one.value for one in made.keywords)]
    texts = [str(one.value) for one in given if isinstance(one, ast.Constant)]
    texts += map(written, around.targets if isinstance(around, ast.Assign) else ())
    return any(map(part.search, texts)) or any(
        IS_TRAINING.match(one.arg or "") and is_constant(one.value, part is TRAINING)
        for one in made.keywords
    )


def drawn_alike(module: Module, made: ast.Call) -> str:
    """What a set draws in getting a sample, for the evaluation as for the training."""
    for other, node in module.project.classes_named(module, made.func) or ():
        trained = [
            call
            for where, call in module.project.callers.get(node.name, ())
            if serves(where, call, TRAINING) and not serves(where, call, EVALUATION)
            if (other, node) in (where.project.classes_named(where, call.func) or ())
        ]
        if not trained or any(map(has_stars, [made, *trained])):
            continue
        alike = settings_alike(node, [made, *trained])
        for where, sample in samplers(other, node):
            if seeds(where, sample) or not any(map(takes_a_sample, sample)):
                continue
            for method in sample:
                if found := drawn_unasked(where, method, alike):
                    return found
    return ""


def takes_a_sample(method: Function) -> bool:
    """Whether a method reads the number of the sample; one that does not makes each anew."""
    index = parameters(method)[:1]
    return not index or any(
        isinstance(node, ast.Name) and [node.id] == index for node in own_nodes(method)
    )


def settings_alike(node: ast.ClassDef, made: list[ast.Call]) -> set[str]:
    """The attributes of a class that keep arguments which are written alike in all calls."""
    first = method_of(node, "__init__")
    alike = {
        name
        for place, name in enumerate(parameters(first) if first else ())
        if len({ast.unparse(argument(call, place, name) or ast.Pass()) for call in made}) == 1
    }
    return {
        written(one.targets[0])
        for one in (own_nodes(first) if first else ())
        if isinstance(one, ast.Assign) and written(one.value) in alike
    }
