"""Losses that are kept or swapped, and losses that only look so."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG408",
        """
import torch
from torch import nn
import torch.nn.functional as F

def fit(model, loader, optimizer, args):
    total = total_kl = 0
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        recon = F.mse_loss(model(x), y)
        kl_loss = model.kl()
        loss = recon + kl_loss
        loss.backward()
        optimizer.step()
        total += loss.item()
        total_kl += kl_loss  # <--
""",
    ),
    (
        "TG408",
        """
import torch
from torch import nn
import torch.nn.functional as F

def fit(model, loader, optimizer, args):
    total = 0
    for x, y in loader:
        loss = train_step(model, x, y, optimizer)
        total += loss  # <--
def train_step(model, x, y, optimizer):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss
""",
    ),
    (
        "TG431",
        """
import torch
from torch import nn
import torch.nn.functional as F

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        optimizer.zero_grad()
        labels = y
        out = model(x)
        loss = F.cross_entropy(labels, out)  # <--
        loss.backward()
        optimizer.step()
""",
    ),
]

CLEAN: dict[str, str] = {
    "the data of a loss": """
import torch
from torch import nn
import torch.nn.functional as F

def fit(model, loader, optimizer, args):
    total = 0
    losses = []
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        loss = loss.data
        total += loss
""",
    "a loss that is a number, where it was none": """
import torch
from torch import nn
import torch.nn.functional as F

def fit(model, loader, optimizer, args):
    total = 0
    losses = []
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        loss = loss.item() if hasattr(loss, "item") else loss
        total += loss
""",
    "a list of losses that drops the oldest": """
import torch
from torch import nn
import torch.nn.functional as F

def fit(model, loader, optimizer, args):
    total = 0
    losses = []
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
        if len(losses) > 10:
            losses.pop(0)
""",
    "the last losses": """
import torch
from torch import nn
import torch.nn.functional as F

def fit(model, loader, optimizer, args):
    from collections import deque
    losses = deque(maxlen=20)
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
""",
    "a loss that is read from a table of numbers": """
import torch
from torch import nn
import torch.nn.functional as F

def fit(model, loader, optimizer, args):
    total = 0
    losses = []
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        loss = {"loss": loss.item()}["loss"]
        losses.append(loss)
""",
    "predicted labels, and the probabilities of the truth": """
import torch
from torch import nn
import torch.nn.functional as F

def train_epoch(model, loader, optimizer, args):
    for x, y in loader:
        optimizer.zero_grad()
        pred_labels = model(x)
        gt_probs = y
        loss = F.binary_cross_entropy(pred_labels, gt_probs)
        loss.backward()
        optimizer.step()
""",
}
