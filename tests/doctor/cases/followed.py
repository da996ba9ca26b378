"""What is told by the calls of a function: loaders, flags and scores; and what dead code saves."""

HINTS: dict[str, tuple[str, str]] = {
    "batches that a function of the project is told to make even": (
        "TG504",
        """
import torch
from torch.utils.data import DataLoader, TensorDataset

def batches(x, y, size, even=False):
    return DataLoader(TensorDataset(x, y), batch_size=size, drop_last=even)

@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    total = 0.0
    for images, labels in val_loader:
        loss = criterion(model(images), labels)
        total += loss.item()  # <--
    return total / len(val_loader)

def fit(model, x, y, criterion, run_epoch, args):
    best = float("inf")
    part = batches(x, y, args.size, True)
    for epoch in range(args.epochs):
        run_epoch(model)
        val_loss = validate(model, part, criterion)
        if val_loss < best:
            best = val_loss
            torch.save(model.state_dict(), args.path)
""",
    ),
    "a loss of batches beside another score by which the best epoch is chosen": (
        "TG504",
        """
import numpy as np
import torch
from torch.utils.data import DataLoader

@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    losses, hits = [], 0
    for images, labels in val_loader:
        scores = model(images)
        hits += (scores.argmax(1) == labels).sum().item()
        loss = criterion(scores, labels)
        losses.append(loss.item())  # <--
    return hits / len(val_loader.dataset), np.mean(losses)

def fit(model, data, criterion, run_epoch, args):
    best, table = 0.0, np.zeros((args.epochs, 2))
    val_loader = DataLoader(data, batch_size=args.size)
    for epoch in range(args.epochs):
        run_epoch(model)
        share, val_loss = validate(model, val_loader, criterion)
        table[epoch, :] = [share, val_loss]
        np.savetxt("table.csv", table)
        if share > best:
            best = share
            torch.save(model.state_dict(), args.path)
""",
    ),
    "weights for a program that moves what it makes of each layer to the GPU": (
        "TG610",
        """
import argparse

import torch
from torch import nn

from models import Net

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("--weights")
args = parser.parse_args()
use_cuda = not args.no_cuda and torch.cuda.is_available()
net = Net()
if use_cuda:
    net.cuda()
net.load_state_dict(torch.load(args.weights))  # <--
for layer in net.modules():
    if isinstance(layer, nn.BatchNorm2d):
        layer.weight.data.mul_(layer.weight.data.gt(0.1).float().cuda())
torch.save(net.state_dict(), "pruned.pt")
""",
    ),
    "an object in what a method saves that nothing calls": (
        "TG612",
        """
import argparse

import torch

class Trainer:
    def __init__(self, net, args):
        self.net, self.args = net, args

    def keep(self):
        torch.save({"net": self.net.state_dict(), "args": self.args}, "last.pt")

    def fit(self, loader, loss_of, optimizer):
        for x, y in loader:
            optimizer.zero_grad()
            loss_of(self.net(x), y).backward()
            optimizer.step()

    def resume(self, path):
        found = torch.load(path, map_location="cpu")  # <--
        self.net.load_state_dict(found["net"])

def main(net, loader, loss_of, optimizer):
    parser = argparse.ArgumentParser()
    parser.add_argument("--path")
    args = parser.parse_args()
    trainer = Trainer(net, args)
    if args.path:
        trainer.resume(args.path)
    trainer.fit(loader, loss_of, optimizer)

if __name__ == "__main__":
    net = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    main(net, [], torch.nn.CrossEntropyLoss(), optimizer)
""",
    ),
}

PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG204",  # a function of the project hands it on
        """
from torch.utils.data import DataLoader, TensorDataset

def batches(x, y, size, shuffle=True, even=True):
    return DataLoader(TensorDataset(x, y), batch_size=size, shuffle=shuffle, drop_last=even)

def both(data, size):
    train_loader = batches(*data["train"], size)
    val_loader = batches(data["x"], data["y"], size, shuffle=False, even=True)  # <--
    return train_loader, val_loader
""",
    ),
    (
        "TG504",  # the function that makes the loaders drops for the training alone
        """
import torch
from torch.utils.data import DataLoader, TensorDataset

def batches(x, y, size, even=False):
    return DataLoader(TensorDataset(x, y), batch_size=size, drop_last=even)

@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    total = 0.0
    for images, labels in val_loader:
        loss = criterion(model(images), labels)
        total += loss.item()  # <--
    return total / len(val_loader)

def fit(model, x, y, criterion, run_epoch, args):
    best = float("inf")
    train_loader = batches(x, y, args.size, even=True)
    val_loader = batches(x, y, args.size)
    for epoch in range(args.epochs):
        run_epoch(model, train_loader)
        val_loss = validate(model, val_loader, criterion)
        if val_loss < best:
            best = val_loss
            torch.save(model.state_dict(), args.path)
""",
    ),
    (
        "TG506",  # the run ends by the test set's score
        """
def main(model, data, fit_and_score, epochs, patience):
    test_data = data.load("test.txt")
    best, waited = 0.0, 0
    for epoch in range(epochs):
        hits = fit_and_score(model, data, test_data)
        better = 0
        if hits >= best:  # <--
            best = hits
            better = 1
        waited += 1 - better
        if waited >= patience:
            break

def fit_and_score(model, data, test_data):
    for x, y in data:
        model.optimizer.zero_grad()
        model.loss(x, y).backward()
        model.optimizer.step()
    return model.score(test_data)
""",
    ),
    (
        "TG502",  # in the function that trains, by a function that a method has the name of
        """
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return self.layer(x)

def forward(net, batch):
    x, y = batch
    return net(x.float()), y

def epoch(net, train_data, test_data, loss_of):
    net.train()
    for batch in torch.utils.data.DataLoader(train_data, batch_size=8):
        net.optimizer.zero_grad()
        loss_of(*forward(net, batch)).backward()
        net.optimizer.step()
    net.eval()
    hits = 0
    test_loader = torch.utils.data.DataLoader(test_data, batch_size=8)
    for batch in test_loader:  # <--
        scores, y = forward(net, batch)
        hits += (scores.argmax(1) == y).sum().item()
    return hits
""",
    ),
    (
        "TG418",  # each choice of another flag overwrites it
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--data", default="a")
parser.add_argument("--dropout", type=float, default=0.1)  # <--
options = parser.parse_args()

def main():
    torch.manual_seed(0)
    if options.data == "a":
        size = 10
        options.dropout = 0.2
    elif options.data == "b":
        size = 20
        options.dropout = 0.5
    net = torch.nn.Sequential(torch.nn.Linear(size, 2), torch.nn.Dropout(options.dropout))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    optimizer.zero_grad()
    net(torch.ones(1, size)).sum().backward()
    optimizer.step()

if __name__ == "__main__":
    main()
""",
    ),
]

CLEAN: dict[str, str] = {
    **{what: code for what, (_, code) in HINTS.items()},
    "a function that is told to drop for the training alone, or batches of one": """
from torch.utils.data import DataLoader, TensorDataset

def batches(x, y, size, shuffle=True, even=True):
    return DataLoader(TensorDataset(x, y), batch_size=size, shuffle=shuffle, drop_last=even)

def both(data, size):
    train_loader = batches(*data["train"], size, even=True)
    val_loader = batches(data["x"], data["y"], size, shuffle=False, even=False)
    test_loader = batches(data["x"], data["y"], 1, shuffle=False, even=True)
    return train_loader, val_loader, test_loader
""",
    "a run that ends by the validation's score": """
def main(model, data, fit_and_score, epochs, patience):
    valid_data, test_data = data.load("valid.txt"), data.load("test.txt")
    best, waited = 0.0, 0
    for epoch in range(epochs):
        hits = fit_and_score(model, data, valid_data)
        better = 0
        if hits >= best:
            best = hits
            better = 1
        waited += 1 - better
        if waited >= patience:
            break
    print(fit_and_score(model, data, test_data))

def fit_and_score(model, data, held_out):
    for x, y in data:
        model.optimizer.zero_grad()
        model.loss(x, y).backward()
        model.optimizer.step()
    return model.score(held_out)
""",
    "a flag that one choice of another flag overwrites": """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--data", default="a")
parser.add_argument("--dropout", type=float, default=0.1)
options = parser.parse_args()

def main():
    torch.manual_seed(0)
    if options.data == "a":
        size = 10
        options.dropout = 0.2
    elif options.data == "b":
        size = 20
    net = torch.nn.Sequential(torch.nn.Linear(size, 2), torch.nn.Dropout(options.dropout))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    optimizer.zero_grad()
    net(torch.ones(1, size)).sum().backward()
    optimizer.step()

if __name__ == "__main__":
    main()
""",
}
