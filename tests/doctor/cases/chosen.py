"""What is chosen by the test set, left out, or counted wrongly; and code that does none of it."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG506",  # the loader that chose is the one that the test is given
        """
import torch

def main(model, train_epoch, val_epoch, test_epoch, val_loader, epochs):
    min_loss = float("inf")
    for epoch in range(epochs):
        train_epoch(model)
        loss = val_epoch(val_loader, model)
        if loss < min_loss:  # <--
            min_loss = loss
            torch.save(model.state_dict(), "best.pth")
    weights = torch.load("best.pth", map_location="cpu", weights_only=True)
    model.load_state_dict(weights)
    test_epoch(val_loader, model)
""",
    ),
    (
        "TG506",  # a class that stops the run and keeps the best weights
        """
import torch

class EarlyStopping:
    def __call__(self, score, model):
        if self.best is None or score < self.best:
            self.best = score
            torch.save(model.state_dict(), "best.pt")

class Runner:
    def fit(self):
        early_stopping = EarlyStopping()
        for epoch in range(self.epochs):
            for x, y in self.train_loader:
                self.optimizer.zero_grad()
                self.loss_of(self.model(x), y).backward()
                self.optimizer.step()
            vali_loss, vali_gap = self.vali(self.test_loader)
            early_stopping(vali_loss, self.model)  # <--
""",
    ),
    (
        "TG506",  # there are data for training and for the test, and no others
        """
import torch
from evaluate import test

def main(model, load, step, args):
    train_pairs, test_pairs = load(args)
    best_recall = 0
    for epoch in range(args.epochs):
        step(model, train_pairs)
        result = test(model, args)
        if result["recall"] > best_recall and args.save:  # <--
            best_recall = result["recall"]
            torch.save(model.state_dict(), "best.pt")
""",
    ),
    (
        "TG506",  # the loader's data set is told to read the list of the test
        """
import torch
from torch.utils.data import DataLoader, Dataset

class Clips(Dataset):
    def __init__(self, root, names):
        self.names = [root + line.strip() for line in open(names)]

def main(args, model, train, validate, save_checkpoint):
    best_prec = 0
    val_loader = DataLoader(Clips(args.root, names=args.test_list), batch_size=8)
    for epoch in range(args.epochs):
        train(model)
        prec = validate(val_loader, model)
        is_best = prec > best_prec  # <--
        best_prec = max(prec, best_prec)
        save_checkpoint({"state_dict": model.state_dict()}, is_best)
""",
    ),
    (
        "TG506",  # by a function that goes through the test set, whatever it is called
        """
import torch
from torch.utils.data import DataLoader
from project import Volumes, loss_of

def measure(args, model):
    testloader = DataLoader(Volumes(args.folder, split="test_vol"), batch_size=1)
    model.eval()
    total = 0.0
    with torch.no_grad():
        for batch in testloader:
            total += float(loss_of(model, batch))
    return total

def fit(args, model, train_epoch):
    best_score = 0.0
    for epoch in range(args.epochs):
        train_epoch(model)
        score = measure(args, model)
        if best_score <= score:  # <--
            best_score = score
            torch.save(model.state_dict(), "best.pt")
""",
    ),
    (
        "TG506",  # a table of the epochs' scores
        """
from checkpoints import save_checkpoint

def fit(model, train, evaluate, loaders, epochs):
    best_test_loss, summary = float("inf"), {}
    for epoch in range(epochs):
        train(model, loaders[0])
        summary[epoch] = evaluate(model, loaders[1])
        is_best = summary[epoch] <= best_test_loss  # <--
        save_checkpoint({"net": model.state_dict()}, is_best)
        best_test_loss = min(best_test_loss, summary[epoch])
""",
    ),
    (
        "TG506",  # beside a loop over what is measured
        """
import torch
from project import optimizer, loss_of

def train(net, loader):
    for batch in loader:
        optimizer.zero_grad()
        loss_of(net, batch).backward()
        optimizer.step()

def val(net, val_meters, dataloader_test, best_loss):
    for meter in val_meters.values():
        meter.reset()
    net.eval()
    total = 0.0
    with torch.no_grad():
        for batch in dataloader_test:
            total += loss_of(net, batch).item()
    if total < best_loss:  # <--
        best_loss = total
        torch.save(net.state_dict(), "best.pt")
    return best_loss
""",
    ),
    (
        "TG215",  # in a data set that serves all three
        """
import numpy as np
import torch
from torch.utils.data import Dataset

class Series(Dataset):
    def __init__(self, folder, mode):
        self.mode = mode
        self.train = np.load(folder + "/train.npy")
        self.test = np.load(folder + "/test.npy")
        self.valid = self.test  # <--

def keep(model, loss, best_loss):
    if loss < best_loss:
        best_loss = loss
        torch.save(model.state_dict(), "best.pt")
    return best_loss
""",
    ),
    (
        "TG214",  # both go on to the end
        """
