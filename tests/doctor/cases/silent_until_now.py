"""What is done before it can matter: samples asked for again, seeds of workers, settings."""

HINTS: dict[str, tuple[str, str]] = {
    "a dataset that tells which sample it replaces": (
        "TG221",
        """
import random
from torch.utils.data import Dataset

class Frames(Dataset):
    def __init__(self, files, read):
        self.files, self.read = files, read

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        while True:
            try:
                return self.read(self.files[index])
            except Exception as error:  # <--
                print(self.files[index], error)
                index = random.randint(0, len(self) - 1)
""",
    ),
}

PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG221",
        """
import random
from torch.utils.data import Dataset

class Frames(Dataset):
    def __init__(self, files, read):
        self.files, self.read = files, read

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        while True:
            try:
                return self.read(self.files[index])
            except Exception as error:  # <--
                index = random.randint(0, len(self) - 1)
""",
    ),
    (
        "TG221",
        """
import random
from torch.utils.data import Dataset

class Frames(Dataset):
    def __init__(self, files, read):
        self.files, self.read = files, read

    def __len__(self):
        return len(self.files)

    def __getitem__(self, item):
        while True:
            try:
                frame = self.read(self.files[item])
                break
            except:  # <--
                item = (item + 1) % len(self.files)
        return frame
""",
    ),
    (
        "TG103",
        """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

class Crops(Dataset):
    def __init__(self, images):
        self.images, self.seeded = images, False

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.fetch(index)

    def fetch(self, index):
        if not self.seeded:
            info = get_worker_info()
            if info is not None:
                np.random.seed(info.id)  # <--
                self.seeded = True
        first = np.random.randint(0, 31)
        return self.images[index][:, first : first + 224]

def load(images):
    return DataLoader(Crops(images), batch_size=8, num_workers=4)
""",
    ),
    (
        "TG103",
        """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

class Crops(Dataset):
    def __init__(self, images):
        self.images, self.seeded = images, False

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        self._seed_once()
        first = np.random.randint(0, 31)
        return self.images[index][:, first : first + 224]

    def _seed_once(self):
        info = torch.utils.data.get_worker_info()
        if info and not self.seeded:
            self.seeded = True
            np.random.seed(1000 + int(info.id))  # <--

def load(images):
    return DataLoader(Crops(images), batch_size=8, num_workers=4)
""",
    ),
    (
        "TG620",
        """
import torch

def train(model, optimizer, run_epoch, epochs, name, early):
    for epoch in range(epochs):
        run_epoch(model, optimizer)
        if epoch % 10 == 9:
            path = "checkpoints/%d_%s.pth" % (epoch, name)
            torch.save(model.state_dict(), path)  # <--
    path = "checkpoints/%s.pth" % name
    torch.save(model.state_dict(), path)
""",
    ),
    (
        "TG620",
        """
import torch

def train(model, optimizer, run_epoch, epochs, name, early):
    if early:
        path = f"weights/early_{name}.pt"
    else:
        path = f"weights/{name}.pt"
    run_epoch(model, optimizer)
    torch.save(model.state_dict(), path)  # <--
""",
    ),
    (
        "TG604",
        """
import argparse
import torch

from project import loader

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--resume", default="")
    opt = parser.parse_args()
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=opt.lr)
    start = 0
    if opt.resume:
        state = torch.load(opt.resume, map_location="cpu", weights_only=False)
        model.load_state_dict(state["model"])
        start = state["epoch"]
    for epoch in range(start, opt.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        parts = {"model": model.state_dict(), "epoch": epoch + 1, "opt": opt}
        torch.save(parts, "last.pt")  # <--

if __name__ == "__main__":
    main()
""",
    ),
    (
        "TG604",
        """
import argparse
import torch

from project import loader

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--resume", default="")
    opt = parser.parse_args()
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=opt.lr)
    start = 0
    if opt.resume:
        state = torch.load(opt.resume, map_location="cpu", weights_only=False)
        model.load_state_dict(state["model"])
        start = state["epoch"]
    for epoch in range(start, opt.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        parts = {"model": model.state_dict(), "epoch": epoch + 1, "opt": vars(opt)}
        torch.save(parts, "last.pt")  # <--

if __name__ == "__main__":
    main()
""",
    ),
    (
        "TG418",
        """
import argparse
import torch

from project import loader

class Options:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        self.parser.add_argument("--lr", type=float, default=1e-3)
        self.parser.add_argument("--frames", type=int, default=27)
        self.parser.add_argument("--pad", type=int, default=13)  # <--

    def parse(self):
        self.opt = self.parser.parse_args()
        self.opt.pad = (self.opt.frames - 1) // 2
        return self.opt

def main():
    opt = Options().parse()
    model = torch.nn.Conv1d(3, 2, opt.frames, padding=opt.pad)
    optimizer = torch.optim.SGD(model.parameters(), lr=opt.lr)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
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

from project import loader

class Options:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        self.parser.add_argument("--lr", type=float, default=1e-3)
        self.parser.add_argument("--frames", type=int, default=27)
        self.parser.add_argument("--pad", type=int, default=13)  # <--

    def parse(self):
        self.opt = self.parser.parse_args()
        if self.opt.lr > 1:
            raise ValueError("the rate is too high")
        self.opt.pad = (self.opt.frames - 1) // 2
        values = {name: getattr(self.opt, name) for name in dir(self.opt)}
        for name, value in values.items():
            print(name, value)
        return self.opt

def main():
    opt = Options().parse()
    model = torch.nn.Conv1d(3, 2, opt.frames, padding=opt.pad)
    optimizer = torch.optim.SGD(model.parameters(), lr=opt.lr)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
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

from project import loader

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--head_lr", type=float, default=1e-2)
    parser.add_argument("--head_wd", type=float, default=0.0, help="decay of the head")  # <--
    args = parser.parse_args()
    body, head = torch.nn.Linear(3, 8), torch.nn.Linear(8, 2)
    first = torch.optim.SGD(body.parameters(), lr=args.lr)
    second = torch.optim.SGD(head.parameters(), lr=args.head_lr, weight_decay=0)
    for x, y in loader:
        first.zero_grad()
        second.zero_grad()
        torch.nn.functional.mse_loss(head(body(x)), y).backward()
        first.step()
        second.step()

if __name__ == "__main__":
    main()
""",
    ),
]

