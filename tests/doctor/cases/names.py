"""Names, arguments and flags that are not there."""

PLANTED: list[tuple[str, str]] = [
    (  # in a branch, in a method, and a word of Python 2
        "TG004",
        """
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, size, classes):
        super().__init__()
        self.score = nn.Linear(size, num_classes)  # <--

    def forward(self, x):
        for k in xrange(3):  # <--
            x = self.score(x) + k
        return x


def build(name, size):
    if name == "big":
        return Heads(size, 1000)  # <--
    return Head(size, 10)
""",
    ),
    (  # a method, a class, a keyword that is unknown, and one argument too many
        "TG005",
        """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width, *, depth):
        super().__init__()
        self.width, self.depth = width, depth

    def split(self, x, parts):
        return x.chunk(parts)

    def forward(self, x):
        return self.split(x)[0]  # <--


def crop(image, size=224):
    return image[:, :size, :size]


def views(image):
    net = Net(8)  # <--
    return net, crop(image, 8, 8), crop(image, side=8)  # <-- # <--
""",
    ),
    (  # parsed at the top of the file, and read in a function
        "TG006",
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("-b", "--batch-size", type=int, default=8)
parser.add_argument("--width", dest="size", type=int, default=8)
opt = parser.parse_args()


def loader(data):
    return torch.utils.data.DataLoader(data, opt.batch_size, num_workers=opt.workers)  # <--


def net():
    return torch.nn.Linear(opt.size, opt.width)  # <--
""",
    ),
    (  # of numpy, with the index in a sum
        "TG115",
        """
import numpy as np
from torch.utils.data import Dataset


class Waves(Dataset):
    def __init__(self, waves, seed):
        self.waves, self.seed = waves, seed

    def __getitem__(self, place):
        np.random.seed(self.seed + place)  # <--
        return self.waves[place] + np.random.randn(len(self.waves[place]))
""",
    ),
]

CLEAN: dict[str, str] = {
    "names that are defined elsewhere, later, or by a condition": """
import sys

import torch

if sys.version_info[0] > 2:
    unicode = str

try:
    long_type = long
except NameError:
    long_type = int

def total(batches):
    global seen
    seen = sum(len(batch) for batch in batches)
    return later(seen), unicode(seen), long_type(seen), __file__

def later(value):
    if (half := value // 2) > 1:
        return torch.tensor(half)
    return [k for k in range(value) if k in TABLE]

TABLE = {name: place for place, name in enumerate("abc")}
""",
    "a name that is made in a way that no reader sees": """
import torch

globals()["scale"] = 3

def scaled(x):
    return torch.as_tensor(x) * scale
""",
    "arguments that fit: by stars, and by other functions and classes of the name": """
import torch
from torch.nn import Identity
from torch.utils.data import DataLoader

def step(model, batch, *more, rate=0.1, **options):
    return model(batch, rate, *more, **options)

def run(model, batches, given, step_of=None):
    outputs = [step(model, batch, 1, 2, name="a") for batch in batches]
    step(*given)
    crop = step_of or (lambda image: image)
    return outputs, crop(batches[0]), DataLoader(batches, 8, shuffle=True), Identity(54, unused=1)

def crop(image, size, side):
    return image[:size, :side]
""",
    "a stand-in for a class that an old library lacks": """
import torch

try:
    from torch.cuda.amp import GradScaler
except ImportError:
    class GradScaler:
        def __init__(self):
            pass

def scaler(on):
    return GradScaler(enabled=on)
""",
    "settings that are put into the namespace by hand": """
import argparse

import torch

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpus", type=int, default=1)
    parser.set_defaults(depth=18)
    args = parser.parse_args()
    args.batch = 8 * args.gpus
    if hasattr(args, "width"):
        return args.width
    return torch.zeros(args.batch, args.depth)
""",
    "two transforms that are seeded alike by chance": """
import random

import torch
from torch.utils.data import Dataset

class Pairs(Dataset):
    def __getitem__(self, index):
        seed = random.randint(0, 2**31)
        random.seed(seed)
        image = self.transform(self.images[index])
        random.seed(seed)
        return image, self.transform(self.masks[index])
""",
}
