"""Which torch a project surely runs on, as its code tells, and which its README names."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

from packaging.version import Version

from .kept import kept
from .parsed import ParsedFile

# the first torch that has each of these, or the parts of it
SINCE = {
    "torch.inference_mode": "1.9",
    "torch.distributed.elastic": "1.9",
    "torch.distributed.run": "1.9",
    "torch.inf": "1.9",
    "torch.nn.Mish": "1.9",
    "torch.nn.utils.parametrize": "1.9",
    "torch.nn.utils.parametrizations": "1.9",
    "torch.amp": "1.10",
    "torch.autocast": "1.10",
    "torch.optim.NAdam": "1.10",
    "torch.optim.RAdam": "1.10",
    "torch.optim.lr_scheduler.ConstantLR": "1.10",
    "torch.optim.lr_scheduler.LinearLR": "1.10",
    "torch.optim.lr_scheduler.SequentialLR": "1.10",
    "torch.cuda.mem_get_info": "1.11",
    "torch.distributed.fsdp": "1.11",
    "torch.backends.mps": "1.12",
    "torch.mps": "1.12",
    "torch.set_float32_matmul_precision": "1.12",
    "torchvision.models.get_model": "1.13",
    "torch.compile": "2.0",
    "torch.compiler": "2.0",
    "torch.func": "2.0",
    "torch.vmap": "2.0",
    "torch.set_default_device": "2.0",
    "torch.nn.functional.scaled_dot_product_attention": "2.0",
    "torchvision.transforms.v2": "2.0",
    "torch.nn.attention": "2.2",
    "torch.distributed.device_mesh": "2.2",
    "torch.amp.GradScaler": "2.3",
}
# and each of these arguments
ARGUMENTS = {
    ("label_smoothing", "CrossEntropyLoss"): "1.10",
    ("label_smoothing", "cross_entropy"): "1.10",
    ("use_reentrant", "checkpoint"): "1.11",
    ("weights_only", "load"): "1.13",
    ("fused", "AdamW"): "2.0",
}
LAST_PARTS = {name.rpartition(".")[2] for name in SINCE}
README = ("[Rr][Ee][Aa][Dd][Mm][Ee]*", "INSTALL*", "doc*/INSTALL*", "readme/INSTALL*")
# what torch has not had since 1.9, or since shortly before
GONE = {"torch._six.container_abcs", "torch._six.int_classes", "torch.irfft", "torch.rfft"}
# `PyTorch >= 1.4.0`, "pytorch 1.8", "PyTorch (1.6+)", "PyTorch (version 1.2)", "install = 1.4"
NAMED = (
    r"(?<![\w/-])%s(?:\]\([^)]*\))?(?:[\s(]+(?:versions?|install))?"
    r"[\s(>=:v*`]{0,6}(\d+\.\d+)"
)
ANY_NEWER = Version("99")
FURTHER = re.compile(
    r"[.\dx`*]*\s*(?:,|/|&|-|\u2013|~|and|or|to)[\s`*v]*([0-3]\.\d+)(?!\d*\s*x)", re.I
)
# conda's torch had this package for CUDA up to 1.12
CONDA = re.compile(r"\bconda install [^\n]*\bpytorch(?![^\n]*pytorch *[=>])[^\n]*\bcudatoolkit\b")
CAPPED = re.compile(r"[.\dx\s,`*)]*<")
OR_NEWER = re.compile(r"[.\dx\s`*()]*(\+|(or|and) +(above|greater|higher|later|newer|up))", re.I)


def used_torch(modules: Iterable[ParsedFile]) -> Version:
    """The lowest torch that has all that these files use; 0 where nothing tells."""
    found = [Version("0")]
    for module in modules:
        found += [Version(SINCE[one]) for one in names_in(module) if one in SINCE]
        for node in module.keywords:
            call = module.parents[node]
            name = module.qualified(getattr(call, "func", call))
            since = ARGUMENTS.get((node.arg or "", name.rpartition(".")[2]))
            if since and name.startswith("torch.") and not module.is_fallback(call):
                found.append(Version(since))
        for call in module.calls.get("add_argument", ()):
            # which torch.distributed.launch passes since 2.0, and none before
            if any(getattr(one, "value", None) == "--local-rank" for one in call.args):
                found.append(Version("2.0"))
    return max(found)


def is_of_old_torch(modules: Iterable[ParsedFile]) -> bool:
    """Whether these files use what torch has not had since 1.9, and ask for no version."""
    parts = {name.rpartition(".")[2] for name in GONE}
    return any(
        (name in GONE and not module.is_fallback(node))
        for module in modules
        for node, name in (
            *((one, module.qualified(one)) for one in module.attributes if one.attr in parts),
            *(
                (one, f"{one.module}.{alias.name}")
                for one in module.import_statements
                if isinstance(one, ast.ImportFrom) and not isinstance(module.parents[one], ast.Try)
                for alias in one.names
            ),
        )
    )


def names_in(module: ParsedFile) -> Iterable[str]:
    """The dotted names of `SINCE` that a file uses without asking for the version."""
    for statement in module.import_statements:
        if module.is_fallback(statement) or isinstance(module.parents[statement], ast.Try):
            continue
        source = getattr(statement, "module", None) or ""
        yield source
        for alias in statement.names:
            yield f"{source}.{alias.name}" if source else alias.name
    for node in module.attributes:
        if node.attr in LAST_PARTS and not module.is_fallback(node):
            yield module.qualified(node)


@kept
def named_in_readme(root: Path, library: str = "torch") -> list[Version]:
    """The releases of a library that the README at `root`, or its INSTALL, names as what it needs.

    A lower bound stands for any newer one.
    """
    name = (
        "(?:py)?torch" if library == "torch" else "[-_.]".join(map(re.escape, library.split("-")))
    )
    pattern = re.compile(NAMED % name, re.I)
    found = []
    files = (file for name in README for file in sorted(root.glob(name)) if file.is_file())
    for file in files:
        try:
            text = file.read_text(encoding="utf-8", errors="replace")[:100_000]
        except OSError:
            continue
        for named in pattern.finditer(text):
            if is_lower_bound(text, named):
                found.append(ANY_NEWER)
            else:
                found += [Version(named[1]), *further(text, named.end())]
        if library == "torch" and CONDA.search(text):
            found.append(Version("1.12"))
    return found


def further(text: str, end: int) -> Iterable[Version]:
    """The other releases of a list: "PyTorch 1.5, 1.8 and 2.0"."""
    while another := FURTHER.match(text, end):
        yield Version(another[1])
        end = another.end()


def is_lower_bound(text: str, named: re.Match[str]) -> bool:
    """Whether any newer release than the one that is named will do: ">= 1.4", "1.6+"."""
    if CAPPED.match(text, named.end()):
        return False
    return ">" in named[0] or OR_NEWER.match(text, named.end()) is not None
