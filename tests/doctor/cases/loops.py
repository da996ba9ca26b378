"""Loops, schedules, flags and processes: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG111",
        """
import argparse
import random

import numpy as np
import torch
from torch.utils.data import DataLoader

from project import Model, dataset, loss_of

def set_seed(seed):
    random.seed(seed)  # <--
    np.random.seed(seed)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    set_seed(parser.parse_args().seed)
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in DataLoader(dataset, batch_size=8, shuffle=True):
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()

if __name__ == "__main__":
    main()
""",
    ),
    (
        "TG111",
        """
import numpy as np
import torch

from project import Model, fit

if __name__ == "__main__":
    np.random.seed(10)  # <--
    model = Model()
    fit(model, torch.optim.Adam(model.parameters()))
""",
    ),
    (
        "TG209",
        """
import torch
from torch.utils.data.distributed import DistributedSampler

def sampler_of(dataset, args):
    return DistributedSampler(  # <--
        dataset, num_replicas=torch.cuda.device_count(), rank=args.local_rank
    )
""",
    ),
    (
        "TG314",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--rotate", default=True, action="store_true")  # <--
parser.add_argument("--seed", type=int)
args = parser.parse_args()
args.rotate = args.rotate and args.seed is not None
print(args.rotate)
""",
    ),
    (
        "TG424",
        """
import torch

class Trainer:
    def groups(self, model, lr):
        groups = [
            {"params": model.encoder.parameters(), "lr": lr * 0.1},
            {"params": model.decoder.parameters()},
        ]
        return groups

    def build(self, model, args):
        self.optimizer = torch.optim.AdamW(self.groups(model, args.lr), lr=args.lr)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(  # <--
            self.optimizer, args.lr, total_steps=args.steps
        )
""",
    ),
    (
        "TG424",
        """
import torch
from torch.optim.lr_scheduler import CyclicLR

def build(model):
    slow, fast = model.backbone.parameters(), model.head.parameters()
    groups = [dict(params=slow, lr=1e-4), dict(params=fast, lr=1e-2)]
    optimizer = torch.optim.SGD(groups, momentum=0.9)
    return CyclicLR(optimizer, base_lr=1e-4, max_lr=1e-2)  # <--
""",
    ),
    (
        "TG425",
        """
import math

import torch
from torch.nn.parallel import DistributedDataParallel

def epoch(model, loader, optimizer, loss_of):
    for batch in loader:
        loss = loss_of(model, batch)
        value = loss.item()
        if not math.isfinite(value):
            print("skipped")
            continue  # <--
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

def main(model, rank, loader, optimizer, loss_of, epochs):
    model = DistributedDataParallel(model, device_ids=[rank])
    for _ in range(epochs):
        epoch(model, loader, optimizer, loss_of)
""",
    ),
    (
        "TG611",
        """
import torch

def fit(model, train, loader, epochs, resume):
    start, best = 0, 0.0

    def test(epoch):
        nonlocal best
        score = model.score(loader)
        if score > best:
            best = score
            state = {"model": model.state_dict(), "score": score, "epoch": epoch}
            torch.save(state, "best.pt")

    if resume:
        state = torch.load("best.pt", map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        best = state["score"]
        start = state["epoch"]  # <--
    for epoch in range(start, epochs):
        train(epoch)
        test(epoch)
""",
    ),
    (
        "TG621",
        """
import torch

def fit(model, ema, loader, args, step):
    for epoch in range(args.epochs):
        done = 0
        batches = iter(loader)
        while done < len(loader):
            step(model, next(batches))
            done += 1
            if done % args.every == 0 and args.rank == 0:
                torch.save(model.state_dict(), f"{epoch}-{done}.pt")  # <--
                torch.save(ema.state_dict(), f"ema-{epoch}-{done}.pt")
""",
    ),
    (
        "TG620",
        """
import os

import torch

folder = os.path.join(os.getcwd(), "weights", "small" + os.sep)

def save(model, epoch):
    torch.save(model.state_dict(), folder + "epoch%d.pt" % epoch)  # <--
""",
    ),
    (
        "TG411",
        """
import torch
from torch.nn.utils import clip_grad_norm_


def train(model, loader, loss_of, optimizer, clip):
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        if clip > 0:
            clip_grad_norm_(model.parameters(), clip)  # <--
        loss.backward()
        optimizer.step()
""",
    ),
    (
        "TG202",
        """
from torch.utils.data import DataLoader, DistributedSampler


class Learner:
    def __init__(self, dataset):
        self.loader = DataLoader(dataset, sampler=DistributedSampler(dataset))  # <--

    def train(self, steps):
        while True:
            for batch in self.loader:
                if self.step == steps:
                    return
                self.train_step(batch)
                self.step += 1

    def train_step(self, batch):
        self.optimizer.zero_grad()
        self.loss_of(batch).backward()
        self.optimizer.step()
""",
    ),
    (
        "TG331",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--gpu-ids", type=list, default=[0], help="which GPUs to use")  # <--
""",
    ),
    (
        "TG816",
        """
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, dataset):
        self.source = DataLoader(dataset, batch_size=8)
        self.batches = iter(self.source)

    def batch(self):
        try:
            return self.batches.next()  # <--
        except StopIteration:
            self.batches = iter(self.source)
            return next(self.batches)
