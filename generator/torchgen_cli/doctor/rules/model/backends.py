"""Settings of torch's backends that do not exist."""

import ast
import re
from collections.abc import Iterator
from difflib import get_close_matches

from ...kept import kept
from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import is_constant, last_name

# what can be set, in torch 2.13 and in the releases before it
SETTINGS: dict[str, set[str]] = {
    "torch.backends": {"cpu", "cuda", "cudnn", "fp32_precision", "mkldnn", "mps", "opt_einsum"},
    "torch.backends.cudnn": {
        "allow_tf32",
        "benchmark",
        "benchmark_limit",
        "conv",
        "depthwise_kernel",
        "deterministic",
        "enabled",
        "fp32_precision",
        "rnn",
        "verbose",
    },
    "torch.backends.cuda": {"cufft_plan_cache", "matmul"},
    "torch.backends.cuda.matmul": {
        "allow_bf16_reduced_precision_reduction",
        "allow_fp16_accumulation",
        "allow_fp16_reduced_precision_reduction",
        "allow_tf32",
        "fp32_precision",
    },
}
# what runs in cuDNN, or a library whose models do
IN_CUDNN = re.compile(
    rb"\bConv(Transpose)?[123]d\b|\bconv(_transpose)?[123]d\(|\b(LSTM|GRU|RNN)\b"
    rb"|\b(torchvision|timm|transformers|segmentation_models_pytorch)\b"
)


@rule(
    "TG334",
    "torch has no setting with this name, so this has no effect",
    why="""Python accepts any name as a new attribute of a module, and torch never reads it: the run
    uses the default. `torch.backends.cuda.matmul` rejects it with an AttributeError. It is a hint
    where no setting has a similar name, where the intended one has that value anyway, and for a
    cuDNN setting in a program without convolutions and recurrent layers.""",
    remedy="set the intended attribute",
    source=f"{STABLE}/backends.html",
    bad="""
import torch

torch.backends.cudnn.determinstic = True  # <--
torch.backends.cuda.allow_tf32 = True  # <--
layer = torch.nn.Conv2d(3, 8, 3)
""",
    good="""
import torch

torch.backends.cudnn.deterministic = True
torch.backends.cuda.matmul.allow_tf32 = True
layer = torch.nn.Conv2d(3, 8, 3)
""",
)
def unknown_setting(module: Module) -> Iterator[Spot]:
    for node in module.attributes:
        if not isinstance(node.ctx, ast.Store):
            continue
        owner = module.qualified(node.value)
        known = set() if is_misplaced(owner, node.attr) else SETTINGS.get(owner)
        value = getattr(module.parents[node], "value", None)
        if known is None or node.attr in known or not isinstance(value, ast.expr):
            continue
        if isinstance(value, ast.Lambda) or last_name(value) in module.project.functions:
            continue  # in place of a function of torch
        detail = told(owner, node.attr, known)
        idle = owner == "torch.backends.cudnn" and not uses_cudnn(module)
        # which it is anyway
        idle |= "enabled` may be meant" in detail and is_constant(value, True)
        yield Spot(node, detail, idle or "meant" not in detail)  # what never was does no harm


@kept
def uses_cudnn(module: Module) -> bool:
    """Whether the program of a file has layers that cuDNN computes."""
    contents = module.project.contents
    return any(IN_CUDNN.search(contents[other.name]) for other in module.project.near(module))


def is_misplaced(owner: str, name: str) -> bool:
    """Whether it is a setting of cuDNN at another place: `torch.cuda.cudnn_enabled`."""
    cudnn = SETTINGS["torch.backends.cudnn"]
    return owner in ("torch", "torch.cuda") and name in {f"cudnn_{one}" for one in cudnn}


def told(owner: str, name: str, known: set[str]) -> str:
    """The name, and the setting that may be meant."""
    if is_misplaced(owner, name):
        whole = name.replace("cudnn_", "torch.backends.cudnn.", 1)
        return f"`{name}`, where `{whole}` may be meant"
    below = {
        f"{other.removeprefix(owner)}.{one}".lstrip("."): one
        for other, names in SETTINGS.items()
        if other.startswith(f"{owner}.")
        for one in names
    }
    meant = get_close_matches(name, known, n=1, cutoff=0.7)
    meant = meant or [whole for whole, one in below.items() if one == name]
    return f"`{name}`, where `{meant[0]}` may be meant" if meant else f"`{name}`"
