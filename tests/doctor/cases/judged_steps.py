"""What a default, a caller or the rest of a branch makes harmless, and what it does not."""

TRAINS = """
net = torch.nn.Linear(2, 1)
for batch in torch.rand(4, 8, 2):
    net(batch).mean().backward()
"""

HINTS: dict[str, tuple[str, str]] = {
    "the logarithm of a softmax": (
        "TG327",
        """
import torch

def loss_of(scores, labels):
    return -(torch.softmax(scores, dim=1).log() * labels).sum(1).mean()  # <--
""",
    ),
    "an exception that is returned for an unknown name": (
        "TG352",
        """
import torch

def schedule_of(optimizer, kind):
    if kind == "steps":
        return torch.optim.lr_scheduler.StepLR(optimizer, 9)
    return NotImplementedError(kind)  # <--
""",
    ),
    "a schedule whose factor is 1 by default": (
        "TG409",
        """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gamma", type=float, default=1)

def fit(net, batches, args):
    adam = torch.optim.Adam(net.parameters())
    plan = torch.optim.lr_scheduler.StepLR(adam, 10, args.gamma)
    for epoch in range(50):
        plan.step()  # <--
        for batch in batches:
            adam.zero_grad()
            net(batch).mean().backward()
            adam.step()

fit(torch.nn.Linear(2, 1), torch.rand(4, 8, 2), parser.parse_args())
""",
    ),
    "a rate that every caller gives as 0, and a class that says its own name": (
        "TG306",
        """
import torch
import torch.nn.functional as F

class Cell(torch.nn.Module):
    def __init__(self, width, skip=0.0, prefix="Cell"):
        super().__init__()
        self.layer = torch.nn.Linear(width, width)
        self.skip = skip
        self.name = "Cell"

    def forward(self, x):
        if self.skip > 0.0:
            x = F.dropout2d(x, p=self.skip)  # <--
        return self.layer(x)

print(Cell(4, skip=0.0)(torch.rand(2, 4)), Cell(2))
""",
    ),
    "a flag for a number of steps with a fraction as its default": (
        "TG344",
        """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--warmup_steps", type=int, default=0.1)  # <--
args = parser.parse_args()
rates = torch.linspace(0, 1, args.warmup_steps)
print(rates)
""",
    ),
    "a condition that is the else of those before": (
        "TG339",
        """
import torch

def part_of(x, which):
    if which == "first":
        return x[0]
    elif which == "second":
        return x[1]
    elif which == "third" or "last":  # <--
        return x[2]
""",
    ),
    "a list of single letters": (
        "TG331",
        """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--answers", type=list, default=["A", "B", "C"])  # <--
args = parser.parse_args()
scores = torch.zeros(len(args.answers))
print(scores)
""",
    ),
}
PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG210",  # under a condition alone
        """
import torch
from torch.utils.data import DataLoader

def build(quick):
    torch.set_default_tensor_type(torch.cuda.HalfTensor)
    net = torch.nn.Linear(2, 1)
    if quick:
        torch.set_default_tensor_type(torch.FloatTensor)
    return net

def main(data):
    net = build(False)
    for batch in DataLoader(data, 8, shuffle=True):  # <--
        print(net(batch))

main(torch.rand(9, 2))
""",
    ),
    (
        "TG409",  # by half
        """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gamma", type=float, default=0.5)

def fit(net, batches, args):
    adam = torch.optim.Adam(net.parameters())
    plan = torch.optim.lr_scheduler.StepLR(adam, 10, args.gamma)
    for epoch in range(50):
        plan.step()  # <--
        for batch in batches:
            adam.zero_grad()
            net(batch).mean().backward()
            adam.step()

fit(torch.nn.Linear(2, 1), torch.rand(4, 8, 2), parser.parse_args())
""",
    ),
    (
        "TG339",  # there are others behind
        """
import torch

def part_of(x, which):
    if which == "first":
        return x[0]
    elif which == "second" or "next":  # <--
        return x[1]
    elif which == "third":
        return x[2]
""",
    ),
    (
        "TG346",  # a tensor on the device of another that is there too
        """
import torch

kept = {}

def bands(y, size):
    device = y.device
    kept[size] = torch.hann_window(size).to(device)
    return torch.matmul(kept[size], y.unsqueeze(1))

def show(net, batches):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net.to(device)
    for batch in batches:
        batch = batch.to(device)
        print(bands(net(batch), 9).numpy())  # <--
""",
    ),
]
CLEAN: dict[str, str] = {what: code for what, (_, code) in HINTS.items()} | {
    "a divergence per class, with a scale for their number": """
import torch.nn.functional as F

def distilled(outputs, teacher, scale):
    return F.kl_div(F.log_softmax(outputs, dim=1), F.softmax(teacher, dim=1)) * scale
""",
    "a default that is given back before the function ends": """
import torch
from torch.utils.data import DataLoader

def build():
    torch.set_default_tensor_type(torch.cuda.HalfTensor)
    net = torch.nn.Linear(2, 1)
    torch.set_default_tensor_type(torch.FloatTensor)
    return net

def main(data):
    batches = DataLoader(data, 8, shuffle=True)
    net = build()
    for batch in batches:
        print(net(batch.half().cuda()))

main(torch.rand(9, 2))
""",
    "a tensor that follows another to the CPU": """
import torch

kept = {}

def bands(y, size):
    device = y.device
    if size not in kept:
        kept[size] = torch.hann_window(size).to(device)
    return torch.matmul(kept[size], y.unsqueeze(1))

def show(net, batches):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net.to(device)
    for batch in batches:
        found = net(batch.to(device)).cpu()
        print(bands(found, 9).numpy())
""",
}
