"""Softmax before a loss that has its own."""

import ast
from collections.abc import Callable, Iterator

from ...project import Module
from ...rule import Severity, rule
from ...syntax import (
    FUNCTIONS,
    argument,
    everything,
    last_name,
    mentions,
    own_nodes,
    receiver,
    written,
)
from ..shared.criteria import kinds, loss_calls
from ..shared.latest import unshaped
from ..shared.layers import DOCS, unmoved

CROSS_ENTROPIES = {"CrossEntropyLoss", "cross_entropy"}
Kind = Callable[[Module, ast.Call], bool]


@rule(
    "TG304",
    "the loss applies softmax to a softmax",
    why="""Cross-entropy takes logits and applies log-softmax itself. To it, probabilities look like
    almost equal logits: gradients are small, and the loss cannot reach zero.""",
    remedy="pass the loss the logits of the last layer",
    source=f"{DOCS}/torch.nn.CrossEntropyLoss.html",
    bad="""
import torch.nn.functional as F


def loss(model, images, labels):
    probabilities = F.softmax(model(images), dim=1)
    return F.cross_entropy(probabilities, labels)  # <--
""",
    good="""
import torch.nn.functional as F


def loss(model, images, labels):
    return F.cross_entropy(model(images), labels)
""",
)
def double_softmax(module: Module) -> Iterator[ast.Call]:
    found = [
        call
        for call in cross_entropies(module)
        if (given := argument(call, 0, "input")) is not None
        and comes_from(module, call, given, is_softmax)
    ]
    found += [*trained_softmax_models(module), *softmax_before_any(module)]
    yield from {call.lineno: call for call in found[::-1]}.values()  # one a line


@rule(
    "TG305",
    "cross-entropy applies log-softmax a second time",
    why="The result is the same, as log-softmax of a log-softmax is itself; it only costs time.",
    remedy="use `nll_loss` on log-probabilities, or `cross_entropy` on logits",
    source=f"{DOCS}/torch.nn.CrossEntropyLoss.html",
    bad="""
import torch.nn.functional as F


def loss(scores, labels):
    return F.cross_entropy(F.log_softmax(scores, dim=1), labels)  # <--
""",
    good="""
import torch.nn.functional as F


def loss(scores, labels):
    return F.nll_loss(F.log_softmax(scores, dim=1), labels)
""",
    severity=Severity.HINT,
)
def double_log_softmax(module: Module) -> Iterator[ast.AST]:
    for call in cross_entropies(module):
        given = argument(call, 0, "input")
        if given is not None and comes_from(module, call, given, is_log_softmax):
            yield call


def cross_entropies(module: Module) -> list[ast.Call]:
    """Calls of cross-entropy, also by a criterion that the file makes."""
    found = list(module.torch_calls("cross_entropy"))
    for made in module.torch_calls("CrossEntropyLoss"):
        parent = module.parents[made]
        if isinstance(parent, ast.Call) and parent.func is made:
            found.append(parent)
        target = parent
        while isinstance(target, ast.Attribute | ast.Call):  # CrossEntropyLoss().cuda()
            target = module.parents[target]
        if isinstance(target, ast.Assign):
            name = written(target.targets[0])
            if all(module.is_torch(f, "CrossEntropyLoss") for f in made_by(module, name)):
                found += [
                    c
                    for c in module.calls.get(name.rpartition(".")[2], ())
                    if written(c.func) == name
                ]
    return found


def softmax_before_any(module: Module) -> Iterator[ast.Call]:
    """Where the criterion is an attribute, a parameter or of another file."""
    known = set(cross_entropies(module))
    for call in loss_calls(module):
        given = argument(call, 0, "input")
        if given is None or (call in known and comes_from(module, call, given, is_softmax)):
            continue
        value = unshaped(module, given, call)
        if not isinstance(value, ast.Call) or not kinds(module, call.func) <= CROSS_ENTROPIES:
            continue
        if is_softmax(module, value) or kinds(module, value.func) == {"Softmax"}:
            yield call


