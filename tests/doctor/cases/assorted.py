"""Faults of several topics, and code beside them that has none."""

PLANTED: list[tuple[str, str]] = []

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
}