""",
    ),
    (
        "TG624",
        """
import argparse
import os

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=10)
parser.add_argument("--resume", type=str, default="./checkpoints")  # <--


def main(model, load_data, step):
    args = parser.parse_args()
    os.makedirs(args.resume, exist_ok=True)
    for epoch in range(args.epochs):
        for batch in load_data():
            step(batch).backward()
        torch.save(model.state_dict(), os.path.join(args.resume, f"{epoch}.pt"))
""",
    ),
]

CLEAN: dict[str, str] = {
    "a seed for a split of the data": """
import numpy as np
import torch
from torch.utils.data import DataLoader

def load(dataset):
    np.random.seed(3)
    chosen = np.random.permutation(len(dataset))
    return DataLoader(torch.utils.data.Subset(dataset, chosen), batch_size=8, shuffle=True)

def fit(model, dataset, loss_of):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in load(dataset):
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
""",
    "a process for each GPU of one machine": """
import torch
import torch.distributed as dist
from torch.utils.data import DistributedSampler

def work(rank, dataset):
    gpus = torch.cuda.device_count()
    dist.init_process_group("nccl", rank=rank, world_size=gpus)
    return DistributedSampler(dataset, num_replicas=gpus, rank=rank)

def start(dataset):
    torch.multiprocessing.spawn(work, args=(dataset,), nprocs=torch.cuda.device_count())
""",
    "a flag that the program turns off": """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--rotate", default=True, action="store_true")
parser.add_argument("--plain", action="store_true")
args = parser.parse_args()
if args.plain:
    args.rotate = False
print(args.rotate)
""",
    "a rate for each group, or the same for all": """
import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, OneCycleLR

def build(model, lr, steps, max_lrs):
    slow, fast = model.backbone.parameters(), model.head.parameters()
    groups = [{"params": slow, "lr": lr / 10}, {"params": fast, "lr": lr}]
    optimizer = torch.optim.SGD(groups, lr=lr)
    rates = [lr / 10, lr]
    if steps:
        return OneCycleLR(optimizer, max_lr=rates, total_steps=steps)
    if max_lrs:
        return OneCycleLR(optimizer, max_lrs, steps)
    return CosineAnnealingLR(optimizer, 10)

def even(model, lr, steps):
    groups = [
        {"params": model.weights(), "weight_decay": 0.1, "lr": lr},
        {"params": model.biases(), "weight_decay": 0.0, "lr": lr},
    ]
    return OneCycleLR(torch.optim.SGD(groups, lr=lr), lr, total_steps=steps)
""",
    "processes that leave out a step together, and one alone": """
import math

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def epoch(model, loader, optimizer, loss_of):
    for batch in loader:
        loss = loss_of(model, batch)
        whole = loss.detach().clone()
        dist.all_reduce(whole)
        if not math.isfinite(whole.item() + loss.item()):
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

