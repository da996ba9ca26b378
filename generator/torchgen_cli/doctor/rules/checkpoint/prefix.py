"""Names that a wrapper puts before those of the model."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import (
    argument,
    is_constant,
    last_name,
    mentions,
    own_calls,
    own_nodes,
    receiver,
    same,
    walk,
    written,
)
from ...unreached import is_unreached
from ..shared.layers import unmoved
from ..shared.states import is_wrapped, plain_saves, saves, takes, value_before
from ..shared.weights_alone import is_script
from .bare_states import cuts_prefix, is_bare_otherwise
from .handed import given_for, last_given, wrapped_elsewhere
from .opens_anywhere import goes_to_a_model


@rule(
    "TG603",
    "the keys in the checkpoint begin with `module.`",
    why="""A wrapper's state has the wrapper's keys, so only a model that is wrapped the same way
    can load it: no evaluation, no export, no single GPU. It is a hint where no code loads it into
    an unwrapped model, where another file of the program strips the prefix, or where the wrapper
    has to be requested.""",
    remedy="save `model.module.state_dict()`",
    source="https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html#saving-torch-nn-dataparallel-models",
    bad="""
import torch
from torch.nn.parallel import DistributedDataParallel


def evaluate(net, path):
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))


def train(model, path):
    model = DistributedDataParallel(model)
    torch.save(model.state_dict(), path)  # <--
""",
    good="""
import torch
from torch.nn.parallel import DistributedDataParallel


def evaluate(net, path):
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))


def train(model, path):
    model = DistributedDataParallel(model)
    torch.save(model.module.state_dict(), path)
