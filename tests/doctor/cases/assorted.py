"""Faults of several topics, and code beside them that has none."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG708",
        """
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

class Trainer:
    def __init__(self, policy, rank):
        self.policy = DDP(policy, device_ids=[rank])
        self.optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)

    def fit(self, rollouts, reward_of):
        plain = self.policy.module if isinstance(self.policy, DDP) else self.policy
        for prompts in rollouts:
            with torch.no_grad():
                old = plain(prompts)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                scores = plain(prompts)  # <--
            loss = -reward_of(scores - old).mean()
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
""",
    ),
    (
        "TG708",
        """
from torch.nn.parallel import DistributedDataParallel

def run(net, batches, optimizer, loss_of):
    net = DistributedDataParallel(net)
    for batch in batches:
        optimizer.zero_grad()
        loss_of(net.module.forward(batch)).backward()  # <--
        optimizer.step()
""",
    ),
    (
        "TG334",
        """
import torch.backends.cudnn as cudnn
from torch import backends

def fixed(seed):
    cudnn.benchmark, cudnn.deterministic = False, True
    cudnn.enable = False  # <--
    cudnn.fastest = True  # <--
    backends.cudnn.benchmarks = False  # <--
    backends.cuda.matmul.allow_tf23 = seed is None  # <--
""",
    ),
    (
        "TG335",
        """
import torch

def rate_of(epoch, split):
    if split is not 'TRAIN':  # <--
        return None
    return 0.1 if epoch is 300 else torch.tensor(0.01)  # <--
""",
    ),
    (
        "TG335",
        """
import torch

def symbols(text, known):
    return torch.tensor([known[letter] for letter in text if letter is not "_"])  # <--
""",
    ),
    (
        "TG427",
        """
import torch

def corners(heatmap, features, k):
    width = heatmap.shape[-1]
    peaks = torch.topk(heatmap.flatten(1), k)[1]
    rows = peaks / width  # <--
    picked = features.gather(1, rows)
    best = torch.argmax(heatmap.flatten())
    return picked, features[best / width]  # <--
""",
    ),
    (
        "TG403",
        """
import apex
from torch.nn.utils import clip_grad_value_

def run(model, optimizer, batches, loss_of):
    model, optimizer = apex.amp.initialize(model, optimizer, opt_level="O1")
    for batch in batches:
        optimizer.zero_grad()
        with apex.amp.scale_loss(loss_of(model, batch), optimizer) as scaled:
            scaled.backward()
            clip_grad_value_(model.parameters(), 0.5)  # <--
        optimizer.step()
""",
    ),
    (
        "TG403",
        """
import torch
from apex import amp

def run(model, optimizer, batches, loss_of):
    model, optimizer = amp.initialize(model, optimizer, opt_level="O2")
    for batch in batches:
        optimizer.zero_grad()
        with amp.scale_loss(loss_of(model, batch), optimizer) as scaled:
            scaled.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <--
        optimizer.step()
""",
    ),
    (
        "TG705",
        """
import random

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

def seed_all(number):
    random.seed(number)
    torch.manual_seed(number)

def main(loader, rank, loss_of):
    dist.init_process_group("nccl")
    seed_all(7 + rank)
    net = DDP(nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.2)), device_ids=[rank])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(9):
        seed_all(7 + epoch)  # <--
        for x, y in loader:
            optimizer.zero_grad()
            loss_of(net(x), y).backward()
            optimizer.step()
""",
    ),
    (
        "TG406",
        """
import argparse
from contextlib import nullcontext

import torch

def fit(model, loader, optimizer, loss_of):
    for x, y in loader:
        with context:
            loss = loss_of(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

parser = argparse.ArgumentParser()
parser.add_argument("--dtype", default="float16")
args = parser.parse_args()
kind = torch.bfloat16 if args.dtype == "bfloat16" else torch.float16
on_gpu = torch.cuda.is_available()
context = torch.autocast("cuda", dtype=kind) if on_gpu else nullcontext()  # <--
""",
    ),
    (
        "TG314",
        """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("-pretrain", action="store_false", default=True)  # <--
parser.add_argument("-mining", action="store_true", default=True)  # <--
parser.add_argument("-v", action="store_false", dest="quiet")
print(vars(parser.parse_args()))
""",
    ),
    (
        "TG602",
        """
import torch
from torch import nn, optim

def keep(number, coder, optimizer, path):
    torch.save({"number": number, "coder": coder, "optimizer": optimizer}, path)  # <--

def main(start, path, run_epoch):
    if start is None:
        coder = nn.LSTM(8, 8)
        optimizer = optim.Adam(coder.parameters())
    else:
        held = torch.load(start, weights_only=False)
        coder, optimizer = held["coder"], held["optimizer"]
    for number in range(9):
        run_epoch(coder, optimizer)
        keep(number, coder, optimizer, path)
""",
    ),
    (
        "TG709",
        """
import os
from os import environ

import torch

def pick(gpu):
    print(torch.cuda.get_device_name(0))
    environ["CUDA_VISIBLE_DEVICES"] = str(gpu)  # <--

def choose(gpu):
    if not torch.cuda.is_available():
        return None
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)  # <--
    return torch.device("cuda")
