"""What readers called wrong or petty: states by other names, schedules, methods, dead ends."""

PARSING = """
import argparse
import os

import torch
import torch.distributed as dist

def options():
    parser = argparse.ArgumentParser()
"""
JOINING = """
    return parser.parse_args()

class Processes:
    @staticmethod
    def join(args):
        if "RANK" not in os.environ:
            args.several = False
            return
        args.several = True
        dist.init_process_group("gloo")

def main(model, batches, loss_of):
    args = options()
    Processes.join(args)
    if args.several:
        model = torch.nn.parallel.DistributedDataParallel(model)
    for batch in batches:
        loss_of(model, batch).backward()
"""
# {name}: of the optimizer; {schedule}: how its rate falls; {more}, {read}: what else is saved
RESUMED = """
import torch
from torch.optim import lr_scheduler

class Run:
    def __init__(self, net, rate, path):
        self.net, self.path = net, path
        self.{name} = torch.optim.Adam(net.parameters(), lr=rate)
        self.scheduler = lr_scheduler.{schedule}

    def fit(self, epochs, loader, loss_of):
        for epoch in range(self.resume(), epochs):
            for batch in loader:
                self.{name}.zero_grad()
                loss_of(self.net(batch)).backward()
                self.{name}.step()
            self.scheduler.step()
            state = {{"net": self.net.state_dict(), {more}"epoch": epoch + 1}}
            torch.save(state, self.path){mark}

    def resume(self):
        state = torch.load(self.path, weights_only=True)
        self.net.load_state_dict(state["net"])
        {read}
        return state["epoch"]
"""
FALLING = "ExponentialLR(self.mover, 0.9)"
EVERY_EPOCH = "StepLR(self.mover, step_size=1, gamma=0.9)"
IN_STEPS = "StepLR(self.mover, step_size=30, gamma=0.1)"
READ = 'self.mover.load_state_dict(state["mover"])'
MOVER = '"mover": self.mover.state_dict(), '
# {when}: how often the state is saved; {mark}: after the step
SCHEDULED = """
import torch

def fit(net, optimizer, loader, epochs, run_batch):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    for epoch in range(epochs):
        for {rounds}:
            run_batch(net, optimizer, batch)
            if {often}:
                torch.save(scheduler.state_dict(), f"{{epoch}}.pt")
        scheduler.step(){mark}

def go_on(scheduler, path):
    scheduler.load_state_dict(torch.load(path, weights_only=True))
"""
AT_THE_END = """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def run_epoch(net, loader, optimizer):
    for batch in loader:
        loss = net(batch).mean()
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

def train(net, loader, first, optimizer, widths, epochs):
    dist.init_process_group("gloo")
    net = DistributedDataParallel(net)
    with torch.no_grad():
        for width in widths:
            run_epoch(net.at(width), first, None)
    for epoch in range(epochs):
        run_epoch(net, loader, optimizer)
        if dist.get_rank() == 0:
            {kept}
    if dist.get_rank() == 0:
        torch.save(net.module.state_dict(), "calibrated.pt"){mark}
"""
KEEPING = 'torch.save(net.module.state_dict(), "last.pt")'
WEIGHTS_ON_CPU = """
import torch

def keep(nets, path):
    tables = {{}}
    for name, net in nets.items():
        state = net.state_dict()
        for key, value in state.items():
            state[key] = value{moved}
        tables[name] = state
    torch.save(tables, path)

def use(net, path):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net.load_state_dict(torch.load(path, weights_only=True)["net"]){mark}
    return net.to(device).eval()
"""
EITHER = """
import argparse

import torch

def main(model):
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", {default}type=str)
    args = parser.parse_args()
    path = args.weights if args.weights else args.resume{mark}
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
"""
COUNTED = """
import argparse

import torch

def count(args):
    print(args.words)
    {end}

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int)
    args = parser.parse_args()
    found = count(args)
    print(torch.ones(found), args.tokens){mark}
"""
HINTS: dict[str, tuple[str, str]] = {
    "a flag that the start of the processes settles": (
        "TG310",
        PARSING + '    parser.add_argument("--several", type=bool, default=True)  # <--' + JOINING,
    ),
    "a flag read where another one was emptied": (
        "TG006",
        EITHER.format(default='default="best.pt", ', mark="  # <--"),
    ),
    "a flag read after a function that ends the program": (
        "TG006",
        COUNTED.format(end="exit()", mark="  # <--"),
    ),
    "weights moved to the CPU one after the other": (
        "TG610",
        WEIGHTS_ON_CPU.format(moved=".cpu()", mark="  # <--"),
    ),
}
CLEAN = {
    **{what: code for what, (_, code) in HINTS.items()},
    "an optimizer by another name, and a rate that falls each epoch": RESUMED.format(
        name="mover", schedule=FALLING, more=MOVER, read=READ, mark=""
    ),
    "a rate that a step of one epoch multiplies": RESUMED.format(
        name="mover", schedule=EVERY_EPOCH, more=MOVER, read=READ, mark=""
    ),
    "a scheduler's state of an epoch that is not over": SCHEDULED.format(
        rounds="batch in loader", often="optimizer.steps % 500 == 0", mark=""
    ),
    "weights saved in the loop, and once more after it": AT_THE_END.format(kept=KEEPING, mark=""),
    "weights that are made from those of another format": """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--resume", type=str)
args = parser.parse_args()

def converted(tables, path):
    net = torch.classes.Backbone()
    for new, old in zip(net.parameters(), tables):
        new.data[:] = old
    torch.save(net.state_dict(), path)
    return net

def fit(net, loader, loss_of):
    optimizer = torch.optim.Adam(net.parameters())
    if args.resume:
        net.load_state_dict(torch.load(args.resume, map_location="cpu", weights_only=True))
    for batch in loader:
        optimizer.zero_grad()
        loss_of(net, batch).backward()
        optimizer.step()
""",
}
PLANTED: list[tuple[str, str]] = [
    (
        "TG604",
        RESUMED.format(name="mover", schedule=IN_STEPS, more=MOVER, read=READ, mark="  # <--"),
    ),
    (
        "TG604",
        RESUMED.format(
            name="mover", schedule=FALLING, more="", read="print(len(state))", mark="  # <--"
        ),
    ),
    (
        "TG615",
        SCHEDULED.format(
            rounds='batch in ("train", "valid")', often='batch == "valid"', mark="  # <--"
        ),
    ),
    ("TG628", AT_THE_END.format(kept="print(epoch)", mark="  # <--")),
    ("TG610", WEIGHTS_ON_CPU.format(moved=".half()", mark="  # <--")),
    ("TG006", EITHER.format(default="", mark="  # <--")),
    ("TG006", COUNTED.format(end="return args.words", mark="  # <--")),
    (
        "TG310",
        PARSING
        + '    parser.add_argument("--several", type=bool, default=True)  # <--'
        + JOINING.replace("args.several = False", 'print("alone")'),
    ),
]
