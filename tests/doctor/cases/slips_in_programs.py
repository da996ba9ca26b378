"""GPUs, flags, conditions and discarded results: planted faults, and code that has none."""

HINTS: dict[str, tuple[str, str]] = {
    "characters that a flag takes, as its default says": (
        "TG331",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--gpus", type=list, default="01", help="such as 013")  # <--
args = parser.parse_args()
for place in args.gpus:
    print(int(place))
""",
    ),
    "a dropout that an attention leaves out, while others have the same rate": (
        "TG329",
        """
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, size, attention_dropout=0.1):
        super().__init__()
        self.size = size
        self.dropout = nn.Dropout(attention_dropout)  # <--

    def forward(self, x):
        return torch.softmax(x @ x.transpose(1, 2) / self.size, dim=-1) @ x

class Model(nn.Module):
    def __init__(self, configs):
        super().__init__()
        self.attention = Attention(configs.size, attention_dropout=configs.dropout)
        self.drop = nn.Dropout(configs.dropout)

    def forward(self, x):
        return self.drop(self.attention(x))
""",
    ),
    "a discarded result on which little depends": (
        "TG336",
        """
import numpy as np
import pandas as pd
import torch

def rows_of(path, image):
    table = pd.read_csv(path)
    table.set_index("name")  # <--
    image.astype(np.float32)  # <--
    return table.values, image * 255

@torch.no_grad()
def target(net, x):
    out = net(x)
    out.detach()  # <--
    out.contiguous()  # <--
    return out
""",
    ),
    "a device that is told where it is a GPU": (
        "TG322",
        """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
if device == "cuda":  # <--
    print("on", torch.cuda.get_device_name())
""",
    ),
    "a condition without which only a message is lost": (
        "TG339",
        """
import os

import torch

def load(net, path):
    _, ending = os.path.splitext(path)
    assert ending == ".pkl" or ".pth", "only .pth and .pkl"  # <--
    if ending == ".pkl" or ".pth":  # <--
        net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    else:
        print("only .pth and .pkl")
""",
    ),
}

PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG344",  # a list, a quotient and a negative number
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--betas", type=int, nargs=2, default=[0.9, 0.99])  # <--
parser.add_argument("--scale", type=int, default=1 / 255)  # <--
parser.add_argument("--slope", type=int, default=-0.5)  # <--
parser.add_argument("--sizes", type=int, nargs="+", default=[32, 64.0])
parser.add_argument("--half", type=int, default=64 / 2)
args = parser.parse_args()
print(args.betas, args.scale, args.slope, args.sizes, args.half)
""",
    ),
    (
        "TG329",  # beside a list that is called as what goes through all layers
        """
from torch import nn

class Encoder(nn.Module):
    def __init__(self, flags):
        super().__init__()
        modules = [nn.Linear(8, 8), nn.ReLU()]
        self.layers = nn.Sequential(*modules)
        self.dropout = nn.Dropout(flags.dropout)  # <--

    def forward(self, x):
        return self.layers(x)
""",
    ),
    (
        "TG333",  # two comparisons in one
        """
def is_due(epoch, rank, flags):
    last = epoch > 5 & rank == 0  # <--
    low = 0 < 0xFF & flags < 128
    return last or low or epoch == 1 | rank == 2  # <--
""",
    ),
    (
        "TG343",  # a list that is filled first
        """
import torch

def fit(net, batches):
    losses = []
    for x in batches:
        losses.append(net(x).sum())
    return torch.mean(losses)  # <--
""",
    ),
    (
        "TG330",  # what a model gives that ends in a softmax
        """
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 3)

    def forward(self, x):
        return F.softmax(self.layer(x), dim=1)

net = Net()

def loss_of(x, labels):
    out = net(x)
    return F.nll_loss(out, labels)  # <--
""",
    ),
    (
        "TG336",  # a picture whose name is used again
        """
from PIL import Image

def read(path, transforms):
    with open(path, "rb") as file:
        image = Image.open(file)
        image.convert("RGB")  # <--
    image, mask = transforms(image)
    return image, mask
""",
    ),
    (
        "TG336",  # functions of NumPy, a dropout, and an index that is read
        """
import numpy as np
import pandas as pd
import torch.nn.functional as F

def head(x, rate, training):
    F.dropout(x, rate, training=training)  # <--
    return x.mean(1)

def collect(files, image):
    table = pd.read_csv(files[0])
    table.dropna()  # <--
    table.reset_index(drop=True)  # <--
    values = np.zeros(0)
    for name in files:
        np.append(values, table.loc[0, name])  # <--
    np.transpose(image, (1, 2, 0))  # <--
    return values, image
""",
    ),
    (
        "TG322",  # among the arguments, and in a list
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args()
if args.device == "cuda" and not torch.cuda.is_available():
    args.device = "cpu"
args.device = torch.device(args.device)
scaler = torch.amp.GradScaler() if args.device == "cuda" else None  # <--
pinned = args.device in ["cuda", "cuda:0"]  # <--
""",
    ),
    (
        "TG331",  # with the type of what is in the list
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--sizes", type=list[int], default=[64, 128])  # <--
args = parser.parse_args()
print(args.sizes)
""",
    ),
]

