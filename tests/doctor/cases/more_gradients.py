"""Gradients, scalers, rates and epochs: faults in other words, and what only looks like them."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG402",
        """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.zero_grad()  # <--
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
""",
    ),
    (
        "TG402",
        """
import torch
from torch import nn, optim
import torch.nn.functional as F

def train_epoch(model, loader, optimizer, scaler, args):
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        optimizer.zero_grad()  # <--
        scaler.step(optimizer)
        scaler.update()
""",
    ),
    (
        "TG423",
        """
import torch
from torch import nn, optim
from torch.nn.utils import clip_grad_norm_

def fit(model, loader):
    params = model.parameters()
    optimizer = optim.SGD(params, lr=0.1)
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        clip_grad_norm_(params, 1.0)  # <--
        optimizer.step()
""",
    ),
    (
        "TG423",
        """
import torch
from torch import nn, optim
from torch.nn.utils import clip_grad_norm_

def fit(model, loader):
    params = filter(lambda p: p.requires_grad, model.parameters())
    optimizer = optim.SGD(params, lr=0.1)
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        clip_grad_norm_(params, 1.0)  # <--
        optimizer.step()
""",
    ),
    (
        "TG425",
        """
import torch
from torch import nn, optim
import torch.nn.functional as F

import math
def train_epoch(model, loader, optimizer, args):
    model = nn.parallel.DistributedDataParallel(model)
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        if math.isnan(loss.item()):
            continue  # <--
        loss.backward()
        optimizer.step()
""",
    ),
]

CLEAN: dict[str, str] = {
    "gradients that are kept, zeroed and put back": """
import torch
from torch import nn, optim
import torch.nn.functional as F

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        grads = [p.grad.clone() for p in model.parameters()]
        optimizer.zero_grad()
        for p, g in zip(model.parameters(), grads):
            p.grad = g
        optimizer.step()
""",
    "gradients that a function puts back": """
import torch
from torch import nn, optim
import torch.nn.functional as F

def set_grads(m):
    for p in m.parameters():
        p.grad = p.saved

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.zero_grad()
        set_grads(model)
        optimizer.step()
""",
    "a scaler that a function updates": """
import torch
from torch import nn, optim
import torch.nn.functional as F

def finish(s):
    s.update()

def train_epoch(model, loader, optimizer, scaler, args):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        finish(scaler)
""",
    "another name for the update of a scaler": """
import torch
from torch import nn, optim

class T:
    def __init__(self):
        self.scaler = torch.cuda.amp.GradScaler()
        s = self.scaler
        self.upd = s.update
    def run(self, loader):
        for x in loader:
            self.optimizer.zero_grad()
            loss = self.model(x).sum()
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.upd()
""",
    "a scale of the project for the loss": """
import torch
from torch import nn, optim
import torch.nn.functional as F

class Loss:
    def scale(self, l):
        return l * 0.5

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        self_scale = Loss()
        self_scale.scale(loss).backward()
        optimizer.step()
""",
    "a rate that is set before it is multiplied": """
import torch
from torch import nn, optim

def adjust(optimizer, epoch, args):
    for g in optimizer.param_groups:
        g["lr"] = args.lr
        g["lr"] *= 0.1 ** (epoch // 30)
""",
    "a rate for a run that goes on": """
import torch
from torch import nn, optim

def resume(optimizer, start_epoch, args):
    for g in optimizer.param_groups:
        g["lr"] *= 0.1 ** (start_epoch // 30)
""",
    "an epoch before the loop": """
import torch
from torch import nn, optim

def fit(model, loader, optimizer, epochs):
    run(model, loader, optimizer)
    for epoch in range(1, epochs):
        run(model, loader, optimizer)
def run(model, loader, optimizer):
    for x in loader:
        optimizer.zero_grad(); model(x).sum().backward(); optimizer.step()
""",
    "one epoch more, for a range from one": """
import torch
from torch import nn, optim

def fit(model, loader, optimizer, epochs):
    epochs += 1
    for epoch in range(1, epochs):
        for x in loader:
            optimizer.zero_grad(); model(x).sum().backward(); optimizer.step()
""",
    "a default of one epoch more": """
import torch
from torch import nn, optim

import argparse
def main(model, loader, optimizer):
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=101)
    args = p.parse_args()
    for epoch in range(1, args.epochs):
        for x in loader:
            optimizer.zero_grad(); model(x).sum().backward(); optimizer.step()
""",
    "a new scheduler from a function": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def make(o):
    return lr_scheduler.StepLR(o, 3)

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    scheduler = lr_scheduler.StepLR(optimizer, 3)

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step()
        if epoch == 5:
            optimizer = optim.Adam(model.parameters())
            scheduler = make(optimizer)
""",
    "an optimizer for what comes after the schedule": """
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim import lr_scheduler

def fit(model, loader, args):
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    scheduler = lr_scheduler.StepLR(optimizer, 3)

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step()
    optimizer = optim.Adam(model.parameters())
    for x in loader:
        optimizer.zero_grad(); model(x[0]).sum().backward(); optimizer.step()
""",
}
