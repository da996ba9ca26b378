"""Checkpoints that bring a run back, and those that do not: planted faults, and clean code."""

PLANTED: list[tuple[str, str]] = [
    (  # by the settings of `logging`
        "TG619",
        """
import argparse
import logging
import os
import torch

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out")
    parser.add_argument("--checkpoint")
    args = parser.parse_args()
    path = os.path.join(args.out, "train.log")
    logging.basicConfig(level=logging.INFO, filename=path, filemode="w")  # <--
    model = torch.nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    first = 0
    if args.checkpoint:
        state = torch.load(args.checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"] + 1
    for epoch in range(first, 90):
        logging.info("%f", train_epoch(model, optimizer))
        parts = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**parts, "epoch": epoch}, os.path.join(args.out, "last.pt"))

def train_epoch(model, optimizer):
    loss = model(torch.ones(1, 8)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
""",
    ),
    (
        "TG604",
        """
import torch

def fit(args, net, loader, loss_of):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    first = torch.load(args.last, weights_only=True)["epoch"] if args.last else 0
    for epoch in range(first, args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        rate = get_rate(optimizer)
        torch.save({"net": net.state_dict(), "epoch": epoch + 1, "rate": rate}, args.last)  # <--
""",
    ),
    (
        "TG625",
        """
import os
import torch
from torch import nn

def run(args, net, epoch_of):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    if args.gpus > 1:
        net = nn.DataParallel(net)
    net.to("cuda")
    first = 0
    if os.path.isfile(args.last):
        read = torch.load(args.last, map_location="cpu", weights_only=True)
        net.load_state_dict(read["weights"])  # <--
        optimizer.load_state_dict(read["adam"])
        first = read["epoch"] + 1
    for epoch in range(first, args.epochs):
        epoch_of(net, optimizer)
        kept = {"epoch": epoch, "adam": optimizer.state_dict()}
        kept["weights"] = net.module.state_dict() if args.gpus > 1 else net.state_dict()
        torch.save(kept, args.last)
""",
    ),
    (
        "TG623",
        """
from pathlib import Path

import torch

net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8))
file = Path("weights") / "best.pt"
if file.exists():  # <--
    state = torch.load(file, map_location="cpu", weights_only=True)
    net.load_state_dict(state["net"])
else:
    print("no weights, using new ones")
net.eval()

@torch.inference_mode()
def predict(batch):
    return net(batch).argmax(1)
""",
    ),
    (
        "TG623",
        """
import os
import torch

def main(args, net, loader, train_epoch, evaluate):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    first = 0
    if args.resume and os.path.exists(os.path.join(args.resume, "last.pt")):  # <--
        state = torch.load(os.path.join(args.resume, "last.pt"), "cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"] + 1
    else:
        print("training from scratch")
    if args.eval_only:
        evaluate(net, loader)
        return
    for epoch in range(first, args.epochs):
        train_epoch(net, loader, optimizer)
        moments = optimizer.state_dict()
        torch.save({"net": net.state_dict(), "optimizer": moments, "epoch": epoch}, f"{epoch}.pt")
""",
    ),
    (
        "TG623",  # which is told, and evaluated all the same, by a function of any name
        """
import os
import torch

def main(args, net, loader, train_epoch, knn):
    if os.path.isfile(args.resume):  # <--
        net.load_state_dict(torch.load(args.resume, map_location="cpu", weights_only=True))
    else:
        print("no checkpoint found at", args.resume)
    if args.evaluate:
        knn(net, loader)
        return
    for epoch in range(args.epochs):
        train_epoch(net, loader)
        torch.save(net.state_dict(), f"{epoch}.pt")
""",
    ),
    (
        "TG623",  # pruned, and saved
        """
import os
import torch

def main(args, net):
    if os.path.isfile(args.model):  # <--
        net.load_state_dict(torch.load(args.model, map_location="cpu", weights_only=True))
    else:
        print("no checkpoint found at", args.model)
    with torch.no_grad():
        for weight in net.parameters():
            weight[weight.abs() < args.least] = 0
    torch.save(net.state_dict(), args.out)
""",
    ),
    (
        "TG608",
        """
import torch

def fit(args, net, optimizer, epoch_of, validate, keep):
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first, best_error = state["epoch"] + 1, state["best_error"]
        print("going on with epoch", first)
    best_error = float("inf")  # <--
    for epoch in range(first, args.epochs):
        epoch_of(net, optimizer)
        error = validate(net)
        is_best = error < best_error
        best_error = min(error, best_error)
        moments = optimizer.state_dict()
        state = {"net": net.state_dict(), "optimizer": moments, "epoch": epoch}
        keep({**state, "best_error": best_error}, is_best)
""",
    ),
    (
        "TG604",
        """
import torch

class Trainer:
    def __init__(self, args, net):
        self.args, self.net = args, net
        self.adam_optimizer = torch.optim.Adam(net.parameters())
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.adam_optimizer, 15)
        if args.load_folder:
            self.load(args.load_folder)

    def load(self, folder):
        self.net.load_state_dict(torch.load(f"{folder}/net.pt", "cpu", weights_only=True))
        moments = torch.load(f"{folder}/adam.pt", "cpu", weights_only=True)
        self.adam_optimizer.load_state_dict(moments)

    def save(self, folder):
        torch.save(self.net.state_dict(), f"{folder}/net.pt")
        torch.save(self.adam_optimizer.state_dict(), f"{folder}/adam.pt")  # <--

    def train(self, loader, loss_of):
        for epoch in range(self.args.epochs):
            for batch in loader:
                self.adam_optimizer.zero_grad()
                loss_of(self.net, batch).backward()
                self.adam_optimizer.step()
            self.scheduler.step()
            self.save(f"{self.args.folder}/{epoch}")
""",
    ),
    (
        "TG604",  # the epoch stands in the record, and the writer takes options
        """
import torch

class Keeper:
    def __init__(self, path):
        self.path = path

    def on_end(self, record, net, **extra):
        weights = net.state_dict()
        if "centers" in extra:
            centers = extra["centers"].cpu()
            torch.save({"record": record, "net": weights, "centers": centers}, self.path)  # <--
        else:
            torch.save({"record": record, "net": weights}, self.path)

def main(args, net, loader, loss_of, keeper):
    record, start_epoch = {}, 0
    if args.weights:
        state = torch.load(args.weights, map_location="cpu", weights_only=True)
        record = state["record"]
        start_epoch = int(record["epoch"])
        net.load_state_dict(state["net"])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(start_epoch, args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        record["epoch"] = epoch + 1
        keeper.on_end(record, net)
""",
    ),
    (
        "TG612",  # from a function that returns several values, and with the other sign
        """
import numpy as np
import torch

def measure(net, batches):
    found = [float(net(batch).mean()) for batch in batches]
    mean = np.mean(found)
    return mean, len(found)

def main(args, net, batches, epoch_of):
    if args.weights:
        net.load_state_dict(torch.load(args.weights, map_location="cpu")["net"])  # <--
    for epoch in range(args.epochs):
        epoch_of(net)
        cost, count = measure(net, batches)
        torch.save({"net": net.state_dict(), "reward": -cost}, f"{args.folder}/{epoch}.pt")
""",
    ),
    (
        "TG627",  # in a dict of the whole file, and in a data set
        """
import torch

options = {"lr": 0.1, "decay": 0.5}

def lower(adam, epoch, steps):
    global options
    if epoch in steps:
        options["lr"] *= options_decay
        for group in adam.param_groups:
            group["lr"] = options["lr"]

options_decay = 0.5

def main(args, net, adam, train_set, epoch_of):
    first_epoch = 0
    if args.last:
        read = torch.load(args.last, map_location="cpu", weights_only=True)
        net.load_state_dict(read["net"])
        adam.load_state_dict(read["adam"])
        first_epoch = read["epoch"] + 1
    for epoch in range(first_epoch, args.epochs):
        lower(adam, epoch, args.steps)  # <--
        train_set.sigma *= args.sigma_decay  # <--
        epoch_of(net, adam, train_set)
""",
    ),
    (
        "TG628",  # after epochs of a helper, in processes
        """
import torch
from torch import distributed, nn

def one_pass(net, adam, loader, loss_of):
    for batch in loader:
        adam.zero_grad()
        loss_of(net, batch).backward()
        adam.step()

def main(args, net, loader, loss_of):
    distributed.init_process_group("nccl")
    torch.cuda.set_device(args.rank)
    net = nn.parallel.DistributedDataParallel(net.cuda(), device_ids=[args.rank])
    adam = torch.optim.Adam(net.parameters())
    for epoch in range(args.epochs):
        loader.sampler.set_epoch(epoch)
        one_pass(net, adam, loader, loss_of)
    if args.rank == 0:
        torch.save(net.module.state_dict(), args.out)  # <--
""",
    ),
    (
        "TG614",  # a resume that begins with the best epoch again
        """
import torch

def main(args, net, adam, epoch_of, validate):
    start_epoch, best_score = 0, 0.0
    if args.last:
        read = torch.load(args.last, map_location="cpu", weights_only=True)
        net.load_state_dict(read["net"])
        adam.load_state_dict(read["adam"])
        start_epoch, best_score = read["epoch"] + 1, read["best"]
    for epoch in range(start_epoch, args.epochs):
        epoch_of(net, adam)
        score = validate(net)
        if score > best_score:
            best_score = score
            kept = {"net": net.state_dict(), "adam": adam.state_dict(), "epoch": epoch}
            torch.save({**kept, "best": score}, args.last)  # <--
""",
    ),
    (
        "TG612",  # a rate out of a schedule of numpy, in the state of the optimizer
        """
import numpy as np
import torch

def train(net, adam, batches, rates, epoch):
    for number, batch in enumerate(batches):
        for group in adam.param_groups:
            group["lr"] = rates[epoch * len(batches) + number]
        adam.zero_grad()
        net(batch).mean().backward()
        adam.step()

def main(args, net, batches):
    adam = torch.optim.Adam(net.parameters())
    rates = np.concatenate((np.linspace(0, args.lr, 10), args.lr * np.ones(90)))
    begin = 0
    if args.last:
        read = torch.load(args.last, map_location="cpu")  # <--
        net.load_state_dict(read["net"])
        adam.load_state_dict(read["adam"])
        begin = read["epoch"]
    for epoch in range(begin, args.epochs):
        train(net, adam, batches, rates, epoch)
        kept = {"net": net.state_dict(), "adam": adam.state_dict(), "epoch": epoch + 1}
        torch.save(kept, f"{args.folder}/{epoch}.pt")
""",
    ),
    (
        "TG612",  # an object of one's own, as a cache
        """
import os

import torch

class Words:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.known = sorted(set(file.read().split()))

def words_of(folder):
    kept = os.path.join(folder, "words.pt")
    if os.path.exists(kept):
        words = torch.load(kept)  # <--
    else:
        words = Words(os.path.join(folder, "text.txt"))
        torch.save(words, kept)
    return words
""",
    ),
    (
        "TG611",  # where a condition holds all that trains
        """
import torch

def main(opt, net, adam, train_epoch, evaluate):
    if opt.resume_path:
        read = torch.load(opt.resume_path, map_location="cpu", weights_only=True)
        opt.begin_epoch = read["epoch"]  # <--
        net.load_state_dict(read["net"])
        adam.load_state_dict(read["adam"])
    for number in range(opt.begin_epoch, opt.n_epochs + 1):
        if not opt.no_train:
            train_epoch(number, net, adam)
            kept = {"net": net.state_dict(), "adam": adam.state_dict(), "epoch": number}
            torch.save(kept, f"{opt.folder}/{number}.pt")
        if not opt.no_val:
            print(evaluate(net))
""",
    ),
    (
        "TG608",  # that is kept as a flag, for a helper
        """
import os

import torch

def main(args, net, optimizer, train_epoch, evaluate):
    if os.path.exists(args.last):
        read = torch.load(args.last, map_location="cpu", weights_only=True)
        net.load_state_dict(read["net"])
        optimizer.load_state_dict(read["optimizer"])
    best_loss = None
    for epoch in range(args.epochs):
        train_epoch(net, optimizer)
        loss = evaluate(net)
        is_best = best_loss is None or loss < best_loss  # <--
        best_loss = loss if is_best else best_loss
        save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, is_best, args.last)

def save(kept, is_best, path):
    torch.save(kept, path)
    if is_best:
        torch.save(kept, f"{path}.best")
""",
    ),
    (
        "TG604",  # the epoch is in the name of the file
        """
import glob
import os

import torch

def main(args, net, train_epoch):
    optimizer = torch.optim.Adam(net.parameters())
    files = sorted(glob.glob(args.folder + "/*.pt"))
    epoch = 0
    if files:
        epoch = int(os.path.basename(files[-1]).split(".")[0]) + 1
        net.load_state_dict(torch.load(files[-1], map_location="cpu", weights_only=True))
    while epoch < args.epochs:
        train_epoch(net, optimizer)
        optimizer.step()
        torch.save(net.state_dict(), f"{args.folder}/{epoch:04d}.pt")  # <--
        epoch += 1
""",
    ),
    (
        "TG604",  # which is chosen before it is saved
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--resume", help="the weights of an epoch")

def main(args, net, train_epoch):
    if args.resume:
        net.load_state_dict(torch.load(args.resume, map_location="cpu", weights_only=True))
    optimizer = torch.optim.AdamW(net.parameters())
    for epoch in range(args.epochs):
        train_epoch(net, optimizer)
        optimizer.step()
        weights = net.module.state_dict() if args.several else net.state_dict()
        torch.save(weights, f"{args.folder}/{epoch}.pt")  # <--
""",
    ),
    (
        "TG604",  # of what a snapshot holds, the model alone is read
        """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--snapshot", default="", help="path of a snapshot")

def main(args, net, batches):
    if args.snapshot:
        read = torch.load(args.snapshot, map_location="cpu", weights_only=True)
        net.load_state_dict(read["net"])
    optimizer = torch.optim.Adam(net.parameters())
    for epoch in range(args.epochs):
        for batch in batches:
            optimizer.zero_grad()
            net(batch).mean().backward()
            optimizer.step()
        kept = {"net": net.state_dict(), "adam": optimizer.state_dict(), "epoch": epoch}
        torch.save(kept, f"{args.folder}/{epoch}.pt")  # <--
""",
    ),
    (
        "TG629",  # in a list, for a method that writes it, and the best is a copy
        """
import shutil

import torch

def main(args, agent, measure):
    best_f1 = 0.0
    if args.last:
        read = torch.load(args.last, map_location="cpu", weights_only=True)
        agent.load(read)
        best_f1 = read["best_f1"]
    for epoch in range(args.epochs):
        agent.train_epoch()
        em, f1 = measure(agent)
        path = f"{args.folder}/{epoch}.pt"
        agent.save(path, epoch, [em, f1, best_f1])  # <--
        if f1 > best_f1:
            best_f1 = f1
            shutil.copyfile(path, f"{args.folder}/best.pt")
""",
    ),
    (
        "TG630",  # with a number, and opened by a library
        """
import blobfile
import torch

class Trainer:
    def save(self):
        path = blobfile.join(self.folder, f"optlatest{self.step:06d}.pt")
        with blobfile.BlobFile(path, "wb") as file:
            torch.save(self.opt.state_dict(), file)

    def resume(self, folder):
        path = blobfile.join(folder, f"opt{self.step:06}.pt")
        if blobfile.exists(path):  # <--
            self.opt.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
""",
    ),
    (
        "TG612",  # the state of numpy's generator
        """
import numpy as np
import torch

def go_on(path, net):
    read = torch.load(path, map_location="cpu")  # <--
    net.load_state_dict(read["net"])
    np.random.set_state(read["numpy"])
    return read["epoch"]

def keep(path, net, epoch):
    kept = {"net": net.state_dict(), "numpy": np.random.get_state(), "epoch": epoch}
    torch.save(kept, path)
""",
    ),
]

CLEAN: dict[str, str] = {
    "names that differ in what a run fills in, and weights of others": """
import os

import torch

def save(net, opt, folder, step):
    torch.save(net.state_dict(), os.path.join(folder, f"model_{step:06d}.pt"))
    torch.save(opt.state_dict(), os.path.join(folder, f"opt_{step}.pt"))

def load(net, opt, folder, step):
    given = os.path.join(folder, "model_pretrained.pt")
    if os.path.exists(given):
        net.load_state_dict(torch.load(given, map_location="cpu", weights_only=True))
    path = os.path.join(folder, f"opt_{step:06d}.pt")
    if os.path.exists(path):
        opt.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
""",
    "a best score that is saved before the next is known": """
import torch

def main(args, net, train_epoch, measure):
    best_f1 = 0.0
    if args.last:
        read = torch.load(args.last, map_location="cpu", weights_only=True)
        net.load_state_dict(read["net"])
        best_f1 = read["best_f1"]
    for _ in range(args.epochs):
        train_epoch(net)
        torch.save({"net": net.state_dict(), "best_f1": best_f1}, f"{args.folder}/last.pt")
        f1 = measure(net)
        if f1 > best_f1:
            best_f1 = f1
            torch.save({"net": net.state_dict(), "best_f1": best_f1}, f"{args.folder}/best.pt")
""",
    "a rate of numpy that a float is made of, and a cache of another name": """
import os

import numpy as np
import torch

def train(net, adam, batches, rates):
    for number, batch in enumerate(batches):
        for group in adam.param_groups:
            group["lr"] = float(rates[number])
        adam.zero_grad()
        net(batch).mean().backward()
        adam.step()

def main(args, net, batches):
    adam = torch.optim.Adam(net.parameters())
    rates = np.linspace(0, args.lr, 10)
    if args.last:
        read = torch.load(args.last, map_location="cpu")
        net.load_state_dict(read["net"])
        adam.load_state_dict(read["adam"])
    train(net, adam, batches, rates)
    torch.save({"net": net.state_dict(), "adam": adam.state_dict()}, args.folder + "/last.pt")

class Words:
    def __init__(self, path):
        self.known = os.listdir(path)

def write(folder):
    words = Words(folder)
    torch.save(words, os.path.join(folder, "words.pt"))
    numbers = torch.load(os.path.join(folder, "numbers.pt"))
    return words, numbers
""",
    "a cache of the data, beside the options of a run, which nothing opens": """
import argparse
import os
import torch

def read(texts, cache):
    if os.path.isfile(cache):
        data = torch.load(cache)
    else:
        data = [text.split() for text in texts]
        torch.save(data, cache)
    return data

def main(texts, folder):
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    torch.save(args, folder + "/options.bin")
    return read(texts, folder + "/data.pt"), args.lr
""",
    "a log by `logging`, which adds to its file where nothing else is asked": """
import logging
import torch

def fit(model, optimizer, run_epoch, epochs, path, resume):
    logging.basicConfig(filename="train.log", level=logging.INFO)
    start = 0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"] + 1
    for epoch in range(start, epochs):
        logging.info("%d: %f", epoch, run_epoch(model, optimizer))
""",
    "a step of many thousands that is done once more": """
import torch

def fit(model, optimizer, batches, train_step, max_steps, path, resume):
    first_step = 0
    if resume:
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first_step = state["step"]
    for step in range(first_step, max_steps):
        train_step(model, optimizer, next(batches))
        if step % 1000 == 0:
            parts = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save({**parts, "step": step}, path)
""",
    "a class that wraps its model under a flag, and opens what it saved under the same": """
import torch

class Stopping:
    def __call__(self, loss, model, path):
        if self.best is None or loss < self.best:
            self.best = loss
            self.keep(model, path)

    def keep(self, model, path):
        torch.save(model.state_dict(), path)

class Experiment:
    def __init__(self, args, make):
        self.args = args
        self.model = self.build(make)

    def build(self, make):
        model = make()
        if self.args.several:
            model = torch.nn.DataParallel(model)
        return model

    def train(self, epochs, run_epoch, path):
        stopping = Stopping()
        for epoch in range(epochs):
            stopping(run_epoch(self.model), self.model, path)
        self.model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        return self.model
""",
    "a number of epochs that nothing reads, in a program that begins anew each time": """
import torch

def fit(args, net, loader, loss_of):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    if args.weights:
        net.load_state_dict(torch.load(args.weights, weights_only=True)["net"])
    for epoch in range(args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        torch.save({"net": net.state_dict(), "epoch": epoch}, f"{args.folder}/{epoch}.pt")
""",
    "a resume that the file switches off": """
import torch

resume = None
net = torch.nn.Linear(8, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
start = 0
if resume is not None:
    state = torch.load(resume, map_location="cpu", weights_only=True)
    net.load_state_dict(state["net"])
    optimizer.load_state_dict(state["optimizer"])
    start = state["epoch"] + 1
for epoch in range(start, 90):
    optimizer.step()
    scheduler.step()
    moments = optimizer.state_dict()
    state = {"net": net.state_dict(), "optimizer": moments, "epoch": epoch}
    torch.save(state, f"{epoch}.pt")
""",
    "the state of the bare model where it is wrapped, and of the model itself where not": """
import torch
from torch.nn import DataParallel

def is_parallel(net):
    return isinstance(net, DataParallel)

def one(net, path):
    net = DataParallel(net)
    weights = net.module.state_dict() if is_parallel(net) else net.state_dict()
    torch.save({"net": weights}, path)

def two(net, path):
    net = DataParallel(net)
    kept = {}
    try:
        kept["net"] = net.module.state_dict()
    except AttributeError:
        kept["net"] = net.state_dict()
    torch.save(kept, path)

def three(net, path):
    net = DataParallel(net)
    if is_parallel(net):
        torch.save(net.module.state_dict(), path)
    else:
        torch.save(net.state_dict(), path)
""",
    "weights of the bare model that are loaded into it, and others into the wrapped one": """
import torch
from torch.nn.parallel import DistributedDataParallel

class Runner:
    def __init__(self, model, optimizer, args):
        self.optimizer = optimizer
        self.model = model
        if args.resume:
            self.resume(args.resume)
        self.model = DistributedDataParallel(model)

    def resume(self, path):
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])

    def save(self, path):
        moments = self.optimizer.state_dict()
        torch.save({"model": self.model.module.state_dict(), "optimizer": moments}, path)

def fine_tune(args, model):
    model = DistributedDataParallel(model)
    pretrained = torch.load(args.pretrained, map_location="cpu", weights_only=True)
    model.load_state_dict(pretrained["model"])
    torch.save({"model": model.module.state_dict()}, args.out)
""",
    "a missing file that ends the program, is looked at later, or begins a new run": """
import os
import sys

import torch

def ends(args, net, loader):
    if os.path.isfile(args.weights):
        net.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
    else:
        print("no such file", args.weights)
        sys.exit(1)
    net.eval()
    with torch.no_grad():
        return [net(batch) for batch in loader]

def looks(args, net, loader):
    found = False
    if os.path.isfile(args.weights):
        net.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
        found = True
    assert found, args.weights
    net.eval()
    with torch.no_grad():
        print([net(batch) for batch in loader])

def trains(net, optimizer, epoch_of, folder):
    last = os.path.join(folder, "last.pt")
    if os.path.isfile(last):
        state = torch.load(last, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
    while epoch_of(net, optimizer) > 0.1:
        moments = optimizer.state_dict()
        torch.save({"net": net.state_dict(), "optimizer": moments}, f"{last}.new")
        os.replace(f"{last}.new", last)
""",
    "the best weights of each run in a folder of its own": """
from datetime import datetime
from pathlib import Path

import torch

def fit(args, net, optimizer, epoch_of, validate):
    stamp = datetime.now().strftime("%Y%m%d-%H%M")
    folder = Path(args.folder) / f"{args.name}-{stamp}"
    folder.mkdir(parents=True)
    lowest = float("inf")
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"] + 1
    for epoch in range(first, args.epochs):
        epoch_of(net, optimizer)
        error = validate(net)
        if error < lowest:
            lowest = error
            moments = optimizer.state_dict()
            state = {"net": net.state_dict(), "optimizer": moments, "epoch": epoch}
            torch.save(state, folder / "best.pt")
""",
    "an optimizer that hands the state on, in a program that begins anew each time": """
import torch

class Lookahead(torch.optim.Optimizer):
    def __init__(self, base):
        self.optimizer = base

    def load_state_dict(self, state):
        self.optimizer.load_state_dict(state["fast"])

def fit(args, net, epoch_of, validate):
    optimizer = Lookahead(torch.optim.SGD(net.parameters(), lr=0.1))
    best_score = 0.0
    net.load_state_dict(torch.load(args.pretrained, map_location="cpu", weights_only=True))
    for epoch in range(args.epochs):
        epoch_of(net, optimizer)
        score = validate(net)
        if score > best_score:
            best_score = score
            torch.save(net.state_dict(), f"{args.folder}/best.pt")
""",
    "a file that a library's checkpointer wrote": """
import torch
from ignite.handlers import ModelCheckpoint

def keep(trainer, model, event):
    trainer.add_event_handler(event, ModelCheckpoint("run", "net", n_saved=3), {"net": model})

def load(model, path):
    model.load_state_dict(torch.load(path, map_location="cpu"))
""",
    "an optimizer in a file of its own, and the epoch in the name of another": """
import torch

def fit(args, net, loader, loss_of, epoch_of_file):
    optimizer = torch.optim.Adam(net.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    first_epoch = 0
    if args.weights:
        net.load_state_dict(torch.load(args.weights, "cpu", weights_only=True))
        optimizer.load_state_dict(torch.load(args.moments, "cpu", weights_only=True))
        first_epoch = epoch_of_file(args.weights)
    for _ in range(first_epoch):
        scheduler.step()
    for epoch in range(first_epoch, args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        scheduler.step()
        torch.save(net.state_dict(), f"{args.folder}/net-{epoch}.pt")
        torch.save(optimizer.state_dict(), f"{args.folder}/adam-{epoch}.pt")
""",
    "numbers that are made plain, and files of others": """
import argparse
import numpy as np
import torch
from fetching import download_file

def measure(net, batches):
    return np.mean([float(net(batch).mean()) for batch in batches])

def main(net, batches, epoch_of):
    args = argparse.ArgumentParser().parse_args()
    for epoch in range(9):
        epoch_of(net)
        cost = measure(net, batches)
        cost = float(cost)
        torch.save({"net": net.state_dict(), "cost": cost, "args": args}, f"{epoch}.pt")

def backbone(net, folder):
    path = f"{folder}/resnet.pth"
    download_file("https://example.org/resnet.pth", path)
    net.load_state_dict(torch.load(path, map_location="cpu"))

def encoder(net, size):
    with open(f"weights/masked_{size}.pth", "rb") as file:
        net.load_state_dict(torch.load(file, map_location="cpu"))
""",
    "what decays, is kept in the checkpoint, made up for, or set in each epoch": """
import torch

def lowered(adam, epoch, rate, steps):
    if epoch in steps:
        rate *= 0.1
        for group in adam.param_groups:
            group["lr"] = rate
    return rate

def main(args, net, adam, epoch_of):
    rate, noise, first = args.rate, 1.0, 0
    if args.last:
        read = torch.load(args.last, map_location="cpu", weights_only=True)
        net.load_state_dict(read["net"])
        adam.load_state_dict(read["adam"])
        first = read["epoch"] + 1
        noise = read["noise"]
    for epoch in range(first):
        rate = lowered(adam, epoch, rate, args.steps)
    for epoch in range(first, args.epochs):
        rate = lowered(adam, epoch, rate, args.steps)
        noise *= 0.9
        share = epoch / args.epochs
        share *= 0.5
        epoch_of(net, adam, noise, share)
        moments = adam.state_dict()
        kept = {"net": net.state_dict(), "adam": moments, "epoch": epoch, "noise": noise}
        torch.save(kept, f"{args.folder}/{epoch}.pt")
""",
    "weights that a helper of the loop keeps, or that one asks for": """
import torch
from torch import distributed, nn

def main(args, net, loader, loss_of, tracker):
    distributed.init_process_group("nccl")
    torch.cuda.set_device(args.rank)
    net = nn.parallel.DistributedDataParallel(net.cuda(), device_ids=[args.rank])
    adam = torch.optim.Adam(net.parameters())
    for epoch in range(args.epochs):
        loader.sampler.set_epoch(epoch)
        for batch in loader:
            adam.zero_grad()
            loss_of(net, batch).backward()
            adam.step()
        if args.helped:
            tracker.save_checkpoint(net, adam, epoch)
    if args.rank == 0:
        torch.save(net.module.state_dict(), args.out)

def short(args, net, loader, loss_of):
    net = nn.parallel.DistributedDataParallel(net)
    adam = torch.optim.Adam(net.parameters())
    for batch in loader:
        adam.zero_grad()
        loss_of(net, batch).backward()
        adam.step()
    if args.save_model and args.rank == 0:
        torch.save(net.module.state_dict(), args.out)
""",
    "weights at the end of an epoch, which is a function that a loop calls": """
import torch
from torch import distributed, nn

def one_epoch(net, adam, loader, loss_of, epoch, rank):
    for batch in loader:
        adam.zero_grad()
        loss_of(net, batch).backward()
        adam.step()
    if rank == 0:
        torch.save(net.module.state_dict(), f"{epoch}.pt")

def main(args, net, loader, loss_of):
    distributed.init_process_group("nccl")
    torch.cuda.set_device(args.rank)
    net = nn.parallel.DistributedDataParallel(net.cuda(), device_ids=[args.rank])
    adam = torch.optim.Adam(net.parameters())
    for epoch in range(args.epochs):
        loader.sampler.set_epoch(epoch)
        one_epoch(net, adam, loader, loss_of, epoch, args.rank)
""",
    "SGD without momentum, which has no state": """
import torch

def main(args, net, loader, loss_of):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        first = state["epoch"]
    for epoch in range(first, args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        torch.save({"net": net.state_dict(), "epoch": epoch + 1}, f"{epoch}.pt")
""",
    "momentum alone, where the rate follows from the epoch": """
import torch

def adjust(optimizer, epoch, lr):
    lr = lr * 0.1 ** (epoch // 30)
    for group in optimizer.param_groups:
        group["lr"] = lr

def main(args, net, loader, loss_of):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        first = state["epoch"]
    for epoch in range(first, args.epochs):
        adjust(optimizer, epoch, 0.1)
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        torch.save({"net": net.state_dict(), "epoch": epoch + 1}, f"{epoch}.pt")
""",
    "a schedule that a loop moves on to where the run was": """
import torch

def main(args, net, loader, loss_of):
    optimizer = torch.optim.Adam(net.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
    for _ in range(first):
        scheduler.step()
    for epoch in range(first, args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        scheduler.step()
        moments = optimizer.state_dict()
        torch.save({"net": net.state_dict(), "optimizer": moments, "epoch": epoch + 1}, "a.pt.new")
""",
    "a scheduler that is never made, and a scaler alone": """
import torch

def prepare(net):
    optimizer = torch.optim.Adam(net.parameters())
    scheduler = None
    return optimizer, scheduler, torch.amp.GradScaler()

def main(args, net, loader, loss_of):
    optimizer, scheduler, scaler = prepare(net)
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
    for epoch in range(first, args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            scaler.scale(loss_of(net, batch)).backward()
            scaler.step(optimizer)
            scaler.update()
        if scheduler is not None:
            scheduler.step()
        moments = optimizer.state_dict()
        torch.save({"net": net.state_dict(), "optimizer": moments, "epoch": epoch + 1}, "a.pt.new")
""",
    "weights that are read to finetune, with the moments beside them": """
import torch

class Trainer:
    def __init__(self, args, net):
        self.args, self.net = args, net
        self.optimizer = torch.optim.Adam(net.parameters())
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 15)
        if args.load_weights_folder:
            folder = args.load_weights_folder
            moments = torch.load(f"{folder}/adam.pt", map_location="cpu", weights_only=True)
            self.optimizer.load_state_dict(moments)

    def train(self, loader, loss_of):
        for epoch in range(self.args.epochs):
            for batch in loader:
                self.optimizer.zero_grad()
                loss_of(self.net, batch).backward()
                self.optimizer.step()
            self.scheduler.step()
            torch.save(self.net.state_dict(), f"{self.args.folder}/{epoch}/net.pt")
            torch.save(self.optimizer.state_dict(), f"{self.args.folder}/{epoch}/adam.pt")
""",
    "a state that each epoch takes from an average and gives back": """
import torch

class Run:
    def restore(self, path):
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])

def fit(run, epochs, epoch_of, validate):
    best_loss = float("inf")
    for epoch in range(epochs):
        epoch_of(run)
        run.restore("average.pt")
        loss = validate(run.net)
        if loss < best_loss:
            best_loss = loss
            torch.save(run.net.state_dict(), "best.pt")
        run.restore("last.pt")
""",
    "an epoch in the log, and the next one in the checkpoint": """
import json

import torch

def main(args, net, optimizer, epoch_of, log):
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
    for epoch in range(first, args.epochs):
        loss = epoch_of(net, optimizer)
        state = {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch + 1}
        torch.save(state, f"{epoch}.pt")
        stats = {"loss": loss, "epoch": epoch}
        log.write(json.dumps(stats))
""",
    "as many epochs as ever after a resume, whose number only names them": """
import torch

def main(args, net, optimizer, epoch_of):
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
    for epoch in range(first, first + 200):
        epoch_of(net, optimizer)
        moments = optimizer.state_dict()
        torch.save({"net": net.state_dict(), "optimizer": moments, "epoch": epoch}, f"{epoch}.pt")
""",
    "a whole module in a file whose reader lists its class": """
import torch
from torch import nn

def keep(width):
    net = nn.Linear(width, 2)
    torch.save(net, "net.pt")

def read():
    with torch.serialization.safe_globals([nn.Linear]):
        return torch.load("net.pt", map_location="cpu")
""",
    "options in one file, and a reader of other keys": """
import argparse
import torch

def keep(net, epoch):
    args = argparse.ArgumentParser().parse_args()
    torch.save({"net": net.state_dict(), "args": args, "epoch": epoch}, "run.pt")

def scores(path):
    table = torch.load(path, map_location="cpu")
    return table["accuracy"], table["loss"]
""",
    "the names of FullyShardedDataParallel, which are those of the model": """
import torch
from torch.distributed.fsdp import FullyShardedDataParallel

def keep(net, path):
    net = FullyShardedDataParallel(net)
    torch.save(net.state_dict(), path)

def evaluate(net, path):
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
""",
    "a training script that goes on where it was, on the device of its choice": """
import torch
from project import loader, loss_of, net

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net.load_state_dict(torch.load(f"{net.name}.pt", weights_only=True))
net.to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

def one_epoch():
    for batch in loader:
        optimizer.zero_grad()
        loss_of(net, batch.to(device)).backward()
        optimizer.step()
""",
    "a method of the same name in another class, and the first device": """
import torch
from torch.nn.parallel import DistributedDataParallel

class Spread:
    def __init__(self, net, device):
        torch.distributed.init_process_group("nccl")
        self.net, self.device = DistributedDataParallel(net), device

    def keep(self, epoch):
        torch.save(self.net.module.state_dict(), f"{epoch}.pt")

    def train(self, epochs, epoch_of):
        for epoch in range(epochs):
            epoch_of(self.net)
            if self.device == 0:
                self.keep(epoch)

class Alone:
    def keep(self, epoch):
        print(epoch)

    def train(self, epochs, epoch_of):
        for epoch in range(epochs):
            epoch_of(self.net)
            self.keep(epoch)
""",
    "a file of one's own": """
import torch

def read(path):
    return torch.load(path, map_location="cpu")
""",
    "a decay that a flag turns on": """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--resume", default="")
parser.add_argument("--sigma-decay", type=float, default=0)

def main(net, optimizer, loader, epoch_of):
    args = parser.parse_args()
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
    for epoch in range(first, 90):
        if args.sigma_decay > 0:
            loader.dataset.sigma *= args.sigma_decay
        epoch_of(net, optimizer, loader)
""",
    "an optimizer that each epoch makes anew": """
import torch

def fit(args, net, loader, train):
    best = 0
    first = torch.load(args.last, weights_only=True)["epoch"] if args.last else 0
    for epoch in range(first, args.epochs):
        optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)
        score = train(net, loader, optimizer)
        best = max(best, score)
        torch.save({"net": net.state_dict(), "epoch": epoch + 1, "best": best}, args.last)
""",
    "a function that each epoch calls makes the optimizer": """
import torch

def train(net, loader, rate):
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

def fit(args, net, loader):
    first = torch.load(args.last, weights_only=True)["epoch"] if args.last else 0
    for epoch in range(first, args.epochs):
        train(net, loader, 1e-3 if epoch < 5 else 1e-4)
        torch.save({"net": net.state_dict(), "epoch": epoch + 1}, args.last)
""",
}