def main(model, rank, loader, optimizer, loss_of):
    epoch(DistributedDataParallel(model, device_ids=[rank]), loader, optimizer, loss_of)
""",
    "one process that leaves out a step": """
import torch

def epoch(model, loader, optimizer, loss_of):
    for batch in loader:
        loss = loss_of(model, batch)
        if torch.isnan(loss):
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
""",
    "a training function that saves in the middle of an epoch": """
import torch

def fit(model, loader, optimizer, loss_of, epochs, resume, prepare):
    start = 0

    def train(epoch):
        for i, batch in enumerate(loader):
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
            if i % 1000 == 0:
                moments = optimizer.state_dict()
                state = {"model": model.state_dict(), "optimizer": moments, "epoch": epoch}
                torch.save(state, f"{epoch}-{i}.pt")
        torch.save(model.state_dict(), "last.pt")

    if resume:
        state = torch.load(resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]
    for epoch in range(start, epochs):
        prepare(epoch)
        train(epoch)
""",
    "epochs that fit by default": """
import argparse

import torch

def main(model, run_epoch):
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--every", type=int, default=10)
    args = parser.parse_args()
    for epoch in range(1, args.epochs + 1):
        run_epoch(model)
        if epoch % args.every == 0:
            torch.save(model.state_dict(), f"{epoch}.pt")
""",
    "a run without an end": """
import itertools

import torch

def fit(model, run_epoch, every):
    for epoch in itertools.count(1):
        run_epoch(model)
        if epoch % every == 0:
            torch.save(model.state_dict(), f"{epoch}.pt")
""",
    "weights saved within an epoch, and behind the last": """
import torch

def fit(model, loader, epochs, every, step):
    for epoch in range(epochs):
        for i, batch in enumerate(loader):
            step(model, batch)
            if (i + 1) % every == 0:
                torch.save(model.state_dict(), f"{epoch}-{i}.pt")
    torch.save(model.state_dict(), "last.pt")
""",
    "weights saved by all steps so far, or a part of an epoch": """
import torch

def fit(model, loader, epochs, step, parts):
    every = len(loader) // parts
    for epoch in range(epochs):
        for i, batch in enumerate(loader):
            step(model, batch)
            if (i + 1) % every == 0:
                torch.save(model.state_dict(), f"{epoch}-{i}.pt")
""",
    "a folder below the one of the start, which is made": """
import os

import torch

folder = os.path.join(os.getcwd(), "weights")

def save(model, epoch):
    os.makedirs(os.path.join(os.getcwd(), "weights"), exist_ok=True)
    torch.save(model.state_dict(), os.path.join(folder, f"{epoch}.pt"))
""",
    "a gradient that is clipped now and then, and a draw under a flag that nobody sets": """
import numpy as np
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader, Dataset


def choose(points):
    return points[np.random.randint(len(points))]


class Points(Dataset):
    def __init__(self, files, spread=False):
        self.files = files
        self.spread = spread

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        points = np.load(self.files[index])
        if self.spread:
            points = choose(points)
        return points


def train(model, files, loss_of, optimizer, clip):
    for batch in DataLoader(Points(files), batch_size=8, shuffle=True, num_workers=4):
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        if clip > 0:
            clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
""",
    "a `next` of the project's own, and a resume in a helper": """
import argparse

from project import restore

parser = argparse.ArgumentParser()
parser.add_argument("--resume", default="")


class Prefetcher:
    def __init__(self, loader):
        self.batches = iter(loader)

    def next(self):
        return next(self.batches, None)


def main(model, loader, step):
    args = parser.parse_args()
    if args.resume:
        restore(model, args.resume)
    ahead = Prefetcher(loader)
    batch = ahead.next()
    while batch is not None:
        step(batch).backward()
        batch = ahead.next()
""",
    "a schedule in closed form on an optimizer that was brought back": """
import torch


def resume(optimizer, state, epochs):
    optimizer.load_state_dict(state["optimizer"])
    decay = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 - epoch / epochs)
    decay.load_state_dict(state["decay"])
    return decay
""",
}
