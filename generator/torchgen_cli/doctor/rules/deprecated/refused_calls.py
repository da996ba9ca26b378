"""Calls that the libraries of these years refuse, as an argument is gone or has to be named."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import has_stars, keyword, last_name
from ..files.undefined import is_of_python_2
from .gone import asserts_release
from .gone_arguments import ARGUMENTS, BY_PLACE
from .gone_names import PACKAGES
from .provided import is_caught, is_for_a_release, is_own, library_name
from .reachable import is_out_of_reach
from .refused_frameworks import refused_by_frameworks
from .refused_methods import Refused, removed_methods
from .refused_objects import refused_objects

ERRORS = ("attributeerror", "typeerror", "valueerror")
SCHEDULERS = "torch.optim.lr_scheduler."
SAMPLERS = ("torch.utils.data.Sampler", "torch.utils.data.sampler.Sampler")


@rule(
    "TG817",
    "current releases reject this call",
    why="""An argument, a method or an attribute was removed, or an argument must be passed by
    keyword: an error when the line is reached. It is a hint where the packaging pins an older
    release, or the file asserts which one it runs with. Shown once per call.""",
    remedy="use what follows the colon",
    source=f"{STABLE}/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html",
    bad="""
import torch


def schedule(optimizer):
    return torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3, verbose=True)  # <--
""",
    good="""
import torch


def schedule(optimizer):
    return torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
""",
    once=True,
)
def refused_calls(module: Module) -> Iterator[Spot]:
    found = (
        *removed_arguments(module),
        *too_many(module),
        *missing_arguments(module),
        *given_to_samplers(module),
        *removed_methods(module),
        *refused_by_frameworks(module),
        *refused_objects(module),
    )
    for node, name, release, advice in found:
        provided = is_for_a_release(module, node) or is_own(module, name.split()[0].split("(")[0])
        if not provided and not is_caught(module, node, *ERRORS):
            library = re.split(r"\W", name)[0].replace("dict", "python")
            package = PACKAGES.get(library, library)
            kept = is_out_of_reach(module.project, package, release)
            kept = kept or asserts_release(module, name)
            kept |= library == "python" and is_of_python_2(module.project) == "all"
            yield Spot(node, f"{name}, since {library} {release}: {advice}", unsure=kept)


def removed_arguments(module: Module) -> Iterator[Refused]:
    """Where an argument is given that is gone."""
    for node in module.keywords:
        call = module.parents[node]
        if not isinstance(call, ast.Call) or node.arg is None:
            continue
        name = library_name(module, call.func)
        if node.arg == "verbose" and name.startswith(SCHEDULERS):
            yield call, name, "2.7", "leave `verbose` out"
        elif node.arg in (refused := ARGUMENTS.get(name, {})):
            yield call, f"{name}({node.arg}=...)", *refused[node.arg]


def too_many(module: Module) -> Iterator[Refused]:
    """Where an argument is given by its place that has to be named."""
    for last in {name.rpartition(".")[2] for name in BY_PLACE} & module.calls.keys():
        for call in module.calls[last]:
            name = library_name(module, call.func)
            if name in BY_PLACE and not has_stars(call):
                allowed, release = BY_PLACE[name]
                if len(call.args) > allowed:
                    yield call, name, release, f"pass the arguments{after(allowed)} by keyword"


def after(allowed: int) -> str:
    """Which arguments need no name, in words."""
    return f" after the first {allowed if allowed > 1 else 'one'}" if allowed else ""


def missing_arguments(module: Module) -> Iterator[Refused]:
    """Where an argument is missing without which the call is refused."""
    for call in module.calls.get("load", ()):
        if module.qualified(call.func) == "numpy.load" and is_of_objects(module, call):
            yield call, "numpy.load of objects", "1.16.3", "allow_pickle=True"
    for name, safe in (("load", "safe_load"), ("load_all", "safe_load_all")):
        for call in module.calls.get(name, ()):
            alone = len(call.args) == 1 and not call.keywords
            if alone and library_name(module, call.func) == f"yaml.{name}":
                yield call, f"yaml.{name}", "6.0", f"yaml.{safe}(...)"
    for call in module.torch_calls("stft"):
        if (
            module.qualified(call.func) == "torch.stft"
            and not has_stars(call)
            and keyword(call, "return_complex") is None
            and len(call.args) < 10
        ):
            advice = "return_complex=True, and `torch.view_as_real` of the result"
            yield call, "torch.stft", "2.0", advice


def given_to_samplers(module: Module) -> Iterator[Refused]:
    """Where a sampler that is made gives its data to torch's, which takes nothing by now."""
    for call in module.calls.get("__init__", ()):
        around = module.class_of(call)
        if around is None or around.name not in module.project.callers:
            continue
        bases = [module.qualified(one) for one in around.bases]
        owner = call.func.value if isinstance(call.func, ast.Attribute) else call
        above = isinstance(owner, ast.Call) and last_name(owner.func) == "super"
        if above and (call.args or call.keywords) and len(bases) == 1 and bases[0] in SAMPLERS:
            yield call, f"{SAMPLERS[0]} with data", "2.13", "super().__init__()"


def is_of_objects(module: Module, call: ast.Call) -> bool:
    """Whether what numpy loads is one object, such as a dict, and pickles are not allowed."""
    if has_stars(call) or keyword(call, "allow_pickle") is not None or len(call.args) > 2:
        return False
    around = module.parents[call]
    called = module.parents.get(around)
    if isinstance(around, ast.Attribute) and around.attr == "item":
        return isinstance(called, ast.Call) and not called.args
    key = around.slice if isinstance(around, ast.Subscript) else None
    return isinstance(key, ast.Tuple) and not key.elts  # [()]
