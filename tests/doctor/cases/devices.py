"""Programs that run with a GPU and without one: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG345",  # with a flag, in a method that the program calls
        """
import argparse
import torch

class Learner:
    def __init__(self, model, use):
        self.model, self.use_cuda = model, use
        if self.use_cuda:
            self.model.cuda()

    def update(self, batch):
        if self.use_cuda:
            batch = batch.cuda()
        return self.model(batch)

    def save(self, path):
        state = {"model": self.model.state_dict(), "random": torch.cuda.get_rng_state()}  # <--
        torch.save(state, path)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    args = parser.parse_args()
    learner = Learner(torch.nn.Linear(4, 4), args.cuda)
    learner.update(torch.ones(8, 4))
    learner.save("last.pt")

if __name__ == "__main__":
    main()
""",
    ),
    (
        "TG345",  # a function that is handed to a process, and divides by the number of GPUs
        """
import torch
from torch.multiprocessing import Process

def work(model, batches, place):
    gpu = place % torch.cuda.device_count()  # <--
    device = torch.device(f"cuda:{gpu}" if torch.cuda.is_available() else "cpu")
    model.to(device)
    for batch in batches:
        model(batch.to(device))

if __name__ == "__main__":
    Process(target=work, args=(torch.nn.Linear(4, 4), [torch.ones(8, 4)], 0)).start()
""",
    ),
    (
        "TG609",  # of accelerate, which wraps nothing for one process
        """
import torch
from accelerate import Accelerator

def train(model, optimizer, loader, loss_of, steps):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, batch in enumerate(loader):
        accelerator.backward(loss_of(model, batch))
        optimizer.step()
        optimizer.zero_grad()
        if step % steps == 0 and accelerator.is_main_process:
            torch.save(model.module.state_dict(), f"{step}.pt")  # <--
""",
    ),
    (
        "TG610",  # in a helper that returns what it loads, for a program that trains nothing
        """
import argparse
import torch

def read(path):
    state = torch.load(path, weights_only=True)  # <--
    return state

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights")
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    use = torch.cuda.is_available() and not args.no_cuda
    net = torch.nn.Linear(4, 4)
    found = read(args.weights)
    net.load_state_dict(found["net"])
    net = net.to(torch.device("cuda:0" if use else "cpu"))
    print(net(torch.ones(1, 4)))

if __name__ == "__main__":
    main()
""",
    ),
    (
        "TG610",  # of a program that trains, where it is asked to test instead
        """
import torch

class Experiment:
    def __init__(self, model):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)

    def fit(self, batches, optimizer):
        for x, y in batches:
            optimizer.zero_grad()
            (self.model(x.to(self.device)) - y.to(self.device)).pow(2).mean().backward()
            optimizer.step()

    def test(self, batches, path, test=False):
        if test:
            self.model.load_state_dict(torch.load(path, weights_only=True))  # <--
        self.model.eval()
        with torch.no_grad():
            return [self.model(x.to(self.device)) for x, _ in batches]

def main(batches, training, path):
    model = torch.nn.Linear(4, 4)
    experiment = Experiment(model)
    if training:
        experiment.fit(batches, torch.optim.SGD(model.parameters(), lr=0.1))
    return experiment.test(batches, path, test=not training)

if __name__ == "__main__":
    main([(torch.ones(8, 4), torch.ones(8, 4))], False, "last.pt")
""",
    ),
]

CLEAN: dict[str, str] = {
    "a program that needs a GPU anyhow, though one part asks for it": """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def main(model, batches):
    model.cuda()
    weight = torch.ones(4).to(device)
    for batch in batches:
        print(model(batch.cuda()) * weight)

if __name__ == "__main__":
    main(torch.nn.Linear(4, 4), [torch.ones(8, 4)])
""",
    "what needs a GPU is called where there is one": """
import time
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"

def wait():
    torch.cuda.synchronize()
    return time.time()

def warm_up(model):
    if not torch.cuda.is_available():
        return
    model(torch.ones(8, 4).cuda())

