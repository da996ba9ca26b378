"""Whether a program is said to run without a GPU, and what loads weights for it."""

import ast

from ...project import Module
from ...syntax import (
    Function,
    is_constant,
    keyword,
    last_name,
    own_calls,
    own_nodes,
    parameters,
    receiver,
    walk,
    written,
)
from ..shared.weights_alone import is_script
from .gpu import insists_on_a_gpu


def goes_to_a_model(module: Module, call: ast.Call) -> bool:
    """Whether what a call returns, or a part of it, is given to `load_state_dict`."""
    target = module.parents[call]
    names = {written(one) for one in target.targets} if isinstance(target, ast.Assign) else set()
    for brought in own_calls(module.function(call), "load_state_dict"):
        root = brought.args[0] if brought.args else None
        while isinstance(root, ast.Subscript | ast.Attribute):
            root = root.value
        if call in own_calls(brought) or (root is not None and written(root) in names - {""}):
            return True
    return False


def fills_a_dataset(module: Module, load: ast.Call) -> bool:
    """Whether a dataset brings back its own state, which is on no device."""
    owner = module.class_of(load)
    brought = own_calls(module.function(load), "load_state_dict")
    own = bool(brought) and all(written(receiver(one) or one) == "self" for one in brought)
    return owner is not None and own and module.project.derives(module, owner, "Dataset")


def goes_to_a_loader(module: Module, call: ast.Call) -> bool:
    """Whether what a call returns is given to a function of the project that loads weights."""
    target = module.parents[call]
    names = {written(one) for one in target.targets} if isinstance(target, ast.Assign) else set()
    for taken in own_calls(module.function(call)):
        given = [one for one in taken.args if one is call or written(one) in names - {""}]
        for _, function in module.project.resolve(module, taken) if given else ():
            own = parameters(function)
            if any(
                taken.args.index(one) < len(own)
                and fills_a_model(function, own[taken.args.index(one)])
                for one in given
            ):
                return True
    return False


def fills_a_model(function: Function, name: str) -> bool:
    """Whether a function loads a parameter into a model, or copies each of its tensors there."""
    if any(
        is_named(one.args[0], name) for one in own_calls(function, "load_state_dict") if one.args
    ):
        return True
    return any(
        isinstance(loop, ast.For)
        and isinstance(loop.iter, ast.Call)
        and written(loop.iter.func) == f"{name}.items"
        and bool(own_calls(loop, "copy_"))
        for loop in own_nodes(function)
    )


def is_named(node: ast.expr, name: str) -> bool:
    """Whether it is a name, or a part of what it holds."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Name) and node.id == name


def asks_a_flag_for_the_cpu(module: Module) -> bool:
    """Whether a file does what a flag of another file of the program says of the CPU."""
    near = module.project.near(module)
    used = [module, *(other for other in near if other is not module and not is_script(other))]
    if any(map(insists_on_a_gpu, near)) or not all(
        asks_before(other, call, near) for other in used for call in other.calls.get("cuda", ())
    ):
        return False
    read = {last_name(one) for one in module.attributes if isinstance(one.ctx, ast.Load)}
    return any(flag in read for other in near for flag in cpu_flags(other))


def asks_before(module: Module, call: ast.Call, near: list[Module]) -> bool:
    """Whether something is moved to the GPU only where a flag allows it."""
    flags = {flag for other in near for flag in cpu_flags(other)}
    return any(
        isinstance(around, ast.If | ast.IfExp)
        and any(last_name(one) in flags for one in walk(around.test))
        for around in module.ancestors(call)
    )


def cpu_flags(module: Module) -> set[str]:
    """The flags of a file that turn the GPU off, or choose between it and the CPU."""
    found = set()
    for call in module.calls.get("add_argument", ()):
        names = {
            str(one.value).strip("-").replace("-", "_")
            for one in call.args
            if isinstance(one, ast.Constant)
        }
        choices = keyword(call, "choices")
        offered = choices.elts if isinstance(choices, ast.List | ast.Tuple) else []
        if any(is_constant(one, "cpu") for one in offered):
            found |= names
        elif is_constant(keyword(call, "action"), "store_true"):
            found |= names & {"no_cuda", "cpu", "use_cpu", "no_gpu"}
    return found
