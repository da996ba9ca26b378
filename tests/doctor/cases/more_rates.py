"""Schedules of the rate: when they step, and what the rate is set from."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG417",
        """
import torch
from torch import optim

class GAN:
    def __init__(self, G, D):
        self.optim_G = optim.Adam(G.parameters())
        self.optim_D = optim.Adam(D.parameters())
        self.sched_G = optim.lr_scheduler.StepLR(self.optim_G, 100)
        self.sched_D = optim.lr_scheduler.StepLR(self.optim_D, 100)  # <--
    def train(self, loader, epochs):
        for e in range(epochs):
            for x in loader:
                self.optim_D.zero_grad()
                self.D(x).mean().backward()
                self.optim_D.step()
                self.optim_G.zero_grad()
                self.D(self.G(x)).mean().backward()
                self.optim_G.step()
            self.sched_G.step()
""",
    ),
    (
        "TG434",
        """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

import wandb
def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    scheduler = lr_scheduler.StepLR(optimizer, 10)

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step()
        wandb.log({"loss": loss.item(), "lr": args.lr})  # <--
""",
    ),
    (
        "TG434",
        """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    scheduler = lr_scheduler.StepLR(optimizer, 10)

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step()
        print(f"epoch {epoch} loss {loss.item()} lr {args.lr}")  # <--
""",
    ),
    (
        "TG421",
        """
import torch
from torch import optim

def build(model, args):
    if args.opt == "adam":
        optimizer = optim.Adam(model.parameters(), args.lr)
    else:
        optimizer = optim.SGD(model.parameters(), 0.01)  # <--
    return optimizer
def fit(model, loader, args):
    optimizer = build(model, args)
    for x in loader:
        optimizer.zero_grad(); model(x).sum().backward(); optimizer.step()
""",
    ),
]

CLEAN: dict[str, str] = {
    "a scheduler that steps from the second epoch on": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    scheduler = lr_scheduler.StepLR(optimizer, 10)

    for epoch in range(args.epochs):
        if epoch > 0:
            scheduler.step()
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
""",
    "a scheduler of the project, whose first step sets the first rate": """
import torch
from torch import nn, optim
import torch.nn.functional as F

class EpochStepScheduler:
    def __init__(self, optimizer, every):
        self.optimizer, self.every, self.epoch = optimizer, every, -1
        self.first = optimizer.param_groups[0]["lr"]
    def step(self):
        self.epoch += 1
        for g in self.optimizer.param_groups:
            g["lr"] = self.first * 0.1 ** (self.epoch // self.every)

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    scheduler = EpochStepScheduler(optimizer, 10)

    for epoch in range(args.epochs):
        scheduler.step()
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
""",
    "a scheduler that does not step the first time": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    scheduler = lr_scheduler.MultiStepLR(optimizer, [10, 20])
    first = True
    for epoch in range(args.epochs):
        if not first:
            scheduler.step()
        first = False
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
""",
    "a step of a scheduler in a list of hooks": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    scheduler = lr_scheduler.StepLR(optimizer, 10)
    hooks = [scheduler.step]

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        for hook in hooks:
            hook()
""",
    "another name for the step of a scheduler": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    scheduler = lr_scheduler.StepLR(optimizer, 10)
    advance = scheduler.step

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        advance()
""",
    "a scheduler that another package moves on": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

from fastlib import run_epochs
def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    sched = lr_scheduler.StepLR(optimizer, 10)
    def one(x, y):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    run_epochs(one, loader, args.epochs, on_epoch_end=sched)
""",
    "the types of a schedule and of a dataset": """
import torch
from torch import optim
import torch.nn.functional as F
def make(cfg, optimizer):
    if cfg.scheduler.name == "multistep":
        scheduler = optim.lr_scheduler.MultiStepLR(optimizer, [10])
    else:
        scheduler = optim.lr_scheduler.StepLR(optimizer, 10)
    return scheduler
def fit(model, loader, cfg):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = make(cfg, optimizer)
    for epoch in range(cfg.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        if cfg.dataset.name == "cifar":
            scheduler.step()
        elif cfg.dataset.name == "imagenet":
            scheduler.step()
""",
    "the types of a schedule and of a loss": """
import torch
from torch import optim
import torch.nn.functional as F
def fit(model, loader, config):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    if config["scheduler"]["type"] == "step":
        scheduler = optim.lr_scheduler.StepLR(optimizer, 10)
    for epoch in range(config["epochs"]):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        if config["model"]["type"] != "teacher":
            pass
        else:
            continue
        if config["loss"]["type"] == "ce":
            scheduler.step()
""",
    "a setting that is kept up to date with the rate": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    scheduler = lr_scheduler.StepLR(optimizer, 10)
    log = {"lr": []}

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step()
        args.lr = optimizer.param_groups[0]["lr"]
        log["lr"].append(args.lr)
