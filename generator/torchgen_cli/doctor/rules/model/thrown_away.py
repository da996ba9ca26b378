"""Results that are thrown away by calls that do nothing else."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, rule
from ...syntax import is_constant, keyword, last_name, own_calls, receiver, walk, written

# functions of torch, which leave their arguments as they are
OF_TORCH = (
    *("abs", "cat", "clamp", "clip", "exp", "flatten", "log", "masked_fill", "normalize"),
    *("permute", "relu", "reshape", "sigmoid", "softmax", "sqrt", "squeeze", "stack"),
    *("transpose", "unsqueeze", "where"),
)
# methods that tensors alone have
METHODS = (
    *("clamp", "contiguous", "detach", "index_fill", "masked_fill", "permute", "scatter_add"),
    *("unsqueeze", "view", "view_as"),
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
# methods of texts, of arrays and of tables, which give a new one
OF_TEXTS = ("lower", "lstrip", "rstrip", "strip", "upper")
OF_TABLES = (
    *("drop", "drop_duplicates", "dropna", "fillna", "reset_index", "set_index", "sort_index"),
    "sort_values",
)
OF_PICTURES = ("convert", "crop", "resize", "rotate", "transpose")
# how PIL turns pictures
TURNS = ("PIL.Image.FLIP_", "PIL.Image.ROTATE_", "PIL.Image.TRANS", "PIL.Image.Transpose.")
NEW_VALUES = (*OF_TEXTS, *OF_TABLES, *OF_PICTURES, "astype", "replace", "reshape")
REFUSING = ("assertRaises", "assertRaisesRegex", "raises", "suppress")


@rule(
    "TG336",
    "the result of this call is discarded, so the call has no effect",
    why="""Without an underscore at the end of its name, the function returns a new tensor and
    leaves its input unchanged; so do methods of strings, arrays, images and data frames. With one,
    it changes a copy if a mask selects the elements: `x[x > 1].fill_(0)`.""",
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
def thrown_away(module: Module) -> Iterator[ast.AST]:
    for names, belongs in (
        (OF_TORCH, is_of_torch),
        (METHODS, is_method),
        (MOVES, moves_tensor),
        (NEW_VALUES, gives_a_new_one),
        (IN_PLACE, is_of_a_copy),
    ):
        for name in names:
            for call in module.calls.get(name, ()):
                alone = isinstance(module.parents[call], ast.Expr)
                if alone and belongs(module, call) and not is_tried(module, call):
                    yield call


def is_of_torch(module: Module, call: ast.Call) -> bool:
    """Whether it is a function of torch's, and what it is given is kept under a name."""
    whole = module.qualified(call.func).rpartition(".")[0]
    if whole not in ("torch", "torch.nn.functional") or not call.args:
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
    return bool(call.args) or name in ("contiguous", "detach")


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


def gives_a_new_one(module: Module, call: ast.Call) -> bool:
    """Whether it is surely a method of a text, an array, a picture of PIL's or a table."""
    name, owner = last_name(call.func), receiver(call)
    while isinstance(owner, ast.Attribute | ast.Subscript):
        owner = owner.value
    root = "" if owner is None else written(owner)
    shown = module.name.endswith(".ipynb")  # what stands last in a cell
    if not root or root in module.imports or name in module.project.functions or shown:
        return False
    texts = [isinstance(getattr(one, "value", None), str) for one in call.args]
    if name in OF_TEXTS:
        return len(call.args) <= int("strip" in name) and not call.keywords
    if name == "replace":
        return len(texts) == 2 and any(texts) and not call.keywords
    if name in OF_TABLES:
        return is_of_table(module, call)
    if name in ("astype", "reshape") or (name == "transpose" and len(call.args) > 1):
        return bool(call.args) and (name == "astype" or all(map(is_number, call.args)))
    return is_picture(module, call)


def is_of_table(module: Module, call: ast.Call) -> bool:
    """Whether a method of pandas's tables gives a new one, in a file that imports pandas."""
    if "pandas" not in module.libraries:
        return False
    in_place = keyword(call, "inplace")
    kept = in_place is None or is_constant(in_place, False)
    named = any(one.arg in ("axis", "columns") for one in call.keywords)
    return kept and (named or last_name(call.func) != "drop")


def is_number(value: ast.expr) -> bool:
    """Whether a place or length of axes is written out, as in `(-1, 3)`."""
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return all(
        isinstance(one.operand if isinstance(one, ast.UnaryOp) else one, ast.Constant)
        for one in parts
    )


def is_picture(module: Module, call: ast.Call) -> bool:
    """Whether a method is called on what PIL made under this name, or with a word of PIL's."""
    owner = receiver(call)
    if any(module.qualified(one).startswith(TURNS) for one in call.args):
        return True
    values = module.value_in(owner, module.function(call)) if owner is not None else []
    return bool(values) and all(
        isinstance(one, ast.Call)
        and module.qualified(one.func) in ("PIL.Image.open", "PIL.Image.new", "PIL.Image.fromarray")
        for one in values
    )


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
