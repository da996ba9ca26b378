"""What the rules on checkpoints ask: what is saved?"""

import ast
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    argument,
    last_name,
    own_calls,
    own_nodes,
    parameters,
    receiver,
    same,
    walk,
    written,
)
from .callers import given_by_callers, is_given_states
from .layers import makes_module, unmoved
from .networks import is_built

REPLACING = ("replace", "rename", "renames", "move")  # a file that was written is put in its place


def values_of(module: Module, name: ast.expr, near: ast.AST) -> list[ast.expr]:
    """What a name is given in its function, or else in the file."""
    scope = module.function(near)
    return module.value_in(name, scope) or module.value_in(name, module.tree)


def is_model(module: Module, node: ast.expr, near: ast.AST) -> bool:
    """Whether it is a whole module: made as one, or used as one in this file."""
    node = bare(node)
    if isinstance(node, ast.Attribute) and node.attr == "module":  # what a wrapper holds
        return any(is_wrapped(module, value) for value in values_of(module, node.value, near))
    if not written(node):
        return makes_module(module, node)
    scope = module.function(near)
    if is_given_states(module, scope, written(node)):
        return False
    values = list(unmoved(values_of(module, node, near)))
    if values:
        made = any(makes_module(module, one) or is_wrapped(module, one) for one in values)
        others = (is_torchvision(module, v) or is_module_parameter(module, v) for v in values)
        return made or all(others) or is_built(module, node)
    if isinstance(scope, ast.Module) or last_name(node).lower() not in ("model", "net", "network"):
        return is_given_models(module, scope, written(node))
    methods = ("state_dict", "parameters", "eval", "train", "zero_grad", "named_parameters")
    return any(
        same(receiver(call), node) for name in methods for call in module.calls.get(name, ())
    )


def is_given_models(module: Module, scope: ast.AST, name: str) -> bool:
    """Whether all callers give a function whole modules for this parameter of it."""
    found = given_by_callers(module, scope, name)
    return bool(found) and all(makes_or_names_module(*one) for one in found)


def makes_or_names_module(module: Module, node: ast.expr, near: ast.AST) -> bool:
    """Whether it is made as a module in the same function, in one branch at least."""
    values = module.value_in(node, module.function(near)) if written(node) else [node]
    return any(
        makes_module(module, one) or is_wrapped(module, one) or is_torchvision(module, one)
        for one in unmoved(values)
    )


def is_module_parameter(module: Module, value: ast.expr) -> bool:
    """Whether it is a parameter that is said to be a module: `def __init__(self, net: Net)`."""
    scope = module.function(value)
    if not isinstance(value, ast.Name) or not isinstance(scope, FUNCTIONS):
        return False
    return any(
        one.arg == value.id and one.annotation is not None and names_module(module, one.annotation)
        for one in scope.args.args
    )


def names_module(module: Module, annotation: ast.expr) -> bool:
    """Whether an annotation is a class of modules."""
    if module.qualified(annotation) in ("torch.nn.Module", "torch.nn.modules.Module"):
        return True
    classes = module.project.classes_named(module, annotation)
    return bool(classes) and all(module.project.is_module_class(*one) for one in classes or ())


def bare(node: ast.expr) -> ast.expr:
    """The model in `deepcopy(model).half()`, `unwrap(model).cpu()` and the like."""
    while isinstance(node, ast.Call):
        name, owner = last_name(node.func), receiver(node)
        if name in ("half", "float", "cpu", "bfloat16") and owner is not None and not node.args:
            node = owner
        elif len(node.args) == 1 and (name == "deepcopy" or "parallel" in name or "unwrap" in name):
            node = node.args[0]
        else:
            break
    return node


def is_torchvision(module: Module, value: ast.expr) -> bool:
    """Whether it makes a model of torchvision or timm."""
    whole = module.qualified(value.func) if isinstance(value, ast.Call) else ""
    return whole.startswith("torchvision.models.") or whole == "timm.create_model"


def saves(module: Module) -> Iterator[ast.Call]:
    """Calls of `torch.save` with something to save, or of a helper that hands all on to it."""
    yield from (call for call in plain_saves(module) if not isinstance(call.args[0], ast.Starred))
    yield from (call for call, _ in handed_on(module, ast.Starred) if call.args)


@kept
def plain_saves(module: Module) -> list[ast.Call]:
    """Calls of `torch.save`."""
    calls = module.torch_calls("save")
    return [c for c in calls if module.qualified(c.func) == "torch.save" and c.args]