def cut(images, labels):
    train_images = images[100:]
    train_labels = labels[100:]
    test_images = images[5000:]  # <--
    test_labels = labels[5000:]  # <--
    return train_images, train_labels, test_images, test_labels
""",
    ),
    (
        "TG414",  # the numbers are those of a class of settings, the step is in a function
        """
from torch.optim.lr_scheduler import MultiStepLR

class Settings:
    def __init__(self):
        self.epochs = 200
        self.milestones = [100, 150]

def train_epoch(model, data_loader, optimizer, scheduler, loss_of):
    for batch in data_loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        for hook in model.hooks:
            hook(batch)
        optimizer.step()
        scheduler.step()

def train(settings, model, data_loader, optimizer, loss_of):
    scheduler = MultiStepLR(optimizer, milestones=settings.milestones, gamma=0.1)  # <--
    for epoch in range(settings.epochs):
        train_epoch(model, data_loader, optimizer, scheduler, loss_of)
""",
    ),
    (
        "TG414",  # parts of the epochs
        """
from torch.optim.lr_scheduler import MultiStepLR

def fit(model, loader, optimizer, loss_of, args):
    schedule = MultiStepLR(optimizer, [int(0.5 * args.epochs), args.epochs - 10])  # <--
    for epoch in range(args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
            schedule.step()
""",
    ),
    (
        "TG414",  # a drop every few batches
        """
import torch

def fit(model, train_loader, optimizer, loss_of):
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30)  # <--
    for epoch in range(90):
        for batch in train_loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
            schedule.step()
""",
    ),
    (
        "TG430",  # of the parts of a batch
        """
def forward_backward(self, batch):
    self.optimizer.zero_grad()
    for i in range(0, batch.shape[0], self.microbatch):
        micro = batch[i : i + self.microbatch]
        loss, sample = self.losses(micro)
        self.trainer.backward(loss)
        return sample  # <--
""",
    ),
    (
        "TG431",  # a criterion that was made before
        """
from torch import nn

class Trainer:
    def __init__(self, model):
        self.model = model
        self.criterion = nn.CrossEntropyLoss()

    def loss_of(self, x, labels):
        logits = self.model(x)
        return self.criterion(labels, logits)  # <--
""",
    ),
    (
        "TG202",  # beside a framework that the run may do without
        """
import torch
from accelerate import Accelerator
from torch.distributed import init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

def main(args, model, dataset, train_one_epoch):
    init_process_group("nccl")
    torch.cuda.set_device(args.device)
    model = DDP(model, device_ids=[args.device])
    loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset))  # <--
    for epoch in range(args.epochs):
        train_one_epoch(model, loader)
""",
    ),
    (
        "TG703",  # by a function that the program starts with
        """
import torch
from torch.distributed import init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP
from project import build, device, epochs, train_one_epoch

init_process_group("nccl")
model = DDP(build(), device_ids=[device])

def main():
    for epoch in range(epochs):
        train_one_epoch(model)
        torch.save(model.module.state_dict(), f"epoch_{epoch}.pth")  # <--

if __name__ == "__main__":
    main()
""",
    ),
    (
        "TG416",  # in what an engine calls for each batch
        """
from ignite.engine import Engine
from torch.nn.utils import clip_grad_norm_

def build(model, optimizer, loss_of, args):
    def update(engine, batch):
        model.train()
        loss = loss_of(model, batch) / args.accumulation
        loss.backward()
        clip_grad_norm_(model.parameters(), args.max_norm)  # <--
        if engine.state.iteration % args.accumulation == 0:
            optimizer.step()
            optimizer.zero_grad()
        return loss.item()

    return Engine(update)
""",
    ),
    (
        "TG407",  # the size of a batch is divided, and a rate scaled
        """
import torch

def train(model, cfg, load, loss_of):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batch_size = int(cfg["batch_size"] / cfg["subdivisions"])
    number = 0
    for epoch in range(cfg["epochs"]):
        for batch in load(batch_size):
            loss_of(model, batch).backward()  # <--
            for group in optimizer.param_groups:
                scale = min(1, number / 100)
                group["lr"] = cfg["learning_rate"] * scale
            if number % cfg["subdivisions"] == 0:
                optimizer.step()
                optimizer.zero_grad()
            number += 1
""",
    ),
    (
        "TG503",  # by a method of the same object
        """
import torch
from torch import nn

class Trainer:
    def __init__(self, optimizer, loss_of, loaders):
        self.model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.Linear(8, 2))
        self.optimizer, self.loss_of, self.loaders = optimizer, loss_of, loaders

    def fit(self, epochs):
        for epoch in range(epochs):
            for x, y in self.loaders[0]:
                self.optimizer.zero_grad()
                loss = self.loss_of(self.model(x), y)
                loss.backward()
                self.optimizer.step()
            print(epoch, self.evaluate())  # <--

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        return sum((self.model(x).argmax(1) == y).sum().item() for x, y in self.loaders[1])

