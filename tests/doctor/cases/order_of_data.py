"""What loaders and samplers leave out, repeat or order: planted faults, and code that has none."""

HINTS: dict[str, tuple[str, str]] = {
    "an iterator that begins anew after an error that is shown": (
        "TG220",
        """
import traceback


def train(step, loader, steps):
    batches = iter(loader)
    for _ in range(steps):
        try:
            images = next(batches)
        except Exception:  # <--
            traceback.print_exc()
            batches = iter(loader)
            images = next(batches)
        step(images)
""",
    ),
}
PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG202",  # only the sampler of the validation is told
        """
import torch
from torch.utils.data import DataLoader, DistributedSampler


def main(args, train_set, val_set, model, opt, validate):
    torch.distributed.init_process_group("nccl")
    train_sampler = DistributedSampler(train_set)  # <--
    val_sampler = DistributedSampler(val_set, shuffle=False, drop_last=True)
    train_loader = DataLoader(train_set, batch_size=8, sampler=train_sampler)
    val_loader = DataLoader(val_set, batch_size=8, sampler=val_sampler)
    for epoch in range(args.epochs):
        val_sampler.set_epoch(epoch)
        for x in train_loader:
            opt.zero_grad()
            model(x).backward()
            opt.step()
        validate(model, val_loader)
""",
    ),
    (
        "TG202",  # a loop of steps
        """
import torch
from torch.utils.data import DataLoader, DistributedSampler


def main(args, train_set, model, opt):
    torch.distributed.init_process_group("nccl")
    sampler = DistributedSampler(train_set)  # <--
    train_loader = DataLoader(train_set, batch_size=8, sampler=sampler)
    step = 0
    while step < args.max_steps:
        for x in train_loader:
            opt.zero_grad()
            model(x).backward()
            opt.step()
            step += 1
""",
    ),
    (
        "TG206",  # the rank is a device, and divides no samples
        """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


class Run:
    def __init__(self, cfg, dataset, model):
        dist.init_process_group(backend="nccl")
        self.model = DDP(model.cuda(), device_ids=[cfg.local_rank])
        self.loader = DataLoader(dataset, batch_size=cfg.size, shuffle=True)  # <--
""",
    ),
    (
        "TG222",  # it is told the epoch, and no loader has it
        """
import torch
from torch.utils.data import DataLoader, DistributedSampler


def train(rank, world, dataset, one_epoch):
    sampler = DistributedSampler(dataset, num_replicas=world, rank=rank)  # <--
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    for epoch in range(10):
        sampler.set_epoch(epoch)
        one_epoch(loader)
""",
    ),
    (
        "TG216",  # two sets in one line
        """
from sklearn.preprocessing import MinMaxScaler


def main(table, model, opt):
    data = MinMaxScaler().fit_transform(table[:, 1:])  # <--
    count = int(len(data) * 0.8)
    train, test = data[:count], data[count:]
    opt.zero_grad()
    model(train).backward()
    opt.step()
    return test
""",
    ),
    (
        "TG216",  # fitted first
        """
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def main(x, y, model, opt):
    scaler = StandardScaler()
    scaler.fit(x)
    x = scaler.transform(x)  # <--
    x_train, x_test, y_train, y_test = train_test_split(x, y, random_state=0)
    opt.zero_grad()
    model(x_train, y_train).backward()
    opt.step()
    return x_test
""",
    ),
    (
        "TG216",  # a data set that is split as a whole
        """
from sklearn.preprocessing import StandardScaler
from torch.utils.data import Dataset, random_split


class Table(Dataset):
    def __init__(self, frame):
        self.x = StandardScaler().fit_transform(frame.iloc[:, :-1])  # <--
        self.y = frame.iloc[:, -1].values

    def __getitem__(self, index):
        return self.x[index], self.y[index]


def main(frame, model, opt, order):
    train_set, test_set = random_split(Table(frame), [800, 200], generator=order)
    opt.zero_grad()
    model(train_set).backward()
    opt.step()
    return test_set
""",
    ),
    (
        "TG208",  # a data set that is split as a whole
        """
import os

import torch
from PIL import Image
from torch.utils.data import Dataset, random_split


class Cars(Dataset):
    def __init__(self, root):
        self.root = root
        self.files = os.listdir(root)  # <--

    def __getitem__(self, index):
        return Image.open(os.path.join(self.root, self.files[index]))


def load(root):
    dataset = Cars(root)
    return random_split(dataset, [900, 100], generator=torch.Generator().manual_seed(0))
""",
    ),
    (
        "TG215",  # Lightning's trainer keeps what is best on it
        """
import pytorch_lightning as pl
from pytorch_lightning.callbacks import ModelCheckpoint


def main(model, train_loader, test_loader):
    keep = ModelCheckpoint(monitor="val_acc", mode="max")
    trainer = pl.Trainer(max_epochs=10, callbacks=[keep])
    trainer.fit(model, train_loader, test_loader)  # <--
""",
    ),
    (
        "TG213",  # an array of rows
        """
import random

import numpy as np


def order(pairs):
    rows = np.array([(a, b, 1.0) for a, b in pairs])
    random.shuffle(rows)  # <--
    return rows
""",
    ),
]
CLEAN: dict[str, str] = {
    **{what: code for what, (_, code) in HINTS.items()},
    "TG203: what was repeated is cut off": """
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


@torch.no_grad()
def validate(model, loader):
    rights = []
    for x, y in loader:
        rights.append((model(x).argmax(1) == y).float())
    right = torch.cat(rights)
    parts = [torch.zeros_like(right) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, right)
    return torch.stack(parts, 1).flatten()[: len(loader.dataset)].mean()


def fit(model, epochs, run, val_dataset, path):
    sampler = DistributedSampler(val_dataset, shuffle=False)
    loader = DataLoader(val_dataset, batch_size=8, sampler=sampler)
    best = 0.0
    for epoch in range(epochs):
        run(model)
        score = validate(model, loader)
        if score > best:
            best = score
            if dist.get_rank() == 0:
                torch.save(model.state_dict(), path)
""",
    "TG204: the loader of a test is trained on": """
from torch.utils.data import DataLoader


def adapt(net, optimizer, source, test_images, loss_of):
    source_loader = DataLoader(source, batch_size=32, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_images, batch_size=32, shuffle=True, drop_last=True)
    for (xs, ys), xt in zip(source_loader, test_loader):
        optimizer.zero_grad()
        loss = loss_of(net, xs, ys, xt)
        loss.backward()
        optimizer.step()
""",
    "TG204: one batch of all samples": """
from torch.utils.data import DataLoader


def score(model, test_set):
    loader = DataLoader(test_set, batch_size=len(test_set), drop_last=True)
    return [model(x) for x in loader]
""",
    "TG202: the attribute that the sampler reads": """
import torch
from torch.utils.data import DataLoader, DistributedSampler


def main(dataset, model, optimizer, epochs):
    torch.distributed.init_process_group("nccl")
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    for epoch in range(epochs):
        sampler.epoch = epoch
        for x in loader:
            optimizer.zero_grad()
            model(x).backward()
            optimizer.step()
""",
    "TG202: a sampler of its own for each epoch": """
import torch
from torch.utils.data import DataLoader, DistributedSampler


def main(dataset, model, optimizer, epochs):
    torch.distributed.init_process_group("nccl")
    for epoch in range(epochs):
        sampler = DistributedSampler(dataset, seed=epoch)
        for x in DataLoader(dataset, batch_size=8, sampler=sampler):
            optimizer.zero_grad()
            model(x).backward()
            optimizer.step()
""",
    "TG216: fitted on the training part alone": """
from sklearn.preprocessing import StandardScaler


def main(x, model, opt, count):
    scaler = StandardScaler()
    scaler.fit(x[:count])
    x = scaler.transform(x)
    train, test = x[:count], x[count:]
    opt.zero_grad()
    model(train).backward()
    opt.step()
    return test
""",
    "TG215: Lightning's trainer watches nothing on it": """
import pytorch_lightning as pl


def main(model, train_loader, test_loader):
    trainer = pl.Trainer(max_epochs=10)
    trainer.fit(model, train_loader, test_loader)
""",
}
