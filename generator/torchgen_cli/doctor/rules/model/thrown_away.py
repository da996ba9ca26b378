"""Results that are thrown away by calls that do nothing else."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import has_stars, is_constant, keyword, last_name, own_calls, receiver, walk, written
from .logits import without_gradients
from .new_values import NEW_VALUES, OF_NUMPY, gives_a_new_one, is_of_numpy, is_seldom_missed

# functions of torch, which leave their arguments as they are
OF_TORCH = (
    *("abs", "add", "cat", "clamp", "clip", "div", "dropout", "dropout2d", "elu", "exp", "flatten"),
    *("flip", "gelu", "interpolate", "leaky_relu", "log", "masked_fill", "mul", "normalize", "pad"),
    *("permute", "relu", "reshape", "roll", "sigmoid", "softmax", "sqrt", "squeeze", "stack"),
    *("sub", "tanh", "transpose", "unsqueeze", "where"),
)
# methods that tensors alone have
METHODS = (
    *("clamp", "contiguous", "detach", "index_fill", "masked_fill", "permute", "scatter_add"),
    *("squeeze", "unsqueeze", "view", "view_as"),
)
# which modules do in place, and tensors do not
MOVES = ("bfloat16", "cpu", "cuda", "double", "float", "half", "to")
# methods that change a tensor in place
IN_PLACE = ("add_", "clamp_", "copy_", "div_", "fill_", "mul_", "normal_", "sub_", "zero_")
RESHAPING = ("bool", "expand", "expand_as", "reshape", "squeeze", "unsqueeze", "view")
MAKING = ("as_tensor", "from_numpy", "ones", "rand", "randn", "tensor", "zeros")
# libraries whose batches are moved in place
MOVED_IN_PLACE = ("dgl", "torch_geometric", "transformers")
TIMING = ("Event", "Timer", "perf_counter", "profile", "time", "timeit")
REFUSING = ("assertRaises", "assertRaisesRegex", "raises", "suppress")


@rule(
    "TG336",
    "the result of this call is discarded, so the call has no effect",
    why="""Without an underscore at the end of its name, the function returns a new tensor and
    leaves its input unchanged; so do methods of strings, arrays, images and data frames. With one,
    it changes a copy if a mask selects the elements: `x[x > 1].fill_(0)`. It is a hint where little
    depends on it: the layout of a tensor, the type or the index of a table.""",
    remedy="assign the result, or call the in-place function, such as `clamp_`",
    source=f"{STABLE}/tensors.html",
    bad="""
import torch


def scale(weight, images):
    torch.clamp(weight, 1e-6, 1.0)  # <--
    return weight * images
""",
    good="""
import torch


def scale(weight, images):
    weight = torch.clamp(weight, 1e-6, 1.0)
    return weight * images
""",
)
def thrown_away(module: Module) -> Iterator[Spot]:
    for names, belongs in (
        (OF_TORCH, is_of_torch),
        (OF_NUMPY, is_of_numpy),
        (METHODS, is_method),
        (MOVES, moves_tensor),
        (NEW_VALUES, gives_a_new_one),
        (IN_PLACE, is_of_a_copy),
    ):
        for name in names:
            for call in module.calls.get(name, ()):
                alone = isinstance(module.parents[call], ast.Expr)
                if alone and belongs(module, call) and not is_tried(module, call):
                    yield Spot(call, unsure=changes_little(module, call))


def changes_little(module: Module, call: ast.Call) -> bool:
    """Whether a run mostly does the same with the result as without it."""
    name = last_name(call.func)
    if name == "detach":
        return without_gradients(module, call)
    return name == "contiguous" or is_seldom_missed(module, call)


def is_of_torch(module: Module, call: ast.Call) -> bool:
    """Whether it is a function of torch's, and what it is given is kept under a name."""
    whole = module.qualified(call.func).rpartition(".")[0]
    if whole not in ("torch", "torch.nn.functional") or not call.args or has_stars(call):
        return False
    in_place = keyword(call, "inplace") or keyword(call, "out")
    if any(is_constant(one, True) for one in call.args):  # relu(x, True)
        return False
    made = any(isinstance(node, ast.Call) for node in walk(call.args[0]))
    return not made and (in_place is None or is_constant(in_place, False, None))


def is_method(module: Module, call: ast.Call) -> bool:
    """Whether a method that tensors alone have is called on a variable."""
    name, owner = last_name(call.func), receiver(call)
    if name in module.project.functions or "torch" not in module.libraries:
        return False
    root = written(owner).partition(".")[0] if owner is not None else ""
    if not root or root in module.imports or written(owner or call) in ("self", "cls"):
        return False
    return bool(call.args) or name in ("contiguous", "detach", "squeeze")


def moves_tensor(module: Module, call: ast.Call) -> bool:
    """Whether a tensor is moved, or its type changed, as one does with modules."""
    owner = receiver(call)
    if not isinstance(owner, ast.Name):
        return False
    scope = module.function(call)
    values = module.value_in(owner, scope)
    if values:
        return all(
            isinstance(one, ast.Call)
            and module.qualified(one.func) in [f"torch.{name}" for name in MAKING]
            for one in values
        )
    return any(is_of_batch(module, loop, owner.id) for loop in module.loops_around(call))


def is_of_a_copy(module: Module, call: ast.Call) -> bool:
    """Whether what a mask selects is changed in place, which is a copy: `x[x > 1].fill_(0)`."""
    owner = receiver(call)
    return isinstance(owner, ast.Subscript) and is_mask(module, owner.slice)


def is_mask(module: Module, value: ast.expr | None) -> bool:
    """Whether it is a comparison of tensors, or a name of one."""
    while isinstance(value, ast.Call) and last_name(value.func) in RESHAPING:
        value = receiver(value)
    if isinstance(value, ast.Name):
        values = module.value_in(value, module.function(value))
        return bool(values) and all(isinstance(one, ast.Compare) for one in values)
    return isinstance(value, ast.Compare)


def is_of_batch(module: Module, loop: ast.AST, name: str) -> bool:
    """Whether a name is one of the several parts of a loader's batch."""
    if not isinstance(loop, ast.For):
        return False
    target, source = loop.target, loop.iter
    while isinstance(source, ast.Call) and last_name(source.func) in ("enumerate", "tqdm"):
        if last_name(source.func) == "enumerate":
            target = target.elts[1] if isinstance(target, ast.Tuple) else target
        source = source.args[0] if source.args else source.func
    if not isinstance(target, ast.Tuple) or name not in map(written, target.elts):
        return False
    roots = set().union(*(other.libraries for other in module.project.near(module)))
    return "loader" in last_name(source).lower() and roots.isdisjoint(MOVED_IN_PLACE)


def is_tried(module: Module, call: ast.Call) -> bool:
    """Whether it is called to see whether, or how fast, it runs."""
    for around in module.ancestors(call):
        if isinstance(around, ast.Try) and around.handlers:
            return True
        if isinstance(around, ast.With) and own_calls(around, *REFUSING):
            return True
    return bool(own_calls(module.function(call), *TIMING))
