"""Flags that promise a resume, in programs that load nothing."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePath

from ...project import Module
from ...rule import Severity, rule
from ..shared.weights_alone import is_script
from .checkpoint import SAVING

# whatever may bring back what a run had
LOADS = re.compile(r"resum|restor|recover|unpickle|from_pretrained|load(?!er|ing)", re.I)
# what is loaded is data, or a description
NO_STATE = re.compile(
    r"load_?(data|img|image|json|yaml|txt|csv|config|args|label|annot|class|split|file_?list)"
    r"|^(loads?|safe_load|full_load|loadtxt|loadmat)$",
    re.I,
)
LOADERS = ("torch.load", "pickle.load", "joblib.load", "numpy.load", "jax.load")


@rule(
    "TG624",
    "a program with `--resume` loads no checkpoint",
    why="""The flag asks to resume from a checkpoint, but no code in the program loads one: the run
    starts with new weights, under the numbers of the old one.""",
    remedy="load the model, optimizer, schedule and epoch there, or remove the flag",
    source=SAVING,
    bad="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--resume", default="", help="path to the latest checkpoint")  # <--
args = parser.parse_args()


def train(model, loader, optimizer, loss_of, save):
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
    save(model, args.resume)
""",
    good="""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--resume", default="", help="path to the latest checkpoint")
args = parser.parse_args()


def train(model, loader, optimizer, loss_of):
    state = torch.load(args.resume, weights_only=True) if args.resume else None
    if state is not None:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
""",
    severity=Severity.WARNING,
)
def nothing_loaded(module: Module) -> Iterator[ast.AST]:
    flags = [
        call
        for call in module.calls.get("add_argument", ())
        if call.args
        and isinstance(call.args[0], ast.Constant)
        and re.fullmatch(
            r"--(auto[-_])?resume([-_](from|path|file|checkpoint))?", str(call.args[0].value)
        )
    ]
    near = module.project.near(module) if flags else []
    trains = any("backward" in other.calls for other in near)
    unread = any(name not in module.project.contents for name in module.project.broken)
    if not trains or unread or module.project.has_framework(module):
        return
    brought = module.project.imported_parts
    own = PurePath(module.name).stem
    program = [
        other
        for other in near
        if not is_script(other)
        or PurePath(other.name).stem in brought
        or any(own in whole.split(".") for whole in other.imports.values())
    ]
    if not any(map(loads_state, {module, *program})):
        yield from flags[:1]


def loads_state(module: Module) -> bool:
    """Whether a file calls anything that may load weights, other than those of the internet."""
    published = any(name in module.calls for name in ("load_url", "load_state_dict_from_url"))
    if published and not any(True for _ in module.torch_calls("load")):
        return False
    return any(
        LOADS.search(name)
        and (not NO_STATE.search(name) or any(module.qualified(c.func) in LOADERS for c in calls))
        for name, calls in module.calls.items()
    )