""",
    ),
    (
        "TG817",
        """
import pandas
from torch.utils.data import Dataset

class Stamps(Dataset):
    def __init__(self, path):
        self.stamps = pandas.read_csv(path)
        self.stamps.drop("date", 1, inplace=True)  # <--
""",
    ),
    (
        "TG626",
        """
import torch

best_bleu = 0.0

def keep(epoch, net, bleu, is_best):
    state = {"epoch": epoch, "net": net.state_dict(), "bleu-4": bleu}
    torch.save(state, "last.pt")
    if is_best:
        torch.save(state, "BEST_last.pt")

def main(net, start, validate):
    global best_bleu
    if start:
        held = torch.load(start, weights_only=True)
        best_bleu = held["bleu-4"]  # <--
        net.load_state_dict(held["net"])
    for epoch in range(9):
        recent = validate(net)
        is_best = recent > best_bleu
        best_bleu = max(recent, best_bleu)
        keep(epoch, net, recent, is_best)
""",
    ),
]

CLEAN: dict[str, str] = {
    "a scheduler that is told the epoch at each step": """
import torch

def fit(model, optimizer, lr_scheduler, first, last, warmup_steps, run_epoch):
    for epoch in range(first, last):
        run_epoch(model, optimizer)
        state = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "lr_scheduler": lr_scheduler.state_dict(),
            "epoch": epoch,
        }
        torch.save(state, f"{epoch}.pt")
        lr_scheduler.step(epoch + warmup_steps + 1)

def resume(path, lr_scheduler):
    lr_scheduler.load_state_dict(torch.load(path, weights_only=True)["lr_scheduler"])
""",
    "a scheduler's state that nothing reads": """
import torch

def fit(model, optimizer, scheduler, last, run_epoch):
    for epoch in range(last):
        run_epoch(model, optimizer)
        state = {"model": model.state_dict(), "scheduler": scheduler.state_dict()}
        torch.save(state, f"{epoch}.pt")
        scheduler.step()

def evaluate(model, path):
    model.load_state_dict(torch.load(path, weights_only=True)["model"])
""",
    "a loader that says how many batches there are": """
from torch.utils.data import DataLoader, Dataset

class Lines(Dataset):
    def __init__(self, path):
        self.lines = path.read_text().splitlines()

    def __getitem__(self, index):
        return self.lines[index]

def load(path, sampler):
    train_set = Lines(path)
    counted = DataLoader(train_set, batch_size=8)
    print(len(counted), "batches")
    return DataLoader(train_set, batch_sampler=sampler), len(counted)
""",
    "a count of passes that goes on from epoch to epoch": """
def train(model, loader, optimizer, passes, epochs, loss_of):
    done = 0
    for epoch in range(epochs):
        for batch in loader:
            (loss_of(model, batch) / passes).backward()
            done += 1
            if done % passes == 0:
                optimizer.step()
                optimizer.zero_grad()
""",
    "a list of pools that a class of one's own wraps": """
import torch
from torch import nn

