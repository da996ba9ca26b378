"""Steps, schedules, evaluation and processes: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG426",  # each branch has its own backward
        """
import torch

class Trainer:
    def run_epoch(self, scaler):
        for number, (x, y) in enumerate(self.batches):
            self.net.zero_grad()  # <--
            loss = self.loss(self.net(x), y) / self.every
            if self.every > 1:
                if not (number + 1) % self.every:
                    scaler.scale(loss).backward()
                    scaler.step(self.optimizer)
                    scaler.update()
                else:
                    with self.net.no_sync():
                        scaler.scale(loss).backward()
            else:
                loss.backward()
                self.optimizer.step()
""",
    ),
    (
        "TG417",  # one of three schedules, of which the other two are moved on
        """
from torch.optim import lr_scheduler

def fit(model, loader, loss_of, optimizer, args):
    if args.decay == "cosine":
        scheduler = lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    elif args.decay == "steps":
        scheduler = lr_scheduler.MultiStepLR(optimizer, [30, 60])  # <--
    elif args.decay in ("plateau", "patient"):
        scheduler = lr_scheduler.ReduceLROnPlateau(optimizer)
    for epoch in range(args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss = loss_of(model, batch)
            loss.backward()
            optimizer.step()
        if args.decay in ("plateau", "patient"):
            scheduler.step(loss.item())
        elif args.decay == "cosine":
            scheduler.step()
""",
    ),
    (
        "TG505",
        """
best = 1e9
for epoch in range(9):
    epoch_loss = 0
    for step, batch in enumerate(train_loader):
        epoch_loss += pass_of(batch).item()
    epoch_loss /= step  # <--
    best = min(best, epoch_loss)
""",
    ),
    (
        "TG506",  # a flag that the comparison sets
        """
from checkpoints import save_checkpoint

def main(args, net, train, test):
    best_top1 = 0
    for epoch in range(args.epochs):
        train(net)
        test_top1, test_top5 = test(net)
        is_best = False
        if test_top1 > best_top1:  # <--
            best_top1 = test_top1
            is_best = True
        save_checkpoint({"net": net.state_dict(), "top1": test_top1}, is_best, args.folder)
""",
    ),
    (
        "TG506",  # what is called a validation set is the test set
        """
import torch
from torch.utils.data import DataLoader
from torchvision import datasets

def main(net, train, validate, epochs, transform):
    best = 0
    val_data = datasets.CIFAR10("data", train=False, transform=transform)
    val_loader = DataLoader(val_data, batch_size=100)
    for epoch in range(epochs):
        train(net)
        accuracy, loss = validate(net, val_loader)
        if accuracy > best:  # <--
            best = accuracy
            torch.save(net.state_dict(), "best.pt")
""",
    ),
    (
        "TG506",  # in the function that goes through the test set
        """
import torch

def train():
    for x, y in trainloader:
        optimizer.zero_grad()
        loss_of(net(x), y).backward()
        optimizer.step()

def test(epoch):
    global best_acc
    net.eval()
    correct = 0
    with torch.no_grad():
        for x, y in testloader:
            correct += (net(x).argmax(1) == y).sum().item()
    acc = correct / len(testloader.dataset)
    if acc > best_acc:  # <--
        torch.save(net.state_dict(), "best.pt")
        best_acc = acc

for epoch in range(9):
    train()
    test(epoch)
""",
    ),
    (
        "TG508",  # a helper's score, in a meter
        """
from sklearn import metrics
import torch

def macro(truth, found):
    return metrics.f1_score(truth, found, average="macro")

class Tester:
    def test(self, test_loader):
        self.model.eval()
        total = 0
        with torch.no_grad():
            for step, (x, y) in enumerate(test_loader):
                found = self.model(x).argmax(1)
                value = macro(y.cpu(), found.cpu())
                self.meter.update(value, len(x))  # <--
                total += metrics.recall_score(y.cpu(), found.cpu())  # <--
        return self.meter.avg, total / len(test_loader)
""",
    ),
    (
        "TG706",  # a count of bad epochs, each process's own
        """
import torch
from torch import distributed

def fit(model, loaders, loss_of, epochs, run_epoch):
    lowest, waited = 1e9, 0
    for epoch in range(epochs):
        run_epoch(model, loaders[0])
        loss = torch.zeros(1)
        for x, y in loaders[1]:
            loss += loss_of(model(x), y).detach()
        distributed.reduce(loss, dst=0)
        value = loss.item() / len(loaders[1])
        if value < lowest:  # <--
            lowest, waited = value, 0
        else:
            waited += 1
        if waited > 5:
            break
""",
    ),
    (
        "TG707",  # the evaluation, which the main function calls in any case
        """
import os
import torch
from torch import distributed

def init_distributed(args):
    if "SLURM_PROCID" in os.environ:
        args.rank = int(os.environ["SLURM_PROCID"])
    else:
        print("one process")
        args.distributed = False
        return
    args.distributed = True
    distributed.init_process_group("nccl", rank=args.rank)
    distributed.barrier()

def collect(hits):
    if torch.distributed.is_initialized():
        distributed.all_reduce(hits)
    return hits

def evaluate(model, test_loader):
    model.eval()
    hits = torch.zeros(1)
    with torch.no_grad():
        for x, y in test_loader:
            hits += (model(x).argmax(1) == y).sum()
    distributed.all_reduce(hits)  # <--
    return collect(hits)

def main(args, model, test_loader):
    init_distributed(args)
    if args.distributed:
        model = torch.nn.parallel.DistributedDataParallel(model)
    print(evaluate(model, test_loader))
""",
    ),
    (
        "TG508",  # the IoU of all pixels of a batch, which chooses the best model
        """
import torch

def iou_of(outputs, masks):
    outputs, masks = outputs > 0.5, masks > 0.5
    both = (outputs & masks).sum()
    either = (outputs | masks).sum()
    return (both + 1e-5) / (either + 1e-5)

class Meter:
    def __init__(self):
        self.total, self.count = 0, 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    @property
    def avg(self):
        return self.total / self.count

def validate(model, val_loader):
    ious = Meter()
    model.eval()
    with torch.no_grad():
        for images, masks in val_loader:
            iou = iou_of(model(images), masks)
            ious.update(iou, images.size(0))  # <--
    return ious.avg

def fit(model, train, val_loader, epochs):
    best = 0
    for epoch in range(epochs):
        train(model)
        found = validate(model, val_loader)
        if found > best:
            best = found
            torch.save(model.state_dict(), "best.pt")
""",
    ),
    (
        "TG812",
        """
from torch.autograd import Variable

def tiles(net, image, cut):
    return [net(Variable(one, volatile=True)) for one in cut(image)]  # <--

def main(net, images, cut):
    for image in images:
        print(tiles(net, image, cut))
""",
    ),
    (  # the branch for all that is not the test, which a method asks for the validation
        "TG204",
        """
import torch
from torch.utils.data import DataLoader


def provide(args, data, flag):
    if flag == "test":
        shuffle, last = False, False
    else:
        shuffle = True
        last = True  # <--
    return DataLoader(data, args.batch, shuffle=shuffle, drop_last=last)


class Run:
    def loader(self, flag):
        return provide(self.args, self.data, flag)

    def fit(self, model, optimizer, loss_of):
        train_loader = self.loader("train")
        vali_loader = self.loader(flag="val")
        for x, y in train_loader:
            optimizer.zero_grad()
            loss_of(model(x), y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            print(sum((model(x).argmax(1) == y).sum() for x, y in vali_loader))
""",
    ),
    (
        "TG428",  # of a class, and under a key of the settings
        """
from torch.optim import AdamW, lr_scheduler

class Trainer:
    def __init__(self, net, config, steps):
        self.net, self.config = net, config
        self.adam = AdamW(net.parameters(), lr=config["lr"])
        self.cycle = lr_scheduler.OneCycleLR(self.adam, config["lr"], total_steps=steps)  # <--

    def epoch(self, loader, loss_of):
        for batch in loader:
            self.adam.zero_grad()
            loss_of(self.net, batch).backward()
            self.adam.step()
            if self.config["one_cycle"]:
                self.cycle.step()
""",
    ),
]

CLEAN: dict[str, str] = {
    "a scheduler that is left over, where a function sets the rate of each epoch": """
import torch
from torch.optim import lr_scheduler

def set_rate(optimizer, epoch, lr):
    for group in optimizer.param_groups:
        group["lr"] = lr * 0.1 ** (epoch // 30)

def fit(model, batches, criterion):
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.ReduceLROnPlateau(sgd, "min", patience=10)
    for epoch in range(90):
        set_rate(sgd, epoch, 0.1)
        for images, labels in batches:
            sgd.zero_grad()
            criterion(model(images), labels).backward()
            sgd.step()
    return scheduler
""",
    "the IoU of each image, as a mean over the images": """
import torch

def iou_of(outputs, masks):
    both = (outputs & masks).sum((1, 2, 3))
    either = (outputs | masks).sum((1, 2, 3))
    return (both / either).mean()

def hits_of(outputs, words):
    return ((outputs == words) & (words > 0)).sum() / (words > 0).sum()

class Meter:
    def __init__(self):
        self.total, self.count = 0, 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

def validate(model, val_loader):
    ious, hits = Meter(), Meter()
    model.eval()
    with torch.no_grad():
        for images, masks in val_loader:
            ious.update(iou_of(model(images) > 0, masks), images.size(0))
            hits.update(hits_of(model(images).argmax(1), masks), (masks > 0).sum())
    return ious.total / ious.count + hits.total / hits.count

def fit(model, train, val_loader, epochs):
    best = 0
    for epoch in range(epochs):
        train(model)
        found = validate(model, val_loader)
        if found > best:
            best = found
            torch.save(model.state_dict(), "best.pt")
""",
    "a loss of training that is only printed": """
def train(model, loader, optimizer, loss_of):
    total = 0.0
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / step

def main(model, loader, optimizer, loss_of, epochs):
    for epoch in range(epochs):
        loss = train(model, loader, optimizer, loss_of)
        print(epoch, loss)
""",
    "a part of the training data that says which epoch is the best": """
import torch
from torch.utils.data import DataLoader, random_split
from torchvision import datasets

def main(net, train, validate, epochs, transform):
    best = 0
    test_data = datasets.CIFAR10("data", train=False, transform=transform)
    train_data = datasets.CIFAR10("data", train=True, transform=transform)
    train_data, val_data = random_split(train_data, [45000, 5000], torch.Generator())
    val_loader = DataLoader(val_data, batch_size=100)
    for epoch in range(epochs):
        train(net)
        accuracy = validate(net, val_loader)
        if accuracy > best:
            best = accuracy
            torch.save(net.state_dict(), "best.pt")
    print(validate(net, DataLoader(test_data, batch_size=100)))
""",
    "a sum of one process, which it tells and keeps": """
import torch
import torch.distributed as dist

def fit(model, epochs, run_epoch, validate, rank, scheduler):
    best = 0.0
    for epoch in range(epochs):
        run_epoch(model)
        hits = validate(model)
        dist.reduce(hits, dst=0)
        if rank == 0:
            print(hits)
            if hits > best:
                best = hits
                torch.save(model.state_dict(), "best.pt")
        dist.barrier()
        scheduler.step()

def stop(hits, best):
    dist.reduce(hits, dst=0)
    dist.broadcast(hits, src=0)
    return hits < best
""",
    "processes that are called together where there are several": """
import os
import sys
import torch
import torch.distributed as dist

def init_distributed(args):
    if "RANK" not in os.environ:
        args.distributed = False
        return
    args.distributed = True
    dist.init_process_group("nccl")
    dist.barrier()

def average(loss, world_size):
    if world_size == 1:
        return loss
    dist.all_reduce(loss)
    return loss / world_size

def serve(args, model):
    init_distributed(args)
    if not args.distributed:
        sys.exit("start it with torchrun")
    dist.barrier()

def main(args, model, epochs, run_epoch):
    init_distributed(args)
    together = args.distributed and not args.alone
    for epoch in range(epochs):
        print(average(run_epoch(model), args.world_size))
        if together:
            dist.barrier()
""",
    "a program that always wraps its model, and so has a group": """
import os
import torch
import torch.distributed as dist

def init_distributed(args):
    if "RANK" not in os.environ:
        args.distributed = False
        return
    dist.init_process_group("nccl")

def main(args, model, epochs, run_epoch):
    init_distributed(args)
    model = torch.nn.parallel.DistributedDataParallel(model)
    for epoch in range(epochs):
        run_epoch(model)
        dist.barrier()
""",
    "scores of users and of volumes, and a micro average": """
import numpy as np
import torch
from sklearn.metrics import f1_score, roc_auc_score
from torch.utils.data import DataLoader

@torch.no_grad()
def evaluate_users(model, test_users):
    model.eval()
    areas = []
    for user, items, clicks in test_users:
        areas.append(roc_auc_score(clicks, model(items)))
    return np.mean(areas)

@torch.no_grad()
def evaluate_volumes(model, dataset):
    model.eval()
    areas = []
    val_loader = DataLoader(dataset, batch_size=1)
    for image, mask in val_loader:
        areas.append(f1_score(mask.flatten(), model(image).flatten() > 0))
    return np.mean(areas)

@torch.no_grad()
def evaluate_batches(model, val_loader):
    model.eval()
    last = []
    for x, y in val_loader:
        last.append(f1_score(y, model(x) > 0))
    return last[-1]
""",
    "a schedule that is left aside, as each update sets the rate": """
from torch.optim import lr_scheduler

class Model:
    def __init__(self, net, optimizer):
        self.net, self.optimizer = net, optimizer
        self.cycle = lr_scheduler.CyclicLR(self.optimizer, base_lr=1e-6, max_lr=1e-3)

    def update(self, batch, rate):
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad()
        self.net(batch).mean().backward()
        self.optimizer.step()
""",
    "three schedules, of which all but one are moved on in the other branch": """
from torch.optim import lr_scheduler

def fit(model, loader, loss_of, optimizer, args):
    if args.decay == "cosine":
        scheduler = lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    elif args.decay == "steps":
        scheduler = lr_scheduler.MultiStepLR(optimizer, [30, 60])
    else:
        scheduler = lr_scheduler.ReduceLROnPlateau(optimizer)
    for epoch in range(args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            loss = loss_of(model, batch)
            loss.backward()
            optimizer.step()
        if args.decay == "plateau":
            scheduler.step(loss.item())
        else:
            scheduler.step()
""",
    "steps that come each time, and gradients of two networks, one of which learns rarely": """
def train(critic, actor, loader, critic_optimizer, actor_optimizer, losses, every):
    for i, batch in enumerate(loader):
        critic_optimizer.zero_grad()
        actor_optimizer.zero_grad()
        losses.critic(critic, batch).backward()
        critic_optimizer.step()
        if i % every == 0:
            losses.actor(actor, batch).backward()
            actor_optimizer.step()
""",
    "gradients that are set to zero where the step was made": """
def train(model, loader, optimizer, passes, loss_of, log):
    for i, batch in enumerate(loader):
        if i % passes == 0:
            optimizer.zero_grad()
        (loss_of(model, batch) / passes).backward()
        if (i + 1) % passes == 0 or i + 1 == len(loader):
            optimizer.step()
        if i % 100 == 0:
            log(i)
""",
    "gradients of single samples that are added up elsewhere": """
def train(model, loader, optimizer, passes, loss_of):
    for i, batch in enumerate(loader):
        model.zero_grad()
        loss_of(model, batch).backward()
        for parameter in model.parameters():
            parameter.kept += parameter.grad / passes
        if (i + 1) % passes == 0:
            for parameter in model.parameters():
                parameter.grad = parameter.kept
            optimizer.step()
""",
    "a method of the same name as a function, on an object of a library": """
import torch
from pycocotools.cocoeval import COCOeval

def evaluate(net, val_loader):
    correct = 0
    for images, labels in val_loader:
        correct += (net(images).argmax(1) == labels).sum()
    return correct

def validate(net, val_loader):
    net.eval()
    with torch.no_grad():
        return evaluate(net, val_loader)

def score(truth, found):
    boxes = COCOeval(truth, found, "bbox")
    boxes.evaluate()
    return boxes.stats[0]
""",
    "graphs that are switched off where the script starts": """
import torch
from project import test_loader

if __name__ == "__main__":
    torch.set_grad_enabled(False)
    net = torch.jit.load("net.pt")
    net.eval()
    for image in test_loader:
        print(net(image))
""",
    "an old argument in a function that runs under no_grad": """
import torch
from torch.autograd import Variable

def tiles(net, image, cut):
    return [net(Variable(one, volatile=True)) for one in cut(image)]

def main(net, images, cut):
    net.eval()
    with torch.no_grad():
        for image in images:
            print(tiles(net, image, cut))
""",
    "a flag that says which epoch is the best of the validation": """
from checkpoints import save_checkpoint

def main(args, net, train, validate):
    best_top1 = 0
    for epoch in range(args.epochs):
        train(net)
        val_top1, val_top5 = validate(net)
        is_best = False
        if val_top1 > best_top1:
            best_top1 = val_top1
            is_best = True
        save_checkpoint({"net": net.state_dict(), "top1": val_top1}, is_best, args.folder)
""",
    "a sum divided by a number that counts on": """
from project import loader, measure

total = 0
for step, batch in enumerate(loader):
    total += measure(batch)
step = step + 1
total /= step
print(total)
""",
    "gradients that are clipped as the branch has them, with apex and without": """
import torch
from apex import amp

def train(model, optimizer, loader, loss_of, half, largest):
    model, optimizer = amp.initialize(model, optimizer, opt_level="O2")
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        if half:
            with amp.scale_loss(loss, optimizer) as scaled:
                scaled.backward()
            torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), largest)
        else:
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), largest)
        optimizer.step()