CLEAN: dict[str, str] = {
    **{what: code for what, (_, code) in HINTS.items()},
    "only a missing file makes a dataset take another": """
import random
from torch.utils.data import Dataset

class Frames(Dataset):
    def __init__(self, files, read):
        self.files, self.read = files, read

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        while True:
            try:
                return self.read(self.files[index])
            except FileNotFoundError:
                index = random.randint(0, len(self) - 1)
""",
    "a dataset that gives up after some attempts": """
import random
from torch.utils.data import Dataset

class Frames(Dataset):
    def __init__(self, files, read):
        self.files, self.read = files, read

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        for _ in range(5):
            try:
                return self.read(self.files[index])
            except Exception:
                index = random.randint(0, len(self) - 1)
        raise RuntimeError("five samples in a row cannot be read")
""",
    "a dataset that counts its failures and stops": """
import random
from torch.utils.data import Dataset

class Frames(Dataset):
    def __init__(self, files, read):
        self.files, self.read = files, read

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        failed = 0
        while True:
            try:
                return self.read(self.files[index])
            except Exception:
                failed += 1
                if failed > 5:
                    raise
                index = random.randint(0, len(self) - 1)
""",
    "a dataset that tries the same file again": """
import random
from torch.utils.data import Dataset

class Frames(Dataset):
    def __init__(self, files, read):
        self.files, self.read = files, read

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        wait = 1
        while True:
            try:
                return self.read(self.files[index])
            except Exception:
                wait *= 2
                self.sleep(wait)
""",
    "a worker's own seed, asked for where the sample is read": """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

class Crops(Dataset):
    def __init__(self, images):
        self.images, self.seeded = images, False

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.fetch(index)

    def fetch(self, index):
        info = get_worker_info()
        if info is not None and not self.seeded:
            np.random.seed(info.seed % 2**32)
            self.seeded = True
        first = np.random.randint(0, 31)
        return self.images[index][:, first : first + 224]

def load(images):
    return DataLoader(Crops(images), batch_size=8, num_workers=4)
""",
    "a worker's own seed with its number": """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

class Crops(Dataset):
    def __init__(self, images):
        self.images, self.seeded = images, False

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.fetch(index)

    def fetch(self, index):
        info = get_worker_info()
        if info is not None and not self.seeded:
            np.random.seed((info.seed + info.id) % 2**32)
            self.seeded = True
        first = np.random.randint(0, 31)
        return self.images[index][:, first : first + 224]

def load(images):
    return DataLoader(Crops(images), batch_size=8, num_workers=4)
""",
    "a seed of the time and the worker": """
import time
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

class Crops(Dataset):
    def __init__(self, images):
        self.images, self.seeded = images, False

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.fetch(index)

    def fetch(self, index):
        info = get_worker_info()
        if info is not None and not self.seeded:
            np.random.seed((int(time.time()) + info.id) % 2**32)
            self.seeded = True
        first = np.random.randint(0, 31)
        return self.images[index][:, first : first + 224]

def load(images):
    return DataLoader(Crops(images), batch_size=8, num_workers=4)
""",
    "workers that are kept from epoch to epoch": """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

class Crops(Dataset):
    def __init__(self, images):
        self.images, self.seeded = images, False

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.fetch(index)

    def fetch(self, index):
        info = get_worker_info()
        if info is not None and not self.seeded:
            np.random.seed(info.id)
            self.seeded = True
        first = np.random.randint(0, 31)
        return self.images[index][:, first : first + 224]

def load(images):
    return DataLoader(Crops(images), batch_size=8, num_workers=4, persistent_workers=True)
""",
    "a folder that one of two names has": """
import torch

def train(model, optimizer, run_epoch, epochs, name, early):
    if early:
        path = name
    else:
        path = f"weights/{name}.pt"
    run_epoch(model, optimizer)
    torch.save(model.state_dict(), path)
""",
    "names that begin alike, and no folder": """
import torch

def train(model, optimizer, run_epoch, epochs, name, early):
    if early:
        path = f"model_early_{name}.pt"
    else:
        path = f"model_{name}.pt"
    run_epoch(model, optimizer)
    torch.save(model.state_dict(), path)
""",
    "two names in a folder that is made": """
import os
import torch

def train(model, optimizer, run_epoch, epochs, name, early):
    os.makedirs("weights", exist_ok=True)
    if early:
        path = f"weights/early_{name}.pt"
    else:
        path = f"weights/{name}.pt"
    run_epoch(model, optimizer)
    torch.save(model.state_dict(), path)
""",
    "settings and the optimizer's state under their names": """
import argparse
import torch

from project import loader

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--resume", default="")
    opt = parser.parse_args()
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=opt.lr)
    start = 0
    if opt.resume:
        state = torch.load(opt.resume, map_location="cpu", weights_only=False)
        model.load_state_dict(state["model"])
        start = state["epoch"]
        optimizer.load_state_dict(state["optim"])
    for epoch in range(start, opt.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        parts = {"model": model.state_dict(), "epoch": epoch + 1, "opt": opt}
        parts["optim"] = optimizer.state_dict()
        torch.save(parts, "last.pt")

if __name__ == "__main__":
    main()
""",
    "a flag that is overwritten unless it is given": """
import argparse
import torch

from project import loader

class Options:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        self.parser.add_argument("--lr", type=float, default=1e-3)
        self.parser.add_argument("--frames", type=int, default=27)
        self.parser.add_argument("--pad", type=int, default=13)

    def parse(self):
        self.opt = self.parser.parse_args()
        if self.opt.pad < 0:
            self.opt.pad = (self.opt.frames - 1) // 2
        return self.opt

def main():
    opt = Options().parse()
    model = torch.nn.Conv1d(3, 2, opt.frames, padding=opt.pad)
    optimizer = torch.optim.SGD(model.parameters(), lr=opt.lr)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

if __name__ == "__main__":
    main()
""",
    "a flag of an object that a method takes first": """
import argparse
import torch

from project import loader

class Options:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        self.parser.add_argument("--lr", type=float, default=1e-3)
        self.parser.add_argument("--frames", type=int, default=27)
        self.parser.add_argument("--pad", type=int, default=13)

    def parse(self):
        self.opt = self.parser.parse_args()
        self.check()
        self.opt.pad = (self.opt.frames - 1) // 2
        return self.opt

def main():
    opt = Options().parse()
    model = torch.nn.Conv1d(3, 2, opt.frames, padding=opt.pad)
    optimizer = torch.optim.SGD(model.parameters(), lr=opt.lr)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

if __name__ == "__main__":
    main()

""",
    "a flag that is made from itself": """
import argparse
import torch

from project import loader

class Options:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        self.parser.add_argument("--lr", type=float, default=1e-3)
        self.parser.add_argument("--frames", type=int, default=27)
        self.parser.add_argument("--pad", type=int, default=13)

    def parse(self):
        self.opt = self.parser.parse_args()
        self.opt.pad = min(self.opt.pad, self.opt.frames)
        return self.opt

def main():
    opt = Options().parse()
    model = torch.nn.Conv1d(3, 2, opt.frames, padding=opt.pad)
    optimizer = torch.optim.SGD(model.parameters(), lr=opt.lr)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

if __name__ == "__main__":
    main()
""",
    "an object that keeps the flags is handed on first": """
from project import check
import argparse
import torch

from project import loader

class Options:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        self.parser.add_argument("--lr", type=float, default=1e-3)
        self.parser.add_argument("--frames", type=int, default=27)
        self.parser.add_argument("--pad", type=int, default=13)

    def parse(self):
        self.opt = self.parser.parse_args()
        check(self)
        self.opt.pad = (self.opt.frames - 1) // 2
        return self.opt

def main():
    opt = Options().parse()
    model = torch.nn.Conv1d(3, 2, opt.frames, padding=opt.pad)
    optimizer = torch.optim.SGD(model.parameters(), lr=opt.lr)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

if __name__ == "__main__":
    main()
""",
    "the decay of the head is a flag": """
import argparse
import torch

from project import loader

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--head_lr", type=float, default=1e-2)
    parser.add_argument("--head_wd", type=float, default=0.0, help="decay of the head")
    args = parser.parse_args()
    body, head = torch.nn.Linear(3, 8), torch.nn.Linear(8, 2)
    first = torch.optim.SGD(body.parameters(), lr=args.lr)
    second = torch.optim.SGD(head.parameters(), lr=args.head_lr, weight_decay=args.head_wd)
    for x, y in loader:
        first.zero_grad()
        second.zero_grad()
        torch.nn.functional.mse_loss(head(body(x)), y).backward()
        first.step()
        second.step()

if __name__ == "__main__":
    main()
""",
}