class Mean(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.pool = nn.AvgPool1d(size, stride=1)

    def forward(self, x):
        ends = x[:, :1].repeat(1, (self.size - 1) // 2, 1)
        return self.pool(torch.cat([ends, x], dim=1))

class Trend(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.means = [Mean(size) for size in sizes]
        self.others = []
        for size in sizes:
            self.others.append(Mean(size))
""",
    "a seed of which a comment says that 0 is none": """
import torch

seed = 0  # 0 stands for no seed

if seed:
    torch.manual_seed(seed)
""",
    "what a wrapper holds, asked where no gradients are needed": """
import torch
from torch.nn.parallel import DistributedDataParallel

def train(model, loader, held_out, optimizer, loss_of):
    model = DistributedDataParallel(model)
    raw = model.module
    for images, labels in loader:
        loss = loss_of(model(images), labels) + 0.1 * model.module.penalty(images)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        raw.generate(images)
        with torch.no_grad():
            print(raw(images).mean(), model.module.config)
    with torch.inference_mode():
        return [model.module(images) for images, _ in held_out]
""",
    "gradients that the program averages itself": """
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def train(model, loader, optimizer, loss_of):
    model = DistributedDataParallel(model)
    for images, labels in loader:
        optimizer.zero_grad()
        loss_of(model.module(images), labels).backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad, op=dist.ReduceOp.AVG)
        optimizer.step()
""",
    "settings of the backends": """
import torch
import torch.backends.cudnn as cudnn

cudnn.benchmark = not cudnn.deterministic
cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True
cudnn.conv.fp32_precision = "tf32"
torch.backends.cuda.cufft_plan_cache.max_size = 10
torch.backends.fp32_precision = "ieee"
""",
    "identity of what there is once": """
import torch

def chosen(size, given):
    if given is None or given is not ... or type(size) is int:
        return torch.ones(1) if given is True else "this is 'it'"
    return size is given
""",
    "places that are divided, and rounded before they are an index": """
import torch

def search(scores, beams, width, words):
    best, places = scores.view(-1).topk(width)
    first = (places / words).long()
    second = places / words
    second = second.floor().long()
    share = places / words
    values = scores.max()
    return beams[first], beams[second], beams.shape[0] * share, values / words
""",
    "gradients of apex that are clipped where they are divided": """
import torch
from apex import amp

def run(model, optimizer, batches, loss_of):
    model, optimizer = amp.initialize(model, optimizer, opt_level="O2")
    for batch in batches:
        optimizer.zero_grad()
        with amp.scale_loss(loss_of(model, batch), optimizer) as scaled:
            scaled.backward()
        torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), 1.0)
        optimizer.step()
""",
    "a seed for the epoch's order, which the rank is a part of": """
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

def main(loader, rank, loss_of):
    dist.init_process_group("nccl")
    torch.manual_seed(7 + rank)
    net = DDP(nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.2)), device_ids=[rank])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(9):
        torch.manual_seed(7 + 100 * epoch + rank)
        for x, y in loader:
            optimizer.zero_grad()
            loss_of(net(x), y).backward()
            optimizer.step()
""",
    "a type that may be float16, and by default is not": """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--dtype", default="bfloat16")
args = parser.parse_args()

def fit(model, loader, optimizer, loss_of):
    kind = torch.bfloat16 if args.dtype == "bfloat16" else torch.float16
    for x, y in loader:
        with torch.autocast("cuda", dtype=kind):
            loss = loss_of(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
""",
    "a helper that saves what some callers make numbers of": """
import torch
from torch import nn

def keep(coder, path):
    torch.save({"coder": coder}, path)

def main(path, run_epoch):
    coder = nn.LSTM(8, 8)
    run_epoch(coder)
    keep(coder.state_dict(), path)
""",
    "GPUs that are chosen in time": """
import os
import subprocess

import torch

def pick(gpu):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")

def hide(gpu):
    if torch.cuda.is_available():
        return torch.device("cuda", gpu)
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        return torch.device("cpu")

def start(command, gpu):
    assert torch.cuda.is_available()
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)
    subprocess.run(command, check=True)
""",
    "tables that lose a column": """
import pandas as pd

def load(path, names):
    table = pd.read_csv(path).drop("a", axis=1).drop(columns=names)
    return table.drop(1).drop([0, 1])
""",
    "a score that is saved where it is the best": """
import torch

def fit(model, epochs, run_epoch, validate, path, resume):
    best_score = 0.0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        best_score = state["score"]
    for _ in range(epochs):
        run_epoch(model)
        score = validate(model)
        if score > best_score:
            best_score = score
            torch.save({"model": model.state_dict(), "score": score}, path)
""",
    "an attack on a model that is trained by its wrapper elsewhere": """
import torch
from torch.nn.parallel import DistributedDataParallel

def attack(model, images, labels, loss_of, rounds):
    model = DistributedDataParallel(model)
    images = images.clone().requires_grad_()
    for _ in range(rounds):
        loss_of(model.module(images), labels).backward()
        images.data += 0.01 * images.grad.sign()
        images.grad = None
    return images
""",
    "functions of the backends that are replaced": """
import torch

torch.backends.cudnn.is_acceptable = lambda tensor: False
""",
    "the score of the best epoch, which alone is saved": """
import torch

def fit(model, epochs, run_epoch, validate, path):
    state = torch.load(path, weights_only=True)
    best_loss, best_epoch = state["loss"], state["epoch"]
    for epoch in range(epochs):
        run_epoch(model)
        loss = validate(model)
        if loss >= best_loss:
            continue
        best_loss, best_epoch = loss, epoch
        torch.save({"model": model.state_dict(), "loss": loss, "epoch": epoch}, path)
    return best_epoch
""",
}
