"""Slips of Python's own: conditions, exceptions, results that nobody sees, and splits unread."""

HINTS: dict[str, tuple[str, str]] = {
    "the logarithm of a sigmoid, which is 0 for scores far below 0 alone": (
        "TG327",
        """
import torch

def loss_of(scores):
    return -torch.log(torch.sigmoid(scores)).mean()  # <--
""",
    ),
    "batches of an evaluation that an option makes even": (
        "TG504",
        """
import torch
from torch.utils.data import DataLoader

@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    total = 0.0
    for images, labels in val_loader:
        loss = criterion(model(images), labels)
        total += loss.item()  # <--
    return total / len(val_loader)

def fit(model, data, criterion, run_epoch, args):
    best = float("inf")
    val_loader = DataLoader(data, batch_size=args.size, drop_last=args.drop_last)
    for epoch in range(args.epochs):
        run_epoch(model)
        val_loss = validate(model, val_loader, criterion)
        if val_loss < best:
            best = val_loss
            torch.save(model.state_dict(), args.path)
""",
    ),
    "work of threads that handles each exception": (
        "TG211",
        """
from concurrent.futures import ThreadPoolExecutor

import torch

def convert(path):
    try:
        torch.save(torch.ones(2), path)
    except Exception as error:
        print(path, error)

def convert_all(paths):
    with ThreadPoolExecutor(8) as executor:
        executor.map(convert, paths)  # <--
""",
    ),
    "a condition that is switched off by a number": (
        "TG339",
        """
import torch

def log(step, loss):
    if step % 10 == 0 or 1:  # <--
        print(torch.as_tensor(loss))
""",
    ),
}
PLANTED: list[tuple[str, str]] = [
    (
        "TG342",
        """
import os
import soundfile
import torch

def separate(model, paths, folder):
    for path in paths:
        wave, rate = soundfile.read(path)
        name = os.path.basename(path).strip(".wav")  # <--
        parts = model(torch.from_numpy(wave))
        for k, part in enumerate(parts):
            soundfile.write(f"{folder}/{name}_{k}.wav", part.numpy(), rate)
""",
    ),
    *HINTS.values(),
    (  # the worse of two logarithms, through a name
        "TG327",
        """
import torch

def loss_of(right, wrong):
    p = torch.sigmoid(wrong)
    return -torch.log(1 - p).mean() - torch.nn.functional.logsigmoid(right).mean()  # <--
""",
    ),
    (  # called, formatted and put together
        "TG338",
        """
import torch

class Scorer:
    def score(self, x):
        raise NotImplemented("score")  # <--

    def load(self, path):
        if path.endswith(".h5"):
            raise "no " + path  # <--
        if path.endswith(".npz"):
            raise ("cannot read {}".format(path))  # <--
        return torch.load(path, map_location="cpu", weights_only=True)
""",
    ),
    (  # first, within `and`, with a number, and in an assertion
        "TG339",
        """
import torch

def build(name, depth, pretrained):
    assert ("resnet" or "vgg" in name)  # <--
    if pretrained and (depth == 18 or 34):  # <--
        return torch.hub.load("pytorch/vision", name)
    return [one for one in range(depth) if not (name == "a" or "b")]  # <--
""",
    ),
    (  # by way of lower(), and `not in`
        "TG340",
        """
import torch

def rate(args, epoch):
    if args.schedule.lower() in ("cosine"):  # <--
        return torch.cos(torch.tensor(epoch / args.epochs))
    return 0.1 if args.mode not in ( "finetune" ) else 0.01  # <--
""",
    ),
    (  # in functions that are called one after the other
        "TG341",
        """
import argparse

import torch

def data_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default="data")
    return parser.parse_args()

def model_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=8)
    return parser.parse_args()  # <--

if __name__ == "__main__":
    data = data_options()
    model = model_options()
    print(data.root, torch.nn.Linear(model.width, 2))
""",
    ),
    (  # submitted one by one, by a method, and to a pool of processes
        "TG211",
        """
from concurrent import futures
from multiprocessing import Pool

import torch

def crop(path):
    torch.save(torch.load(path, map_location="cpu", weights_only=True)[:8], path)

class Writer:
    def __init__(self):
        self.executor = futures.ProcessPoolExecutor(4)

    def write(self, path):
        crop(path)

    def write_all(self, paths):
        for path in paths:
            self.executor.submit(self.write, path)  # <--
        [self.executor.submit(self.write, path) for path in paths]  # <--
        self.executor.shutdown()

def crop_all(paths):
    pool = Pool(4)
    for path in paths:
        pool.apply_async(crop, (path,))  # <--
    pool.close()
    pool.join()
""",
    ),
    (  # of a random split
        "TG212",
        """
from torch.utils.data import DataLoader, random_split

def load(data, size):
    train_ds, valid_ds = random_split(data, [800, 200])
    train_dl = DataLoader(train_ds, batch_size=size, shuffle=True)
    valid_dl = DataLoader(train_ds, batch_size=size)  # <--
    return train_dl, valid_dl
""",
    ),
    (  # from an array, and an array of two axes
        "TG213",
        """
from random import shuffle

import numpy as np
import torch

def mixed(points, count):
    order = torch.from_numpy(points).float()
    shuffle(order)  # <--
    places = np.zeros((count, 3))
    shuffle(places[:8])  # <--
    places = np.stack(list(points))
    shuffle(places)  # <--
    return order, places
""",
    ),
    (  # through a scaler, and by an attribute of the object
        "TG429",
        """
import torch

class Trainer:
    def fit(self, loader):
        for images in loader:
            self.optimizer.zero_grad()
            self.scaler.scale(self.model(images).mean()).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.step()  # <--
""",
    ),
    (  # of texts, arrays, pictures and tables
        "TG336",
        """
import numpy as np
import pandas as pd
import torch
from PIL import Image

def read(path, line, points):
    table = pd.read_csv(path)
    table.fillna(0)  # <--
    table.drop("name", axis=1)  # <--
    line.strip()  # <--
    table["name"].str.lower()  # <--
    line.replace("-", "_")  # <--
    points.astype(np.float32)  # <--
    points.reshape(-1, 3)  # <--
    image = Image.open(path)
    image.convert("RGB")  # <--
    image.resize((8, 8))  # <--
    return table, line, torch.from_numpy(points), image
""",
    ),
]
CLEAN: dict[str, str] = {
    "letters and signs that are taken off a text": """
import torch

def numbers(line):
    line = line.strip().strip(".").rstrip("\\n").lstrip("./").strip(".,;")
    return torch.tensor([float(one.strip("()")) for one in line.split(",")])
""",
    **{what: code for what, (_, code) in HINTS.items()},
    "a function that is imported within one of its name": """
import torch

def preemphasis(x):
    from nnmnkwii.preprocessing import preemphasis

    return preemphasis(torch.as_tensor(x), 0.97)
""",
    "exceptions, and what is returned": """
import torch

class Length:
    def __eq__(self, other):
        if not isinstance(other, Length):
            return NotImplemented
        raise NotImplementedError("of tensors: %s" % torch.Tensor)
""",
    "texts as defaults, and conditions that are told apart": """
import torch

def build(name, mode=None, debug=False):
    if (mode or "train") == "train" or name in ("a", "b"):
        kind = mode or "train"
    if debug or True:
        kind = name == "a" or "b"
    return torch.zeros(len(kind)) if name or mode else None
""",
    "texts in which a part is looked for": """
import torch

def kind(c, char, name):
    if c in ("abc") or char in ("xyz") or "ab" in ("abc"):
        return 0
    if name in ("train test") or name in ("train",) or name in "train":
        return 1
    return torch.zeros(1) if name in str("train") else name in ("+-")
""",
    "parsers of which one is asked, and those that leave flags to others": """
import argparse

import torch

def train_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=0.1)
    return parser.parse_args()

def test_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--path")
    return parser.parse_args()

def main(training):
    if training:
        print(torch.tensor(train_options().rate))
    else:
        print(test_options().path)
""",
    "results that are asked for": """
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pool

import torch

def convert(path):
    torch.save(torch.ones(2), path)

def convert_all(paths, executor):
    executor.map(convert, paths)
    with ThreadPoolExecutor(8) as threads, Pool(2) as pool:
        list(threads.map(convert, paths))
        futures = [threads.submit(convert, path) for path in paths]
        pool.map(convert, paths)
        pool.apply_async(convert, paths[:1], error_callback=print)
    return [one.result() for one in futures]
""",
    "a loader that measures on the training's data, and splits that are read": """
from torch.utils.data import DataLoader

def load(make):
    train_set, val_set, test_set = make("train"), make("val"), make("test")
    val_loader = DataLoader(val_set, batch_size=8)
    train_val_loader = DataLoader(train_set, batch_size=8)
    test_loader = DataLoader(train_set if test_set is None else test_set, batch_size=8)
    return val_loader, train_val_loader, test_loader

def halves(make, half):
    train_set, val_set = make("train"), make("val")
    val_loader = DataLoader(train_set, batch_size=8, sampler=half)
    return val_loader, train_set
""",
    "lists and arrays of numbers that are shuffled": """
import random

import numpy as np
import torch

def order(count):
    places = torch.randperm(count).tolist()
    numbers = np.zeros(count)
    random.shuffle(places)
    random.shuffle(numbers)
    return places, numbers
""",
    "steps of which each has gradients of its own": """
import torch

def fit(model, other, optimizer, scheduler, loader, compute):
    for images in loader:
        optimizer.zero_grad()
        model(images).mean().backward()
        optimizer.step()
        scheduler.step()
        compute(other, images)
        if images.sum() > 0:
            optimizer.zero_grad()
            other(images).mean().backward()
        optimizer.step()
""",
    "steps between which a function of a caller's may compute gradients": """
import torch

def fit(model, optimizer, loader, more, scaler):
    for images in loader:
        optimizer.zero_grad()
        model(images).mean().backward()
        optimizer.step()
        more(images)
        optimizer.step()
        scaler(model(images).mean(), optimizer)
        optimizer.step()
""",
    "methods that change their object, or that tables do in place": """
import pandas as pd
import torch

def read(path, layout, network, paths):
    table = pd.read_csv(path)
    table.dropna(inplace=True)
    layout.resize(8, 8)
    layout.drop(path)
    network.reshape({"input": [1, 3]})
    paths[0].replace(paths[1])
    return torch.tensor(table.values)
""",
}