""",
    "the rates of several runs": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def sweep(model, loader, configs, res):
    for config in configs:
        optimizer = optim.SGD(model.parameters(), lr=config.lr)
        scheduler = lr_scheduler.StepLR(optimizer, 10)
        for epoch in range(9):
            for x, y in loader:
                optimizer.zero_grad(); F.cross_entropy(model(x), y).backward(); optimizer.step()
            scheduler.step()
        res["lr"].append(config.lr)
""",
    "two schedulers, one with a metric": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    warm = lr_scheduler.LinearLR(optimizer)
    red = lr_scheduler.ReduceLROnPlateau(optimizer)

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        warm.step()
        red.step(loss)
""",
    "a scheduler that another package moves on by a metric": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

from helper import adjust
def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    if args.s == "plateau":
        scheduler = lr_scheduler.ReduceLROnPlateau(optimizer)
    else:
        scheduler = lr_scheduler.StepLR(optimizer, 3)

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        if args.s != "plateau":
            scheduler.step()
        else:
            adjust(scheduler, loss)
""",
    "LBFGS beside an optimizer with the rate of a flag": """
import torch
from torch import optim

def build(model, args):
    if args.opt == "adam":
        optimizer = optim.Adam(model.parameters(), lr=args.lr)
    else:
        optimizer = optim.LBFGS(model.parameters(), lr=1)
    return optimizer
def fit(model, loader, args):
    optimizer = build(model, args)
    for x in loader:
        optimizer.zero_grad(); model(x).sum().backward(); optimizer.step()
""",
    "an optimizer that gets the rate of the flag afterwards": """
import torch
from torch import optim

def build(model, args):
    if args.opt == "adam":
        optimizer = optim.Adam(model.parameters(), lr=args.lr)
    else:
        optimizer = optim.SGD(model.parameters(), lr=0.1)
    for g in optimizer.param_groups:
        g["lr"] = args.lr
    return optimizer
def fit(model, loader, args):
    optimizer = build(model, args)
    for x in loader:
        optimizer.zero_grad(); model(x).sum().backward(); optimizer.step()
""",
    "a rate for where no flag gives one": """
import torch
from torch import optim

def build(model, args):
    if args.lr is not None:
        optimizer = optim.Adam(model.parameters(), lr=args.lr)
    else:
        optimizer = optim.SGD(model.parameters(), lr=0.1)
    return optimizer
def fit(model, loader, args):
    optimizer = build(model, args)
    for x in loader:
        optimizer.zero_grad(); model(x).sum().backward(); optimizer.step()
""",
    "an optimizer of the head, with a rate of its own": """
import torch
from torch import optim

def build(model, args):
    if not args.linear_probe:
        optimizer = optim.Adam(model.parameters(), lr=args.lr)
    else:
        optimizer = optim.SGD(model.head.parameters(), lr=0.1)
    return optimizer
def fit(model, loader, args):
    optimizer = build(model, args)
    for x in loader:
        optimizer.zero_grad(); model(x).sum().backward(); optimizer.step()
""",
    "a flag for the rate of one optimizer": """
import torch
from torch import optim

def build(model, args):
    if args.opt == "adam":
        optimizer = optim.SGD(model.parameters(), lr=args.sgd_lr)
    else:
        optimizer = optim.Adam(model.parameters(), lr=1e-3)
    return optimizer
def fit(model, loader, args):
    optimizer = build(model, args)
    for x in loader:
        optimizer.zero_grad(); model(x).sum().backward(); optimizer.step()
""",
    "a number of epochs that counts batches": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    n_epochs = args.epochs * len(loader)
    scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=n_epochs)

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            scheduler.step()
""",
    "a number of epochs that is multiplied by the batches of each": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    epochs = args.epochs
    epochs *= len(loader)
    scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            scheduler.step()
""",
}
