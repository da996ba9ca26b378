"""Code that looks like a fault and is none: nothing may be found in it, hints apart."""

CLEAN: dict[str, str] = {
    "workers that are seeded by the framework's own generator": """
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Noisy(Dataset):
    def __getitem__(self, i):
        return np.random.rand(3)

def load(n, order):
    return DataLoader(Noisy(), num_workers=0), DataLoader(Noisy(), num_workers=n, generator=order)
""",
    "numpy's generator used only when the dataset is made": """
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Split(Dataset):
    def __init__(self, n):
        self.rng = np.random.default_rng(0)
        self.order = self.rng.permutation(n)
        np.random.shuffle(self.order)

    def __getitem__(self, i):
        return self.order[i]

loader = DataLoader(Split(9), num_workers=4)
""",
    "a generator that each worker makes anew": """
import random
from torch.utils.data import DataLoader, IterableDataset

class Stream(IterableDataset):
    def __init__(self):
        self.rng = random.Random(0)

    def set_epoch(self, epoch):
        self.rng = random.Random(epoch)

    def __iter__(self):
        yield self.rng.random()

loader = DataLoader(Stream(), num_workers=2)
""",
    "workers seeded from torch's seed, or kept": """
import numpy as np
import torch
from torch.utils.data import DataLoader

def seed_worker(k):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)

def constant(k):
    np.random.seed(7 + k)

def load(data, n):
    kept = DataLoader(data, num_workers=n, worker_init_fn=constant, persistent_workers=True)
    return kept, DataLoader(data, num_workers=n, worker_init_fn=seed_worker)
""",
    "a seed compared with None, or a switch that is called otherwise": """
import torch

def main(args, seed=None):
    if seed is not None:
        torch.manual_seed(seed)
    if args.deterministic:
        torch.manual_seed(0)
    seed = args.seed if args.seed is not None else 0
""",
    "a split that is seeded elsewhere": """
import torch
from torch.utils.data import random_split

torch.manual_seed(0)
train, val = random_split(range(10), [8, 2])
""",
    "shuffling only where there is no sampler": """
from torch.utils.data import DataLoader, DistributedSampler

def load(data, distributed):
    sampler = DistributedSampler(data, shuffle=False) if distributed else None
    return DataLoader(data, sampler=sampler, shuffle=sampler is None)

def also(data, sampler=None):
    return DataLoader(data, shuffle=(sampler is None), sampler=sampler, batch_size=8)
""",
    "a sampler of evaluation that drops its tail, which another loader has": """
from torch.utils.data import DataLoader, DistributedSampler

def load(val_set, train_set):
    val_sampler = DistributedSampler(val_set, shuffle=False, drop_last=True)
    train_loader = DataLoader(train_set, batch_size=8, drop_last=True)
    return DataLoader(val_set, sampler=val_sampler), train_loader
""",
    "lists in a module that hold no modules, or hand them on": """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, sizes, teacher):
        super().__init__()
        self.sizes = [8, 16]
        self.kinds = [nn.Linear, nn.Conv2d]
        self.losses = []
        self.hidden = [teacher]
        layers = [nn.Linear(8, 8) for _ in sizes]
        self.layers = nn.Sequential(*layers)
        self.blocks = [nn.Linear(8, 8) for _ in sizes]
        for i, block in enumerate(self.blocks):
            self.add_module(f"block{i}", block)
        self.names = {"a": 1}
        self.more = []
        self.more.append(3)
        self.many = nn.ModuleList([nn.Linear(8, 8)] * 2)
        self.shape = torch.zeros(3)

class Config:
    def __init__(self):
        self.layers = [nn.Linear(8, 8)]
""",
    "biases that a norm does not take away": """
from torch import nn

class Net(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.other = norm(8)
        self.shared = nn.Conv2d(8, 8, 3)

    def forward(self, x):
        x = self.norm(self.conv(x).relu())
        y = self.norm(self.shared(x))
        return self.other(self.shared(y))

a = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.BatchNorm2d(8))
b = nn.Sequential(nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8), nn.Linear(8, 8), nn.LayerNorm(8))
c = nn.Sequential(nn.Conv2d(3, 8, 3, 1, 0, 1, 1, False), nn.BatchNorm2d(8))
d = nn.Sequential(nn.Conv2d(3, 8, 3, bias=a is None), nn.BatchNorm2d(8))
""",
    "a softmax that no cross-entropy sees": """
import torch
from torch import nn
import torch.nn.functional as F

class Policy(nn.Module):
    def forward(self, x):
        return F.softmax(self.head(x), dim=-1)

class Net(nn.Module):
    def forward(self, x):
        x = self.head(x)
        return x if self.training else x.softmax(-1)

criterion = nn.CrossEntropyLoss()

def step(model, policy, x, y, teacher):
    scores = model(x)
    probabilities = F.softmax(scores, dim=1)
    soft = F.cross_entropy(scores, F.softmax(teacher, dim=1))
    return criterion(scores, y) + soft, probabilities, F.nll_loss(F.log_softmax(scores, 1), y)

def run(x, y):
    net = Net()
    return criterion(net(x), y)
""",
    "dropout that knows of the mode, or is meant for both": """
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = 0.1
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = F.dropout(x, 0.5, self.training)
        x = F.dropout(x, p=0.5, training=True)
        x = self.drop(F.dropout(x, 0.0))
        x = F.scaled_dot_product_attention(x, x, x, dropout_p=0.0)
        rate = self.rate if self.training else 0
        return F.scaled_dot_product_attention(x, x, x, dropout_p=rate)
""",
    "gradients set to zero by other means": """
def one(model, loader, optimizer, loss_of):
    for batch in loader:
        for p in model.parameters():
            p.grad = None
        loss_of(model, batch).backward()
        optimizer.step()

def two(model, loader, optimizer, loss_of):
    for batch in loader:
        prepare(optimizer)
        loss_of(model, batch).backward()
        optimizer.step()

def prepare(optimizer):
    optimizer.zero_grad(set_to_none=True)

def three(model, optimizer, loss_of):
    def closure():
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        return loss
    for _ in range(10):
        optimizer.step(closure)

def attack(model, x, loss_of):
    loss_of(model, x).backward()
    return x.grad.sign()
""",
    "two optimizers, as in a GAN": """
def train(g, d, loader, opt_g, opt_d, loss_of):
    for real in loader:
        opt_d.zero_grad()
        loss_d = loss_of(d(real), d(g()))
        loss_d.backward()
        opt_d.step()
        loss_g = loss_of(d(g()))
        loss_g.backward()
        opt_d.zero_grad()
        opt_g.step()
        opt_g.zero_grad()
""",
    "mixed precision as it should be, or switched off": """
import torch
from torch.nn.utils import clip_grad_norm_

def train(model, loader, optimizer, scaler, loss_of, amp):
    for i, (x, y) in enumerate(loader):
        with torch.autocast("cuda", dtype=torch.float16, enabled=amp):
            loss = loss_of(model(x), y)
        if amp:
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        optimizer.zero_grad()
""",
    "accumulation of means or of sums": """
def train(model, loader, optimizer, loss_of, accum_steps):
    for i, (x, y) in enumerate(loader):
        loss = loss_of(model(x), y)
        loss = loss / accum_steps
        loss.backward()
        if (i + 1) % accum_steps == 0:
            optimizer.step()
            optimizer.zero_grad()

def every(model, loader, optimizer, loss_of, log_every):
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss_of(model(x), y).backward()
        optimizer.step()
        if i % log_every == 0:
            print(i)
""",
    "sums of losses that are meant, or hold no graph": """
import torch

def train(model, loader, optimizer, losses_of):
    seen = 0.0
    history = []
    for batch in loader:
        optimizer.zero_grad()
        total = 0.0
        for loss in losses_of(model, batch):
            total += loss
        total.backward()
        optimizer.step()
        seen += total.item() * len(batch)
        history.append(total.detach())
        loss = losses_of(model, batch)[0]
        loss.backward()
        with torch.no_grad():
            seen += loss
    return seen, history

def other(model, loader, optimizer, loss_of, reduce_mean):
    running = 0
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        loss = loss.item()
        running += loss
    return running

def parts(model, loader, optimizer, loss_of, extra):
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        for one in extra:
            loss += one(model)
        loss.backward()
        optimizer.step()
""",
    "schedulers in their order, each kind": """
import torch

def train(model, loader, optimizer, scheduler, epochs, loss_of, metric):
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
    restarts = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 10)
    for epoch in range(epochs):
        scheduler.step(epoch)
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
            restarts.step(epoch + 0.5)
            warmup.step()
        plateau.step(metric)
""",
    "decay for groups, for none, or by a flag that is zero": """
import torch

def build(model, args, groups):
    a = torch.optim.AdamW(groups, lr=1e-3, weight_decay=0.1)
    b = torch.optim.AdamW(model.parameters(), weight_decay=0.0)
    torch.optim.AdamW([p for p in model.parameters() if p.ndim > 1], weight_decay=0.1)
    torch.optim.AdamW([p for n, p in model.named_parameters() if "bias" not in n])
    c = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    d = torch.optim.Adam(model.parameters(), lr=1e-3)
    return a, b, c, d, torch.optim.SGD(model.parameters(), 0.1, weight_decay=args.weight_decay)

def flags(parser):
    parser.add_argument("--weight-decay", type=float, default=0.0)
""",
    "losses kept without their graphs": """
import torch

def step(model, passes, optimizer, loss_of):
    optimizer.zero_grad()
    measured, total = [], 0.0
    for batch in passes:
        loss = loss_of(model, batch)
        loss.backward()
        measured.append({"loss": loss.detach()})
        with torch.no_grad():
            measured.append(loss / len(batch))
            total += loss
    optimizer.step()
    return measured, total
""",
    "evaluation whose caller takes care": """
import torch

def validate(model, loader):
    hits = 0
    for x, y in loader:
        hits += (model(x).argmax(1) == y).sum()
    return hits

def main(model, val_loader):
    model.eval()
    with torch.no_grad():
        print(validate(model, val_loader))
""",
    "evaluation in a context, or with one switch for both": """
import contextlib
import torch

@contextlib.contextmanager
def evaluating(model):
    was = model.training
    model.eval()
    with torch.no_grad():
        yield
    model.train(was)

def validate(model, val_loader):
    with evaluating(model), torch.inference_mode():
        return [model(x) for x in val_loader] + [model(x) for x in val_loader]

def run(model, loader, optimizer, loss_of, train):
    model.train(train)
    for x, y in loader:
        with torch.set_grad_enabled(train):
            loss = loss_of(model(x), y)
        if train:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

def test_speed(model, images):
    for x in images:
        model(x)
""",
    "eval and back": """
import torch

class Trainer:
    def fit(self, epochs):
        for epoch in range(epochs):
            self.train_epoch()
            self.validate()

    def train_epoch(self):
        self.model.train()
        for batch in self.loader:
            self.optimizer.zero_grad()
            self.loss(batch).backward()
            self.optimizer.step()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        for batch in self.val_loader:
            self.model(batch)

def distil(student, teacher, loader, optimizer, loss_of):
    student.train()
    for epoch in range(3):
        teacher.eval()
        for x in loader:
            optimizer.zero_grad()
            loss_of(student(x), target(teacher, x)).backward()
            optimizer.step()

def target(net, x):
    return net(x).detach()
""",
    "files that are read and written as they should be": """
import json
import numpy as np
import os
import torch

def load(path, device):
    with open(path) as file:
        json.load(file)
    np.load(path)
    return torch.load(path, map_location=device, weights_only=True)

def save(model, optimizer, scheduler, epoch, path):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    state["scheduler"] = scheduler.state_dict()
    scheduler.step()
    torch.save(state, f"{path}.tmp")
    os.replace(f"{path}.tmp", path)
    torch.save(state, f"epoch-{epoch}.pt")
    torch.save(model.state_dict(), "weights.pt")
    torch.save({"model": model.state_dict(), "classes": 10}, "for-inference.pt")
    torch.save(model.tensors, "tensors.pt")
""",
    "the bare model of a wrapped one": """
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

def train(model, path):
    model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)
    bare = model
    model = DDP(model)
    torch.save(bare.state_dict(), path)
    torch.save(model.module.state_dict(), path)
    with torch.no_grad():
        model.state_dict()
""",
    "a scheduler brought back after it was built": """
from torch.optim.lr_scheduler import StepLR

def main(optimizer, state, epoch):
    scheduler = StepLR(optimizer, 30)
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    return scheduler, StepLR(optimizer, 30, last_epoch=epoch)
""",
    "names that torch does not own": """
import numpy as np
import functorch_tools
from mine import autocast, DataParallel, norm, Variable

def forward(x, checkpoint, scores, F, timm):
    with autocast():
        y = checkpoint(x)
    return np.linalg.norm(x), norm(y), DataParallel(x), Variable(x), scores.softmax(), F.softmax(x)

def make(timm):
    return timm.create_model("resnet18", pretrained=True)
""",
    "old names for an old torch": """
import torch

try:
    from torch import vmap
except ImportError:
    from functorch import vmap

def scaler():
    if hasattr(torch.amp, "GradScaler"):
        return torch.amp.GradScaler("cuda")
    else:
        return torch.cuda.amp.GradScaler()

def load(path):
    try:
        return torch.load(path, weights_only=True)
    except TypeError:
        return torch.load(path)
""",
    "ranks by the environment, with the old flag beside it": """
import os

def flags(parser):
    parser.add_argument("--local_rank", default=int(os.environ.get("LOCAL_RANK", 0)))
""",
    "a framework that does all of it": """
import lightning
import torch

class Net(lightning.LightningModule):
    def validation_step(self, batch, index):
        return self.model(batch)

def validate(model, val_loader):
    for batch in val_loader:
        model(batch)

def fit(fabric, model, loader, optimizer, loss_of):
    for batch in loader:
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
""",
    "functional dropout where the mode, or the caller, decides": """
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        if self.training and self.rate > 0:
            x = F.dropout(x, p=self.rate)
        return x

class Sampler:
    def sample(self, noise, rate):
        return F.dropout(noise, p=rate)

class Attention(nn.Module):
    def attend(self, x, dropout_p=0.0):
        return F.dropout(x, p=dropout_p)

class Prenet(nn.Module):
    def forward(self, x):
        return F.dropout(x, p=0.5)
""",
    "gradients are left out where the model is called": """
import torch

class Denoiser:
    def eval_loss(self, net, batch):
        with torch.no_grad():
            return net(batch)

def evaluate(denoiser, net, val_loader):
    net.eval()
    return [denoiser.eval_loss(net, batch) for batch in val_loader]

def test(denoiser, net, test_loader):
    net.eval()
    for batch in test_loader:
        denoiser.eval_loss(net, batch)
""",
    "Python's own generator, which torch seeds in each worker": """
import random
from torch.utils.data import DataLoader, Dataset

class Images(Dataset):
    def __getitem__(self, i):
        return self.images[i] if random.random() < 0.5 else self.images[i].flip(-1)

loader = DataLoader(Images(), num_workers=4)
""",
    "a scheduler that is told where it is": """
import torch

def train(model, optimizer, epochs, start):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    scheduler.last_epoch = start - 1
    for epoch in range(start, epochs):
        optimizer.step()
        scheduler.step()
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
        torch.save(state, f"{epoch}.pt")
""",
    "a schedule in closed form": """
import torch
from schedules import PolyLRScheduler

class Trainer:
    def configure(self):
        self.lr_scheduler = PolyLRScheduler(self.optimizer, 0.01, 1000)

    def run(self, epoch):
        self.lr_scheduler.step(epoch)
        self.optimizer.step()

    def save(self, epoch, path):
        state = {"model": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save({**state, "epoch": epoch}, path)
""",
    "loading is tried safely first": """
import torch

def load(path):
    try:
        return torch.load(path, weights_only=True)
    except Exception:
        return torch.load(path, weights_only=False)
""",
    "DataParallel where nothing is trained": """
import torch
from torch import nn

def predict(model, images):
    model = nn.DataParallel(model).eval()
    with torch.no_grad():
        return model(images)
""",
    "names of a table, and names that torch says nothing about": """
import torch
from torch.autograd import Variable

KNOWN = {"weight_norm": torch.nn.utils.weight_norm}

def length(x):
    return torch.norm(Variable(x))
""",
    "a batch norm with a small epsilon, or a momentum by name": """
from torch import nn

norms = [nn.BatchNorm2d(8, 1e-3), nn.BatchNorm2d(8, momentum=0.8), nn.BatchNorm1d(8)]
""",
    "a file that each process opens for itself": """
import h5py
from torch.utils.data import DataLoader, Dataset

class Scans(Dataset):
    def __init__(self, path):
        self.path, self.file = path, None
        with h5py.File(path) as file:
            self.count = len(file["scans"])

    def __getitem__(self, i):
        self.file = self.file or h5py.File(self.path)
        return self.file["scans"][i]

loader = DataLoader(Scans("a.h5"), num_workers=4)
""",
    "sums of losses, divided by the samples": """
import torch

def evaluate(model, val_loader, criterion):
    model.eval()
    total_loss = running_loss = 0.0
    with torch.no_grad():
        for x, y in val_loader:
            loss = criterion(model(x), y)
            total_loss += loss.item() * len(x)
            running_loss += loss.item()
    print(running_loss)
    return total_loss / len(val_loader.dataset)
""",
    "AdamW's own decay, which nobody asked for": """
import torch

def build(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-3)
""",
    "a module that is hidden on purpose": """
from torch import nn

class Layer(nn.Module):
    def share(self, size):
        self.shared = [nn.Linear(size, size)]
""",
    "a model that is saved with its own names where it is not wrapped": """
import torch
from torch.nn.parallel import DistributedDataParallel

def main(model, several, path):
    if several:
        model = DistributedDataParallel(model)
    if several:
        torch.save(model.module.state_dict(), path)
    else:
        torch.save(model.state_dict(), path)
""",
    "a prefix that is cut off by its length": """
import torch
from torch.nn.parallel import DistributedDataParallel

def save(model, path):
    model = DistributedDataParallel(model)
    torch.save(model.state_dict(), path)

def load(model, path):
    state = torch.load(path, weights_only=True)
    model.load_state_dict({key[7:]: value for key, value in state.items()})
""",
    "a misspelt flag where no gradient is needed anyway": """
import torch

def table(n):
    sines = torch.zeros(n, 4)
    sines.require_grad = False
    sines = sines.unsqueeze(0)
    return sines
""",
    "weight decay of a last layer alone": """
import torch

def probe(model, head):
    for name, parameter in model.named_parameters():
        parameter.requires_grad = False
    first = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
    return first, torch.optim.AdamW(head.parameters(), lr=1e-3, weight_decay=0.1)
""",
    "one function for both modes that sees to both": """
import torch

def run_epoch(model, loader, optimizer, train=True):
    model.train(train)
    with torch.set_grad_enabled(train):
        for x, y in loader:
            loss = model(x).sub(y).mean()
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

def fit(model, loader, held_out, optimizer):
    run_epoch(model, loader, optimizer)
    run_epoch(model, held_out, optimizer, train=False)
""",
    "errors that are expected, told of, or not passed over": """
import torch

def train(model, loader, optimizer):
    for batch in loader:
        try:
            optimizer.zero_grad()
            model(batch).backward()
            optimizer.step()
        except RuntimeError as error:
            if "out of memory" not in str(error):
                raise

def time_it(layers, x):
    for layer in layers:
        try:
            layer(x).sum().backward()
        except Exception:
            print("no backward")

def resume(model, optimizer, path):
    try:
        state = torch.load(path, weights_only=True)
        optimizer.load_state_dict(state["optimizer"])
    except Exception as error:
        print("begins anew:", error)
    try:
        state = torch.load(path, weights_only=True)
        optimizer.load_state_dict(state["optimizer"])
    except FileNotFoundError:
        pass
""",
    "schedules that are moved on as often as their length says": """
from torch.optim.lr_scheduler import CosineAnnealingLR, OneCycleLR

def fit(model, loader, optimizer, epochs):
    scheduler = OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))
    slow = CosineAnnealingLR(optimizer, T_max=epochs * len(loader) // len(loader))
    for epoch in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).backward()
            optimizer.step()
            scheduler.step()
        slow.step()
""",
    "counts that begin at one, or are counted on": """
def means(loader, step):
    total = 0.0
    for number, batch in enumerate(loader, 1):
        total += step(batch)
    print(total / number)
    for number, batch in enumerate(loader):
        total += step(batch)
    number += 1
    return total / number
""",
    "seeds that are read, by name or as one of all": """
import argparse
import torch

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    run(**vars(args))

def run(seed):
    torch.manual_seed(seed)
""",
    "a best score that is brought back": """
import torch

def main(args, model, optimizer, validate):
    best = 0.0
    if args.resume:
        state = torch.load(args.resume, weights_only=True)
        optimizer.load_state_dict(state["optimizer"])
        best = state["best"]
    for epoch in range(9):
        score = validate(model)
        if score > best:
            best = score
            torch.save(model.state_dict(), f"{epoch}.pt")
""",
    "loaders for training that shuffle, or whose dataset does": """
import random
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler

class Images(Dataset):
    def __getitem__(self, i):
        return self.images[i]

class Shuffled(Images):
    def __getitem__(self, i):
        return self.images[self.order[i]]

    def reorder(self):
        random.shuffle(self.order)

class Stream(IterableDataset):
    def __iter__(self):
        return iter(self.images)

def load(flag):
    train_set = Images()
    train_loader = DataLoader(train_set, 8, shuffle=flag)
    train_loader_2 = DataLoader(train_set, 8, sampler=RandomSampler(train_set))
    train_loader_3 = DataLoader(Shuffled(), 8)
    train_loader_4 = DataLoader(Stream(), 8)
    return train_loader, train_loader_2, train_loader_3, train_loader_4
""",
    "an incomplete batch that cannot be": """
from torch.utils.data import DataLoader

def load(test_set):
    return DataLoader(test_set, batch_size=1, drop_last=True)
""",
    "weight decay as in most recipes with SGD": """
import torch

def build(model):
    return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
""",
    "fast or deterministic, as a flag says": """
from torch.backends import cudnn

def prepare(args):
    if args.deterministic:
        cudnn.deterministic = True
    else:
        cudnn.benchmark = True
""",
    "samples that are drawn, and batches taken from an endless loader": """
import torch
from torch.utils.data import DataLoader, Dataset

class Windows(Dataset):
    def __getitem__(self, i):
        first = torch.randint(0, len(self.text), ())
        return self.text[first : first + 8]

def cycle(loader):
    while True:
        yield from loader

def load(batch_size):
    train_set, val_set = Windows(), Windows()
    train_loader = DataLoader(train_set, batch_size=batch_size)
    val_loader = cycle(DataLoader(val_set, batch_size=batch_size, drop_last=True))
    return train_loader, val_loader
""",
    "a model that a method wraps, saved as it was before": """
import torch
from torch.nn.parallel import DistributedDataParallel

def save(model, path):
    torch.save(model.state_dict(), path)

class Trainer:
    def __init__(self, model):
        self.bare = model
        self.model = DistributedDataParallel(model)

    def train(self, path):
        save(self.bare, path)
        save(self.model.module, path)
""",
    "loaders that shuffle where there is no sampler": """
from torch.utils.data import DataLoader, DistributedSampler

def load(train_set, several):
    train_sampler = DistributedSampler(train_set) if several else None
    train_loader = DataLoader(train_set, 8, shuffle=not several, sampler=train_sampler)
    for epoch in range(9):
        if several:
            train_sampler.set_epoch(epoch)
        yield train_loader
""",
    "a scheduler of one's own, and its rates": """
class Warmup:
    def __init__(self, base):
        self.base, self.scheduler = base, self

    def get_lr(self):
        return [rate / 2 for rate in self.base.rates]

    def log(self):
        print(self.scheduler.get_lr())
""",
    "an evaluation that is called directly and by way of another": """
import torch

def validation(model, test_loader):
    return sum((model(x) == y).sum() for x, y in test_loader)

def several(model, loaders):
    for test_loader in loaders:
        for x, y in test_loader:
            print(model(x), y)
        print(validation(model, test_loader))

def test(model, test_loader, loaders):
    model.eval()
    with torch.no_grad():
        if loaders:
            several(model, loaders)
        else:
            several(model, [test_loader])
            validate_all(model, test_loader, loaders)

def validate_all(model, test_loader, loaders):
    for x, y in test_loader:
        print(model(x), y)
    several(model, loaders)
""",
    "a parameter by another name, and a momentum as torch means it": """
import torch
from torch import nn
from torch.nn import Parameter as P

class Gain(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = P(torch.ones(channels), requires_grad=True)
        self.norm = nn.BatchNorm2d(channels, momentum=0.1)
""",
    "old names behind the number of the version": """
import torch

TORCH_MAJOR = int(torch.__version__.split(".")[0])
if TORCH_MAJOR == 0:
    clip_grad_norm = torch.nn.utils.clip_grad_norm
else:
    clip_grad_norm = torch.nn.utils.clip_grad_norm_
""",
    "a checkpoint beside those of the epochs, by one process": """
import os
import torch
from torch.nn.parallel import DistributedDataParallel

def save(solver, epoch, path):
    state = {"optimizer": solver.optimizer.state_dict(), "net": solver.model.module.state_dict()}
    first = not solver.args.distributed or torch.distributed.get_rank() == 0
    if first:
        torch.save(state, "last.pt")
        if epoch % 10 == 0:
            torch.save(state, path.replace("last", f"epoch_{epoch}"))

def main(solver, model, epochs):
    torch.distributed.init_process_group("nccl")
    solver.model = DistributedDataParallel(model)
    for epoch in range(epochs):
        solver.run_epoch()
        save(solver, epoch, "last.pt")
""",
    "the rest of an epoch's passes, which the next one does not get": """
def train(model, loader, optimizer, passes, epochs, loss_of):
    for epoch in range(epochs):
        optimizer.zero_grad()
        for i, batch in enumerate(loader):
            (loss_of(model, batch) / passes).backward()
            if (i + 1) % passes == 0:
                optimizer.step()
                optimizer.zero_grad()
""",
    "a model that is wrapped whichever way it goes": """
import torch
from torch import nn

def main(args, net, run_epoch):
    if args.several:
        net = nn.parallel.DistributedDataParallel(net)
    else:
        net = nn.parallel.DistributedDataParallel(net, static_graph=True)
    for epoch in range(args.epochs):
        run_epoch(net)
        torch.save(net.module.state_dict(), f"{epoch}.pt")
""",
    "the best by a validation set, tested beside it": """
import torch

def main(model, epochs, train, validate, test):
    best_acc = 0
    for epoch in range(epochs):
        train(model)
        val_acc, test_acc = validate(model), test(model)
        if val_acc > best_acc:
            best_acc, best_test_acc = val_acc, test_acc
            torch.save(model.state_dict(), "best.pt")
""",
    "weights that go where the branch says": """
import torch

def load(model, path):
    if torch.cuda.is_available():
        state = torch.load(path, weights_only=True)
    else:
        state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state)
""",
    "a loader for a demonstration, with seeds of its own": """
import random

from torch.utils.data import DataLoader

from project import Scans

if __name__ == "__main__":

    def seed(worker):
        random.seed(7 + worker)

    loader = DataLoader(Scans(), batch_size=8, num_workers=4, worker_init_fn=seed)
    print(next(iter(loader)))
""",
    "no graph, two calls down": """
import torch

def tiles(model, image):
    with torch.no_grad():
        return model(image)

def scales(model, image):
    return sum(tiles(model, image * k) for k in (1, 2))

def test(model, test_loader):
    model.eval()
    for images, _ in test_loader:
        print(scales(model, images))
""",
    "a checkpoint for each epoch, by its name": """
import torch

def fit(model, optimizer, folder, epochs, run_epoch):
    for epoch in range(epochs):
        run_epoch(model, optimizer)
        filename = folder + "/epoch_" + str(epoch + 1) + ".pth"
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**state, "epoch": epoch + 1}, filename)
""",
    "a helper that is given what the wrapper holds": """
import torch
from torch import nn

class Base:
    def save(self, network, path):
        torch.save(network.state_dict(), path)

class Net(Base):
    def __init__(self, net, devices):
        self.net = nn.parallel.DistributedDataParallel(net, device_ids=devices)

    def keep(self, path):
        self.save(self.net.module, path)
""",
    "layers without parameters or modes in a list": """
from torch import nn

class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = [nn.Upsample(scale_factor=2), nn.Upsample(scale_factor=4)]
""",
    "both names of the launcher's flag": """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--local-rank", "--local_rank", type=int, default=0)
""",
    "weights that this process wrote": """
import torch

def fit(model, epochs, run_epoch):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device)
    for epoch in range(epochs):
        run_epoch(model)
    torch.save(model.state_dict(), "last.pt")
    model.load_state_dict(torch.load("last.pt", weights_only=True))
""",
    "a rate that is written anew from the first": """
def adjust(optimizer, args, epoch):
    lr = args.lr * 0.1 ** (epoch // 30)
    for group in optimizer.param_groups:
        group["lr"] = lr
""",
    "every setting handed to a library": """
import argparse

from timm.optim import create_optimizer

parser = argparse.ArgumentParser()
parser.add_argument("--momentum", type=float, default=0.9)
args = parser.parse_args()


def fit(model, loader):
    optimizer = create_optimizer(args, model)
    for batch in loader:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
""",
    "a copy of the best weights": """
import copy

def fit(model, epochs, run_epoch, evaluate):
    best, weights = 0.0, copy.deepcopy(model.state_dict())
    for _ in range(epochs):
        run_epoch(model)
        accuracy = evaluate(model)
        if accuracy > best:
            best, weights = accuracy, copy.deepcopy(model.state_dict())
    model.load_state_dict(weights)
""",
    "the last epoch saved behind the loop": """
import torch

def fit(model, epochs, run_epoch):
    for epoch in range(epochs):
        run_epoch(model)
        if epoch % 10 == 0:
            torch.save(model.state_dict(), f"{epoch}.pt")
    torch.save(model.state_dict(), "last.pt")
""",
    "a device for each process": """
import torch
from torch.nn.parallel import DistributedDataParallel

def main(local_rank, seed, build):
    torch.distributed.init_process_group("nccl")
    torch.manual_seed(seed + local_rank)
    model = build(dropout=0.1).to(local_rank)
    return DistributedDataParallel(model, device_ids=[local_rank])
""",
    "a state that a helper brings back": """
import torch

def restart(path, **parts):
    state = torch.load(path, map_location="cpu", weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(state[name])
    return state["epoch"]

def main(model, optimizer, epochs, path, run_epoch):
    start_epoch = restart(path, model=model, optimizer=optimizer)
    for epoch in range(start_epoch, epochs):
        run_epoch(model, optimizer)
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**state, "epoch": epoch + 1}, f"{path}.{epoch}")
""",
    "a flag of a script without processes": """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
print(parser.parse_args().local_rank)
""",
    "a store that no loader gets": """
import h5py
from torch.utils.data import DataLoader, Dataset

class Store(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")

    def __getitem__(self, key):
        return self.file[key]

def load(dataset):
    return DataLoader(dataset, batch_size=8, num_workers=4)
""",
    "a checkpoint within an epoch": """
import torch

def fit(model, optimizer, loader, path, state):
    current = state["epoch"]
    optimizer.load_state_dict(state["optimizer"])
    for epoch in range(current, 280):
        for number, batch in enumerate(loader):
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
            if number % 1000 == 0:
                parts = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
                torch.save({**parts, "epoch": epoch}, f"{path}.{number}")
    torch.save({"model": model.state_dict()}, path)
""",
    "test samples that are not drawn": """
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Clips(Dataset):
    def __init__(self, files, test_mode=False):
        self.files, self.test_mode = files, test_mode

    def __getitem__(self, index):
        start = 0 if self.test_mode else np.random.randint(8)
        return self.files[index][start:]

def load(files):
    return DataLoader(Clips(files, test_mode=True), batch_size=8, num_workers=4)
""",
    "passes counted over all epochs": """
def train(model, loader, optimizer, passes, epochs, loss_of):
    for epoch in range(epochs):
        for i, batch in enumerate(loader):
            done = len(loader) * epoch + i + 1
            (loss_of(model, batch) / passes).backward()
            if done % passes == 0:
                optimizer.step()
                optimizer.zero_grad()
""",
    "every epoch saved by default": """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--save-every", type=int, default=1)
args = parser.parse_args()

def fit(model, epochs, run_epoch):
    for epoch in range(epochs):
        run_epoch(model)
        if epoch % args.save_every == 0:
            torch.save(model.state_dict(), f"{epoch}.pt")
""",
    "a parameter that is made where it stays": """
import torch
from torch import nn

class Graph(nn.Module):
    def __init__(self, nodes, device):
        super().__init__()
        self.A = nn.Parameter(torch.randn(nodes, nodes).to(device)).to(device)
""",
    "a whole copy of the last checkpoint": """
import shutil

import torch

def save(model, optimizer, step, best):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
    torch.save(state, "last.pt")
    if best:
        shutil.copyfile("last.pt", "best.pt")
""",
    "the first class alone": """
def accuracy(output, target, topk=(1,)):
    _, pred = output.topk(max(topk), 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].view(-1).float().sum() for k in topk]

def measure(output, target):
    return accuracy(output, target)
""",
    "numbers that fit": """
import torch

epochs = 100
snapshot = 50

def train(model, run_epoch, num_epochs=epochs, save_epoch=snapshot):
    for epoch in range(num_epochs):
        run_epoch(model)
        if epoch % save_epoch == save_epoch - 1:
            torch.save(model.state_dict(), f"{epoch}.pt")
""",
    "parameters of each module by itself": """
def groups(model):
    for module in model.modules():
        for parameter in module.parameters(recurse=False):
            yield parameter
""",
    "whatever callers keep of a run": """
import torch

def save(net, epoch, path, **parts):
    state = {"net": net.state_dict(), "epoch": epoch}
    for key, value in parts.items():
        state[key] = value
    torch.save(state, path)

def fit(net, optimizer, epochs, run_epoch):
    for epoch in range(epochs):
        run_epoch(net)
        optimizer.step()
        save(net, epoch, f"{epoch}.pt", optimizer=optimizer.state_dict())
""",
    "a loop of the training beside one of the evaluation": """
import torch

def run(model, loader, optimizer, loss_of, train=True):
    if train:
        model.train()
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
    else:
        model.eval()
        with torch.no_grad():
            for batch in loader:
                print(loss_of(model, batch))

def main(model, loader, optimizer, loss_of):
    run(model, loader, optimizer, loss_of)
    run(model, loader, optimizer, loss_of, train=False)
""",
}
