"""What needs a GPU in a program that chooses the CPU where there is none."""

import ast
from typing import TypeGuard

from ...kept import kept
from ...project import Module
from ...syntax import is_constant, keyword, last_name, mentions, receiver, walk, written
from ..checkpoint.cpu_users import KERNELS, is_cuda
from ..checkpoint.gpu import insists_on_a_gpu
from .cpu_path import Conditional, asks_for_gpu, cpu_path
from .programs import imported_by, reached_from
from .weights_alone import is_script

# what fails where torch finds no GPU; `empty_cache`, `manual_seed` and others do nothing there
FAILING = {"current_device", "get_device_capability", "get_device_name", "get_device_properties"}
FAILING |= {"get_rng_state", "get_rng_state_all", "set_device", "set_rng_state", "synchronize"}
TYPES = ("torch.cuda.FloatTensor", "torch.cuda.LongTensor", "torch.cuda.ByteTensor")
# what runs on a GPU alone
LIBRARIES = {"MinkowskiEngine", "apex", "cupy", "flash_attn", "mamba_ssm", "pycuda", "spconv"}
LIBRARIES |= {"tensorrt", "triton"}
Place = tuple[Module, ast.AST]


def starts(module: Module) -> list[Module]:
    """The files of a program that are started, and come to a file."""
    near = module.project.near(module)
    brought = {other for one in near for other in imported_by(one)}
    return [
        one
        for one in near
        if (is_script(one) or one not in brought) and module in reached_from(one)
    ]


@kept
def needs_of(start: Module) -> list[Place] | None:
    """What fails without a GPU in a program that mostly heeds its choice of the CPU.

    None where it does not choose the CPU, or needs a GPU anyhow.
    """
    files = reached_from(start)
    if any(map(insists_on_a_gpu, files)) or any(map(needs_one_by_its_libraries, files)):
        return None
    way = cpu_path(start)
    if not any(chooses_the_cpu(node) for _, node in way.conditions):
        return None
    if any(is_call(node, "init_process_group") for _, node in way.nodes):
        return None
    below = [(module, one) for module, node in way.conditions for one in walk(node)]
    guarded = [(module, one) for module, one in below if moves_to_gpu(module, one)]
    guarded += [(module, one) for module, one in (*below, *way.nodes) if goes_to_the_device(one)]
    moves = [(module, node) for module, node in way.nodes if moves_to_gpu(module, node)]
    others = [(module, node) for module, node in way.nodes if fails_without_gpu(module, node)]
    few = 2 * in_statements(moves) + in_statements(others) <= in_statements(guarded)
    return [*moves, *others] if few else None


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


def chooses_the_cpu(condition: ast.AST) -> bool:
    """Whether a condition leaves all on the CPU where there is no GPU, or where a flag says so."""
    test = getattr(condition, "test", condition)
    names = [last_name(one).lower() for one in walk(test)]
    asks = any(word in name for name in names for word in ("cuda", "gpu", "cpu", "is_available"))
    if not asks or "is_cuda" in names or "device_count" in names:
        return False  # which asks where a tensor is, or for several of them
    return any(
        is_constant(one, "cpu") or (is_call(one, "cuda") and receiver(one) is not None)
        for one in walk(condition)
    )


def goes_to_the_device(node: ast.AST) -> bool:
    """Whether it moves something to the device that was chosen: `.to(device)`."""
    if not is_call(node, "to"):
        return False
    given = [*node.args[:1], keyword(node, "device")]
    return any(one is not None and mentions(one, "device") and not is_cuda(one) for one in given)


def moves_to_gpu(module: Module, node: ast.AST) -> bool:
    """Whether it puts a tensor or a model on the GPU, whatever was chosen."""
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    if module.qualified(node.func) in TYPES:
        return True
    if name == "cuda":
        owner = receiver(node)
        return owner is not None and written(owner) != "self"  # which may have its own
    return is_cuda(keyword(node, "device")) or (
        name == "to" and any(map(names_cuda, node.args[:1]))
    )


def names_cuda(node: ast.expr) -> bool:
    """Whether it is "cuda", or `torch.device("cuda")`."""
    return is_cuda(node) or (is_call(node, "device") and any(map(is_cuda, node.args[:1])))


def fails_without_gpu(module: Module, node: ast.AST) -> bool:
    """Whether it fails where torch finds no GPU, or was built for none."""
    if isinstance(node, ast.BinOp):
        divides = isinstance(node.op, ast.Mod | ast.Div | ast.FloorDiv)
        count = isinstance(node.right, ast.Call) and module.qualified(node.right.func)
        return divides and count == "torch.cuda.device_count"
    if isinstance(node, ast.Attribute):
        return module.qualified(node) == "torch.version.cuda.split"
    whole = module.qualified(node.func) if isinstance(node, ast.Call) else ""
    return whole.startswith("torch.cuda.") and whole.rpartition(".")[2] in FAILING


def is_call(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    """Whether it is a call of what has this name."""
    return isinstance(node, ast.Call) and last_name(node.func) == name
