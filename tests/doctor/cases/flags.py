"""Command-line flags and other settings: planted faults, and code that has none."""

HEAD = """
import argparse
import json
import random

import torch
from torch import nn


def options():
    parser = argparse.ArgumentParser()
"""
TAIL = """
def train(args, model, loader, lr=0.1):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    torch.manual_seed(args.start)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    torch.save(model.state_dict(), args.out)
"""
COMMON = """
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--out", default="model.pt")
    return parser.parse_args()

"""

PLANTED: list[tuple[str, str]] = [
    # all flags are printed, and kept for people to read
    (
        "TG418",
        HEAD
        + """
    parser.add_argument("--smoothing", action="store_true")  # <--
    parser.add_argument("--weight-decay", type=float, dest="decay")  # <--
"""
        + COMMON
        + """
def keep(settings, folder):
    with open(folder + "/args.txt", "w") as file:
        file.write(str(settings))
    with open(folder + "/args.json", "w") as file:
        json.dump(vars(settings), file, indent=2)


def main(model, loader):
    args = options()
    for name, value in sorted(vars(args).items()):
        print(name, value)
    keep(args, "logs")
    train(args, model, loader)

"""
        + TAIL,
    ),
    # another value takes its place before anything reads it
    (
        "TG418",
        HEAD
        + """
    parser.add_argument("--lr", type=float, default=0.1)  # <--
"""
        + COMMON
        + """
def run(config, model, loader):
    print(config)
    config.lr = random.uniform(0.001, 0.1)
    train(config, model, loader, lr=config.lr)

"""
        + TAIL
        + """

if __name__ == "__main__":
    flags = options()
    run(flags, nn.Linear(2, 2), [])
""",
    ),
    # the class has such an attribute of its own, and the flag is never given to it
    (
        "TG418",
        HEAD
        + """
    parser.add_argument("--hidden-size", type=int, default=64)  # <--
    parser.add_argument("--dropout", type=float, default=0.5)  # <--
"""
        + COMMON
        + """
class Net(nn.Module):
    def __init__(self, hidden_size=32, dropout=0.1):
        super().__init__()
        self.hidden_size = hidden_size
        self.first = nn.Linear(4, self.hidden_size)
        self.last = nn.Linear(self.hidden_size, 1)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.last(self.drop(self.first(x)))


def main(loader):
    args = options()
    print(vars(args))
    train(args, Net(), loader)

"""
        + TAIL,
    ),
    # it is handed on, and the last one does nothing with it
    (
        "TG418",
        HEAD
        + """
    parser.add_argument("--random-flip", action="store_true")  # <--
    parser.add_argument("--momentum", type=float, default=0.9)  # <--
    parser.add_argument("--epochs", type=int, default=9)  # <--
    parser.add_argument("--depth", type=int, default=3)  # <--
"""
        + COMMON
        + """
class Images(torch.utils.data.Dataset):
    def __init__(self, images, flip):
        self.images = images
        self.is_flipped = flip

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index]


def build(depth, width):
    return nn.Linear(width, width)


class Run:
    def __init__(self, config, images):
        self.momentum = config.momentum
        self.loader = Images(images, flip=config.random_flip)
        print("epochs:", config.epochs)
        self.model = build(config.depth, 8)


def main(images):
    args = options()
    run = Run(args, images)
    train(args, run.model, run.loader)

"""
        + TAIL,
    ),
    # a seed by another name, kept under that name only
    (
        "TG108",  # of options that functions hand on and add to
        """
import argparse

import torch

def common():
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", default="5m_vs_6m")
    parser.add_argument("--seed", type=int, default=123, help="random seed")  # <--
    return parser.parse_args()

def of_mixer(args):
    args.width = 64
    return args

def make(args):
    return torch.nn.Linear(args.width, 2), args.game

if __name__ == "__main__":
    make(of_mixer(common()))
""",
    ),
    (
        "TG108",
        HEAD
        + """
    parser.add_argument("--model_init_seed", type=int, default=0)  # <--
"""
        + COMMON
        + """
class Run:
    def __init__(self, args):
        self.args = args
        self.model_init_seed = args.model_init_seed


def main(model, loader):
    args = options()
    run = Run(args)
    train(run.args, model, loader)

"""
        + TAIL,
    ),
    (  # a name for a flag, and a local one
        "TG332",
        """
import argparse


def report(lines, quiet: bool):
    shown = ~quiet  # <--
    done = False
    for line in lines:
        if shown and ~done:  # <--
            print(line)


parser = argparse.ArgumentParser()
parser.add_argument("--quiet", action="store_true")
config = parser.parse_args()
silent = config.quiet
report(["a"], ~silent)  # <--
""",
    ),
    (  # a setting of the project's configuration
        "TG333",
        """
from torch.utils.data import DataLoader

from settings import Node

_C = Node()
_C.DATA = Node()
_C.DATA.MIX = True


def load(cfg, dataset, rank):
    if rank > 0 or cfg.DATA.MIX | rank == 0:  # <--
        return DataLoader(dataset, batch_size=8)
    return DataLoader(dataset, batch_size=8, shuffle=True)
""",
    ),
    (  # a text that is asked for as a truth
        "TG310",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--full-size", type=str, default=True)  # <--
parser.add_argument("--flip", default=False)  # <--
args = parser.parse_args()


def prepare(image):
    if args.full_size and not args.flip:
        return image
    return image[::2]
""",
    ),
]

CLEAN: dict[str, str] = {
    "flags that go another way": HEAD
    + """
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--momentum", type=float, default=0.1)
"""
    + COMMON
    + """
class Net(nn.Module):
    def __init__(self, dropout, size):
        super().__init__()
        rate = dropout
        self.rate = rate
        self.size = size
        self.last = nn.Linear(self.size, 1)

    def forward(self, x):
        return self.last(nn.functional.dropout(x, self.rate, self.training))


class Run:
    def __init__(self, config):
        for name, value in vars(config).items():
            setattr(self, name, value)

    def go(self, model, loader):
        train(self, model, loader, lr=self.lr * self.momentum)


def main(data):
    args = options()
    args.batch_size = args.batch_size * 2
    model = Net(args.dropout, size=4)
    loader = torch.utils.data.DataLoader(data, batch_size=args.batch_size, shuffle=True)
    Run(args).go(model, loader)

"""
    + TAIL,
    "flags of which a part is set again": HEAD
    + """
    parser.add_argument("--lr", type=float, default=None)
    parser.add_argument("--epochs", type=int, default=None)
"""
    + COMMON
    + """
def main(model, loader):
    args = options()
    if args.lr is None:
        args.lr = 0.1
    choose(args)
    args.epochs = 5
    train(args, model, loader, lr=args.lr)


def choose(args):
    torch.set_num_threads(1 if args.epochs else 2)

"""
    + TAIL,
    "a flag that is set on a part of the model": HEAD
    + """
    parser.add_argument("--deterministic", action="store_true")
"""
    + COMMON
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.deterministic = False
        self.last = nn.Linear(4, 1)

    def forward(self, x):
        return self.last(x) if self.deterministic else self.last(x + torch.rand_like(x))


def main(loader):
    args = options()
    model = Net()
    model.deterministic = args.deterministic
    train(args, model, loader)

"""
    + TAIL,
    "flags given to a library": HEAD
    + """
    parser.add_argument("--lr", type=float, default=None)
    parser.add_argument("--epochs", type=int, default=None)
"""
    + COMMON
    + """
def main(model, loader):
    from tasks import build

    args = options()
    settings = dict(vars(args))
    train(args, build(**settings), loader)

"""
    + TAIL,
    "a rank that the environment gives, beside a flag that nothing reads": """
import argparse
import os

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
args = parser.parse_args()
rank = int(os.environ["RANK"])
torch.cuda.set_device(rank % torch.cuda.device_count())
torch.distributed.init_process_group("nccl", rank=rank)
""",
    "bits of numbers, and of tensors": """
import argparse

READ = 1
parser = argparse.ArgumentParser()
parser.add_argument("--mode", type=int, default=3)
args = parser.parse_args()


def pick(mask, keep=False):
    chosen = mask[~keep]
    if READ & args.mode == 0 or ~args.mode == 0:
        return chosen
    found = False
    for found in mask:
        chosen = chosen & ~found
    return chosen


def both(ready: bool, mask):
    return (ready & mask) == 1
""",
    "flags for a path or a text, which are off by default": """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--resume", type=str, default=False)
parser.add_argument("--shuffled", default=True)
parser.add_argument("--wide", nargs="?", const=True, default=False)
args = parser.parse_args()


def prepare(images, load):
    if args.resume:
        load(args.resume)
    if args.shuffled == "False" or args.wide:
        return images
    return images[::2]
""",
}
