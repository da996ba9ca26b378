"""Samplers without an epoch, generators that are used up, flags of rates, and gone calls."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG224",
        """
import argparse

import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

def make_loader(dataset, use_ddp):
    if use_ddp:
        sampler = DistributedSampler(dataset)
        return DataLoader(dataset, batch_size=4, sampler=sampler)
    else:
        return DataLoader(dataset, batch_size=4, shuffle=True)

def train(dataset, run_epoch, use_ddp):
    loader = make_loader(dataset, use_ddp)
    for epoch in range(10):
        loader.sampler.set_epoch(epoch)  # <--
        run_epoch(loader)

def main(dataset, run_epoch):
    if torch.cuda.device_count() > 1:
        train(dataset, run_epoch, True)
    else:
        train(dataset, run_epoch, False)
""",
    ),
    (
        "TG224",
        """
from torch.utils.data import DataLoader, RandomSampler

def train(dataset, run_epoch):
    order = RandomSampler(dataset)
    loader = DataLoader(dataset, batch_size=4, sampler=order)
    for epoch in range(10):
        order.set_epoch(epoch)  # <--
        run_epoch(loader)
""",
    ),
    (
        "TG224",
        """
from torch.utils import data
from torch.utils.data.distributed import DistributedSampler

class Trainer:
    def __init__(self, dataset, world_size):
        self.sampler = DistributedSampler(dataset) if world_size > 1 else None
        self.loader = data.DataLoader(dataset, batch_size=4, sampler=self.sampler)

    def fit(self, run_epoch):
        for epoch in range(10):
            self.loader.sampler.set_epoch(epoch)  # <--
            run_epoch(self.loader)
""",
    ),
    (
        "TG423",
        """
import torch

class Optimizer:
    def __init__(self, parameters, lr, clip, decay):
        self.inner = torch.optim.Adam(parameters, lr=lr)
        self.clip, self.decay = clip, decay

    def __call__(self, loss, params):
        self.inner.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, self.clip)
        self.shrink(params)  # <--
        self.inner.step()

    def shrink(self, values):
        for value in values:
            value.data = (1 - self.decay) * value.data

class Agent(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.step_net = Optimizer(self.parameters(), 1e-3, 1.0, 0.1)

    def learn(self, batch):
        self.step_net(self.net(batch).mean(), self.parameters())
""",
    ),
    (
        "TG423",
        """
import torch

def fit(model, loader, optimizer):
    weights = model.parameters()
    for batch in loader:
        optimizer.zero_grad()
        model(batch).sum().backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)  # <--
        optimizer.step()
""",
    ),
    (
        "TG423",
        """
import torch

def build(model):
    trained = filter(lambda p: p.requires_grad, model.parameters())
    optimizer = torch.optim.SGD(trained, lr=0.1)
    print(sum(p.numel() for p in trained))  # <--
    return optimizer
""",
    ),
    (
        "TG344",
        """
from argparse import ArgumentParser

parser = ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--weight_decay", type=int, default=0.0)  # <--
parser.add_argument("--label-smoothing", default=0.0, type=int)  # <--
args = parser.parse_args()
print(args.lr, args.weight_decay, args.label_smoothing)
""",
    ),
    (
        "TG817",
        """
import pandas as pd

def write(tables, path):
    writer = pd.ExcelWriter(path)
    for name, table in tables.items():
        table.to_excel(writer, sheet_name=name)
    writer.save()  # <--
""",
    ),
    (
        "TG817",
        """
import ruamel.yaml as yaml

def read(path):
    return yaml.safe_load(path.read_text())  # <--
""",
    ),
    (
        "TG817",
        """
from pathlib import Path

from ruamel import yaml

def read(path, options):
    given = yaml.load(Path(path).read_text(), Loader=yaml.Loader)  # <--
    yaml.dump({**given, **options}, Path("used.yaml").open("w"))  # <--
    return given
""",
    ),
]

CLEAN: dict[str, str] = {
    "the epoch is told where the sampler is there": """
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

def fit(dataset, args, run_epoch):
    sampler = DistributedSampler(dataset) if args.distributed else None
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(args.epochs):
        if sampler is not None:
            sampler.set_epoch(epoch)
        sampler and sampler.set_epoch(epoch)
        if hasattr(loader.sampler, "set_epoch"):
            loader.sampler.set_epoch(epoch)
        run_epoch(loader)
""",
    "a sampler of several processes in any case": """
import torch.distributed as dist
from torch.utils.data import DataLoader, RandomSampler
from torch.utils.data.distributed import DistributedSampler

def fit(dataset, args, run_epoch):
    dist.init_process_group("nccl")
    sampler = DistributedSampler(dataset) if args.distributed else RandomSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        run_epoch(loader)
""",
    "a sampler of the project's that knows epochs": """
