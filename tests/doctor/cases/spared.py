"""What judges of public repositories called wrong or petty, and the faults beside it."""

HINTS: dict[str, tuple[str, str]] = {
    "a rate that nothing reads": (
        "TG810",
        """
from torch.optim.lr_scheduler import StepLR

def train(optimizer, epochs, run_epoch):
    scheduler = StepLR(optimizer, 30)
    for epoch in range(epochs):
        run_epoch()
        scheduler.step()
        rate = scheduler.get_lr()[0]  # <--
""",
    ),
    "a setting that is what it is anyway": (
        "TG334",
        """
import torch

torch.backends.cudnn.enable = True  # <--
layer = torch.nn.Conv2d(3, 8, 3)
""",
    ),
    "a number of classes that the data set fixes": (
        "TG418",
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--dataset", default="cifar10")
parser.add_argument("--num-classes", type=int, default=1000)  # <--
args = parser.parse_args()
if args.dataset == "cifar10":
    args.num_classes = 10
elif args.dataset == "cifar100":
    args.num_classes = 100
else:
    print("cifar10 or cifar100")
model = torch.nn.Linear(8, args.num_classes)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(1, 8)).sum().backward()
optimizer.step()
""",
    ),
    "an option between the weights and the whole model": (
        "TG602",
        """
import torch

def keep(path, weights_only=True):
    model = torch.nn.Linear(8, 2)
    if weights_only:
        torch.save(model.state_dict(), path)
    else:
        torch.save(model, path)  # <--
""",
    ),
    "weights that are moved to the CPU one by one": (
        "TG610",
        """
import argparse

import torch

def save(model, path):
    state = model.state_dict()
    for key in state:
        state[key] = state[key].to(torch.device("cpu"))
    torch.save(state, path)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", default="net.pt")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(4, 4)
    model.load_state_dict(torch.load(args.weights, weights_only=True))  # <--
    print(model.to(device)(torch.ones(1, 4).to(device)))

main()
""",
    ),
    "a seed that torch reads as a text too": (
        "TG313",
        """
import argparse
import random

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--seed", default=123)  # <--
args = parser.parse_args()
random.seed(args.seed)
torch.manual_seed(args.seed)
""",
    ),
    "one loss in a hundred, kept by a caller": (
        "TG408",
        """
class Trainer:
    def step(self, batch):
        self.optimizer.zero_grad()
        loss = self.loss_of(self.model, batch)
        loss.backward()
        self.optimizer.step()
        return loss

    def run(self, loader):
        losses = []
        for number, batch in enumerate(loader):
            loss = self.step(batch)
            if number % 100 == 0:
                losses.append(loss)  # <--
        return losses
""",
    ),
}
PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG502",  # of two calls that evaluate one is under no_grad
        """
import torch

def step(part, model, loader, optimizer=None):
    total = 0.0
    model.train(part == "train")
    for images, labels in loader:  # <--
        loss = (model(images) - labels).pow(2).mean()
        if part == "train":
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total

def validate(model, loader):
    with torch.no_grad():
        return step("val", model, loader)

def test(model, loader):
    return step("test", model, loader)

def main(model, loader, optimizer):
    print(step("train", model, loader, optimizer), validate(model, loader), test(model, loader))
""",
    ),
    (
        "TG204",  # a generator that ends
        """
from torch.utils.data import DataLoader

def predictions(model, test_set):
    test_loader = DataLoader(test_set, batch_size=64, drop_last=True)  # <--
    for images, labels in test_loader:
        yield model(images), labels
""",
    ),
    (
        "TG204",  # a loop that waits for something, and scores all batches in each round
        """
from torch.utils.data import DataLoader

def watch(model, test_set, newest):
    test_loader = DataLoader(test_set, batch_size=64, drop_last=True)  # <--
    while True:
        model.load_state_dict(newest())
        print(sum((model(images).argmax(1) == labels).sum() for images, labels in test_loader))
""",
    ),
    (
        "TG320",  # an input that becomes a parameter, and is computed with
        """
import torch
from torch import nn

class Prompted(nn.Module):
    def forward(self, x, prompt):
        self.prompt = nn.Parameter(prompt)  # <--
        return torch.cat([self.prompt, x])
""",
    ),
    (
        "TG810",  # the rate is drawn
        """
from torch.optim.lr_scheduler import StepLR

def train(optimizer, epochs, run_epoch, writer):
    scheduler = StepLR(optimizer, 30)
    for epoch in range(epochs):
        run_epoch()
        scheduler.step()
        rate = scheduler.get_lr()[0]  # <--
        writer.add_scalar("rate", rate, epoch)
""",
    ),
    (
        "TG334",  # benchmark is off unless it is set
        """
import torch

torch.backends.cudnn.benchmarks = True  # <--
layer = torch.nn.Conv2d(3, 8, 3)
""",
    ),
    (
        "TG418",  # what a user may want to try
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--dataset", default="tmall")
parser.add_argument("--dropout", type=float, default=0.1)  # <--
args = parser.parse_args()
if args.dataset == "tmall":
    args.dropout = 0.2
elif args.dataset == "yoochoose":
    args.dropout = 0.4
model = torch.nn.Sequential(torch.nn.Linear(8, 2), torch.nn.Dropout(args.dropout))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(1, 8)).sum().backward()
optimizer.step()
""",
    ),
    (
        "TG313",  # numpy refuses a text
        """
import argparse

import numpy as np
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--seed", default=123)  # <--
args = parser.parse_args()
np.random.seed(args.seed)
torch.manual_seed(args.seed)
""",
    ),
    (
        "TG602",  # the whole in both ways
        """
import torch

def keep(path, last):
    model = torch.nn.Linear(8, 2)
    if last:
        torch.save({"weights": model.state_dict()}, "last.pt")
    else:
        torch.save(model, path)  # <--
""",
    ),
]
CLEAN: dict[str, str] = {
    **{what: code for what, (_, code) in HINTS.items()},
    "an evaluation by a word, whose calls that evaluate are under no_grad": """
import torch

def train(model, loader, optimizer):
    return step("train", model, loader, optimizer)

def validate(model, loader):
    with torch.no_grad():
        return step("test", model, loader)

def step(part, model, loader, optimizer=None):
    total = 0.0
    if part == "train":
        model.train()
    else:
        model.eval()
    for images, labels in loader:
        loss = (model(images) - labels).pow(2).mean()
        if part == "train":
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += float(loss) * len(images)
    return total

def main(model, loader, optimizer):
    print(train(model, loader, optimizer), validate(model, loader))
""",
    "a loader that feeds prompts without an end": """
import torch
from torch.utils.data import DataLoader

def sample(accelerator, model, data, size, count):
    test_set = data.get_split("test")
    test_loader = DataLoader(test_set, batch_size=size, shuffle=True, drop_last=True)
    model, test_loader = accelerator.prepare(model, test_loader)

    def prompts():
        while True:
            for _, text in test_loader:
                yield text

    source = prompts()
    with torch.no_grad():
        return [model(next(source)) for _ in range(count)]
""",
    "an input that is put aside as a parameter for others to look at": """
from torch import nn

class Keeping(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = None

    def forward(self, x):
        self.seen = nn.Parameter(x)
        return x
""",
}
