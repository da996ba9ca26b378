"""Steps that should take the gradients of several batches, and take those of one."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import is_constant, mentions, own_calls, own_nodes, receiver, same, walk
from ..shared.latest import latest
from ..shared.loops import is_optimizer, is_step

Branch = tuple[ast.If, bool]


@rule(
    "TG426",
    "the gradients of all passes but a step's last are discarded",
    why="""The step comes after several passes, to use the sum of their gradients, but each pass
    sets them to zero: the step sees those of one batch. The others are computed for nothing, and
    the effective batch is no larger.""",
    remedy="call `zero_grad()` right after `step()`, under the same condition",
    source=f"{STABLE}/notes/amp_examples.html#gradient-accumulation",
    bad="""
def train(model, loader, optimizer, passes, loss_of):
    for i, batch in enumerate(loader):
        optimizer.zero_grad()  # <--
        (loss_of(model, batch) / passes).backward()
        if (i + 1) % passes == 0 or i + 1 == len(loader):
            optimizer.step()
""",
    good="""
def train(model, loader, optimizer, passes, loss_of):
    optimizer.zero_grad()
    for i, batch in enumerate(loader):
        (loss_of(model, batch) / passes).backward()
        if (i + 1) % passes == 0 or i + 1 == len(loader):
            optimizer.step()
            optimizer.zero_grad()
""",
)
def thrown_away(module: Module) -> Iterator[ast.AST]:
    if module.project.has_framework(module):
        return
    for zeroing in module.calls.get("zero_grad", ()):
        turn = turn_of(module, zeroing)
        steps = [call for call in own_calls(turn, "step") if is_step(module, call)]
        moved = [call.args[0] if call.args else receiver(call) for call in steps]
        if any(not same(one, moved[0]) for one in moved):
            continue  # one of several optimizers may step more rarely than the others
        zeroed = receiver(zeroing)
        if is_optimizer(module, zeroed) and not any(same(zeroed, one) for one in moved):
            continue
        if any(not same(receiver(one), zeroed) for one in own_calls(turn, "zero_grad")):
            continue  # the gradients of a model that the optimizer may not change
        always = set(branches(module, zeroing, turn))
        for step in (one for one in steps if turn_of(module, one) is turn):
            around = branches(module, step, turn)
            rare = next((one for one in around if one[1] and every_nth(module, one[0])), None)
            if rare is None or not always.issubset(around[around.index(rare) + 1 :]):
                continue
            if adds_up(module, turn, rare[0]) and not keeps_gradients(turn):
                yield zeroing
                break


def turn_of(module: Module, node: ast.AST) -> ast.AST:
    """What runs again and again around a place: the innermost loop, or else the function."""
    return next(module.loops_around(node), None) or module.function(node)


def branches(module: Module, node: ast.AST, turn: ast.AST) -> list[Branch]:
    """(condition, whether it holds) for what must hold where a place is reached in its turn."""
    found: list[Branch] = []
    below = node
    for around in module.ancestors(node):
        if around is turn:
            break
        if isinstance(around, ast.If) and below is not around.test:
            found.append((around, below in around.body))
        below = around
    return found


def every_nth(module: Module, condition: ast.If) -> bool:
    """Whether a condition holds every few batches: `i % passes == 0`, or a name for that."""
    test: ast.expr | None = condition.test
    if isinstance(test, ast.Name):
        test = latest(module, condition, test.id)
    either = test.values if isinstance(test, ast.BoolOp) else [test]
    return any(counts(one) for one in either if one is not None)


def counts(test: ast.expr) -> bool:
    """Whether it is `count % passes == 0`, or `not count % passes`, and no count of epochs."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        left = test.operand
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq):
        left = test.left
    else:
        return False
    if not isinstance(left, ast.BinOp) or not isinstance(left.op, ast.Mod):
        return False
    return not mentions(left, "epoch") and not is_constant(left.right, 1)


def adds_up(module: Module, turn: ast.AST, rare: ast.If) -> bool:
    """Whether `backward` runs in the turns without a step too, and not for something else."""
    below = {node for statement in rare.body for node in walk(statement)}
    otherwise = {node for statement in rare.orelse for node in walk(statement)}
    inside, outside = False, False
    around = set(branches(module, rare, turn))
    for call in own_calls(turn, "backward"):
        if turn_of(module, call) is not turn:
            continue
        if call in otherwise:
            return True
        inside = inside or call in below
        outside = outside or around.issuperset(branches(module, call, turn))
    return outside and not inside


def keeps_gradients(turn: ast.AST) -> bool:
    """Whether the gradients of a turn are put elsewhere: it reads or writes `.grad`."""
    names = ("grad", "grad_sample", "summed_grad")
    return any(isinstance(node, ast.Attribute) and node.attr in names for node in own_nodes(turn))