from torch.utils.data import DataLoader, Sampler
from torch.utils.data.distributed import DistributedSampler

class RandomSampler(Sampler):
    def __init__(self, size):
        self.size, self.epoch = size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        return iter(range(self.size))

def fit(dataset, distributed, run_epoch):
    sampler = DistributedSampler(dataset) if distributed else RandomSampler(len(dataset))
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(10):
        loader.sampler.set_epoch(epoch)
        run_epoch(loader)
""",
    "a sampler that is always replaced": """
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

def fit(dataset, run_epoch):
    sampler = None
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(10):
        sampler.set_epoch(epoch)
        run_epoch(loader)
""",
    "a function for several processes alone": """
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

def load(dataset, distributed):
    sampler = DistributedSampler(dataset) if distributed else None
    return DataLoader(dataset, batch_size=8, sampler=sampler)

def fit_on_all(dataset, args, run_epoch):
    loader = load(dataset, args.distributed)
    for epoch in range(10):
        loader.sampler.set_epoch(epoch)
        run_epoch(loader)

def main(dataset, args, run_epoch):
    if args.distributed:
        fit_on_all(dataset, args, run_epoch)
    else:
        run_epoch(load(dataset, False))
""",
    "left before, with one process": """
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

class Trainer:
    def __init__(self, dataset, distributed):
        self.distributed = distributed
        self.sampler = DistributedSampler(dataset) if distributed else None
        self.loader = DataLoader(dataset, batch_size=8, sampler=self.sampler)

    def tell(self, epoch):
        if not self.distributed:
            return
        self.sampler.set_epoch(epoch)

    def fit(self, run_epoch):
        for epoch in range(10):
            self.tell(epoch)
            run_epoch(self.loader)
""",
    "parameters that are listed, or asked for each time": """
import torch

def fit(model, loader, name):
    weights = list(model.parameters())
    optimizer = torch.optim.SGD(weights, lr=0.1)
    print(sum(p.numel() for p in weights))
    for batch in loader:
        optimizer.zero_grad()
        model(batch).sum().backward()
        given = model.parameters()
        torch.nn.utils.clip_grad_norm_(given, 1.0)
        optimizer.step()
""",
    "one of several optimizers takes the parameters": """
import torch

def build(model, name):
    params = filter(lambda p: p.requires_grad, model.parameters())
    if name == "sgd":
        return torch.optim.SGD(params, lr=0.1)
    if name == "adam":
        optimizer = torch.optim.Adam(params)
    elif name == "rmsprop":
        optimizer = torch.optim.RMSprop(params)
    else:
        raise ValueError(name)
    return optimizer
""",
    "optimizers that are made when they are asked for": """
import torch

def build(model, name):
    params = model.parameters()
    return {
        "sgd": lambda: torch.optim.SGD(params, lr=0.1),
        "adam": lambda: torch.optim.Adam(params),
    }[name]()
""",
    "a generator that is made anew": """
import torch

def build(model):
    params = model.parameters()
    for one in params:
        one.requires_grad = False
    params = model.head.parameters()
    return torch.optim.SGD(params, lr=0.1)
""",
    "a list under a name of torch's": """
import torch

class Group:
    def __init__(self, models):
        self.models = models

    def parameters(self):
        return [one for model in self.models for one in model.parameters()]

def fit(models, loader):
    params = Group(models).parameters()
    optimizer = torch.optim.SGD(params, lr=0.1)
    for batch in loader:
        optimizer.zero_grad()
        sum(model(batch).sum() for model in models).backward()
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        optimizer.step()
""",
    "parameters that some callers list": """
import torch

def step(optimizer, params, clip):
    norm = torch.nn.utils.clip_grad_norm_(params, clip)
    for one in params:
        one.grad.nan_to_num_()
    optimizer.step()
    return norm

def train(model, optimizer, head):
    step(optimizer, list(head.parameters()), 1.0)
    step(optimizer, model.parameters(), 1.0)
""",
    "counts with a point, and rates that are whole": """
from argparse import ArgumentParser

parser = ArgumentParser()
parser.add_argument("--lr_decay_epochs", type=int, default=0.0)
parser.add_argument("--max-steps", type=int, default=1e6)
parser.add_argument("--weight", type=int, default=1)
parser.add_argument("--weight_decay", type=float, default=0.0)
args = parser.parse_args()
print(args.lr_decay_epochs, args.max_steps, args.weight, args.weight_decay)
""",
    "sheets that are closed, and what else is saved": """
import pandas as pd
from ruamel.yaml import YAML

def write(tables, path, figure):
    with pd.ExcelWriter(path) as writer:
        for name, table in tables.items():
            table.to_excel(writer, sheet_name=name)
    figure.save()
    writer = figure.canvas
    writer.save()
    return YAML(typ="safe").load(path.with_suffix(".yaml"))
""",
}
