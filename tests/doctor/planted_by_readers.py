"""Faults that readers of public repositories wrote down, in other words than the rules' own."""

PLANTED_BY_READERS: list[tuple[str, str]] = [
    (
        "TG111",
        """
import torch


def seed_all(args):
    if args.gpu >= 0:
        torch.cuda.manual_seed_all(args.seed)  # <--
""",
    ),
    (
        "TG112",
        """
import random

import torch


def main(args):
    torch.manual_seed(args.seed)
    model, optimizer = build(args)
    for epoch in range(args.epochs):
        run_epoch(model, optimizer, args.files)


def run_epoch(model, optimizer, files):
    random.shuffle(files)  # <--
    for file in files:
        optimizer.zero_grad()
        model(file).mean().backward()
        optimizer.step()
""",
    ),
    (
        "TG113",
        """
import random

import numpy as np
import torch
from torch import multiprocessing


def main():
    args = parse()
    if args.seed is not None:
        random.seed(args.seed)
        np.random.seed(args.seed)
        torch.manual_seed(args.seed)  # <--
    if args.distributed:
        multiprocessing.spawn(main_worker, nprocs=args.gpus, args=(args.gpus, args))
    else:
        main_worker(args.gpu, args.gpus, args)


def main_worker(gpu, gpus, args):
    model = build(args).cuda(gpu)
    for batch in load(args):
        model(batch).sum().backward()
""",
    ),
    (
        "TG114",
        """
import random

import torch


def seed_worker(worker):  # <--
    random.seed(worker + 17)


class Data:
    def loaders(self, dataset, workers):
        return torch.utils.data.DataLoader(dataset, shuffle=True, num_workers=workers)
""",
    ),
    (
        "TG207",
        """
import glob

import cv2
from torch.utils import data


class Pairs(data.Dataset):
    def __init__(self, root, augment=None):
        self.low = glob.glob(root + "/low/*.png")  # <--
        self.high = glob.glob(root + "/high/*.png")
        self.augment = augment

    def __len__(self):
        return len(self.low)

    def __getitem__(self, item):
        low = cv2.imread(self.low[item])
        high = cv2.imread(self.high[item])
        return low, high
""",
    ),
    (
        "TG312",
        """
from torch import nn

criterion = nn.CrossEntropyLoss(ignore_index=255, reduce="sum")  # <--
""",
    ),
    (
        "TG313",
        """
import argparse


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint-interval", default=0, help="steps between checkpoints")  # <--
    parser.add_argument("--lr", "-l", default=1e-3)  # <--
    parser.add_argument("--name", default="run")
    return parser.parse_args()
""",
    ),
    (
        "TG314",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_false", help="use CUDA")  # <--
parser.add_argument("--no-bias", action="store_false")
parser.add_argument("--plain", dest="bias", action="store_false")
""",
    ),
    (
        "TG417",
        """
from torch import optim


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = optim.Adam(model.parameters(), lr=1e-3)
        self.schedule = optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 100)  # <--

    def fit(self, loader):
        for images, labels in loader:
            self.optimizer.zero_grad()
            self.model(images, labels).backward()
            self.optimizer.step()
""",
    ),
    (
        "TG418",
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gamma", default=0.1, type=float)  # <--
parser.add_argument("--milestones", default=[30], type=int, nargs="+")
opt = parser.parse_args()


def fit(model, loader, optimizer, loss_of):
    torch.manual_seed(0)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, opt.milestones, gamma=0.1)
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
    scheduler.step()
""",
    ),
    (
        "TG419",
        """
def adjust_lr(optimizer, epoch, decay_rate=0.1, decay_epoch=30):
    for group in optimizer.param_groups:
        group["lr"] = group["lr"] * decay_rate ** (epoch // decay_epoch)  # <--
""",
    ),
    (
        "TG420",
        """
from tqdm import trange


class Runner:
    def run(self, nEpochs):
        for number in trange(1, nEpochs):  # <--
            self.train_epoch(number)

    def train_epoch(self, number):
        for batch in self.loader:
            self.optimizer.zero_grad()
            self.model(batch).sum().backward()
            self.optimizer.step()
""",
    ),
    (
        "TG421",
        """
from torch import optim


def optimizer_of(cfg, net):
    if cfg["optimizer"] == "sgd":
        return optim.SGD(net.parameters(), lr=0.1)  # <--
    elif cfg["optimizer"] == "adam":
        return optim.Adam(net.parameters(), lr=cfg["lr"])
""",
    ),
    (
        "TG611",
        """
import torch


def main(args, model, optimizer):
    args.start_epoch = 0
    if args.resume:
        found = torch.load(args.resume, map_location="cpu", weights_only=True)
        args.start_epoch = found["epoch"]  # <--
        model.load_state_dict(found["state_dict"])
        optimizer.load_state_dict(found["optimizer"])
    for epoch in range(args.start_epoch, args.epochs):
        train(model, optimizer)
        save_checkpoint(
            {
                "epoch": epoch,
                "state_dict": model.state_dict(),
                "optimizer": optimizer.state_dict(),
            },
            f"{epoch}.pt",
        )
""",
    ),
    (
        "TG612",
        """
import numpy as np
import torch


def save(model, losses, epoch):
    mean = np.mean(losses)
    state = {"state_dict": model.state_dict(), "epoch": epoch, "loss": mean}
    torch.save(state, f"{epoch}.pt")


def load(model, path):
    state = torch.load(path, map_location="cpu")  # <--
    model.load_state_dict(state["state_dict"])
""",
    ),
    (
        "TG613",
        """
class Trainer:
    def fit(self, epochs):
        lowest = float("inf")
        for _ in range(epochs):
            loss = self.run_epoch()
            if loss < lowest:
                lowest = loss
                weights = self.model.state_dict()  # <--
        self.model.load_state_dict(weights)
""",
    ),
    (
        "TG614",
        """
import os

import torch


def run(model, args, run_epoch):
    for epoch in range(args.epochs):
        run_epoch(model)
        if epoch % args.save_every == 0:
            path = os.path.join(args.folder, f"{epoch:03d}.pth")
            torch.save(model.state_dict(), path)  # <--
    print("done")
""",
    ),
    (
        "TG615",
        """
import torch
from torch.optim import lr_scheduler


def save_checkpoint(path, model, optimizer, schedule, epoch):
    torch.save(
        {
            "epoch": epoch,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": schedule.state_dict(),
        },
        path,
    )


def main(args, model, optimizer, loader):
    schedule = lr_scheduler.StepLR(optimizer, 30)
    for epoch in range(args.epochs):
        train_epoch(model, loader, optimizer)
        save_checkpoint(f"{epoch}.pt", model, optimizer, schedule, epoch)
        schedule.step()  # <--
""",
    ),
    (
        "TG704",
        """
import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel as DDP


def main(args):
    distributed.init_process_group(backend="nccl", init_method="env://")
    net = build(args).to("cuda")  # <--
    net = DDP(net)
    return net, torch.optim.SGD(net.parameters(), lr=0.1)
""",
    ),
    (
        "TG705",
        """
import random

import numpy as np
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def set_seed(args):
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)  # <--


def main(args):
    torch.distributed.init_process_group("nccl")
    torch.cuda.set_device(args.local_rank)
    set_seed(args)
    return DDP(nn.TransformerEncoderLayer(64, 8, dropout=0.1).cuda())
""",
    ),
    (
        "TG811",
        """
def evaluate(net, batches, criterion):
    sums = [criterion(net(x), y).data[0] for x, y in batches]  # <--
    for x, y in batches:
        val_loss = criterion(net(x), y)
        print(val_loss.data[0])  # <--
    return sum(sums)
""",
    ),
    (
        "TG812",
        """
from torch import autograd


def test(net, image):
    image = autograd.Variable(image.cuda(), volatile=True)  # <--
    return net.eval()(image)
""",
    ),
    (
        "TG813",
        """
import collections
import time

import torch
from torchvision import transforms

started = time.clock()  # <--
scale = transforms.Compose([transforms.Scale(256), transforms.ToTensor()])  # <--


def to(device, batch):
    if isinstance(batch, collections.Mapping):  # <--
        return {k: v.to(device) for k, v in batch.items()}
    return torch.as_tensor(batch, device=device)
""",
    ),
    (
        "TG814",
        """
import torch


def precision(scores, labels, ks=(1, 5)):
    with torch.no_grad():
        _, best = scores.topk(max(ks), 1, True, True)
        best = best.t()
        hits = best.eq(labels[None])
        found = []
        for k in ks:
            found.append(hits[:k].view(-1).float().sum(0) * 100 / len(labels))  # <--
        return found
""",
    ),
    (
        "TG315",
        """
import torch.nn.functional as F


def kd(student, teacher, t):
    p = F.log_softmax(student / t, dim=1)
    q = F.softmax(teacher / t, dim=1)
    return F.kl_div(p, q) * t**2  # <--
""",
    ),
    (
        "TG422",
        """
from torch import optim
from torch.optim.lr_scheduler import MultiStepLR


class Supervisor:
    def train(self, epochs, batches):
        optimizer = optim.Adam(self.model.parameters(), lr=0.01)
        schedule = MultiStepLR(optimizer, milestones=[20, 30])
        seen = 0
        for _ in range(epochs):
            for batch in batches:
                optimizer.zero_grad()
                loss = self.model(batch)
                if seen == 0:
                    optimizer = optim.Adam(self.model.parameters(), lr=0.01)  # <--
                loss.backward()
                optimizer.step()
                seen += 1
            schedule.step()
""",
    ),
    (
        "TG423",
        """
import torch.optim as optim
from torch.nn.utils import clip_grad_norm_


class Wrapper(object):
    def make(self):
        self.optimizer = optim.Adam(self.params, lr=self.lr)

    def __init__(self, params, lr, clip):
        self.params = params
        self.lr, self.clip = lr, clip
        self.make()

    def step(self):
        if self.clip is not None:
            clip_grad_norm_(self.params, self.clip)  # <--
        self.optimizer.step()


def main(args, net):
    wrapper = Wrapper(net.parameters(), args.lr, clip=args.clip)
    return wrapper
""",
    ),
    (
        "TG815",
        """
import torch


class GradReverse(torch.autograd.Function):  # <--
    def __init__(self, weight):
        self.weight = weight

    def forward(self, x):
        return x.view_as(x)

    def backward(self, grad):
        return -self.weight * grad


class Plain(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad
""",
    ),
    (
        "TG407",
        """
def train(model, batches, optimizer, hyper, epochs):
    for epoch in range(epochs):
        for i, batch in enumerate(batches):
            model(batch).mean().backward()  # <--
            if (len(batches) * epoch + i) % hyper["subdivisions"] == 0:
                optimizer.step()
                optimizer.zero_grad()
""",
    ),
    (
        "TG407",
        """
import torch

def score(counts, accumulated_counts):
    return accumulated_counts / counts.sum()

def train(model, batches, accumulated_batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, batch in enumerate(batches):
        model(batch).mean().backward()  # <--
        if (i + 1) % accumulated_batches == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
    ),
    (
        "TG001",
        "def move(x):\n    return x.cuda(async=True)  # <--\n",
    ),
    (
        "TG316",
        """
import torchvision

if torchvision.__version__ < "0.3.0":  # <--
    raise SystemExit("too old")
""",
    ),
    (
        "TG317",
        """
def groups(net):
    found = []
    for module in net.modules():
        for p in module.parameters():  # <--
            found.append(p)
    return found
""",
    ),
    (
        "TG101",
        """
import numpy as np
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


class Hole:
    def __call__(self, image):
        y = np.random.randint(image.size(1))
        image[:, y : y + 8] = 0
        return image


def load(holes):
    train_transform = transforms.Compose([])
    train_transform.transforms.append(transforms.ToTensor())
    train_transform.transforms.append(Hole())
    train_set = datasets.CIFAR10("data", transform=train_transform)
    return DataLoader(train_set, batch_size=64, shuffle=True, num_workers=2)  # <--
""",
    ),
    (
        "TG502",
        """
def embed(model, dl):
    model.eval()
    found = []
    for images, names in dl:  # <--
        found.append(model(images))
    return found
""",
    ),
    (
        "TG108",
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--random-seed", type=int, default=1234)  # <--
parser.add_argument("--width", type=int, default=8)
args = parser.parse_args()
model = torch.nn.Linear(args.width, 2)
""",
    ),
]