def main(optimizer, loss_of, loaders):
    Trainer(optimizer, loss_of, loaders).fit(90)
""",
    ),
]

CLEAN: dict[str, str] = {
    "a test of other data than those that chose": """
import torch

def main(model, train_epoch, val_epoch, test_epoch, val_loader, test_loader, epochs):
    min_loss = float("inf")
    for epoch in range(epochs):
        train_epoch(model)
        loss = val_epoch(val_loader, model)
        if loss < min_loss:
            min_loss = loss
            torch.save(model.state_dict(), "best.pth")
    weights = torch.load("best.pth", map_location="cpu", weights_only=True)
    model.load_state_dict(weights)
    test_epoch(test_loader, model)
""",
    "a test beside the validation that chooses": """
import torch
from evaluate import test

def main(model, load, step, args):
    train_pairs, val_pairs, test_pairs = load(args)
    best_recall = 0
    for epoch in range(args.epochs):
        step(model, train_pairs)
        result = test(model, val_pairs)
        if result["recall"] > best_recall and args.test:
            best_recall = result["recall"]
            torch.save(model.state_dict(), "best.pt")
""",
    "a function that goes through the validation set, and through the test set": """
import torch

@torch.no_grad()
def measure(args, model):
    model.eval()
    total = 0.0
    for batch in args.val_loader:
        total += float(args.score(model, batch))
    for batch in args.test_loader:
        print(float(args.score(model, batch)))
    return total

def fit(args, model, train_epoch):
    best_score = 0.0
    for epoch in range(args.epochs):
        train_epoch(model)
        score = measure(args, model)
        if best_score <= score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
""",
    "a run that is stopped by the validation, and tested in each epoch": """
import torch

class EarlyStopping:
    def __call__(self, score, model):
        if self.best is None or score < self.best:
            self.best = score
            torch.save(model.state_dict(), "best.pt")

class Runner:
    def fit(self):
        early_stopping = EarlyStopping()
        for epoch in range(self.epochs):
            self.model.train()
            for x, y in self.train_loader:
                self.optimizer.zero_grad()
                self.loss_of(self.model(x), y).backward()
                self.optimizer.step()
            vali_loss = self.vali(self.vali_loader)
            test_loss = self.vali(self.test_loader)
            print(test_loss)
            early_stopping(vali_loss, self.model)
""",
    "a validation set that is the test set where none is asked for": """
import torch

def load(args, read):
    train_set, test_set = read("train"), read("test")
    if args.no_validation:
        val_set = test_set
    else:
        train_set, val_set = train_set.cut(0.9)
    return train_set, val_set, test_set

def keep(model, loss, best_loss):
    if loss < best_loss:
        best_loss = loss
        torch.save(model.state_dict(), "best.pt")
    return best_loss
""",
    "slices that begin where others end": """
def cut(items, n, m):
    test, rest = items[:n], items[n:]
    val = rest[:m]
    train = rest[m:]
    first_train, first_test = items[n:][:2], items[:2]
    return train, val, test, first_train, first_test
""",
    "milestones in batches": """
from torch.optim.lr_scheduler import MultiStepLR

def fit(model, loader, optimizer, loss_of):
    schedule = MultiStepLR(optimizer, milestones=[40000, 60000], gamma=0.1)
    for epoch in range(100):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
            schedule.step()
""",
    "milestones in epochs, times the updates of one": """
from torch.optim.lr_scheduler import MultiStepLR

def fit(model, loader, optimizer, loss_of, args):
    schedule = MultiStepLR(optimizer, [args.drop_epoch * args.updates, args.decay_epochs_iters])
    for epoch in range(args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
            schedule.step()
""",
    "a rate that falls a little every few batches": """
from torch.optim.lr_scheduler import StepLR

def fit(model, loader, optimizer, loss_of):
    schedule = StepLR(optimizer, step_size=50, gamma=0.99)
    for epoch in range(100):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
            schedule.step()
""",
    "one batch for each step, or as a trial": """
def train(model, loader, optimizer, steps, loss_of):
    for step in range(steps):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
            break

def overfit(model, loader, optimizer, epochs, loss_of):
    for epoch in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
            break

def train_epoch(model, loader, optimizer, loss_of, limit):
    for number, batch in enumerate(loader):
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
        if number == limit:
            break
""",
    "predictions with names of targets": """
from torch.nn import functional as F

def losses(outputs, targets, target_logits, pred_labels, soft_targets):
    first = F.cross_entropy(outputs, targets)
    return first + F.cross_entropy(target_logits, pred_labels) + F.mse_loss(targets, outputs)
""",
    "a file for the first process, from a program's start": """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from project import build, device, epochs, train_one_epoch

dist.init_process_group("nccl")
model = DDP(build(), device_ids=[device])

def main():
    for epoch in range(epochs):
        train_one_epoch(model)
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), f"epoch_{epoch}.pth")

if __name__ == "__main__":
    main()
""",
}
