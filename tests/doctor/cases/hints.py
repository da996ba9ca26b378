"""Faults that are hints, for want of what makes them worth a line; and what is none at all."""

HINTS: dict[str, tuple[str, str]] = {
    "a name after `is None`, and one before the program ends": (
        "TG004",
        """
import sys

import torch

def scaled(x, names=None):
    if not (names is None or is_list_of(names, str)):  # <--
        return None
    if x.numel() == 0:
        log(f"nothing in {x.shape}")  # <--
        sys.exit(1)
    return x / torch.linalg.norm(x)
""",
    ),
    "a name of the release that the file asserts": (
        "TG813",
        """
import timm
import torch

assert timm.__version__ == "0.3.2"
import timm.optim.optim_factory as factory

def groups(net):
    return factory.add_weight_decay(net, 0.05)  # <--
""",
    ),
    "the padding of an embedding that masks leave out": (
        "TG323",
        """
import torch
from torch import nn

class Text(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.words = nn.Embedding(vocabulary, 32, padding_idx=1)
        nn.init.normal_(self.words.weight, std=0.02)  # <--
        self.layer = nn.TransformerEncoderLayer(32, 4)

    def forward(self, tokens):
        return self.layer(self.words(tokens), src_key_padding_mask=tokens == 1)
""",
    ),
    "a dropout whose rate is 0 wherever it is made": (
        "TG329",
        """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width, drop=0.0):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.drop = nn.Dropout(drop)  # <--

    def forward(self, x):
        return self.layer(x)

def build(drop=0.0):
    return nn.Sequential(Block(8, drop=drop), Block(8, drop=0.0))
""",
    ),
    "a function of autograd of which only `forward` is called": (
        "TG815",
        """
import torch
from torch.autograd import Function

class Dice(Function):  # <--
    def forward(self, pred, target):
        return (pred * target).sum()

def dice(preds, targets):
    return sum(Dice().forward(*pair) for pair in zip(preds, targets))
""",
    ),
    "a second choice that callers may never leave": (
        "TG005",
        """
import torch

def sampler_of(data, size):
    return torch.utils.data.BatchSampler(range(len(data)), size, False)

def load(data, sampler=None):
    sampler = sampler or sampler_of(data)  # <--
    return torch.utils.data.DataLoader(data, batch_sampler=sampler)
""",
    ),
    "a flag that has one value only, by its help": (
        "TG418",
        """
import argparse

import torch

def main(batches, criterion):
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--optimizer", default="sgd", help="Only supports SGD for now")  # <--
    args = parser.parse_args()
    model = torch.nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for x, y in batches:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
""",
    ),
    "an attention whose rate is 0 wherever it is made": (
        "TG307",
        """
import torch.nn.functional as F
from torch import nn

class Attention(nn.Module):
    def __init__(self, width, attn_drop=0.0):
        super().__init__()
        self.qkv, self.attn_drop = nn.Linear(width, 3 * width), attn_drop

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return F.scaled_dot_product_attention(q, k, v, dropout_p=self.attn_drop)  # <--

def build(attn_drop=0.0):
    return nn.Sequential(Attention(8, attn_drop=attn_drop), Attention(8))
""",
    ),
    "a list of modules of which no parameter is seen": (
        "TG301",
        """
import torch
from torch import nn

class Window(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("kernel", torch.hann_window(n))

    def forward(self, x):
        return x * self.kernel

class Windows(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.windows = [Window(n) for n in sizes]  # <--
        self.more = []
        for n in sizes:
            self.more.append(Window(n))  # <--
""",
    ),
    "a switch that a script without torch documents as `True`": (
        "TG310",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("-s", "--splits", type=bool, default=False, help="If True, split.")  # <--
print("split" if parser.parse_args().splits else "whole")
""",
    ),
    "flags whose values change nothing": (
        "TG310",
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--refine", type=bool, default=False)  # <--
parser.add_argument("--sort", type=bool, default=True)  # <--

def main(args, model):
    sort = args.sort
    if args.refine:
        pass
    return model(torch.ones(1, 8))
""",
    ),
    "a flag of which nobody wants the opposite": (
        "TG314",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--toggle_grads", action="store_true", default=True)  # <--
print(parser.parse_args().toggle_grads)
""",
    ),
    "a flag that a comment says to mean the opposite": (
        "TG314",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--fine_tune", action="store_false", help="tune the embedding")  # <--
args = parser.parse_args()
if args.fine_tune:  # which means does not fine-tune
    print("frozen")
""",
    ),
    "an `eps` that is named": (
        "TG308",
        """
from torch import nn

norm = nn.BatchNorm1d(8, eps=0.01)  # <--
""",
    ),
    "statistics of the last batch alone": (
        "TG311",
        """
from torch import nn

norm = nn.BatchNorm1d(8, momentum=1.0)  # <--
""",
    ),
    "a number without a type that is a part of texts": (
        "TG313",
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", default=0)  # <--
args = parser.parse_args()
device = torch.device(f"cuda:{args.gpu}")
print("on %s" % args.gpu)
""",
    ),
    "a squeezed batch of a data set with fixed parts": (
        "TG328",
        """
from torch import nn
from torch.utils.data import DataLoader
from shapes import Shapes

def fit(model, optimizer):
    criterion = nn.CrossEntropyLoss()
    for x, y in DataLoader(Shapes(part="train"), batch_size=32, shuffle=True):
        loss = criterion(model(x), y.squeeze())  # <--
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
""",
    ),
    "the first of what are called losses": (
        "TG811",
        """
def first(losses):
    return losses.data[0]  # <--
""",
    ),
    "a single batch, and a target": (
        "TG812",
        """
from torch.autograd import Variable

def glance(model, image):
    model.eval()
    return model(Variable(image, volatile=True))  # <--

def widths(batches):
    for target in batches:
        yield Variable(target, volatile=True).size(1)  # <--
""",
    ),
    "a model that is only evaluated": (
        "TG309",
        """
def build(model, make_optimizer, train):
    if train:
        return model.train(), make_optimizer(model)
    model.eval()
    model.requires_grad_ = False  # <--
    return model
""",
    ),
    "versions that compare as texts as they should": (
        "TG316",
        """
import tensorflow as tf
import torch
import torchaudio

if torchaudio.__version__ >= "2.1":  # <--
    print(torch.ones(1))
if tf.__version__ > "2.13.1":  # <--
    print("may fail")
""",
    ),
    "values that CPython keeps once": (
        "TG335",
        """
import torch

def name_of(args):
    if args.name is not "" and args.prefix is not "":  # <--
        return torch.tensor(len(args.name))
    return args.number is 1  # <--
""",
    ),
    "a misspelt setting of cuDNN, which computes nothing here": (
        "TG334",
        """
import torch

def prepare():
    torch.backends.cudnn.determinstic = True  # <--
    return torch.nn.Linear(8, 8)
""",
    ),
    "a dropout that a comment says to be unused": (
        "TG329",
        """
from torch import nn

class Attention(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.project = nn.Linear(8, 8)
        self.drop = nn.Dropout(rate)  # Note: actually not used.  # <--

    def forward(self, x):
        return self.project(x)
""",
    ),
    "a sum of losses in a loop without steps": (
        "TG408",
        """
def fit(model, loader, optimizer, loss_of):
    optimizer.zero_grad()
    total = 0.0
    for batch in loader:
        loss = loss_of(model, batch)
        loss.backward()
        total += loss  # <--
    optimizer.step()
    return total
""",
    ),
    "smooth schedules, and one that moves on in each step": (
        "TG409",
        """
from torch.optim.lr_scheduler import CosineAnnealingLR, StepLR

def fit(model, loader, optimizer, loss_of, epochs):
    scheduler = CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        scheduler.step()  # <--
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()

def pretrain(model, loader, optimizer, loss_of):
    scheduler = StepLR(optimizer, 10_000)
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        scheduler.step()  # <--
        optimizer.step()

def train(model, loader, optimizer, scheduler_of, loss_of):
    lr_scheduler = scheduler_of(optimizer)
    for epoch in range(9):
        lr_scheduler.step()  # <--
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
""",
    ),
    "passes that are one unless a flag asks for more, by a name of their own": (
        "TG415",
        """
import argparse

def train(args, model, loader, optimizer, loss_of):
    passes = args.passes
    for epoch in range(9):
        for i, batch in enumerate(loader):
            (loss_of(model, batch) / passes).backward()
            if (i + 1) % passes == 0:  # <--
                optimizer.step()
                optimizer.zero_grad()

parser = argparse.ArgumentParser()
parser.add_argument("--passes", type=int, default=1)
""",
    ),
    "a sum of gradients for an optimizer that does not feel their size": (
        "TG407",
        """
import torch

def train(model, loader, loss_of, accumulation_steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for number, batch in enumerate(loader):
        loss_of(model, batch).backward()  # <--
        if (number + 1) % accumulation_steps == 0 or number + 1 == len(loader):
            optimizer.step()
            optimizer.zero_grad()
""",
    ),
    "flags that are off, and that nothing gives": (
        "TG418",
        """
import argparse

import torch

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--mixup", action="store_true")  # <--
    parser.add_argument("--pretrained", type=int, default=0, help="to begin with")  # <--
    args = parser.parse_args()
    model = torch.nn.Linear(args.width, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(1, args.width)).sum().backward()
    optimizer.step()
""",
    ),
    "the GPU that is taken anyway": (
        "TG709",
        """
import os

import torch

print(torch.cuda.is_available())
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # <--
""",
    ),
    "a rank where nothing is shared among the processes": (
        "TG809",
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)  # <--
torch.cuda.set_device(parser.parse_args().local_rank)
torch.distributed.init_process_group("nccl")
model = torch.nn.DataParallel(torch.nn.Linear(8, 2).cuda())
""",
    ),
}

PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG301",
        """
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.ReLU(), nn.Linear(8, 8))

class Wide(Block):
    def forward(self, x):
        return self.inner(x)

class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = {str(i): Wide() for i in range(n)}  # <--
""",
    ),
]