def handed_on(module: Module, kind: type[ast.expr]) -> Iterator[tuple[ast.Call, ast.expr]]:
    """(a call in this file of a helper that saves one of its parameters, what is given for it).

    `kind` is how the helper gives it to `torch.save`: as a name, or as `*args`.
    """
    code = module.project.code
    for other, function, given, name in saving_helpers(code[0]) if code else ():
        if not isinstance(given, kind) or function.name not in module.calls:
            continue
        names = parameters(function)
        place = names.index(name) if name in names else 0
        for caller, call in module.project.calls_of(other, function):
            value = argument(call, place, name)
            if caller is module and value is not None:
                yield call, value


@kept
def saving_helpers(first: Module) -> list[tuple[Module, Function, ast.expr, str]]:
    """The helpers of a project, known by its first file, that hand a parameter to `torch.save`."""
    found = []
    for other in first.project.code:
        for save in plain_saves(other):
            function, given = other.function(save), save.args[0]
            name = written(given.value if isinstance(given, ast.Starred) else given)
            if not isinstance(function, FUNCTIONS) or not takes(function, name):
                continue
            if not own_calls(function, *REPLACING):
                found.append((other, function, given, name))
    return found


def is_wrapped(module: Module, value: ast.expr) -> bool:
    """Whether it makes a wrapper that spreads a model over devices, and adds a name to its names.

    FullyShardedDataParallel gives the names of the bare model.
    """
    if not isinstance(value, ast.Call):
        return False
    return any(
        isinstance(inner, ast.Call)
        and module.is_torch(inner.func)
        and module.qualified(inner.func).endswith((".DataParallel", ".DistributedDataParallel"))
        for inner in unmoved([value])
    )


def value_before(module: Module, name: ast.expr, near: ast.Call) -> ast.expr | None:
    """What a name was last given before a place in its function; for other things, themselves."""
    if not isinstance(name, ast.Name):
        return as_dict(name)
    values = module.value_in(name, module.function(near))
    before = [value for value in values if value.lineno < near.lineno]
    return as_dict(before[-1]) if before else None


def put_aside(module: Module, name: ast.expr, near: ast.Call) -> list[ast.expr]:
    """What a name is given right before a place: in the same loop, under whichever condition."""
    if not isinstance(name, ast.Name) or "best" in name.id.lower():
        return []
    loop = next(module.loops_around(near), None)
    return [
        value
        for value in module.value_in(name, module.function(near))
        if value.lineno < near.lineno and next(module.loops_around(value), None) is loop
    ]


@kept  # the same node each time
def as_dict(value: ast.expr) -> ast.expr:
    """`dict(epoch=1, model=state)` as `{"epoch": 1, "model": state}`; all else as it is."""
    if not isinstance(value, ast.Call) or written(value.func) != "dict" or value.args:
        return value
    keys: list[ast.expr | None] = [
        (one.arg and ast.Constant(one.arg)) or None for one in value.keywords
    ]
    return ast.copy_location(ast.Dict(keys, [one.value for one in value.keywords]), value)


@kept  # the same node each time
def filled_in(
    module: Module, scope: ast.AST, name: str, content: ast.expr | None
) -> ast.expr | None:
    """A dict with what is put under keys of it in the same function: `state["epoch"] = epoch`."""
    settings = (
        isinstance(content, ast.Call)
        and last_name(content.func) in ("dict", "OrderedDict", "copy", "deepcopy")
        and not any(isinstance(one, ast.Name) for one in content.args)  # who knows what it holds
    )
    if not name or not (isinstance(content, ast.Dict) or settings):
        return content
    stores = [
        (node.slice, statement.value)
        for node in own_nodes(scope)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and written(node.value) == name
        and isinstance(node.slice, ast.Constant)
        and isinstance(statement := module.parents[node], ast.Assign)
    ]
    if not stores or content is None:
        return content
    begun = content if isinstance(content, ast.Dict) else ast.Dict([], [])
    keys = [*begun.keys, *(key for key, _ in stores)]
    whole = ast.Dict(keys, [*begun.values, *(value for _, value in stores)])
    return ast.copy_location(whole, content)


def takes(scope: ast.AST, name: str) -> bool:
    """Whether a function has a parameter of this name."""
    return isinstance(scope, FUNCTIONS) and any(
        one.arg == name for one in walk(scope.args) if isinstance(one, ast.arg)
    )
