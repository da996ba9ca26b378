"""What needs a GPU in a program that chooses the CPU where there is none."""

import ast
from collections.abc import Collection, Iterator

from ...kept import kept
from ...project import Module
from ...syntax import is_constant, keyword, last_name, receiver, walk, written
from ..checkpoint.cpu_users import KERNELS
from ..checkpoint.gpu import insists_on_a_gpu
from ..model.flags import flag_name
from .cpu_path import Conditional, asked_by_condition, asks_for_gpu, cpu_path
from .gpu_calls import (
    fails_without_gpu,
    goes_to_the_device,
    is_call,
    is_of_whole_model,
    moves_to_gpu,
)
from .loops import is_backward
from .programs import run_at_start, starts

# what runs on a GPU alone
LIBRARIES = {"MinkowskiEngine", "apex", "cupy", "flash_attn", "mamba_ssm", "pycuda", "spconv"}
LIBRARIES |= {"pynvml", "tensorrt", "triton"}
Place = tuple[Module, ast.AST]


@kept
def needs_of(start: Module) -> list[Place] | None:
    """What fails without a GPU in a program that mostly heeds its choice of the CPU.

    None where it does not choose the CPU, or needs a GPU anyhow.
    """
    files = run_at_start(start)
    if any(map(insists_on_a_gpu, files)) or any(map(needs_one_by_its_libraries, files)):
        return None
    way = cpu_path(start)
    fixed = {name for module in files for name in always_on(module)}
    set_in_code = (name.rpartition(".") for module in files for name in module.assigned)
    fixed -= {last for owner, _, last in set_in_code if owner}  # args.cuda = ... is_available()
    if not any(chooses_the_cpu(*place, fixed) for place in way.conditions):
        return None
    if any(is_call(node, "init_process_group") for _, node in way.nodes):
        return None
    below = [(module, one) for module, node in way.conditions for one in walk(node)]
    guarded = [(module, one) for module, one in below if moves_to_gpu(module, one)]
    guarded += [
        (module, one) for module, one in (*below, *way.nodes) if goes_to_the_device(module, one)
    ]
    moves = [(module, node) for module, node in way.nodes if moves_to_gpu(module, node)]
    others = [(module, node) for module, node in way.nodes if fails_without_gpu(module, node)]
    if any(is_of_whole_model(node) for _, node in moves):
        return None
    few = 2 * in_statements(moves) + in_statements(others) <= in_statements(guarded)
    return [*moves, *others] if few else None


def is_of_a_gpu_program(place: Place) -> bool:
    """Whether a program that trains comes to a place, and needs a GPU anyhow or never asks."""
    module, node = place
    return any(
        needs_of(start) is None
        and trains(start)
        and any(one is node for _, one in cpu_path(start).nodes)
        for start in starts(module)
    )


@kept
def trains(start: Module) -> bool:
    """Whether a program computes gradients, with a GPU or without."""
    way = cpu_path(start)
    below = (one for _, condition in way.conditions for one in walk(condition))
    nodes = (node for _, node in way.nodes)
    return "backward" in start.calls or any(map(is_backward, (*nodes, *below)))


def asked_without_condition(module: Module) -> bool:
    """Whether something in a file needs a GPU, and no condition around it asks for one."""
    calls = [call for found in module.calls.values() for call in found]
    divisions = [module.parents[call] for call in module.calls.get("device_count", ())]
    return any(
        (moves_to_gpu(module, node) or fails_without_gpu(module, node))
        and not any(
            isinstance(around, Conditional) and asks_for_gpu(module, around)
            for around in module.ancestors(node)
        )
        for node in (*calls, *divisions, *module.attributes)
    )


def in_statements(places: list[Place]) -> int:
    """How many statements hold these."""
    return len({module.statement(node) for module, node in places})


def needs_one_by_its_libraries(module: Module) -> bool:
    """Whether a file imports what runs on a GPU alone, or builds a kernel."""
    if any(kernel in module.project.contents[module.name] for kernel in KERNELS):
        return True
    return any(
        module.parents[statement] is module.tree
        and not LIBRARIES.isdisjoint(
            name.partition(".")[0]
            for name in (
                getattr(statement, "module", None) or "",
                *(a.name for a in statement.names),
            )
        )
        for statement in module.import_statements
    )


def always_on(module: Module) -> Iterator[str]:
    """The flags that are on and cannot be turned off, and the names that stand for one."""
    for call in module.calls.get("add_argument", ()):
        action, read_as = keyword(call, "action"), keyword(call, "type")
        text = action is None and (read_as is None or written(read_as) == "bool")
        on = is_constant(keyword(call, "default"), True)
        if on and (text or is_constant(action, "store_true")):
            flag = flag_name(call)
            yield flag
            for name, given in module.assigned.items():
                if any(last_name(one.value) == flag for one in given):
                    yield name


def chooses_the_cpu(module: Module, condition: ast.AST, fixed: Collection[str] = ()) -> bool:
    """Whether a condition leaves all on the CPU where there is no GPU, or where a flag says so.

    `fixed` are names that are always true.
    """
    test = getattr(condition, "test", condition)
    asked = [one for part in asked_by_condition(module, condition) for one in walk(part)]
    names = [last_name(one).lower() for one in asked]
    keys = (one.slice for one in asked if isinstance(one, ast.Subscript))  # options["cuda"]
    names += [str(key.value) for key in keys if isinstance(key, ast.Constant)]
    asks = any(word in name for name in names for word in ("cuda", "gpu", "cpu", "is_available"))
    where = any(isinstance(one, ast.Attribute) and one.attr == "is_cuda" for one in asked)
    if last_name(test) in fixed or not asks or where or "device_count" in names:
        return False  # it asks where a tensor is, or for several GPUs
    return any(
        is_constant(one, "cpu") or (is_call(one, "cuda") and receiver(one) is not None)
        for one in walk(condition)
    )
