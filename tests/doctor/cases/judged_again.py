"""What readers of the last batches called wrong, or hardly worth a change, in other words."""

TRAINS = """
def fit(net, loader, optimizer, loss_of):
    for x, y in loader:
        optimizer.zero_grad()
        loss_of(net(x), y).backward()
        optimizer.step()
"""
PARSED = """
    args = parser.parse_args()
    net = torch.nn.Linear(3, 2)
    fit(net, loader, torch.optim.{optimizer}(net.parameters(), lr=args.rate), loss_of)
"""
HINTS: dict[str, tuple[str, str]] = {
    "workers of a test that draw alike each time": (
        "TG103",
        f"""
import numpy as np
import torch
from torch.utils.data import DataLoader
{TRAINS}
def start(number):
    np.random.seed(number + 3)

class Runner:
    def load(self, feeder):
        self.loaders = {{}}
        self.loaders["test"] = DataLoader(feeder(), num_workers=4, worker_init_fn=start)  # <--
""",
    ),
    "the momentum of an optimizer that has none": (
        "TG418",
        f"""
import argparse
import torch
{TRAINS}
def main(loader, loss_of):
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--momentum", type=float, default=0.9, help="Momentum, default 0.9")  # <--
{PARSED.format(optimizer="Adam")}
""",
    ),
}
CLEAN: dict[str, str] = {
    "losses of several networks in one step": f"""
import torch
{TRAINS}
def probe(heads, optimizers, loader, features, loss_of, meter):
    for x, y in loader:
        with torch.no_grad():
            seen = features(x)
        losses = []
        for head, optimizer in zip(heads, optimizers):
            loss = loss_of(head(seen), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss)
        for number, loss in enumerate(losses):
            meter(number, loss.item())
""",
    "a solver that only an old torch gets": """
import torch

from releases import torch_after

def solved(a, b):
    return torch.lstsq(b, a)[0] if not torch_after(1, 11) else torch.linalg.lstsq(a, b).solution
""",
    "a loop over the names of scores": """
class Trainer:
    def keep(self, scores):
        self.model.eval()
        for metric in self.eval_metrics:
            if scores[metric] > self.best[metric]:
                self.best[metric] = scores[metric]
                self.save_model(f"best-{metric}")

    def save_model(self, name):
        self.model.save(name)
""",
    "a loop that trains in its rounds": """
def tune(learners, options, model_of, tune_data, loaders):
    for run in range(options.runs_val):
        model = model_of(options)
        learner = learners[options.name](model, options)
        for x, y in tune_data:
            learner.train_learner(x, y)
            print(learner.evaluate(model, loaders))
""",
    "one of a list that has one element": """
import random

import torch
from torch.utils.data import DataLoader, Dataset

class Sounds(Dataset):
    def __init__(self, folder, scales=[1]):
        self.folder = folder
        self.scales = scales

    def __getitem__(self, number):
        return self.folder[number] * random.choice(self.scales)

def fit(net, folder, train_epoch, score_of):
    train_set = Sounds(folder["train"])
    val_set = Sounds(folder["val"])
    train_loader, val_loader = DataLoader(train_set, shuffle=True), DataLoader(val_set)
    best = 0.0
    for _ in range(9):
        train_epoch(net, train_loader)
        score = score_of(net, val_loader)
        if score > best:
            best = score
            torch.save(net.state_dict(), "best.pt")
""",
    "an evaluation that only a method asks for which nothing calls": """
import torch

class Runner:
    def __init__(self, model, optimizer, loss_of):
        self.model, self.optimizer, self.loss_of = model, optimizer, loss_of

    def run_epoch(self, phase, loader):
        if phase == "train":
            self.model.train()
        else:
            self.model.eval()
        for x, y in loader:
            loss = self.loss_of(self.model(x), y)
            if phase == "train":
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()

    def val(self, loader):
        return self.run_epoch("val", loader)

    def train(self, loader):
        return self.run_epoch("train", loader)

def main(model, optimizer, loss_of, loader):
    runner = Runner(model, optimizer, loss_of)
    runner.train(loader)

main(*torch.hub.load("a/b", "c"))
""",
    "a scaler for the training on each of several data sets": """
import torch

def fit(model, loader, optimizer, loss_of, scaler):
    for batch in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.float16):
            loss = loss_of(model, batch)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

def fit_each(models, loaders, optimizer, loss_of):
    for model, train_loader in zip(models, loaders):
        scaler = torch.amp.GradScaler("cuda")
        fit(model, train_loader, optimizer(model), loss_of, scaler)
""",
    "settings that a flag chooses from a table": """
import argparse

import torch

SETTINGS = {"small": {"width": 8}, "large": {"width": 64}}

def main(net, run_epoch):
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="small")
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    resume = args.resume
    args = SETTINGS[args.size]
    if resume:
        net.load_state_dict(torch.load("last.pt", map_location="cpu")["net"])
    for epoch in range(9):
        run_epoch(net, args["width"])
        torch.save({"net": net.state_dict(), "args": args}, "last.pt")
""",
    "a number that is made of a flag where it is read, by its other name": """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--threads", dest="workers", default=8)
args = parser.parse_args()
for number in range(int(args.workers)):
    print(number)
""",
    "schedules that a resume replays among others": f"""
import torch
{TRAINS}
def resume(net, loader, loss_of, path, masks):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 9)
    rates = iter([0.9] * 99)
    state = torch.load(path, map_location="cpu", weights_only=True)
    net.load_state_dict(state["net"])
    optimizer.load_state_dict(state["optimizer"])
    start = state["epoch"]
    for _ in range(start):
        scheduler.step()
        next(rates)
        masks.step()
    for epoch in range(start, 9):
        fit(net, loader, optimizer, loss_of)
        scheduler.step()
        part = {{"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch + 1}}
        torch.save(part, path)
""",
}
CLEAN |= {what: code for what, (_, code) in HINTS.items()}
PLANTED: list[tuple[str, str]] = [
    (
        "TG103",
        HINTS["workers of a test that draw alike each time"][1].replace('"test"', '"train"'),
    ),
    (
        "TG408",
        """
import torch

def fit(net, optimizer, loader, loss_of, meter):
    for epoch in range(9):
        losses = []
        for x, y in loader:
            loss = loss_of(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss)  # <--
        meter(epoch, sum(losses) / len(losses))
""",
    ),
    (
        "TG418",
        HINTS["the momentum of an optimizer that has none"][1].replace("Adam(", "SGD("),
    ),
    (
        "TG510",
        CLEAN["one of a list that has one element"]
        .replace("[1]", "[1, 2]")
        .replace('Sounds(folder["val"])', 'Sounds(folder["val"])  # <--'),
    ),
    (
        "TG414",
        """
from torch.optim.lr_scheduler import OneCycleLR

def fit(net, loader, optimizer, loss_of, epochs):
    steps = len(loader) * epochs + 100
    scheduler = OneCycleLR(optimizer, 0.1, steps)  # <--
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss_of(net(x), y).backward()
            optimizer.step()
        scheduler.step()
""",
    ),
    (
        "TG435",
        """
import torch
from torch.cuda.amp import GradScaler

def step(net, x, y, optimizer, loss_of, scaler):
    optimizer.zero_grad()
    with torch.autocast("cuda", torch.float16):
        loss = loss_of(net(x), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()

def fit(net, train_loader, optimizer, loss_of):
    for batch_idx, (x, y) in enumerate(train_loader):
        scaler = GradScaler(enabled=True)  # <--
        step(net, x, y, optimizer, loss_of, scaler)
""",
    ),
    (
        "TG817",
        """
from torch.nn.utils.rnn import pack_padded_sequence

def loss_of(scores, words, lengths, cross_entropy):
    scores, _ = pack_padded_sequence(scores, lengths, batch_first=True)  # <--
    words, _ = pack_padded_sequence(words, lengths, batch_first=True)  # <--
    return cross_entropy(scores, words)
""",
    ),
    (
        "TG612",
        """
import argparse

import torch

def main(net, run_epoch):
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint")
    parser.add_argument("--epochs", type=int, default=9)
    args = parser.parse_args()
    state = None
    if args.checkpoint is not None:
        state = torch.load(args.checkpoint, map_location="cpu")  # <--
        args = state["args"]
    if state is not None:
        net.load_state_dict(state["net"])
    for epoch in range(args.epochs):
        run_epoch(net)
        torch.save({"net": net.state_dict(), "args": args}, "last.pt")
""",
    ),
]
