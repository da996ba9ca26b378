"""What readers judged in a further hundred repositories, in other words."""

UNPACKED = """
import argparse

import torch

def prepare(lines, path):
    torch.save((lines[:-9], lines[-9:]), path)

def main(model, fit, prepared, results):
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=0.1)
    args = parser.parse_args()
    {names} = torch.load(prepared, map_location="cpu"){mark}
    scores = fit(model, {names}, args.rate)
    torch.save((scores, model.state_dict(), args), results)
"""
COLLECTED = """
from multiprocessing import Pool

import torch

def measure(path, name):
    return name, torch.load(path, map_location="cpu", weights_only=True)["size"]

def measure_all(paths):
    {start}

    def keep(result):
        {keep}

    pool = Pool(4)
    for name, path in paths.items():
        pool.apply_async(measure, args=(path, name), callback=keep)  # <--
    pool.close()
    pool.join()
    return {end}
"""
COUNTED = """
def fit(model, loader, optimizer, loss_of, score_of, epochs):
    epoch = 0
    print(f"epoch {{{told}}} of {{epochs}}: {{score_of(model)}}")
    for epoch in range(1, epochs):{mark}
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        print(f"epoch {{epoch + 1}} of {{epochs}}: {{score_of(model)}}")
"""
HINTS: dict[str, tuple[str, str]] = {
    "a list of flags that a table overwrites": (
        "TG331",
        """
import argparse

TABLE = {"views": ["top", "front"]}

parser = argparse.ArgumentParser()
parser.add_argument("--views", default=[], type=list)  # <--
args = parser.parse_args()
for key, value in TABLE.items():
    setattr(args, key, value)
for view in args.views:
    print(view)
""",
    ),
    "a switch that nothing reads": (
        "TG314",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--flip", action="store_true", default=True)  # <--
parser.add_argument("--rate", type=float, default=0.1)
args = parser.parse_args()
print(args.rate * 2)
""",
    ),
    "results by names, without which the next lines fail": (
        "TG211",
        COLLECTED.format(
            start="sizes = {}",
            keep="name, sizes[name] = result",
            end="[sizes[name] for name in paths]",
        ),
    ),
    "a model that timm makes without what it was trained to": (
        "TG813",
        """
import numpy as np
import timm
import torch
from timm.models import register_model

@register_model
def small_net(pretrained=False, **options):
    net = torch.nn.Linear(8, 2)
    if pretrained:
        net.bias.data += np.float(0.5)  # <--
    return net

def main(name, batches, loss_of):
    net = timm.create_model(name, pretrained=False, width=8)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        loss_of(net, batch).backward()
        optimizer.step()
""",
    ),
}
PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG331",
        """
import argparse

TABLE = {"width": 8}

parser = argparse.ArgumentParser()
parser.add_argument("--views", default=[], type=list)  # <--
parser.add_argument("--width", default=4, type=int)
args = parser.parse_args()
for key, value in TABLE.items():
    setattr(args, key, value)
for view in args.views:
    print(view, args.width)
""",
    ),
    (
        "TG211",
        COLLECTED.format(start="sizes = []", keep="sizes.append(result)", end="dict(sizes)"),
    ),
    ("TG612", UNPACKED.format(names="train, test, known", mark="  # <--")),
    ("TG420", COUNTED.format(told="0", mark="  # <--")),
    (
        "TG302",
        """
import torch
from torch import nn

class Matched(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.goal = torch.zeros(width, requires_grad=True)  # <--

    def restart(self, width):
        self.goal = torch.zeros(width)

    def forward(self, features):
        return features * self.goal
""",
    ),
    (
        "TG704",
        """
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def wrap(model, args):
    dist.init_process_group("nccl", init_method="env://", world_size=args.world_size)
    model.cuda()  # <--
    return DistributedDataParallel(model)
""",
    ),
]
CLEAN: dict[str, str] = {
    **{what: code for what, (_, code) in HINTS.items()},
    "a file that is spread over as many names as no results have": UNPACKED.format(
        names="train, test", mark=""
    ),
    "scores of the first weights as those of an epoch": COUNTED.format(told="epoch + 1", mark=""),
    "a goal that a model is given later": """
import torch
from torch import nn

class Matched(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.goal = torch.zeros(width, requires_grad=True)

    def aim_at(self, goal):
        self.goal = goal

    def forward(self, features):
        return features * self.goal
""",
    "a process for all GPUs of a machine": """
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def wrap(model, args):
    dist.init_process_group("nccl", init_method=args.address, world_size=args.machines)
    model.cuda()
    return DistributedDataParallel(model)
""",
    "a switch whose help says that it bypasses something": """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--deterministic", action="store_false", help="if set, bypass this")
args = parser.parse_args()
print("alike" if args.deterministic else "faster")
""",
    "an evaluation on a part of the samples for training, in any order": """
import os

def parts(folder):
    names = [name for name in os.listdir(folder) if name.endswith(".png")]
    train_names = names[:]
    val_names = names[160:]
    return train_names, val_names
""",
}
