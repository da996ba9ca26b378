"""Runs that begin in the middle, and numbers that torch refuses: planted faults, and clean code."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG634",  # in a class, with a schedule of its own
        """
import torch

class Trainer:
    def __init__(self, args, net, loader, schedule):
        self.args, self.net, self.loader, self.schedule = args, net, loader, schedule
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        self.seen = 0  # <--
        self.start_epoch = 0
        if args.resume:
            state = torch.load(args.resume, map_location="cpu", weights_only=True)
            net.load_state_dict(state["net"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.start_epoch = state["epoch"] + 1

    def fit(self):
        for epoch in range(self.start_epoch, self.args.epochs):
            for batch in self.loader:
                learning_rate = self.schedule(self.seen)
                for group in self.optimizer.param_groups:
                    group["lr"] = learning_rate
                self.optimizer.zero_grad()
                self.net(batch).sum().backward()
                self.optimizer.step()
                self.seen += 1
            self.keep(epoch, learning_rate)

    def keep(self, epoch, rate):
        state = {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save({**state, "epoch": epoch, "rate": rate}, self.args.out)
""",
    ),
    (
        "TG634",  # by a function that is given the count
        """
import torch

def adjust(optimizer, first, gamma, drops):
    for group in optimizer.param_groups:
        group["lr"] = first * gamma**drops

def main(args, net, optimizer, batches, loss_of):
    if args.resume:
        net.load_state_dict(torch.load(args.resume, map_location="cpu", weights_only=True))
    drops = 0  # <--
    for iteration in range(args.start_iter, args.iterations):
        if iteration in args.milestones:
            drops += 1
        adjust(optimizer, args.lr, args.gamma, drops)
        optimizer.zero_grad()
        loss_of(net, next(batches)).backward()
        optimizer.step()
""",
    ),
    (
        "TG433",
        """
def places(boxes, top):
    cells = boxes.floor().long()
    return cells.clamp_(0.0, top)  # <--
""",
    ),
    (
        "TG820",  # by what `<` gives
        """
def weights(ious, boxes, threshold):
    best, _ = ious.max(dim=1)
    found = best > threshold
    found = found.view(boxes.shape[:3])
    return 1 - found  # <--
""",
    ),
    (
        "TG820",
        """
import torch

def kept(scores, threshold):
    return 1 - (torch.sigmoid(scores) > threshold)  # <--
""",
    ),
    (
        "TG427",  # through a sum and a view
        """
def back(scores, state, width, words, first):
    best, places = scores.view(len(state), -1).topk(width, dim=1)
    origin = (places / words + first.expand_as(places)).view(-1, 1)  # <--
    return best, state.index_select(1, origin.squeeze())
""",
    ),
    (
        "TG213",  # a part of it
        """
import random

class Grouped:
    def __iter__(self):
        order = self.order.clone()
        for first in range(0, len(order), self.size):
            random.shuffle(order[first : first + self.size])  # <--
        return iter(order)
""",
    ),
    (
        "TG320",  # by a function of the project
        """
from torch import nn

def convolution(axes, *sizes):
    if axes == 1:
        return nn.Conv1d(*sizes)
    return nn.Conv2d(*sizes)

class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = convolution(2, 3, 8, 1)

    def forward(self, x):
        x = self.first(x)
        return convolution(2, x.size(1), 512, 1).to(device=x.device)(x)  # <--
""",
    ),
    (
        "TG429",  # once more under a condition
        """
import torch

def fit(model, loader, optimizer, criterion, every):
    number = 0
    for x, y in loader:
        number += 1
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        if number == every:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 10)
            number = 0
            optimizer.step()  # <--
            model.zero_grad()
""",
    ),
    (
        "TG336",
        """
import numpy as np
from PIL import Image

def strokes(mask):
    if np.random.rand() > 0.5:
        mask.transpose(Image.FLIP_LEFT_RIGHT)  # <--
    mask = np.array(mask)
    return mask
""",
    ),
    (
        "TG434",
        """
import torch

def fit(args, net, optimizer, loader, loss_of, writer):
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, args.every)
    for epoch in range(args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        schedule.step()
        writer.add_scalar("train/lr", args.lr, epoch)  # <--
""",
    ),
    (
        "TG604",  # two optimizers that a scaler steps, and a count by the file's name
        """
import torch
from torch import nn

class Pair(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.net_a, self.net_b = nn.Linear(8, 2), nn.Linear(2, 8)
        self.first_opt = torch.optim.Adam(self.net_a.parameters(), lr=rate)

class Trainer:
    def __init__(self, pair, folder, save_every=1000):
        self.pair, self.folder, self.save_every = pair, folder, save_every
        self.scaler = torch.amp.GradScaler("cuda")
        self.steps = 0

    def train(self, batch):
        self.pair.first_opt.zero_grad()
        self.scaler.scale(self.pair(batch).sum()).backward()
        self.scaler.step(self.pair.first_opt)
        self.scaler.update()
        self.steps += 1
        if self.steps % self.save_every == 0:
            self.save(self.steps // self.save_every)

    def save(self, number):
        data = {"pair": self.pair.state_dict(), "scaler": self.scaler.state_dict()}
        torch.save(data, f"{self.folder}/{number}.pt")  # <--

    def load(self, number):
        self.steps = number * self.save_every
        data = torch.load(f"{self.folder}/{number}.pt", map_location="cpu", weights_only=True)
        self.pair.load_state_dict(data["pair"])
        self.scaler.load_state_dict(data["scaler"])
""",
    ),
    (
        "TG612",  # below other weights of the same name
        """
import os
import numpy as np
import torch

def validate(net, loader, loss_of):
    losses = []
    with torch.no_grad():
        for batch in loader:
            losses.append(loss_of(net, batch).item())
    return np.mean(losses)

def main(args, net, optimizer, loaders, loss_of, epoch_of):
    net.eval()
    if args.only_test:
        state = torch.load(args.weights, map_location="cpu", weights_only=True)
        net.load_state_dict(state)
        return validate(net, loaders[1], loss_of)
    start, best = 0, 999
    if os.path.exists(args.last):
        state = torch.load(args.last, map_location="cpu")  # <--
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        start, best = state["epoch"] + 1, state["best"]
    for epoch in range(start, args.epochs):
        epoch_of(net, optimizer, loaders[0])
        loss = validate(net, loaders[1], loss_of)
        best = min(best, loss)
        parts = {"net": net.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**parts, "epoch": epoch, "best": best, "loss": loss}, args.last)
""",
    ),
]

CLEAN: dict[str, str] = {
    "a count that is set where the run goes on": """
import torch

def main(args, net, optimizer, loader, train_step):
    step = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        step += args.start_epoch * len(loader)
    for _ in range(args.start_epoch, args.epochs):
        for batch in loader:
            for group in optimizer.param_groups:
                group["lr"] = args.lr / (step + 1)
            train_step(net, optimizer, batch)
            step += 1
""",
    "a count for the log": """
import torch

def main(args, net, optimizer, loader, train_step, log):
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
    done = 0
    for epoch in range(args.start_epoch, args.epochs):
        for batch in loader:
            for group in optimizer.param_groups:
                group["lr"] = args.lr * 0.1 ** (epoch // 30)
            train_step(net, optimizer, batch)
            done += 1
            if done % 100 == 0:
                log(done, optimizer.param_groups[0]["lr"])
""",
    "a run that always begins with its first epoch": """
import torch

def main(args, net, optimizer, loader, train_step):
    net.load_state_dict(torch.load(args.backbone, map_location="cpu", weights_only=True))
    step = 0
    start = 1
    for _ in range(start, args.epochs + 1):
        for batch in loader:
            for group in optimizer.param_groups:
                group["lr"] = args.lr / (step + 1)
            train_step(net, optimizer, batch)
            step += 1
""",
    "whole numbers within whole numbers, and floats": """
import torch

def cells(boxes, shape):
    gain = torch.ones(7)
    rows, columns = (boxes * gain[2:4]).long().T
    inside = (boxes * 2).clamp_(0, gain[2] - 1)
    return rows.clamp_(0, shape[2] - 1), columns.clamp_(0, gain.long()[3] - 1), inside
""",
    "one less a number, an array and a mask of floats": """
import numpy as np
import torch

def shares(scores, threshold, values):
    flip = 1 - (torch.rand(1).item() > 0.5)
    far = np.abs(values) > threshold
    mask = scores.max(dim=1)[0] > threshold
    mask = mask.float()
    return flip, 1 - far, 1 - mask
""",
    "a quotient of places that is made whole again": """
def back(scores, state, width, words, first):
    best, places = scores.view(len(state), -1).topk(width, dim=1)
    origin = (places / words).long() + first
    return best, state.index_select(1, origin.squeeze()), places / words + first
""",
    "parts of lists, copied lists": """
import random

def orders(paths, rows):
    copied = paths.copy()
    random.shuffle(copied[0:4])
    chosen = list(rows)
    random.shuffle(chosen)
    return copied, chosen
""",
    "a step in either branch, and one for other gradients": """
def fit(model, loader, optimizer, other, criterion, plain):
    for x, y in loader:
        optimizer.zero_grad()
        other.zero_grad()
        criterion(model(x), y).backward()
        if plain:
            optimizer.step()
        else:
            optimizer.step()
        if not plain:
            other.step()
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
""",
    "a rate that stays, the one in use, and the rates of groups": """
import torch

def fit(args, net, optimizer, loader, loss_of, log):
    groups = []
    for part in net.children():
        groups.append({"params": part.parameters(), "lr": args.lr})
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, args.every)
    for epoch in range(args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        log["lr"].append(optimizer.param_groups[0]["lr"])
        log["first"].append(args.lr)
        schedule.step()

def constant(args, net, optimizer, loader, loss_of, log):
    for epoch in range(args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        log["lr"].append(args.lr)
""",
}
