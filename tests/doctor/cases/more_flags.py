"""Flags that are read by unusual ways, and flags that are only shown."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG418",
        """
import argparse
import torch
from torch import nn

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--weight_decay", type=float, default=1e-4, help="weight decay")  # <--
    args = parser.parse_args()
    for arg in vars(args):
        print(arg, getattr(args, arg))
    model = nn.Linear(3, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()

if __name__ == "__main__":
    main()
""",
    ),
    (
        "TG418",
        """
import argparse
import torch
from torch import nn

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--weight_decay", type=float, default=1e-4, help="weight decay")  # <--
    args = parser.parse_args()
    for arg in vars(args):
        if vars(args)[arg] == "True":
            vars(args)[arg] = True
        elif vars(args)[arg] == "False":
            vars(args)[arg] = False
    model = nn.Linear(3, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()

if __name__ == "__main__":
    main()
""",
    ),
    (
        "TG418",
        r"""
import argparse
import torch
from torch import nn

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--weight_decay", type=float, default=1e-4, help="weight decay")  # <--
    args = parser.parse_args()
    with open("config.txt", "a") as f:
        for arg in vars(args):
            f.write("{}: {}\n".format(arg, getattr(args, arg)))
        f.write("\n")
    model = nn.Linear(3, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()

if __name__ == "__main__":
    main()
""",
    ),
    (
        "TG418",
        """
from texttable import Texttable
import argparse
import torch
from torch import nn

def tab_printer(args):
    args = vars(args)
    keys = sorted(args.keys())
    t = Texttable()
    t.add_rows([["Parameter", "Value"]] + [[k.capitalize(), args[k]] for k in keys])
    print(t.draw())

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--weight_decay", type=float, default=1e-4, help="weight decay")  # <--
    args = parser.parse_args()
    tab_printer(args)
    model = nn.Linear(3, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()

if __name__ == "__main__":
    main()
""",
    ),
    (
        "TG418",
        r"""
import argparse
import torch
from torch import nn

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--weight_decay", type=float, default=1e-4, help="weight decay")  # <--
    args = parser.parse_args()
    message = ""
    for k, v in sorted(vars(args).items()):
        comment = ""
        default = parser.get_default(k)
        if v != default:
            comment = "\t[default: %s]" % str(default)
        message += "{:>25}: {:<30}{}\n".format(str(k), str(v), comment)
    print(message)
    model = nn.Linear(3, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()

if __name__ == "__main__":
    main()
""",
    ),
]

CLEAN: dict[str, str] = {
    "flags that become the names of the file": """
import argparse
import torch
from torch import nn

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--weight_decay", type=float, default=1e-4, help="weight decay")
    args = parser.parse_args()
    globals().update(vars(args))
    model = nn.Linear(3, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, weight_decay=weight_decay)
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()

if __name__ == "__main__":
    main()
""",
    "a flag that a getter takes": """
from project import loader
from operator import attrgetter
import argparse
import torch
from torch import nn

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--weight_decay", type=float, default=1e-4, help="weight decay")
    args = parser.parse_args()
    model = nn.Linear(3, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(
        model.parameters(), lr=args.lr, weight_decay=attrgetter("weight_decay")(args)
    )
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()

if __name__ == "__main__":
    main()
""",
    "flags that become variables of the environment": """
from project import loader
import argparse
import os
import torch
from torch import nn

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--weight_decay", type=float, default=1e-4, help="weight decay")
    args = parser.parse_args()
    for k, v in vars(args).items():
        os.environ[k.upper()] = str(v)
    model = nn.Linear(3, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(
        model.parameters(), lr=args.lr, weight_decay=float(os.environ["WEIGHT_DECAY"])
    )
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()

if __name__ == "__main__":
    main()
""",
    "flags for a class that hands on those it does not know": """
from project import loader
import argparse
import torch
class Trainer:
    def __init__(self, lr, **kwargs):
        self.model = torch.nn.Linear(2, 1)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=lr, **kwargs)
    def fit(self):
        for x in loader:
            self.opt.zero_grad(); self.model(x).sum().backward(); self.opt.step()
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--weight_decay", type=float, default=1e-4, help="weight decay")
    Trainer(**vars(parser.parse_args())).fit()
""",
    "flags for the command of another program": """
from project import loader
import argparse
import os
import torch
from torch import nn

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--weight_decay", type=float, default=1e-4, help="weight decay")
    args = parser.parse_args()
    cmd = "python w.py"
    for k, v in vars(args).items():
        cmd += " --" + k + " " + str(v)
    os.system(cmd)
    model = nn.Linear(3, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()

if __name__ == "__main__":
    main()
""",
}