CLEAN: dict[str, str] = {
    **{what: code for what, (_, code) in HINTS.items()},
    "layers whose weights are made one parameter": """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = [nn.Linear(8, 8) for _ in range(4)]
        self.weights = nn.Parameter(torch.stack([one.weight for one in self.parts]))
""",
    "a scheduler that is never there": """
def build(make, model):
    scheduler = None
    return make(model), scheduler

def fit(model, make, loader, loss_of):
    optimizer, scheduler = build(make, model)
    for epoch in range(9):
        if scheduler is not None:
            scheduler.step()
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
""",
    "a sum of the losses of the parts of a batch": """
def fit(model, loader, optimizer, loss_of, log):
    for batch in loader:
        optimizer.zero_grad()
        total = 0.0
        for part in batch.chunk(4):
            loss = loss_of(model, part)
            loss.backward()
            total += loss
        optimizer.step()
        log(total.item())
""",
    "a device that is set where there are several processes": """
import os

import torch

def main(args):
    if args.distributed:
        torch.cuda.set_device(args.local_rank)
    os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu
""",
    "the first class alone": """
def accuracy(output, target, topk=(1,)):
    pred = output.topk(max(topk), 1, True, True)[1]
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].view(-1).float().sum() for k in topk]

def validate(output, target):
    return accuracy(output, target, topk=(1,))
""",
}
