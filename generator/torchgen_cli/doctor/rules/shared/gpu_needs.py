"""What needs a GPU in a program that chooses the CPU where there is none."""

import ast
import re
from collections.abc import Collection, Iterator

from ...kept import kept
from ...project import Module
from ...syntax import is_constant, keyword, last_name, receiver, walk, written
from ..checkpoint.cpu_users import KERNELS
from ..checkpoint.gpu import insists_on_a_gpu
from .cpu_path import Conditional, Way, asked_by_condition, asks_for_gpu, cpu_path
from .flag_values import flag_name, long_flag
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
CPU = re.compile(r"\bcpu\b", re.I)
# what an extension is called: gpu_nms, correlation_cuda
COMPILED = re.compile(r"(^|_)(cuda|gpu)(_|$)")
# what a condition on the machine names: use_cuda, no_gpu, is_available
ASKS = re.compile(r"cuda|gpu|cpu|is_available")
# and one on where data are kept
KEEPS = re.compile(r"(buffer|cache|keep|load|store)\w*(cuda|gpu|cpu)")
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
    below = [(module, one) for module, node in way.conditions for one in walk(node)]
    chosen = any(
        chooses_the_cpu(module, one, fixed) for module, one in below if isinstance(one, Conditional)
    )
    if not chosen and not any(offers_the_cpu(module, way) for module in files):
        return None
    if any(is_call(node, "init_process_group") for _, node in way.nodes):
        return None
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


def offers_the_cpu(module: Module, way: Way) -> bool:
    """Whether a flag of a file is the device, and says that it may be "cpu"; and it is read."""
    named = device_flags(module)
    return bool(named) and any(
        isinstance(node, ast.Attribute) and node.attr in named for _, node in way.nodes
    )


def device_flags(module: Module) -> set[str]:
    """The flags of a file that are the device, and say that it may be "cpu"."""
    flags = {
        long_flag(call).strip("-")
        for call in module.calls.get("add_argument", ())
        if any(is_cpu(one) for part in call.keywords for one in walk(part.value))
    }
    return {flag for flag in flags if "device" in flag}


def is_cpu(node: ast.AST) -> bool:
    """Whether it is a text with the word "cpu" in it."""
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and CPU.search(text) is not None


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
        and (
            any(name.partition(".")[0] in LIBRARIES for name in imported_names(statement))
            or is_of_compiled_code(module, statement)
        )
        for statement in module.import_statements
    )


def imported_names(statement: ast.Import | ast.ImportFrom) -> list[str]:
    """What an import names: packages, files, or what is in them."""
    names = [alias.name for alias in statement.names]
    return [statement.module or "", *names] if isinstance(statement, ast.ImportFrom) else names


def is_of_compiled_code(module: Module, statement: ast.Import | ast.ImportFrom) -> bool:
    """Whether it imports code for GPUs that is compiled first: `from .nms.gpu_nms import nms`."""
    names = imported_names(statement)
    files = names[:1] if isinstance(statement, ast.ImportFrom) else names
    lasts = (one.rpartition(".")[2] for one in files if one.partition(".")[0] != "torch")
    return any(COMPILED.search(one) and one not in module.project.own_parts for one in lasts)


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
    asks = any(ASKS.search(name) and not KEEPS.search(name) for name in names)
    where = any(isinstance(one, ast.Attribute) and one.attr == "is_cuda" for one in asked)
    if last_name(test) in fixed or not asks or where or "device_count" in names:
        return False  # it asks where a tensor is, or for several GPUs
    return any(
        is_constant(one, "cpu") or (is_call(one, "cuda") and receiver(one) is not None)
        for one in walk(condition)
    )