def main(model, batches):
    model.to(device)
    warm_up(model)
    for batch in batches:
        begun = wait() if device == "cuda" else time.time()
        model(batch.to(device))
        print(time.time() - begun)

if __name__ == "__main__":
    main(torch.nn.Linear(4, 4), [torch.ones(8, 4)])
""",
    "a program that ends where there is no GPU": """
import sys
import torch

def place():
    if torch.cuda.is_available():
        print("one GPU")
    else:
        print("training needs a GPU")
        sys.exit(1)

def main(model, batches, cuda):
    place()
    torch.cuda.set_device(0)
    model = model.cuda() if cuda else model
    for batch in batches:
        model(batch.cuda() if cuda else batch)

if __name__ == "__main__":
    main(torch.nn.Linear(4, 4), [torch.ones(8, 4)], True)
""",
    "a method of its own that is called `cuda`, and heeds the choice": """
import torch

class Trainer:
    def __init__(self, model, device):
        self.model, self.device = model.to(device), device

    def cuda(self, *items):
        return [item.to(self.device) for item in items]

    def run(self, batches):
        for batch, label in batches:
            batch, label = self.cuda(batch, label)
            print(self.model(batch), label)

if __name__ == "__main__":
    chosen = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    Trainer(torch.nn.Linear(4, 4), chosen).run([(torch.ones(8, 4), torch.ones(8))])
""",
    "a test that loads what the same run has saved": """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def keep(model, name):
    torch.save(model.state_dict(), name + ".pt")

def fit(model, batches, optimizer, name):
    for x, y in batches:
        optimizer.zero_grad()
        (model(x.to(device)) - y.to(device)).pow(2).mean().backward()
        optimizer.step()
        keep(model, name)

@torch.no_grad()
def test(model, batches, name):
    model.load_state_dict(torch.load(name + ".pt", weights_only=True))
    model.eval()
    return [model(x.to(device)) for x, _ in batches]

def main(model, batches):
    model.to(device)
    fit(model, batches, torch.optim.SGD(model.parameters(), lr=0.1), "net")
    return test(model, batches, "net")

if __name__ == "__main__":
    main(torch.nn.Linear(4, 4), [(torch.ones(8, 4), torch.ones(8, 4))])
""",
    "a model that is wrapped before accelerate prepares it": """
import torch
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel

def train(model, optimizer, loader, loss_of, steps):
    accelerator = Accelerator()
    model = DistributedDataParallel(model.to(accelerator.device))
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, batch in enumerate(loader):
        accelerator.backward(loss_of(model, batch))
        optimizer.step()
        optimizer.zero_grad()
        if step % steps == 0 and accelerator.is_main_process:
            torch.save(model.module.state_dict(), f"{step}.pt")
""",
    "a method that loads samples, and is called as what loads the model": """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Samples(torch.utils.data.Dataset):
    def __init__(self, paths):
        self.data = [self.load(path) for path in paths]

    def load(self, path):
        return torch.load(path, weights_only=True)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, place):
        return self.data[place]

def main(paths, weights):
    net = torch.nn.Linear(4, 4)
    net.load_state_dict(torch.load(weights, map_location=device, weights_only=True))
    net.to(device)
    for sample in Samples(paths):
        print(net(sample.to(device)))

if __name__ == "__main__":
    main(["first.pt"], "net.pt")
""",
    "samples that are kept on the GPU, in a program that needs one": """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--store-on-gpu", action="store_true")

def main(images, labels, loss_of, optimizer):
    args = parser.parse_args()
    if args.store_on_gpu:
        images = images.cuda()
        labels = labels.cuda()
    for _ in range(1000):
        chosen = torch.randint(len(images), (8,))
        optimizer.zero_grad()
        loss_of(images[chosen].cuda(), labels[chosen]).mean().backward()
        optimizer.step()

main(*torch.load("prepared.pt", map_location="cpu", weights_only=False))
""",
}
