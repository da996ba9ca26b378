"""What is moved to the first GPU by a name for it."""

import ast

from ...project import Module
from ...syntax import walk, written


def moved_by_name(module: Module) -> list[ast.Call]:
    """What is moved to a device that is `torch.device("cuda")`, if there is one, for NCCL."""
    if b"nccl" not in module.project.contents[module.name]:
        return []
    return [
        call
        for call in module.calls.get("to", ())
        if len(call.args) == 1
        and written(call.args[0])
        and (values := module.value_in(call.args[0], module.function(call)))
        and all(is_first_gpu(module, one) for one in values)
    ]


def is_first_gpu(module: Module, value: ast.expr) -> bool:
    """Whether it is `torch.device("cuda")`, or the CPU where there is none."""
    if not isinstance(value, ast.Call) or not module.is_torch(value.func, "device"):
        return False
    texts = [one.value for one in walk(value) if isinstance(one, ast.Constant)]
    return len(value.args) == 1 and "cuda" in texts and {"cpu", "cuda"}.issuperset(texts)