def made_by(module: Module, name: str) -> Iterator[ast.AST]:
    """What is called to make the values of a name, `.cuda()` and the like put aside."""
    for statement in module.assigned.get(name, ()):
        value = statement.value
        while isinstance(value, ast.Call) and last_name(value.func) in ("cuda", "to"):
            value = receiver(value) or value.func
        yield value.func if isinstance(value, ast.Call) else value


def is_softmax(module: Module, call: ast.Call) -> bool:
    """Whether a call gives probabilities."""
    if module.is_torch(call.func, "softmax") or (
        isinstance(call.func, ast.Call) and module.is_torch(call.func.func, "Softmax")
    ):
        return True
    return (
        last_name(call.func) == "softmax"
        and isinstance(call.func, ast.Attribute)
        and not (written(call.func).startswith("self.") or call.func.attr in module.imports)
    )


def is_log_softmax(module: Module, call: ast.Call) -> bool:
    """Whether a call gives log-probabilities."""
    return last_name(call.func) == "log_softmax"


def comes_from(
    module: Module, call: ast.Call, given: ast.expr, kind: Callable[[Module, ast.Call], bool]
) -> bool:
    """Whether a value is made by a call of this kind: on the spot, or by the one assignment."""
    if isinstance(given, ast.Name):
        scope = module.function(call)
        values = module.value_in(given, scope)
        if len(values) != 1 or values[0].lineno > call.lineno:
            return False
        given = values[0]
    return isinstance(given, ast.Call) and kind(module, given)


def trained_softmax_models(module: Module) -> Iterator[ast.Call]:
    """Where a model that ends in a softmax is trained by cross-entropy: its output is the input."""
    for call in cross_entropies(module):
        given = argument(call, 0, "input")
        scope = module.function(call)
        values = [given, *(module.value_in(given, scope) if isinstance(given, ast.Name) else [])]
        for value in values:
            if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
                continue
            made = [*module.value_in(value.func, scope), *module.value_in(value.func, module.tree)]
            calls = [v for v in unmoved(made) if isinstance(v, ast.Call)]
            if calls and all(sequence_ends_in(module, v, "Softmax") for v in calls):
                yield call
                continue
            for name in {last_name(v.func) for v in calls}:
                found = module.project.classes.get(name, ())
                if len(found) == 1 and ends_in_softmax(*found[0]):
                    yield call
                    break


def ends_in_softmax(
    module: Module, node: ast.ClassDef, kind: Kind | None = None, layer: str = "Softmax"
) -> bool:
    """Whether every result of `forward` is a softmax, or of another kind."""
    is_kind = kind or is_softmax
    if not module.project.is_module_class(module, node):
        return False
    forward = next((f for f in node.body if isinstance(f, FUNCTIONS) and f.name == "forward"), None)
    if forward is None or mentions(forward, "training"):
        return False
    layers = {
        written(s.targets[0])
        for s in everything(node)
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)
        if module.is_torch(s.value.func, layer) or sequence_ends_in(module, s.value, layer)
    }
    returns = [n.value for n in own_nodes(forward) if isinstance(n, ast.Return)]
    return bool(returns) and all(
        isinstance(value, ast.Call) and (is_kind(module, value) or written(value.func) in layers)
        for value in (last_value(forward, value) for value in returns)
    )


def sequence_ends_in(module: Module, call: ast.Call, layer: str) -> bool:
    """Whether it is an `nn.Sequential` whose last layer is of this kind."""
    last = call.args[-1] if call.args and module.is_torch(call.func, "Sequential") else None
    return isinstance(last, ast.Call) and module.is_torch(last.func, layer)


def last_value(forward: ast.AST, value: ast.expr | None) -> ast.expr | None:
    """What a returned name was last given before, outside of conditions and loops."""
    if not isinstance(value, ast.Name):
        return value
    given = [
        n
        for n in getattr(forward, "body", ())
        if isinstance(n, ast.Assign)
        and written(n.targets[0]) == value.id
        and n.lineno < value.lineno
    ]
    return given[-1].value if given else value