TRAINING = """
def fit(net, batches):
    net.to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in batches:
        optimizer.zero_grad()
        (net(x.to(device)) - y.to(device)).pow(2).mean().backward()
        optimizer.step()
"""

CLEAN: dict[str, str] = {
    **{what: code for what, (_, code) in HINTS.items()},
    "the GPUs that are gone through are counted first": f"""
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{TRAINING}
count = torch.cuda.device_count()
for place in range(count):
    print(torch.cuda.get_device_name(place))
fit(torch.nn.Linear(4, 4), [(torch.ones(8, 4), torch.ones(8, 4))])
""",
    "an engine of TensorRT, which runs on GPUs alone": f"""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--tensorrt", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{TRAINING}
fit(torch.nn.Linear(4, 4), [(torch.ones(8, 4), torch.ones(8, 4))])
if args.tensorrt:
    print(torch.ones(4).cuda())
""",
    "a list that becomes a tensor first, and scores that are kept small": """
import torch

def fit(net, batches):
    losses = [net(x).sum() for x in batches]
    losses = torch.stack(losses)
    return torch.mean(losses)

def entropy(scores):
    p = torch.softmax(10 * torch.tanh(scores), dim=1)
    q = torch.softmax(torch.tanh(scores), dim=1)
    less = 1 - torch.sigmoid(scores.clamp(-5, 5))
    return -(q * torch.log(q)).sum() + torch.log(less).sum(), p
""",
    "whether there is a GPU is told by the caller": f"""
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{TRAINING}
class Clock:
    def __init__(self, exact, shown):
        self.exact, self.shown = exact, shown

    def stop(self, wait=False):
        if self.exact or wait:
            torch.cuda.synchronize()
        if self.shown:
            print(torch.cuda.get_device_name())

fit(torch.nn.Linear(4, 4), [(torch.ones(8, 4), torch.ones(8, 4))])
clock = Clock(device.type == "cuda", shown=torch.cuda.is_available())
clock.stop(wait=torch.cuda.is_available())
""",
    "what a function fills in place, or is told to": """
import numpy as np
import pandas as pd
import torch

def prepare(path, x, out, **options):
    table = pd.read_csv(path)
    table.dropna(**options)
    table.fillna(0, inplace=True)
    torch.add(x, 1, out=out)
    torch.nn.functional.leaky_relu(x, 0.1, True)
    np.concatenate((x, x), out=out)
    return table, x, out
""",
    "devices that a loop goes through are texts": """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def compare(net):
    for device in ("cpu", "cuda"):
        if device == "cpu":
            torch.set_num_threads(1)
        print(net.to(device))
""",
    "a flag is turned off where there is no GPU": f"""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--timed", action="store_true")
args = parser.parse_args()
if not torch.cuda.is_available():
    args.timed = False
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{TRAINING}
fit(torch.nn.Linear(4, 4), [(torch.ones(8, 4), torch.ones(8, 4))])
if args.timed:
    torch.cuda.synchronize()
""",
}
