"""What needs a GPU in a program that runs without one."""

import ast
import itertools
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Severity, rule
from ..shared.gpu_needs import asked_without_condition, is_of_a_gpu_program, needs_of
from ..shared.programs import starts


@rule(
    "TG345",
    "this needs a GPU, in a program that also supports the CPU",
    why="""The program runs on the CPU where there is no GPU, or where a flag says so, and checks
    for that elsewhere. This line does not check, so a run on the CPU fails here.""",
    remedy="use `.to(device)` as elsewhere, or put it under the same condition",
    source=f"{STABLE}/notes/cuda.html#device-agnostic-code",
    bad="""
import torch
from torch.nn.functional import cross_entropy

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(model, loader, optimizer):
    model.to(device)
    for images, labels in loader:
        optimizer.zero_grad()
        weight = torch.ones(10).cuda()  # <--
        cross_entropy(model(images.to(device)), labels.to(device), weight).backward()
        optimizer.step()


def main(model, loader):
    train(model, loader, torch.optim.Adam(model.parameters()))


main(*torch.load("prepared.pt", map_location="cpu", weights_only=False))
""",
    good="""
import torch
from torch.nn.functional import cross_entropy

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(model, loader, optimizer):
    model.to(device)
    for images, labels in loader:
        optimizer.zero_grad()
        weight = torch.ones(10, device=device)
        cross_entropy(model(images.to(device)), labels.to(device), weight).backward()
        optimizer.step()


def main(model, loader):
    train(model, loader, torch.optim.Adam(model.parameters()))


main(*torch.load("prepared.pt", map_location="cpu", weights_only=False))
""",
    severity=Severity.WARNING,
    once=True,
)
def gpu_only(module: Module) -> Iterator[ast.AST]:
    if module.name.endswith(".ipynb"):
        return  # which is run on the machine at hand
    if asked_without_condition(module):  # for the sake of speed
        places = [place for start in starts(module) for place in needs_of(start) or ()]
        own = dict.fromkeys(place for place in places if place[0] is module)
        yield from (node for _, node in itertools.filterfalse(is_of_a_gpu_program, own))
