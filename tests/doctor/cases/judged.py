"""What readers called wrong, or hardly worth a line, and what they missed beside it."""

HINTS: dict[str, tuple[str, str]] = {
    "an excerpt of a program that is not here": (
        "TG004",
        "".join(f"print(missing_{number})  # <--\n" for number in range(8)),
    ),
    "a flag that is off on purpose": (
        "TG314",
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true", default=True, help="runs on the CPU")  # <--
args = parser.parse_args()
net = torch.nn.Linear(2, 2).to("cpu" if args.no_cuda else "cuda")
""",
    ),
    "a text that the code itself sets": (
        "TG335",
        """
class Config:
    task = "segmentation"

config = Config()
config.task = "detection"
if config.task is "detection":  # <--
    print("boxes")
""",
    ),
    "a letter, of which CPython has one object": (
        "TG335",
        """
def gray(image):
    return image if image.mode is "L" else image.convert("L")  # <--
""",
    ),
    "a sampler of a program that ends without a group of processes": (
        "TG202",
        """
import torch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

def main(args, data, model, step):
    sampler = DistributedSampler(data, num_replicas=args.world, rank=args.rank)  # <--
    loader = DataLoader(data, sampler=sampler, batch_size=4)
    model = DistributedDataParallel(model, device_ids=[args.gpu])
    for epoch in range(args.epochs):
        if args.distributed:
            sampler.set_epoch(epoch)
        for batch in loader:
            step(model, batch).backward()
""",
    ),
}
PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG336",
        """
def keep_the_best(scores, rank, top):
    scores[(rank >= top).unsqueeze(-1).expand_as(scores)].fill_(0)  # <--
    mask = scores < 0
    scores[mask].zero_()  # <--
    return scores
""",
    ),
    (
        "TG313",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--milestones", default=[100, 150], nargs="*")  # <--
parser.add_argument("--names", default=["a", "b"], nargs="*")
parser.add_argument("--rates", default=[0.1, 0.01], nargs="*", type=float)
args = parser.parse_args()
print(sum(args.milestones), args.names, args.rates)
""",
    ),
    (
        "TG635",  # the weights come back, and the optimizer is new
        """
import torch
from torch.optim.lr_scheduler import MultiStepLR

def main(model, path):
    first = 0
    if path:
        state = torch.load(path, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        first = state["epoch"] + 1
    optimizer = torch.optim.Adam(model.parameters())
    return MultiStepLR(optimizer, [100, 150], last_epoch=first - 1)  # <--
""",
    ),
]
CLEAN: dict[str, str] = {
    **{what: code for what, (_, code) in HINTS.items()},
    "elements that are changed in place where they are": """
def keep_the_best(scores, rank, top):
    scores[rank >= top] = 0
    scores[0].fill_(0)
    scores[:, 1:].zero_()
    return scores.masked_fill_(rank >= top, 0)
""",
    "a helper that leaves unread whether the score is the best": """
import torch

def save_checkpoint(state, is_best, filename):
    torch.save(state, filename)

def main(model, optimizer, train, test, epochs):
    best_acc = 0.0
    for epoch in range(epochs):
        train(model, optimizer)
        test_acc = test(model)
        is_best = test_acc > best_acc
        best_acc = max(test_acc, best_acc)
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        save_checkpoint(state, is_best, "last.pt")
""",
    "a seed for the split alone": """
import argparse

import numpy as np
import torch
from torch import nn

def halves(data):
    order = np.random.permutation(len(data))
    return [data[i] for i in order[::2]], [data[i] for i in order[1::2]]

def main(data, loss_of):
    parser = argparse.ArgumentParser()
    parser.add_argument("--split-seed", type=int, default=0, help="seeds the split")
    args = parser.parse_args()
    np.random.seed(args.split_seed)
    train_set, test_set = halves(data)
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(9):
        for batch in torch.utils.data.DataLoader(train_set, shuffle=True):
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
""",
    "a parser that reads no command line": """
import argparse

import torch

def defaults():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args([])

args = defaults()
model = torch.nn.Linear(args.width, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model(torch.ones(1, args.width)).sum().backward()
optimizer.step()
""",
    "a file without which the program has failed before": """
import argparse
import os

import torch

parser = argparse.ArgumentParser()
parser.add_argument("weights")
args = parser.parse_args()
if os.path.isfile(args.weights):
    width = torch.load(args.weights, map_location="cpu", weights_only=True)["width"]
else:
    print("no file at", args.weights)

classes = 10 if width > 8 else 2

def main(make, loader, score):
    model = make(width, classes)
    if os.path.isfile(args.weights):
        model.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
    model.eval()
    with torch.no_grad():
        print(sum(score(model(batch), batch) for batch in loader) / len(loader))
""",
    "an image that is moved back, and a device that is chosen elsewhere": """
import torch

def predict(net, image):
    image = image.squeeze(0).cpu()
    if len(image.shape) == 3:
        first = net(image[:1].cuda())
        rest = net(image[1:].cuda())
        return torch.cat([first, rest]).cpu()
    return image

def main(make, image):
    net = make().cuda()
    print(predict(net, image))

if __name__ == "__main__":
    main(*torch.load("prepared.pt", map_location="cpu", weights_only=False))
""",
    "schedulers whose optimizer knows its first rate, or that start with it": """
import torch
from torch.optim.lr_scheduler import LambdaLR, StepLR

def brought_back(args, model, state):
    optimizer = torch.optim.Adam(model.parameters())
    optimizer.load_state_dict(state["optimizer"])
    return StepLR(optimizer, 30, last_epoch=args.start_epoch - 1)

def by_another(args, model, load):
    optimizer = torch.optim.Adam(model.parameters())
    load(args.path, model, optimizer)
    return StepLR(optimizer, 30, last_epoch=args.start_epoch - 1)

def from_the_start(optimizer, last_epoch=-1):
    return LambdaLR(optimizer, lambda step: 1 / (1 + step), last_epoch=last_epoch)
""",
    "the state of the wrapped model for a resume, beside that of the model": """
import torch

def predict(make, images):
    model = make()
    model.load_state_dict(torch.load("best.pt", map_location="cpu", weights_only=True))
    return model(images)

def main(args, make, train, epochs):
    model = torch.nn.DataParallel(make())
    if args.resume:
        state = torch.load("last.pt", map_location="cpu", weights_only=True)
        model.load_state_dict(state["state_dict"])
    for epoch in range(epochs):
        train(model)
        state = {"state_dict": model.state_dict(), "bare": model.module.state_dict()}
        torch.save(state, "last.pt")
        torch.save(state["bare"], "best.pt")
""",
    "functions that evaluate, one after the other": """
def train(model, optimizer, batches, loss_of, eval_cbs):
    for step, batch in enumerate(batches):
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()

def report(model, eval_cbs):
    for eval_cb in eval_cbs:
        if eval_cb is not None:
            eval_cb(model, 100)
""",
    "statistics of the batch in training and evaluation alike, by intention": """
import torch
import torch.nn.functional as F
from torch import nn

class Learner(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2, 2))

    def forward(self, x, bn_training=True):
        return F.batch_norm(x @ self.weight, None, None, training=bn_training)

def test(model, test_loader):
    right = 0
    with torch.no_grad():
        for images, labels in test_loader:
            right += (model(images).argmax(1) == labels).sum()
    return right

def main(test_loader):
    print(test(Learner(), test_loader))
""",
    "an order that is drawn in getting a sample, which changes no sample": """
import random

import torch
from torch.utils.data import Dataset

class Episodes(Dataset):
    def __init__(self, mode, classes):
        self.mode, self.classes = mode, classes

    def __getitem__(self, index):
        chosen = list(self.classes[index])
        random.shuffle(chosen)
        return chosen

def main(model, fit, score_of, classes):
    train_set, val_set = Episodes("train", classes), Episodes("val", classes)
    best_score = 0.0
    for epoch in range(9):
        fit(model, train_set)
        score = score_of(model, val_set)
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
""",
    "a file without which the next line fails": """
import argparse
import os

import torch

def main(make, loader, score):
    parser = argparse.ArgumentParser()
    parser.add_argument("--refine", default="")
    args = parser.parse_args()
    model = make()
    if os.path.isfile(args.refine):
        model.load_state_dict(torch.load(args.refine, map_location="cpu", weights_only=True))
    else:
        print("no file at", args.resume)  # torchgen: ignore[TG006] what the case is about
    model.eval()
    with torch.no_grad():
        print(sum(score(model(batch), batch) for batch in loader) / len(loader))

if __name__ == "__main__":
    main(*torch.load("prepared.pt", map_location="cpu", weights_only=False))
""",
}
