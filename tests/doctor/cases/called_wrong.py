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
    "a switch that is given a type is refused at once": """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--zero", default=False, action="store_true", type=bool)
args = parser.parse_args()

def kept(values):
    return values if args.zero else [one for one in values if one]
""",
}