""",
    severity=Severity.WARNING,
)
def wrapped_state(module: Module) -> Iterator[Spot]:
    for call in module.calls.get("state_dict", ()):
        model = receiver(call)
        if model is None or not written(model) or not saved(module, call):
            continue
        if is_bare_otherwise(module, model, call) or is_beside_bare(module, model, call):
            continue
        scope = module.function(call)
        given = [a for a in module.assigned.get(written(model), ()) if not only_moves(a)]
        near = [a for a in given if within(module, a, scope, model)]
        if not near and not takes(scope, written(model)):  # a global name
            near = [a for a in given if isinstance(module.function(a), ast.Module)]
        wrapped = [a for a in near if is_wrapped(module, a.value)]
        here = (
            wrapped
            and (wrapped[-1].lineno < call.lineno or module.function(wrapped[-1]) is not scope)
            and near[-1] is wrapped[-1]
            and not in_other_branch(module, wrapped[-1], call)
        )
        handed = given_for(module, scope, model.id) if isinstance(model, ast.Name) else ()
        given_to = list(handed)
        bare = any(last_name(one) == "module" for _, one in given_to)
        there = not near and not bare and any(wrapped_elsewhere(*one) for one in given_to)
        there |= not near and not bare and wrapped_by_callers(module, scope, given_to)
        if (here or there) and not cuts_prefix(module):
            program = module.project.near(module)
            keyed = isinstance(module.parents[call], ast.Dict)
            wanted = is_wanted_bare(module, model, keyed)
            alike = any(map(opens_wrapped, program)) and not wanted
            alike |= any(map(opens_given_wrapped, program))
            alike |= any(opens_again(*one) for one in given_to)
            alike |= bool(here) and is_asked_for(module, wrapped[-1])
            opened = any(opens_bare(one, keyed) for one in program)
            opened &= not any(map(cuts_prefix, program))
            yield Spot(call, unsure=alike or not opened)


def is_beside_bare(module: Module, model: ast.expr, call: ast.Call) -> bool:
    """Whether the same dict also holds the state of the model without its wrapper."""
    around = module.parents[call]
    return isinstance(around, ast.Dict) and any(
        isinstance(one, ast.Call) and written(one.func) == f"{written(model)}.module.state_dict"
        for one in around.values
    )


def is_asked_for(module: Module, wrap: ast.Assign) -> bool:
    """Whether a model is wrapped where a flag says so, and not wherever there are several GPUs."""
    tests = [one.test for one in module.ancestors(wrap) if isinstance(one, ast.If)]
    return bool(tests) and not any(
        isinstance(node, ast.Compare) or mentions(node, "distrib", "available", "count")
        for test in tests
        for node in walk(test)
    )


def wrapped_by_callers(
    module: Module, scope: ast.AST, given: list[tuple[Module, ast.expr]]
) -> bool:
    """Whether callers give a model that they have wrapped, and a function does not ask for that."""
    if mentions(scope, "module", "unwrap", "unparallel"):
        return False
    for other, value in given:
        made = last_given(other, value) if isinstance(value, ast.Name) else None
        if made is not None and not in_other_branch(other, made, value):
            return True
    return False


def is_wanted_bare(module: Module, model: ast.expr, keyed: bool) -> bool:
    """Whether the same file saves the bare model as well, or another script opens one.

    A script that saves something itself opens that.
    """
    bare = [
        call
        for call in module.calls.get("state_dict", ())
        if ".module" in written(receiver(call) or call) and saved(module, call)
    ]
    if bare:
        return any(written(receiver(call) or call) == f"{written(model)}.module" for call in bare)
    others = (other for other in module.project.near(module) if other is not module)
    scripts = (one for one in others if is_script(one) and not plain_saves(one))
    return any(opens_bare(one, keyed) for one in scripts)


def opens_bare(module: Module, keyed: bool) -> bool:
    """Whether a file loads what it opens into a model, name by name, and wraps none before.

    Where the state was saved under a key of a table, it takes no whole file for a state.
    """
    first = min((one.lineno for one in wraps(module)), default=None)
    return any(
        isinstance(receiver(call), ast.Name)
        and not is_constant(argument(call, 1, "strict"), False)
        and (first is None or call.lineno < first)
        and goes_to_a_model(module, load)
        and not is_unreached(module, load)
        and not (keyed and is_whole(module, load))
        for call in module.calls.get("load_state_dict", ())
        for load in module.torch_calls("load")
        if module.function(load) is module.function(call)
    )


def is_whole(module: Module, load: ast.Call) -> bool:
    """Whether nothing is taken out of what a call opens: `model.load_state_dict(state)`."""
    around = module.parents[load]
    targets = around.targets if isinstance(around, ast.Assign) else []
    names = {written(one) for one in targets} - {""}
    return isinstance(around, ast.Assign | ast.Call) and not any(
        isinstance(one, ast.Subscript | ast.Attribute | ast.Compare | ast.For)
        and any(written(part) in names for part in ast.iter_child_nodes(one))
        for one in own_nodes(module.function(load))
    )


def opens_wrapped(module: Module) -> bool:
    """Whether a file loads into a model that it has wrapped."""
    wrapped = [(written(one.targets[0]), one) for one in wraps(module)]
    return any(
        written(receiver(call) or call) == name
        and (one.lineno < call.lineno or module.function(one) is not module.function(call))
        for call in module.calls.get("load_state_dict", ())
        for name, one in wrapped
    )


def opens_given_wrapped(module: Module) -> bool:
    """Whether a file loads into a model that a function gave it, which wraps each that it gives."""
    for call in module.calls.get("load_state_dict", ()):
        model = receiver(call)
        made = last_given(module, model) if isinstance(model, ast.Name) else None
        for one in own_calls(made) if made is not None else ():
            for other, function in module.project.resolve(module, one):
                own = (wrap for wrap in wraps(other) if other.function(wrap) is function)
                if any(not isinstance(other.parents[wrap], ast.If) for wrap in own):
                    return True
    return False


def opens_again(module: Module, value: ast.expr) -> bool:
    """Whether the class that hands its wrapped model over loads what was saved into the same."""
    node = module.class_of(value)
    return node is not None and any(
        isinstance(value, ast.Attribute)
        and same(receiver(call), value)
        and module.class_of(call) is node
        and not any(
            is_wrapped(module, one.value) and module.function(one) is module.function(call)
            for one in module.assigned.get(written(value), ())
        )
        for call in module.calls.get("load_state_dict", ())
    )


def wraps(module: Module) -> list[ast.Assign]:
    """Where a file wraps models."""
    return [
        one
        for statements in module.assigned.values()
        for one in statements
        if is_wrapped(module, one.value)
    ]


def in_other_branch(module: Module, one: ast.AST, other: ast.AST) -> bool:
    """Whether two places stand under a condition and its opposite: if wrapped, and else."""
    return any(
        isinstance(around, ast.If)
        and isinstance(opposite, ast.If)
        and same(around.test, opposite.test)
        and below(module, one, around.body) is below(module, other, opposite.orelse) is True
        for around in module.ancestors(one)
        for opposite in module.ancestors(other)
    )


def below(module: Module, node: ast.AST, block: list[ast.stmt]) -> bool:
    """Whether a node is part of one of these statements."""
    return any(statement in (node, *module.ancestors(node)) for statement in block)


def only_moves(node: ast.Assign) -> bool:
    """Whether it is `model = model.cuda()` and the like, which wraps nothing."""
    (value,) = unmoved([node.value])
    return value is not node.value and same(value, node.targets[0])


def within(module: Module, node: ast.AST, scope: ast.AST, name: ast.expr) -> bool:
    """Whether a statement is part of a scope; for an attribute, of the scope's class."""
    if isinstance(name, ast.Attribute):
        return module.class_of(node) is module.class_of(scope)
    return module.function(node) is scope


def saved(module: Module, call: ast.Call) -> bool:
    """Whether what a call gives is saved, at once or by way of a dict in the same function."""
    names = set()
    for around in module.ancestors(call):
        if isinstance(around, ast.Call) and last_name(around.func).startswith("save"):
            return True
        if isinstance(around, ast.Assign):
            target = around.targets[0]
            names.add(written(target.value if isinstance(target, ast.Subscript) else target))
            break
        if isinstance(around, ast.stmt):
            return False
    scope = module.function(call)
    near = [save for save in saves(module) if module.function(save) is scope]
    return any(written(save.args[0]) in names - {""} for save in near) or any(
        isinstance(content := value_before(module, save.args[0], save), ast.Dict)
        and any(is_only_named(module, value, call) for value in content.values)
        for save in near
    )


def is_only_named(module: Module, value: ast.expr, call: ast.Call) -> bool:
    """Whether a name stands for what a call gives, and for nothing else."""
    return isinstance(value, ast.Name) and [call] == module.value_in(value, module.function(call))
