"""Places that judges called wrong, in other words, and faults like them."""

HINTS: dict[str, tuple[str, str]] = {
    "a count that is saved under its own key, and that nothing reads again": (
        "TG604",
        """
import torch

def train(model, optimizer, batches, counts, path):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        counts["epoch"] += 1
    torch.save({"model": model.state_dict(), "epoch": counts["epoch"]}, path)  # <--

def restore(model, path):
    model.load_state_dict(torch.load(path, weights_only=True)["model"])
""",
    ),
    "momentum alone, where a scheduler of another name is told the epoch": (
        "TG604",
        """
import argparse

import torch

def train(model, batches, loss_of):
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", default="")
    parser.add_argument("--start_epoch", type=int, default=0)
    args = parser.parse_args()
    if args.resume:
        model.load_state_dict(torch.load(args.resume, weights_only=True))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    steps = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    run(model, optimizer, steps, batches, loss_of, args.start_epoch)

def run(model, optimizer, exp_lr_scheduler, batches, loss_of, start_epoch):
    for epoch in range(start_epoch, 90):
        for batch in batches:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        exp_lr_scheduler.step(epoch)
        torch.save(model.state_dict(), "last.pt")  # <--

if __name__ == "__main__":
    train(*torch.load("prepared.pt", weights_only=False))
""",
    ),
}
PLANTED: list[tuple[str, str]] = [
    (
        "TG810",  # a scheduler by the name that tutorials give it
        """
def tell(exp_lr_scheduler):
    print(exp_lr_scheduler.get_lr())  # <--
""",
    ),
    (
        "TG326",  # the name is given logits, but after the sigmoid was returned
        """
import torch
import torch.nn.functional as F
from torch import nn

class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def forward(self, x, short=True):
        score = torch.sigmoid(self.layer(x))
        if short:
            return score
        score = torch.sigmoid(self.layer(x * 2))
        return score

def main(batch, labels):
    critic = Critic()
    loss = F.binary_cross_entropy_with_logits(critic(batch), labels)  # <--
    loss.backward()
""",
    ),
    (
        "TG521",
        """
import os

import torch

def fit(net, batches, step, score, folder):
    lowest, best_error = 0, float("inf")
    best_error = 1e9
    while step(net, batches):
        error = score(net)
        print(lowest, error)
        if best_error > error:  # <--
            print("better")
            with open(os.path.join(folder, "note.txt"), "w") as note:
                note.write(str(error))
            torch.save(net.state_dict(), os.path.join(folder, "best.pt"))
""",
    ),
    (
        "TG222",
        """
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

def loaders(train, several):
    found = DataLoader(train, 32, shuffle=True)
    train_sampler = DistributedSampler(train, shuffle=True) if several else None
    if several:
        train_sampler = DistributedSampler(train)  # <--
    return found
""",
    ),
    (
        "TG347",
        """
import argparse

def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", type=int, default="0,1")  # <--
    parser.add_argument("--fold", type=int, default="0")
    parser.add_argument("--size", type=int, default="", required=True)
    parser.add_argument("sizes", type=int, default="")
    return parser.parse_args()
""",
    ),
    (
        "TG347",
        """
import argparse

def options(parser: argparse.ArgumentParser):
    parser.add_argument("--verbose", default=False, action="store_true", type=bool)  # <--
    parser.add_argument("--name", metavar="NAME", action="store", type=str)
""",
    ),
    (
        "TG347",
        """
import argparse

def options(parser: argparse.ArgumentParser):
    parser.add_argument("--data", requires=True)  # <--
""",
    ),
    (
        "TG320",
        """
import torch
from torch import nn

class Prompts(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.point = nn.Embedding(1, width)
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        self.point.weight = nn.Parameter(self.point.weight.to(x.dtype), requires_grad=True)  # <--
        if not hasattr(self, "shift"):
            self.shift = nn.Parameter(torch.zeros(1))
        return x + self.point.weight * self.scale
""",
    ),
    (
        "TG612",
        """
import torch

def save(net, loss_of, batches, path):
    optimizer = torch.optim.Adam(net.parameters())
    for batch in batches:
        optimizer.zero_grad()
        loss_of(net, batch).backward()
        optimizer.step()
    torch.save({"net": net.state_dict(), "optimizer": optimizer}, path)

def resume(net, path):
    state = torch.load(path, map_location="cpu")  # <--
    net.load_state_dict(state["net"])
    return state["optimizer"]
""",
    ),
]
CLEAN: dict[str, str] = {
    **{what: code for what, (_, code) in HINTS.items()},
    "losses that are made numbers together": """
def train(model, loader, optimizer, loss_of):
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss, error = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        loss, error = loss.item(), error.item()
        total += loss
    return total
""",
    "a scheduler that has no first rate": """
import torch

def resume(optimizer, state):
    optimizer.load_state_dict(state["optimizer"])
    return torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=9)
""",
    "logits that are returned before the sigmoid": """
import torch
import torch.nn.functional as F
from torch import nn

class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def forward(self, x, logits=False):
        score = self.layer(x)
        if logits:
            return score
        score = torch.sigmoid(score)
        return score

def main(batch, labels):
    critic = Critic()
    F.binary_cross_entropy_with_logits(critic(batch, logits=True), labels).backward()
""",
    "a layer and a loss that hold no tensor": """
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
device = torch.device("cpu" if args.no_cuda else "cuda")

def train(model, batches):
    halve, loss_of = nn.AvgPool2d(2).cuda(), nn.CrossEntropyLoss(ignore_index=255).cuda()
    model.to(device)
    for images, labels in batches:
        images = images.to(device)
        labels = labels.to(device)
        loss_of(model(halve(images)), labels).backward()

if __name__ == "__main__":
    train(*torch.load("prepared.pt", map_location="cpu", weights_only=False))
""",
    "a mode that a GPU alone allows, by the name of a parameter": """
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("--spread", action="store_true")
args = parser.parse_args()
args.spread = args.spread and torch.cuda.is_available()
device = torch.device("cpu" if args.no_cuda else "cuda")


class Net(nn.Module):
    def __init__(self, spread):
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.spread = spread

    def forward(self, x):
        if self.spread:
            x = x.to("cuda")
        return self.layer(x)


def train(batches):
    model = Net(args.spread)
    model.to(device)
    for images, labels in batches:
        images = images.to(device)
        labels = labels.to(device)
        nn.functional.cross_entropy(model(images), labels).backward()

if __name__ == "__main__":
    train(*torch.load("prepared.pt", map_location="cpu", weights_only=False))
""",
    "one process saves in each branch": """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def train(model, epochs, run_epoch):
    for epoch in range(epochs):
        run_epoch(model)
        if several:
            if dist.get_rank() == 0:
                torch.save(model.module.state_dict(), "last.pt")
        else:
            torch.save(model.state_dict(), "last.pt")

if __name__ == "__main__":
    several, net, *rest = torch.load("prepared.pt", weights_only=False)
    if several:
        dist.init_process_group("nccl")
        net = DistributedDataParallel(net)
    train(net, *rest)
""",
    "dropout that callers ask for": """
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x, perturbed=False):
        if perturbed:
            return torch.cat((x, nn.Dropout2d(0.5)(x)))
        return x
""",
    "a best score that another function, or the loop itself, updates": """
import torch

class Best:
    value = 0.0

def fit(net, step, score, path, best):
    best_value = 0.0
    for epoch in range(9):
        step(net)
        if (value := score(net)) > best_value:
            torch.save(net.state_dict(), path)
        best_value = max(best_value, value)
        if value > best.best_value:
            torch.save(net.state_dict(), path)

def choose(net, score, path):
    best_value = 0.5
    if score(net) > best_value:
        torch.save(net.state_dict(), path)
""",
    "samplers that are read": """
from torch.utils.data import DataLoader, RandomSampler

def loader(data):
    sampler = RandomSampler(data)
    return lambda size: DataLoader(data, size, sampler=sampler)

def again(data, epochs):
    sampler = RandomSampler(data)
    for epoch in range(epochs):
        print(len(sampler))
        sampler = RandomSampler(data)
""",
    "flags of a parser of another kind": """
import argparse

class Options:
    def __init__(self):
        self.parser = argparse.ArgumentParser()

    def add_argument(self, name, group=""):
        self.parser.add_argument(name, help=group)

options = Options()
options.add_argument("--rate", group="optimizer")
""",
    "the names of all GPUs, of which there may be none": """
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
device = torch.device("cpu" if args.no_cuda else "cuda")

def train(model, batches):
    print([torch.cuda.get_device_name(k) for k in range(torch.cuda.device_count())])
    model.to(device)
    for images, labels in batches:
        images = images.to(device)
        labels = labels.to(device)
        nn.functional.cross_entropy(model(images), labels).backward()

if __name__ == "__main__":
    train(*torch.load("prepared.pt", map_location="cpu", weights_only=False))
""",
    "the state of an optimizer by a name of its own": """
import torch

def save(net, optimizer, opt, path):
    optimizer_state = optimizer.state_dict()
    torch.save({"net": net.state_dict(), "optimizer": optimizer_state, "size": opt}, path)

def resume(net, optimizer, path):
    state = torch.load(path, map_location="cpu")  # torchgen: ignore[TG601] a file of our own
    net.load_state_dict(state["net"])
    optimizer.load_state_dict(state["optimizer"])
    return state["size"]
""",
}
