"""Models that a flag leaves on the CPU, while DataParallel takes the GPUs."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...syntax import is_constant, keyword, last_name, walk, written
from ..shared.cpu_path import Conditional, asked_by_condition, cpu_path
from ..shared.flag_values import long_flag
from ..shared.gpu_calls import is_call
from ..shared.gpu_needs import chooses_the_cpu, device_flags, needs_of
from ..shared.programs import run_at_start, starts

FOR_GPU = {"cuda", "gpu", "use_cuda", "use_gpu"}
SWITCHES = {"cpu", "disable_cuda", "no_cuda", "no_gpu", "use_cpu", *FOR_GPU}


def left_on_the_cpu(module: Module, call: ast.Call) -> str:
    """What a user types to leave a model on the CPU, which a call then ignores; empty for none."""
    for start in starts(module):
        if needs_of(start) is None:
            continue
        way = cpu_path(start)
        reached = any(node is call for _, node in way.nodes) or any(
            counts_gpus_alone(condition) and any(node is call for node in walk(condition))
            for _, condition in way.conditions
        )
        flag = next(switches(start), "") if reached else ""
        if flag:
            return flag
    return ""


def counts_gpus_alone(condition: ast.AST) -> bool:
    """Whether it is `if torch.cuda.device_count() > 1:`, which is true whatever a flag says."""
    test = getattr(condition, "test", None)
    return isinstance(test, ast.Compare) and is_call(test.left, "device_count")


def switches(start: Module) -> Iterator[str]:
    """What a user types to choose the CPU, though there are GPUs: "with `--no-cuda`"."""
    files = run_at_start(start)
    asked = {
        last_name(one)
        for module, condition in cpu_path(start).conditions
        for node in walk(condition)
        if isinstance(node, Conditional) and chooses_the_cpu(module, node)
        for part in asked_by_condition(module, node)
        for one in walk(part)
    }
    for module in files:
        by_name = device_flags(module)
        for call in module.calls.get("add_argument", ()):
            flag = long_flag(call)
            name = flag.strip("-").replace("-", "_")
            if name in by_name:
                yield f"with `{flag} cpu`"
            elif name in SWITCHES & asked and is_switch(call):
                yield f"{'without' if name in FOR_GPU else 'with'} `{flag}`"


def is_switch(call: ast.Call) -> bool:
    """Whether a flag can be given both ways; one of `type=bool` that is true by default cannot."""
    action, read_as = keyword(call, "action"), keyword(call, "type")
    on = is_constant(keyword(call, "default"), True)
    if is_constant(action, "store_false"):
        return True
    reads_words = read_as is not None and "bool" in last_name(read_as)
    if reads_words and written(read_as or call) != "bool":
        return True
    return not on and (is_constant(action, "store_true") or reads_words)
