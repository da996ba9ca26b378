"""Where a rule is right and yet not worth a line: hints there; and the same faults where it is."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG314",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--rotate", default=True, action="store_true", help="rotate at random")  # <--
print(parser.parse_args().rotate)
""",
    ),
    (
        "TG204",
        """
from torch.utils.data import DataLoader


def get_loader(dataset):
    loader = DataLoader(dataset, batch_size=8, drop_last=True)  # <--
    return loader


def test(model, dataset, measure):
    test_loader = get_loader(dataset)
    for batch in test_loader:
        measure(model, batch)
""",
    ),
    (
        "TG310",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--use-sgd", type=bool, default=True)  # <--
args = parser.parse_args()
print("SGD" if args.use_sgd else "Adam")
""",
    ),
    (
        "TG504",
        """
import torch
import torch.nn as nn

def validate(model, val_loader):
    criterion = nn.CrossEntropyLoss()
    losses = []
    with torch.no_grad():
        for images, labels in val_loader:
            loss = criterion(model(images), labels)
            losses.append(loss.item())  # <--
    return np.mean(losses)

import numpy as np

def fit(model, val_loader, best_loss):
    model.eval()
    val_loss = validate(model, val_loader)
    if val_loss < best_loss:
        print("better")
""",
    ),
    (
        "TG603",
        """
import torch
import torch.nn as nn

def fit(model, path, epochs, run_epoch):
    model = nn.DataParallel(model)
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    for epoch in range(epochs):
        run_epoch(model)
        torch.save(model.state_dict(), f"{path}-{epoch}")  # <--
    torch.save(model.module.state_dict(), path + "-final")
""",
    ),
    (
        "TG606",
        """
from torch.optim.lr_scheduler import MultiStepLR

def resume(optimizer, state):
    optimizer.load_state_dict(state["optimizer"])
    return MultiStepLR(optimizer, [30, 60], 0.1, -1)  # <--
""",
    ),
    (
        "TG301",
        """
import torch.nn as nn

class Scales(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scales = [nn.Conv2d(3, 3, 2**i) for i in range(n)]  # <--

    def forward(self, x):
        return [scale(x) for scale in self.scales]
""",
    ),
]

CLEAN: dict[str, str] = {
    "workers that are seeded alike for what nobody draws from": """
import random

import numpy as np
from torch.utils.data import DataLoader, Dataset

class Crops(Dataset):
    def __getitem__(self, index):
        return self.images[index] + np.random.rand()

def seed_worker(worker_id):
    random.seed(worker_id)

def load(root, generator):
    return DataLoader(
        Crops(root), num_workers=4, worker_init_fn=seed_worker, generator=generator
    )
""",
    "a loader of one mode, whose dataset draws in another": """
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Depths(Dataset):
    def __getitem__(self, index):
        image = self.images[index]
        return image + np.random.rand() if self.mode == "train" else image

def load(root, mode):
    if mode == "online_eval":
        data = Depths(root, mode)
        return DataLoader(data, batch_size=1, num_workers=1)
    raise ValueError(mode)
""",
    "a loader of which samples are taken, and no batches": """
from torch.utils.data import DataLoader

def get_loader(dataset):
    loader = DataLoader(dataset, batch_size=8, drop_last=True)
    return loader

def show(dataset, draw):
    test_loader = get_loader(dataset)
    draw([test_loader.dataset[i] for i in range(8)])
""",
    "a flag that is on, and another that turns it off": """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--rotate", action="store_true", default=True)
parser.add_argument("--no-rotate", dest="rotate", action="store_false")
print(parser.parse_args().rotate)
""",
    "a boolean flag that no code reads": """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--use_cpu_only", default=False, type=bool)
parser.add_argument("--epochs", default=9, type=int)
args = parser.parse_args()
print(args.epochs)
""",
    "a mean of batch means that is printed, and decides nothing": """
import torch
import torch.nn as nn

def validate(model, val_loader):
    criterion = nn.CrossEntropyLoss()
    model.eval()
    total_loss = 0.0
    with torch.no_grad():
        for images, labels in val_loader:
            loss = criterion(model(images), labels)
            total_loss += loss.item()
    print(total_loss / len(val_loader))

def run(model, val_loader, epochs, run_epoch):
    for epoch in range(epochs):
        run_epoch(model)
        validate(model, val_loader)
""",
    "a mean over the parts of one sample": """
import numpy as np
import torch

def validate(model, val_loader, parts, overlap):
    model.eval()
    ious = []
    with torch.no_grad():
        for points, labels in val_loader:
            of_parts = []
            prediction = model(points)
            for part in parts:
                iou = overlap(prediction, labels, part)
                of_parts.append(iou)
            ious.append(np.mean(of_parts))
    return ious
""",
    "names of a wrapper that wrapped models alone open": """
import torch
import torch.nn as nn

def fit(model, path, epochs, run_epoch):
    model = nn.DataParallel(model)
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    for epoch in range(epochs):
        run_epoch(model)
        torch.save(model.state_dict(), f"{path}-{epoch}")
""",
    "a score that is called after the test set, of the validation set": """
import torch

def fit(model, epochs, val_loader, run_epoch, validate, path):
    best_acc = 0.0
    for epoch in range(epochs):
        run_epoch(model)
        test_acc = validate(val_loader, model)
        if test_acc > best_acc:
            best_acc = test_acc
            torch.save(model.state_dict(), path)
""",
    "an evaluation that a setting spreads over the ranks": """
from torch.utils.data import DataLoader, DistributedSampler, SequentialSampler

def load(val_dataset, args):
    if args.dist_eval:
        val_sampler = DistributedSampler(val_dataset, shuffle=False)
    else:
        val_sampler = SequentialSampler(val_dataset)
    return DataLoader(val_dataset, batch_size=8, sampler=val_sampler)
""",
    "a sum of the losses of a few steps on one batch": """
def fit(model, loader, optimizer, repeats, loss_of, log):
    for batch in loader:
        total = 0.0
        for _ in range(repeats):
            optimizer.zero_grad()
            loss = loss_of(model, batch)
            loss.backward()
            optimizer.step()
            total += loss
        log(total.item())
""",
    "losses of tasks that are stacked, to be minimised": """
import torch

def outer_step(model, tasks, optimizer, loss_of):
    losses = []
    for task in tasks:
        loss = loss_of(model, task)
        losses.append(loss)
    optimizer.zero_grad()
    loss = torch.stack(losses).mean()
    loss.backward()
    optimizer.step()
""",
    "an old name where the new one is missing": """
try:
    from torch._six import inf
except ImportError:
    from torch import inf

print(inf)
""",
    "an old way to read a loss, with an old torch": """
import torch

def number(loss):
    version = torch.__version__
    if int(version[0]) > 0:
        return loss.item()
    else:
        return loss.data[0]
""",
    "a file without a place for its tensors, where a GPU is a must": """
import torch

def test(model, path):
    assert torch.cuda.is_available(), "a GPU is needed"
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.load_state_dict(torch.load(path, weights_only=True))
    return model.to(device)
""",
    "weights that a script beside it wrote, by a literal name": """
import torch

def teacher(model):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.load_state_dict(torch.load("teacher.pt", weights_only=True))
    return model.to(device)
""",
    "the best weights of the same run": """
import torch

def run(model, args, epochs, run_epoch, EarlyStopping):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    stopping = EarlyStopping(args.path)
    for epoch in range(epochs):
        run_epoch(model.to(device), stopping)
    model.load_state_dict(torch.load(args.path, weights_only=True))
    return model
""",
    "a scheduler that is told where it is": """
from torch.optim.lr_scheduler import MultiStepLR

def resume(optimizer, state):
    optimizer.load_state_dict(state["optimizer"])
    return MultiStepLR(optimizer, [30, 60], 0.1, state["epoch"] - 1)
""",
    "a list of layers without weights": """
import torch.nn as nn

class Scales(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scales = [nn.AvgPool2d(2**i) for i in range(n)]

    def forward(self, x):
        return [scale(x) for scale in self.scales]
""",
    "both settings of cuDNN where a model is only applied": """
import torch
from torch.backends import cudnn

def show(model, path, image):
    cudnn.benchmark = True
    cudnn.deterministic = True
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return model.eval()(image)
""",
    "a network whose layers are the same in both modes": """
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.utils.weight_norm(nn.Linear(8, 8))

    def forward(self, x):
        return self.layer(x)

def fit(model, train_loader, val_loader, optimizer, loss_of, epochs):
    model.train()
    for epoch in range(epochs):
        for batch in train_loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            for images, labels in val_loader:
                print((model(images).argmax(1) == labels).sum())
""",
    "workers that are seeded alike, and draw nothing": """
import random

import numpy as np
from torch.utils.data import DataLoader, Dataset

class Images(Dataset):
    def __init__(self, images):
        self.images = images

    def __getitem__(self, i):
        return self.images[i]

def seed_worker(worker_id):
    np.random.seed(7 + worker_id)
    random.seed(7 + worker_id)

def load(images):
    return DataLoader(Images(images), num_workers=4, worker_init_fn=seed_worker)
""",
    "a model before its first epoch": """
import torch

def prune(model, masks, optimizer, path):
    optimizer.step()
    torch.save({"epoch": 0, "state_dict": model.state_dict(), "masks": masks}, path)
""",
    "workers that draw from random alone, which torch seeds": """
import random

import numpy as np
from torch.utils.data import DataLoader, Dataset

class Clips(Dataset):
    def __init__(self, clips):
        self.clips = [clips[k] for k in np.random.permutation(len(clips))]

    def __getitem__(self, i):
        first = random.randint(0, 9)
        return self.clips[i][first : first + 100]

def seed_worker(worker):
    np.random.seed(np.random.get_state()[1][0] + worker)

def load(clips):
    return DataLoader(Clips(clips), 8, shuffle=True, num_workers=4, worker_init_fn=seed_worker)
""",
    "features that are gathered by the name of the file": """
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

@torch.no_grad()
def extract(model, test_dataset):
    sampler = DistributedSampler(test_dataset, shuffle=False)
    model.eval()
    found, gathered = {}, [None] * dist.get_world_size()
    for inputs, names in DataLoader(test_dataset, 1, sampler=sampler):
        found[names[0]] = model(inputs).cpu()
    dist.all_gather_object(gathered, found)
    return {name: one for part in gathered for name, one in part.items()}
""",
    "the sum of the pieces of one batch": """
import torch

def train(model, optimizer, loader, criterion, batch_chunk):
    for images, labels in loader:
        optimizer.zero_grad()
        total = 0
        pieces = zip(images.chunk(batch_chunk), labels.chunk(batch_chunk), strict=True)
        pieces = list(pieces)
        for i in range(batch_chunk):
            loss = criterion(model(pieces[i][0]), pieces[i][1]) / batch_chunk
            total += loss
            loss.backward()
        optimizer.step()
        print(float(total))
""",
    "an accuracy of which nobody asks for more than the first": """
import torch

def accuracy(output, target, topk=(1,)):
    _, pred = output.topk(max(topk), 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].view(-1).float().sum(0) for k in topk]

def test(output, target):
    return accuracy(output, target, topk=(1,))[0]
""",
    "a flag that is given to its opposite": """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--small", action="store_false", help="a layer with fewer weights")
args = parser.parse_args()

def layer(large):
    return torch.nn.Linear(8, 64 if large else 8)

print(layer(large=args.small))
""",
    "modules that are listed until their weights are stacked": """
import torch
from torch import nn

class Scan(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.parts = (nn.Linear(size, size), nn.Linear(size, size))
        self.weight = nn.Parameter(torch.stack([one.weight for one in self.parts]))
        del self.parts

    def forward(self, x):
        return x @ self.weight
""",
    "an optimizer in a branch that an assertion leaves out": """
import torch

def build(config, model):
    assert config.opt in ("Adam", "AdamW"), "no such optimizer"
    if config.opt == "Adam":
        return torch.optim.Adam(model.parameters(), lr=config.lr)
    elif config.opt == "AdamW":
        return torch.optim.AdamW(model.parameters(), lr=config.lr)
    else:
        return torch.optim.SGD(model.parameters(), lr=0.01)
""",
    "the best weights, which are all that their file holds": """
import argparse

import torch

def main(model, epochs):
    args = argparse.ArgumentParser().parse_args()
    for epoch in range(epochs):
        torch.save({"model": model.state_dict(), "epoch": epoch, "args": args}, "last.pt")
    torch.save(model.state_dict(), "best.pt")
    best = torch.load("best.pt", map_location="cpu")
    model.load_state_dict(best)
""",
    "gradients of several passes, where a flag asks for them": """
import argparse

import torch

def main(model, loader, optimizer, loss_of, epochs):
    parser = argparse.ArgumentParser()
    parser.add_argument("--passes", type=int, default=1)
    args = parser.parse_args()
    for epoch in range(epochs):
        for i, batch in enumerate(loader):
            (loss_of(model, batch) / args.passes).backward()
            if (i + 1) % args.passes == 0:
                optimizer.step()
                optimizer.zero_grad()
""",
    "a device that is compared in two ways": """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def place(self, x):
        if self.device == "cuda" or self.device == torch.device("cuda"):
            return x.cuda()
        return x
""",
    "a schedule that is told the epoch by name": """
import argparse

import torch

def main(model, schedule, loader, loss_of, epochs):
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", default="")
    args = parser.parse_args()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    lr_scheduler = schedule(optimizer)
    start = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu")
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"] + 1
    for epoch in range(start, epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        lr_scheduler.step(epoch=epoch)
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
        torch.save(state, "last.pt")
""",
}
