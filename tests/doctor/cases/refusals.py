"""What torch, argparse and schedules refuse; seeds, scores and orders that are lost."""

HINTS: dict[str, tuple[str, str]] = {
    "a schedule that goes on from the rate that is there": (
        "TG606",
        """
import torch

def resume(optimizer, state):
    optimizer.load_state_dict(state["optimizer"])
    return torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.98)  # <--
""",
    ),
    "a flag of a dict, which a file fills": (
        "TG331",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--model-args", type=dict, default={})  # <--
args = parser.parse_args()
print(args.model_args)
""",
    ),
}
PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG813",
        """
from torchvision import datasets

class Pairs(datasets.CIFAR10):
    def __getitem__(self, index):
        image, target = self.train_data[index], 0  # <--
        return self.transform(image), target

def count(root):
    found = datasets.CIFAR100(root, train=False)
    return len(found.test_labels)  # <--
""",
    ),
    (
        "TG343",
        """
import torch

def report(scores, weights):
    total = torch.mean([float(score) for score in scores])  # <--
    return total, torch.max(weights)
""",
    ),
    (
        "TG344",
        """
import argparse

def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--warmup-share", default=.05, type=int)  # <--
    return parser.parse_args()
""",
    ),
    (
        "TG432",  # a function chooses the schedule, and another one moves it on
        """
from torch.optim import lr_scheduler

def schedule(optimizer, name):
    if name == "plateau":
        scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.2)  # <--
    else:
        scheduler = lr_scheduler.StepLR(optimizer, 20)
    return scheduler

class Runner:
    def __init__(self, optimizer, name):
        self.scheduler = schedule(optimizer, name)

    def end_epoch(self):
        self.scheduler.step()
""",
    ),
    (
        "TG411",  # beside a schedule
        """
from torch.nn.utils import clip_grad_norm_

def fit(model, loader, optimizer, scheduler, loss_of, limit):
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
        scheduler.step()
        if limit:
            clip_grad_norm_(model.parameters(), limit)  # <--
""",
    ),
    (
        "TG111",  # the function that seeds is called by a name with "seed" in it
        """
import torch

def set_seed(seed, cuda):
    if cuda:
        torch.cuda.manual_seed(seed)  # <--
    else:
        torch.manual_seed(seed)

def fit(model, loader, optimizer, loss_of):
    set_seed(1, True)
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
""",
    ),
    (
        "TG334",  # of torch.cuda
        """
import torch

torch.cuda.cudnn_benchmark = True  # <--
net = torch.nn.Conv2d(3, 8, 3)
""",
    ),
    (
        "TG608",  # which is told in between
        """
import torch

def main(model, args, run_epoch, validate):
    if args.resume:
        state = torch.load(args.resume, weights_only=True)
        model.load_state_dict(state["model"])
        best_accuracy = state["best_accuracy"]
        print("going on from", best_accuracy)
    best_accuracy = 0.0  # <--
    for epoch in range(args.epochs):
        run_epoch(model)
        accuracy = validate(model)
        if accuracy > best_accuracy:
            best_accuracy = accuracy
            torch.save({"model": model.state_dict(), "best_accuracy": accuracy}, "best.pt")
""",
    ),
    (
        "TG202",  # a generator goes through the loader again and again
        """
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

def cycle(iterable):
    while True:
        for item in iterable:
            yield item

def fit(model, dataset, optimizer, loss_of, steps, rank, world_size):
    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank)  # <--
    loader = DataLoader(dataset, 32, sampler=sampler)
    batches = cycle(loader)
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of(model, next(batches)).backward()
        optimizer.step()
""",
    ),
    (
        "TG202",  # the same, by `yield from`
        """
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

def load(dataset, size):
    sampler = DistributedSampler(dataset)  # <--
    return endless(DataLoader(dataset, size, sampler=sampler))

def endless(loader):
    while True:
        yield from loader
""",
    ),
]
CLEAN = {
    **{what: code for what, (_, code) in HINTS.items()},
    "fields of other data sets, of today's names, or that the class sets": """
from torchvision import datasets

class Pairs(datasets.CIFAR10):
    def __init__(self, root, labels):
        super().__init__(root)
        self.train_labels = labels

    def __getitem__(self, index):
        return self.transform(self.data[index]), self.train_labels[index]

def count(root, other):
    return len(datasets.SVHN(root).data), len(other.test_data)
""",
    "tensors and lists that torch takes": """
import torch

def totals(parts, model):
    stacked = torch.stack([part.sum() for part in parts]).sum()
    return stacked + sum(part.mean() for part in parts), torch.max(*parts), torch.cat([*parts])
""",
    "defaults that a flag's type reads": """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=10.0)
parser.add_argument("--rate", type=float, default=0.1)
""",
    "a schedule that is given its metric elsewhere": """
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR

def make(optimizer, plateau):
    scheduler = ReduceLROnPlateau(optimizer) if plateau else StepLR(optimizer, 9)
    return scheduler

def fit(optimizer, run_epoch, plateau):
    scheduler = make(optimizer, plateau)
    for epoch in range(9):
        loss = run_epoch()
        scheduler.step(loss) if plateau else scheduler.step()
""",
    "names that are put on torch for all to use": """
import torch

torch.cuda.rank = 0
torch.default_dtype_of_ours = torch.float32
""",
    "a cache that is read where it was written": """
import os

import torch

def read(path, compute):
    if os.path.exists(path):
        return torch.load(path, map_location="cpu")
    data = dict(path=path, wave=compute(path))
    torch.save(data, path)
    return data

def keep(model):
    torch.save({"path": "net.pt", "epoch": 3, "model": model.state_dict()}, "net.pt")
""",
    "an old function of which only forward is called": """
from torch.autograd import Function

class Detect(Function):
    def forward(self, boxes, scores):
        return boxes[scores > 0.5]

def show(model, images):
    detector = Detect()
    return detector.forward(*model(images))
""",
}
