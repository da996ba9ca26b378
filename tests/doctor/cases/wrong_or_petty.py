"""What readers of the last repositories called wrong or petty, in other words."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG606",
        """
import torch
from torch.optim import lr_scheduler

def resume(self, state, anew, steps):
    if "optimizer" in state:
        self.optimizer.load_state_dict(state["optimizer"])
    if anew:
        self.scheduler = lr_scheduler.CosineAnnealingLR(self.optimizer, steps)  # <--
""",
    ),
    (
        "TG817",
        """
import pandas as pd

def with_totals(path, totals):
    table = pd.read_csv(path)
    table = table.append(totals)  # <--
    return table
""",
    ),
    (
        "TG510",
        """
import numpy as np
import torch
from torch.utils.data import Dataset

class Scenes(Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index] + np.random.randn(3)

def fit(model, train_epoch, score_of, images, held_out):
    train_set = Scenes(images)
    val_set = Scenes(held_out)  # <--
    best_score = 0.0
    for epoch in range(9):
        train_epoch(model, train_set)
        score = score_of(model, val_set)
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
""",
    ),
]
CLEAN: dict[str, str] = {
    "a state that is loaded, or else a new scheduler": """
import torch
from torch.optim import lr_scheduler

def resume(self, state, anew, steps):
    if not anew:
        if "optimizer" in state:
            self.optimizer.load_state_dict(state["optimizer"])
    else:
        self.scheduler = lr_scheduler.CosineAnnealingLR(self.optimizer, steps)
""",
    "two indices of a table, one after the other": """
import pandas as pd

def pairs(path, first, second):
    table = pd.read_csv(path)
    pool = table[table.head == first].index
    pool = pool.append(table[table.tail == second].index)
    return pool
""",
    "a set that makes each sample anew, whatever number it is asked for": """
import numpy as np
import torch
from torch.utils.data import Dataset

class Points(Dataset):
    def __init__(self, shape):
        self.shape = shape

    def __len__(self):
        return 100

    def __getitem__(self, _):
        points = np.random.randn(8, 3)
        return points, self.shape.distance(points)

def fit(model, train_epoch, score_of, shape):
    train_set = Points(shape)
    val_set = Points(shape)
    best_score = 0.0
    for epoch in range(9):
        train_epoch(model, train_set)
        score = score_of(model, val_set)
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
""",
}
HINTS: dict[str, tuple[str, str]] = {
    "the first batch of an epoch steps with what the last epoch left": (
        "TG415",
        """
def train(model, loader, optimizer, epochs, loss_of, passes=4):
    for epoch in range(epochs):
        for i, batch in enumerate(loader):
            (loss_of(model, batch) / passes).backward()
            if i % passes == 0:  # <--
                optimizer.step()
                optimizer.zero_grad()
""",
    ),
}
PLANTED += HINTS.values()
CLEAN |= {what: code for what, (_, code) in HINTS.items()}
