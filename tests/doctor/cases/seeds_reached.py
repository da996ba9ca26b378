"""Seeds that reach what they are for, and those that only seem to."""

HEAD = """
import argparse
import random
import numpy as np
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset, random_split
"""
FIT = """
def fit(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for images in loader:
            optimizer.zero_grad()
            model(images).sum().backward()
            optimizer.step()
"""
NOISY = """
class Noisy(Dataset):
    def __init__(self, images):
        self.images = images

    def __getitem__(self, index):
        return self.images[index] + np.random.randn(2)
"""
PLANTED: list[tuple[str, str]] = [
    (
        "TG108",
        f"""{HEAD}{FIT}
def set_seed(args):
    torch.manual_seed(args.seed)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)  # <--
    parser.add_argument("--width", type=int, default=2)
    args = parser.parse_args()
    fit(torch.nn.Linear(args.width, 2), [torch.rand(2, 2)])

main()
""",
    ),
    (
        "TG110",
        f"""{HEAD}{FIT}
def set_seed(seed):
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False

def main():
    set_seed(1)
    torch.backends.cudnn.benchmark = True  # <--
    fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])

main()
""",
    ),
    (
        "TG111",
        f"""{HEAD}{FIT}
def main():
    np.random.seed(3)  # <--
    sizes = "2,2".split(",")
    fit(torch.nn.Linear(2, len(sizes)), [torch.rand(2, 2)])

main()
""",
    ),
    (
        "TG113",
        f"""{HEAD}{FIT}
def set_seed(seed):
    torch.manual_seed(seed)

def worker(rank):
    fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])

def main():
    set_seed(1)  # <--
    mp.spawn(worker, nprocs=2)

main()
""",
    ),
]
CLEAN: dict[str, str] = {
    "fast kernels where no run asks for deterministic ones as well": f"""{HEAD}{FIT}
def set_up(args):
    torch.backends.cudnn.deterministic = True
    if args.exact:
        return
    torch.backends.cudnn.deterministic = False
    torch.backends.cudnn.benchmark = True

def main(args):
    if args.exact:
        torch.backends.cudnn.deterministic = True
        return fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])
    torch.backends.cudnn.benchmark = True
    return fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])
""",
    "fast kernels that the function for the seed switches off": f"""{HEAD}{FIT}
def set_seed(seed):
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False

def main():
    torch.backends.cudnn.benchmark = True
    set_seed(1)
    fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])

main()
""",
    "workers of a loader that is made anew, with another seed": f"""{HEAD}{NOISY}
from functools import partial

def seed_worker(number, seed):
    np.random.seed(seed + number)

def main(model, optimizer, images):
    for round in range(3):
        loader = DataLoader(
            Noisy(images), num_workers=4, worker_init_fn=partial(seed_worker, seed=100 * round)
        )
        for batch in loader:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
""",
    "workers of a loader that never ends": f"""{HEAD}{NOISY}{FIT}
class InfiniteSampler(torch.utils.data.Sampler):
    def __iter__(self):
        while True:
            yield 0

def seed_worker(number):
    np.random.seed(3 + number)

def main(images):
    data = Noisy(images)
    loader = DataLoader(
        data, sampler=InfiniteSampler(), num_workers=4, worker_init_fn=seed_worker
    )
    fit(torch.nn.Linear(2, 2), loader)
""",
    "a split whose numbers are kept": f"""{HEAD}{FIT}
def main(data):
    train, val = random_split(data, [8, 2])
    torch.save(val.indices, "val.pt")
    fit(torch.nn.Linear(2, 2), train)
""",
    "a split of which one part is used": f"""{HEAD}{FIT}
def main(data):
    some, _ = random_split(data, [8, 2])
    fit(torch.nn.Linear(2, 2), some)
""",
    "draws for the name of a run and for a port": f"""{HEAD}
def main(model, optimizer, loader):
    torch.manual_seed(1)
    port = np.random.randint(10000, 20000)
    print(f"run-{{random.randint(0, 999)}}", port)
    for images in loader:
        optimizer.zero_grad()
        model(images).sum().backward()
        optimizer.step()
""",
    "spawned processes that seed where they make something": f"""{HEAD}{FIT}
class Runner:
    def __init__(self, seed):
        torch.manual_seed(seed)

    def run(self):
        fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])

def worker(rank):
    Runner(rank).run()

def main():
    torch.manual_seed(1)
    mp.spawn(worker, nprocs=2)
""",
    "numpy that a dataset seeds for each sample from what torch seeds": f"""{HEAD}{FIT}
class Noisy(Dataset):
    def _seed(self):
        np.random.seed(random.randint(0, 2**31))

    def __getitem__(self, index):
        self._seed()
        return self.images[index] + np.random.randn(2)

fit(torch.nn.Linear(2, 2), DataLoader(Noisy(), batch_size=8, num_workers=4))
""",
}