""",
    "a branch that drops what the training alone asks for": """
import torch
from torch.utils.data import DataLoader

def provide(args, data, flag):
    if flag in ("val", "test"):
        last = False
    else:
        last = True
    return DataLoader(data, args.batch, shuffle=last, drop_last=last)

def load(args, data):
    return provide(args, data, "train"), provide(args, data, "val"), provide(args, data, "test")
""",
    "a cycle that is moved on in each mode, in a helper, or after each full pass": """
from torch.optim import AdamW, lr_scheduler

def moved(scheduler, args):
    if args.verbose:
        print(scheduler.get_last_lr())
    scheduler.step()

def by_helper(net, loader, loss_of, args):
    adam = AdamW(net.parameters(), lr=args.lr)
    scheduler = lr_scheduler.OneCycleLR(adam, args.lr, total_steps=len(loader))
    for batch in loader:
        adam.zero_grad()
        loss_of(net, batch).backward()
        adam.step()
        moved(scheduler, args)

def by_place(net, loader, loss_of, args):
    adam = AdamW(net.parameters(), lr=args.lr)
    scheduler = lr_scheduler.OneCycleLR(adam, args.lr, total_steps=len(loader))
    for batch in loader:
        adam.zero_grad()
        loss_of(net, batch).backward()
        adam.step()
        if args.per_batch:
            scheduler.step()
    if not args.per_batch:
        scheduler.step()
""",
}
