"""Evaluation without `eval`, or with gradients."""

import ast
from collections.abc import Callable, Iterable, Iterator

from ..project import Module
from ..rule import STABLE, Severity, Spot, rule
from ..syntax import FUNCTIONS, OPAQUE, last_name, mentions, walk
from .both import evaluating_loops
from .evaluating import evaluation_loops
from .layers import module_classes

NO_GRAPH = (
    "no_grad",
    "inference_mode",
    "set_grad_enabled",
    "requires_grad",
    "autograd",
)
# what differs from mode to mode, and where models come from that may have it
MODAL = ("BatchNorm", "Dropout", "SyncBatchNorm", "Transformer", "dropout", "batch_norm", "rrelu")
LIBRARIES = ("timm", "torchvision.models", "transformers", "segmentation_models_pytorch")


def cared_for(module: Module, scope: ast.AST, holds: Callable[[Module, ast.AST], bool]) -> bool:
    """Whether the callers of a function see to something: all of them, or theirs.

    Methods are known by their names alone: there it is enough if one caller does.
    """
    enough = any if module.class_of(scope) else all
    return _cared_for(module, scope, holds, enough, {scope})


def _cared_for(
    module: Module,
    scope: ast.AST,
    holds: Callable[[Module, ast.AST], bool],
    enough: Callable[[Iterable[bool]], bool],
    seen: set[ast.AST],
) -> bool:
    calls = module.project.calls_of(module, scope)
    callers = {other.function(call): other for other, call in calls}
    return bool(callers) and enough(
        holds(other, caller)
        or (caller not in seen and _cared_for(other, caller, holds, enough, {*seen, caller}))
        for caller, other in callers.items()
    )


@rule(
    "TG501",
    "the model is evaluated in training mode",
    why="""Without `eval()` dropout drops and batch norm uses, and updates, the statistics of
    the batch: the metric depends on the batch size, and measuring changes the model. Where no
    model of the program has such a layer, this is a hint.""",
    remedy="call `model.eval()` before, and `model.train()` after",
    source=f"{STABLE}/generated/torch.nn.Module.html#torch.nn.Module.eval",
    bad="""
import torch


@torch.no_grad()
def validate(model, loader):
    correct = 0
    for images, labels in loader:  # <--
        correct += (model(images).argmax(1) == labels).sum()
    return correct
""",
    good="""
import torch


@torch.no_grad()
def validate(model, loader):
    model.eval()
    correct = 0
    for images, labels in loader:
        correct += (model(images).argmax(1) == labels).sum()
    return correct
""",
)
def no_eval(module: Module) -> Iterator[Spot]:
    if module.project.has_framework(module):
        return
    told: set[ast.AST] = set()
    for loop, _, scope in evaluation_loops(module):
        if scope in told or evaluates(module, scope):
            continue
        if not cared_for(module, scope, evaluates):
            told.add(scope)
            yield Spot(loop, unsure=not knows_modes(module))
    for loop, scope in evaluating_loops(module):
        if not evaluates(module, scope) and not cared_for(module, scope, evaluates):
            yield Spot(loop, unsure=not knows_modes(module))


def knows_modes(module: Module) -> bool:
    """Whether a model of the program may do other things in training: it has dropout, norms, ...

    A model that is made elsewhere may as well.
    """
    near = module.project.near(module)
    made = any("Linear" in other.calls or any(module_classes(other)) for other in near)
    if not made:
        return True
    return any(
        name.startswith(MODAL) or name in ("load", "create_model")
        for other in near
        for name in other.calls
    ) or any(whole.startswith(LIBRARIES) for other in near for whole in other.imports.values())


def evaluates(module: Module, scope: ast.AST) -> bool:
    """Whether a function, or what it calls, puts a model into evaluation."""
    return module.project.reaches(module, scope, switches_mode)


def switches_mode(node: ast.AST) -> bool:
    """Whether it puts a model into evaluation, or says which mode it should have."""
    if isinstance(node, ast.Attribute) and node.attr == "training":
        return True
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "train" and node.args:  # `trainer.train(epoch)` says nothing of a mode
        return not mentions(node.args[0], "epoch", "loader", "data", "iter")
    return node.func.attr == "eval"


@rule(
    "TG502",
    "the evaluation computes graphs for gradients",
    why="""Without `no_grad` each batch keeps what a backward pass would need: several times the
    memory, and time, for nothing.""",
    remedy="put it under `torch.no_grad()` or `torch.inference_mode()`",
    source=f"{STABLE}/notes/autograd.html#locally-disable-grad-doc",
    bad="""
def validate(model, loader):
    model.eval()
    correct = 0
    for images, labels in loader:  # <--
        correct += (model(images).argmax(1) == labels).sum()
    return correct
""",
    good="""
import torch


def validate(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for images, labels in loader:
            correct += (model(images).argmax(1) == labels).sum()
    return correct
""",
    severity=Severity.WARNING,
)
def no_no_grad(module: Module) -> Iterator[ast.AST]:
    if module.project.has_framework(module):
        return
    told: set[ast.AST] = set()
    for loop, call, scope in evaluation_loops(module):
        around = scope if isinstance(scope, FUNCTIONS) else loop
        if scope in told or says_no_graph(around) or under(module, loop):
            continue
        if module.project.reaches(module, call, mentions_no_graph, depth=4):
            continue
        if not cared_for(module, scope, leaves_graphs_out):
            told.add(scope)
            yield loop
    for loop, scope in evaluating_loops(module):
        if not says_no_graph(scope) and not cared_for(module, scope, leaves_graphs_out):
            yield loop


def mentions_no_graph(node: ast.AST) -> bool:
    """Whether it is a name that turns graphs off."""
    return isinstance(node, ast.Name | ast.Attribute) and last_name(node) in NO_GRAPH[:3]


def says_no_graph(node: ast.AST) -> bool:
    """Whether something below says that no graph is needed; not an argument of a Variable's."""
    names = (last_name(one) for one in walk(node) if isinstance(one, ast.Name | ast.Attribute))
    return any(word in name for name in names for word in NO_GRAPH)


def leaves_graphs_out(module: Module, scope: ast.AST) -> bool:
    """Whether a function says anything about gradients being needed."""
    if isinstance(scope, ast.Module):
        return any(says_no_graph(s) for s in scope.body if not isinstance(s, OPAQUE))
    return says_no_graph(scope)


def under(module: Module, node: ast.AST) -> bool:
    """Whether a `with` or a decorator around it mentions that no graph is needed."""
    for around in module.ancestors(node):
        if isinstance(around, ast.With) and any(
            mentions(item.context_expr, *NO_GRAPH) for item in around.items
        ):
            return True
        if isinstance(around, (*FUNCTIONS, ast.ClassDef)) and any(
            mentions(decorator, *NO_GRAPH) for decorator in around.decorator_list
        ):
            return True
        if isinstance(around, ast.Module):
            return any(
                mentions(statement, "set_grad_enabled")
                for statement in around.body
                if isinstance(statement, ast.Expr)
            )
    return False
