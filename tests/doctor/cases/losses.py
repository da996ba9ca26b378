"""Losses and what they are given, layers without use: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG326",  # an attribute of the settings, by way of a name, and of either branch
        """
import torch
from torch import nn

def train(model, loader, optimizer, args):
    if args.many:
        loss_fn = nn.BCEWithLogitsLoss()
    else:
        loss_fn = nn.CrossEntropyLoss()
    args.loss_fn = loss_fn
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
    print(validate(model, loader, args))

@torch.no_grad()
def validate(model, loader, args):
    model.eval()
    found = []
    for x, y in loader:
        output = model(x)
        output = torch.sigmoid(output)
        found.append(args.loss_fn(output, y))  # <--
    return found
""",
    ),
    (
        "TG326",  # the model has a sigmoid at its end; all is handed on by arguments
        """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)
        self.last = nn.Sigmoid()

    def forward(self, x):
        x = self.layer(x)
        return self.last(x)

def fit(model, loader, criterion, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        output = model(x)
        loss = criterion(output.view(-1), y)  # <--
        loss.backward()
        optimizer.step()

def main(loader, build):
    model = nn.DataParallel(Net().cuda())
    criterion = nn.BCEWithLogitsLoss().cuda()
    fit(model, loader, criterion, build(model))
""",
    ),
    (
        "TG304",  # a criterion and a softmax of the object
        """
from torch import nn

class Trainer:
    def __init__(self, model):
        self.model = model
        self.criterion = nn.CrossEntropyLoss()
        self.normalize = nn.Softmax(dim=1)

    def loss_of(self, x, y):
        scores = self.model(x)
        scores = self.normalize(scores)
        return self.criterion(scores, y)  # <--
""",
    ),
    (
        "TG327",  # methods of a tensor, with a name between
        """
def loss_of(scores, targets):
    signed = scores * (2 * targets - 1)
    right = (2 * signed + 1).sigmoid()
    return (-0.25 * right.log()).sum()  # <--
""",
    ),
    (
        "TG328",  # joined over all batches, of a loader that a caller makes
        """
import torch
from torch.utils.data import DataLoader

@torch.no_grad()
def collect(model, loader, device):
    model.eval()
    found = torch.empty(0).to(device)
    for i, data in enumerate(loader, 0):
        x, y = data[0].to(device), data[1].to(device)
        found = torch.cat([found, y.squeeze().float()], dim=0)  # <--
    return found

def main(model, images, device):
    return collect(model, DataLoader(images, batch_size=64), device)
""",
    ),
    (
        "TG328",  # a list of arrays, and an output against labels that keep their axis
        """
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

def fit(model, images, optimizer):
    criterion = nn.BCEWithLogitsLoss()
    for x, y in DataLoader(images, batch_size=64):
        output = model(x).squeeze()  # <--
        loss = criterion(output, y.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

@torch.no_grad()
def test(model, images):
    model.eval()
    labels = []
    for x, y in DataLoader(images, batch_size=64):
        x, y = x.cuda(), y.cuda().squeeze()  # <--
        labels.append(y.cpu().numpy())
    return np.concatenate(labels)
""",
    ),
    (
        "TG329",  # of an attention whose base has none of it either
        """
import torch
from torch import nn

class Base(nn.Module):
    pass

class Attention(Base):
    def __init__(self, dim, dropout=0.1):
        super().__init__()
        self.project = nn.Linear(dim, 3 * dim, bias=False)
        self.drop = nn.Dropout(dropout)  # <--

    def forward(self, x):
        q, k, v = self.project(x).chunk(3, dim=-1)
        return torch.softmax(q @ k.transpose(-1, -2), dim=-1) @ v

class Other(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.drop = nn.Dropout(rate)

    def forward(self, x):
        return self.drop(x)
""",
    ),
    (
        "TG330",  # a module, and a name between
        """
from torch import nn

criterion = nn.NLLLoss()

def loss_of(model, x, y):
    output = model(x)
    output = output.softmax(dim=-1)
    return criterion(output, y)  # <--
""",
    ),
    (
        "TG330",  # both sides of the divergence are logarithms
        """
import torch.nn.functional as F

def distil(student, teacher):
    wanted = F.log_softmax(teacher, dim=1)
    return F.kl_div(F.log_softmax(student, dim=1), wanted, reduction="batchmean")  # <--
""",
    ),
    (
        "TG507",  # a limit to the batches, and an attribute of the settings
        """
import torch
from torch.utils.data import DataLoader

@torch.no_grad()
def validate(model, images, opt, most=100):
    model.eval()
    loader = DataLoader(images, batch_size=opt.batchSize)
    most = min(most, len(loader))
    batches, n_correct = iter(loader), 0
    for _ in range(most):
        x, y = next(batches)
        n_correct += (model(x).argmax(1) == y).sum().item()
    print(n_correct / float(most * opt.batchSize))  # <--
""",
    ),
    (
        "TG311",  # nothing is kept of earlier batches
        """
from torch import nn

block = nn.Sequential(nn.Linear(64, 64, bias=False), nn.BatchNorm1d(64, momentum=1))  # <--
""",
    ),
    (
        "TG504",  # moved before it is listed
        """
import numpy as np
import torch

@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    losses = []
    for images, labels in val_loader:
        loss = criterion(model(images), labels)
        losses.append(loss.to("cpu").detach())  # <--
    return np.mean(losses)

def fit(model, epochs, loader, criterion, run_epoch, scheduler):
    for epoch in range(epochs):
        run_epoch(model)
        scheduler.step(validate(model, loader, criterion))
""",
    ),
    (
        "TG504",  # another loss of the program is a sum
        """
import torch
import torch.nn.functional as F
from torch import nn

def reconstruction(x, y):
    return F.mse_loss(x, y, reduction="sum")

@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    total = 0.0
    for images, labels in val_loader:
        loss = criterion(model(images), labels)
        total += loss.item()  # <--
    return total / len(val_loader)

def fit(model, epochs, loader, run_epoch, scheduler):
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        run_epoch(model, reconstruction)
        scheduler.step(validate(model, loader, criterion))
""",
    ),
]

CLEAN: dict[str, str] = {
    "a sigmoid for the score, and the scores for the loss": """
import torch
from torch import nn

class Trainer:
    def __init__(self, model):
        self.model, self.criterion = model, nn.BCEWithLogitsLoss()

    def loss_of(self, x, y):
        output = self.model(x)
        loss = self.criterion(output, y)
        output = torch.sigmoid(output)
        return loss, (output > 0.5) == y
""",
    "a criterion that may be one of probabilities, which chooses the sigmoid": """
import torch
from torch import nn

def loss_of(model, x, y, scores):
    criterion = nn.BCEWithLogitsLoss() if scores else nn.BCELoss()
    output = model(x)
    if not scores:
        output = torch.sigmoid(output)
    return criterion(output, y)
""",
    "a logarithm of what is kept from zero": """
import torch

def entropy(scores):
    p = torch.softmax(scores, dim=1)
    q = torch.sigmoid(scores).clamp(min=1e-6)
    return -(p * torch.log(p + 1e-8)).sum() - q.log().sum()
""",
    "squeezes that fit: both sides, a full batch, one sample a time, a named axis": """
import torch
from torch import nn
from torch.utils.data import DataLoader

def fit(model, images, optimizer, loss_of=nn.BCEWithLogitsLoss()):
    for x, y in DataLoader(images, batch_size=64):
        loss = loss_of(model(x).squeeze(), y.squeeze())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for x, y in DataLoader(images, batch_size=64, drop_last=True):
        loss = loss_of(model(x).squeeze(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

@torch.no_grad()
def test(model, images):
    model.eval()
    found, kept = [], []
    for x, y in DataLoader(images, batch_size=64):
        found.append(model(x).squeeze(1))
        kept.append(y.squeeze().view(-1))
    for x, y in DataLoader(images):
        print(model(x).squeeze(), y.squeeze())
    return torch.cat(found), torch.cat(kept)
""",
    "a dropout that a class below applies, and one that is reached without its name": """
from torch import nn

class Base(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.drop = nn.Dropout(rate)

    def forward(self, x):
        return x

class Net(Base):
    def forward(self, x):
        return self.drop(x)

class Row(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Dropout(rate)

    def forward(self, x):
        for layer in self.children():
            x = layer(x)
        return x
""",
    "batches that are all full": """
import torch
from torch.utils.data import DataLoader

@torch.no_grad()
def accuracy(model, data, batch_size):
    model.eval()
    loader = DataLoader(data, batch_size=batch_size, drop_last=True)
    correct = 0
    for x, y in loader:
        correct += (model(x).argmax(1) == y).sum().item()
    return correct / (len(loader) * batch_size)
""",
    "a norm of batches alone, and logarithms on both sides, which is said": """
import torch.nn.functional as F
from torch import nn

norm = nn.BatchNorm1d(64, momentum=1, track_running_stats=False)

def distil(student, teacher):
    wanted = F.log_softmax(teacher, dim=1)
    given = F.log_softmax(student, dim=1)
    return F.kl_div(given, wanted, reduction="batchmean", log_target=True)
""",
}
