"""Evaluation, and the averages that it reports: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (  # by a flag of the dataset, and what a helper lists
        "TG208",
        """
import glob
import os
from torch.utils.data import Dataset

def wavs(folder):
    return [path for path in glob.glob(folder + "/*.wav") if "noise" not in path]

class Clips(Dataset):
    def __init__(self, folder, train=True):
        self.paths = [os.path.join(folder, one) for one in os.listdir(folder)]  # <--
        if train:
            self.paths = self.paths[:-500]
        else:
            self.paths = self.paths[-500:]

class Words(Dataset):
    def __init__(self, folder, split):
        paths = wavs(folder)  # <--
        self.paths = paths[:9000] if split == "train" else paths[9000:]

class Digits(Dataset):
    def __init__(self, folder):
        names = os.listdir(folder)
        names = [one for one in names if one.endswith(".png")]
        kept = [one for one in names if "blur" not in one]
        self.paths = kept[:100]
""",
    ),
    (
        "TG502",  # a network of any name, twice in one method
        """
import torch

class Solver:
    def train(self):
        for epoch in range(self.epochs):
            self.unet.train(True)
            for images, masks in self.train_loader:
                loss = self.criterion(self.unet(images), masks)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.unet.train(False)
            for images, masks in self.valid_loader:  # <--
                self.score(torch.sigmoid(self.unet(images)), masks)
        self.unet.eval()
        for images, masks in self.valid_loader:  # <--
            self.score(torch.sigmoid(self.unet(images)), masks)
""",
    ),
    (
        "TG502",  # a branch of a function that trains in the other one
        """
from torch import nn

class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = nn.Embedding(10, 4)

    def rate(self, x):
        return self.items(x)

def iterate(model, optimizer, batches, loss_of, train=True):
    if train:
        model.train()
        for batch in batches:
            optimizer.zero_grad()
            loss_of(model.rate(batch)).backward()
            optimizer.step()
    else:
        model.eval()
        found = []
        for batch in batches:  # <--
            found.append(model.rate(batch).cpu().data.numpy())
        return found
""",
    ),
    (
        "TG502",  # one batch a call, in a loop elsewhere
        """
class Engine:
    def __init__(self, model, optimizer, loss):
        self.model, self.optimizer, self.loss = model, optimizer, loss

    def train(self, x, y):
        self.model.train()
        self.optimizer.zero_grad()
        loss = self.loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def eval(self, x, y):
        self.model.eval()
        output = self.model(x)  # <--
        return self.loss(output, y).item()

def fit(engine, epochs, batches, held_out):
    for epoch in range(epochs):
        for x, y in batches:
            engine.train(x, y)
        for x, y in held_out:
            print(engine.eval(x, y))
""",
    ),
    (
        "TG502",  # said once, at the loop
        """
def features_of(model, images):
    model.eval()
    return model(images).data.cpu()

def extract_features(model, test_loader):
    model.eval()
    found = []
    for images, names in test_loader:  # <--
        found.append(features_of(model, images))
    return found
""",
    ),
    (
        "TG502",  # the graph of each pass goes on into the next one
        """
def generate(model, hidden, token, words):
    model.eval()
    for i in range(words):  # <--
        output, hidden = model(token, hidden)
        token = output.argmax(-1)
""",
    ),
    (
        "TG502",  # a script over files, which trains nothing
        """
import glob

import torch

from nets import read

net = torch.load("net.pt", weights_only=False)["model"]
net.cuda()
for name in glob.glob("images/*.png"):  # <--
    print(net(read(name)).data.sum())
""",
    ),
    (
        "TG501",  # a script that loads weights and never says `eval`
        """
import sys

import torch
from torch import nn

from images import read

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Conv2d(8, 3, 3))

    def forward(self, x):
        return self.layers(x)

net = Net()
net.load_state_dict(torch.load("net.pt", weights_only=True))
with torch.no_grad():
    for name in sys.argv[1:]:  # <--
        print(net(read(name)).sum())
""",
    ),
    (
        "TG506",  # by a flag, which a helper in another file is given
        """
from checkpoints import save_checkpoint

def train(model, optimizer, loaders, epochs, run_epoch, test):
    best_error = 1e9
    for epoch in range(epochs):
        run_epoch(model, loaders["train"], optimizer)
        loss, error_test = test(model, loaders["test"])
        is_best = error_test < best_error  # <--
        best_error = min(error_test, best_error)
        save_checkpoint({"epoch": epoch + 1, "weights": model.state_dict()}, is_best)
""",
    ),
    (
        "TG506",  # the flag is asked before anything is saved
        """
from checkpoints import save_weights

def train(model, epochs, run_epoch, test):
    best = 0.0
    for epoch in range(epochs):
        run_epoch(model)
        test_acc = test(model)
        better = test_acc > best  # <--
        if better:
            best = test_acc
            save_weights(model, "best.pt")
""",
    ),
    (
        "TG504",  # a list, whose mean decides when the training ends
        """
import torch

@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    losses = []
    for images, labels in val_loader:
        loss = criterion(model(images), labels)
        losses.append(loss.item())  # <--
    return {"loss": sum(losses) / len(losses)}

def fit(model, epochs, loader, criterion, run_epoch, scheduler):
    for epoch in range(epochs):
        run_epoch(model)
        figures = validate(model, loader, criterion)
        scheduler.step(figures["loss"])
""",
    ),
    (
        "TG504",  # a mean over the batch, divided by the number of samples
        """
import torch
import torch.nn.functional as F

@torch.no_grad()
def test(model, test_loader):
    model.eval()
    test_loss = 0
    for data, target in test_loader:
        test_loss += F.cross_entropy(model(data), target).item()  # <--
    test_loss /= len(test_loader.dataset)
    print(test_loss)
""",
    ),
    (
        "TG504",  # a share that a helper makes, over a count of samples
        """
import torch

def get_accuracy(output, labels):
    correct = (output.argmax(1) == labels).sum()
    return float(correct) / len(labels)

@torch.no_grad()
def validate(model, val_loader):
    model.eval()
    acc, length = 0.0, 0
    for images, labels in val_loader:
        acc += get_accuracy(model(images), labels)  # <--
        length += images.size(0)
    print(acc / length)
""",
    ),
    (
        "TG504",  # in the loop of the epochs, after `train(True)`
        """
def share(output, labels):
    return float((output.argmax(1) == labels).sum()) / len(labels)

class Solver:
    def run(self, torch):
        best = 0.0
        for epoch in range(self.epochs):
            self.model.train(True)
            for images, labels in self.train_loader:
                self.optimizer.zero_grad()
                self.criterion(self.model(images), labels).backward()
                self.optimizer.step()
            self.model.eval()
            acc = 0.0
            with torch.no_grad():
                for images, labels in self.valid_loader:
                    acc += share(self.model(images), labels)  # <--
            acc = acc / len(self.valid_loader)
            best = max(acc, best)
""",
    ),
    (
        "TG503",  # a network of any name
        """
import torch

class Trainer:
    def fit(self, epochs):
        self.painter.train()
        for epoch in range(epochs):
            for images, masks in self.loader:
                self.optimizer.zero_grad()
                self.loss_of(self.painter(images), masks).backward()
                self.optimizer.step()
            self.painter.eval()  # <--
            with torch.no_grad():
                for images, masks in self.val_loader:
                    print(self.painter(images).sum())
""",
    ),
    (
        "TG503",  # a training function that is called train
        """
import torch

def train(model, loader, optimizer, loss_of):
    for x, y in loader:
        optimizer.zero_grad()
        loss_of(model(x), y).backward()
        optimizer.step()

def validate(model, loader):
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            print((model(x) == y).sum())

def main(model, loaders, optimizer, loss_of, epochs):
    model.train()
    for epoch in range(epochs):
        train(model, loaders[0], optimizer, loss_of)
        validate(model, loaders[1])  # <--
""",
    ),
    (  # a class that ends the run early keeps the best weights
        "TG509",
        """
import torch


class EarlyStopper:
    def __init__(self, path):
        self.path, self.best, self.trials = path, 0.0, 0

    def goes_on(self, net, auc):
        if auc > self.best:
            self.best, self.trials = auc, 0
            torch.save(net.state_dict(), self.path)
        else:
            self.trials += 1
        return self.trials < 3


def measure(net, loader):
    net.eval()
    with torch.no_grad():
        return sum(((net(x) > 0) == y).sum() for x, y in loader)


def test(net, data_loader):
    return measure(net, data_loader)


def main(net, optimizer, criterion, loaders, epochs, path):
    valid_loader, test_loader, train_loader = loaders
    early_stopper = EarlyStopper(path)
    for epoch in range(epochs):
        net.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            criterion(net(x), y).backward()
            optimizer.step()
        if not early_stopper.goes_on(net, test(net, valid_loader)):
            break
    print("test", test(net, test_loader))  # <--
""",
    ),
]

CLEAN: dict[str, str] = {
    "a sampler that pads, where nothing is summed or chosen by the evaluation": """
from torch.utils.data import DataLoader, DistributedSampler


def load(val_dataset):
    val_sampler = DistributedSampler(val_dataset, shuffle=False)
    return DataLoader(val_dataset, batch_size=8, sampler=val_sampler)
""",
    "a sampler of the training in a script for evaluation": """
from torch.utils.data import DataLoader, DistributedSampler
from torchvision.datasets import CIFAR10


def eval_linear(path, fit):
    dataset = CIFAR10(path, train=True)
    fit(DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset, shuffle=False)))
""",
    "an evaluation of a model without dropout or norms, and one that nothing calls": """
import torch
from torch import nn
from torchvision.models import resnet18

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        return self.dropout(self.layer(x))

class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        return self.layer(x)

@torch.no_grad()
def validate(model, val_loader):
    for images, labels in val_loader:
        print((model(images).argmax(1) == labels).sum())

@torch.no_grad()
def validate_all(val_loader):
    model = resnet18()
    for images, labels in val_loader:
        print((model(images).argmax(1) == labels).sum())

def main(val_loader):
    validate(Small(), val_loader)
    return Net()
""",
    "passes after eval() that take no batches of a set": """
import torch

def fill(agent_net, envs, buffer, steps):
    agent_net.eval()
    state = envs.reset()
    for step in range(steps):
        action = agent_net(state).argmax(1)
        after, batch = envs.step(action)
        buffer.add(state, action, after, batch)
        state = after

def show(net, val_loader, save_image):
    net.eval()
    images, _ = next(iter(val_loader))
    for image in images:
        save_image(net(image[None]))

def sample(decoder, count, size, keep):
    decoder.eval()
    for _ in range(count // size + 1):
        batch = torch.randn(size, 8)
        keep(decoder(batch).detach())

def main(net, envs, loader, keep):
    fill(net, envs, [], 100)
    show(net, loader, keep)
    sample(net, 100, 10, keep)
""",
    "an accuracy of batches that is only printed": """
import torch

@torch.no_grad()
def validate(model, val_loader, psnr_of):
    model.eval()
    total_psnr = 0.0
    for images, targets in val_loader:
        psnr = psnr_of(model(images), targets)
        total_psnr += psnr
    print("PSNR", total_psnr / len(val_loader))

def main(model, loader, psnr_of):
    validate(model, loader, psnr_of)
""",
    "a mean of an evaluation that is printed, divided by one too few": """
def show(test_loader, measure):
    total = 0.0
    for number, batch in enumerate(test_loader):
        total += measure(batch)
    print(total / number)
""",
    "the area of batches that is only printed": """
import numpy as np
import torch
from sklearn.metrics import roc_auc_score

@torch.no_grad()
def validate(model, val_loader):
    model.eval()
    aucs = []
    for images, labels in val_loader:
        aucs.append(roc_auc_score(labels, model(images).cpu().numpy()))
    print(np.mean(aucs))
""",
    "volatile for one picture, for a target, and where graphs are turned off": """
from torch.autograd import Variable

def show(model, image):
    return model(Variable(image, volatile=True))

def check(model, loader, criterion):
    total = 0.0
    for images, target in loader:
        target_var = Variable(target, volatile=True)
        total += criterion(model(Variable(images)), target_var).item()
    return total

def main(model, image, loader, criterion):
    print(show(model, image), check(model, loader, criterion))
""",
    "a dropout of which a comment says that it is not used": """
from torch import nn

class Attention(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.dropout = nn.Dropout(rate)  # Note: actually not used

    def forward(self, x):
        return self.layer(x)
""",
    "files in an order, of which a flag takes a part, and others that both sets have": """
import os
from torch.utils.data import Dataset

def names_in(folder):
    names = os.listdir(folder)
    names.sort()
    return names

class Clips(Dataset):
    def __init__(self, folder, train, short):
        paths = names_in(folder)
        self.paths = paths[:-500] if train else paths[-500:]
        others = os.listdir(folder)
        self.others = others[:10] if short else others[10:]
""",
    "an evaluation in rounds of so many speakers, which a shorter batch does not fit": """
import torch
from torch.utils.data import DataLoader

def equal_error(model, test_set, hp, rate):
    test_loader = DataLoader(test_set, batch_size=hp.speakers, drop_last=True)
    model.eval()
    with torch.no_grad():
        for i, batch in enumerate(test_loader):
            voices = model(batch.reshape(hp.speakers * hp.utterances, -1))
            yield rate(voices.view(hp.speakers, hp.utterances, -1))
""",
    "a backbone that stays in evaluation mode while a head is trained": """
import torch

def train(backbone, head, loader, optimizer, loss_of):
    backbone.eval()
    for x, y in loader:
        optimizer.zero_grad()
        loss_of(head(backbone(x)), y).backward()
        optimizer.step()

def validate(backbone, head, loader):
    backbone.eval()
    with torch.no_grad():
        for x, y in loader:
            print((head(backbone(x)) == y).sum())

def main(backbone, head, loaders, optimizer, loss_of, epochs):
    for epoch in range(epochs):
        train(backbone, head, loaders[0], optimizer, loss_of)
        validate(backbone, head, loaders[1])
""",
    "a network without dropout and norms, which has one mode": """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)

def fit(loaders, optimizer, loss_of, epochs):
    net = Net()
    state = torch.load("net.pt", map_location="cpu", weights_only=True)
    net.load_state_dict(state)
    for epoch in range(epochs):
        for x, y in loaders[0]:
            optimizer.zero_grad()
            loss_of(net(x), y).backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            for x, y in loaders[1]:
                print((net(x) == y).sum())
""",
    "a loss that is printed, and kept where it is the lowest, but chooses nothing": """
import torch

@torch.no_grad()
def validate(model, val_loader, criterion):
    model.eval()
    total_loss = correct = count = 0
    for images, labels in val_loader:
        output = model(images)
        loss = criterion(output, labels)
        total_loss += loss.item()
        correct += (output.argmax(1) == labels).sum().item()
        count += len(labels)
    return {"loss": total_loss / len(val_loader), "acc": correct / count}

def fit(model, epochs, loader, criterion, run_epoch, path):
    best_acc, best_loss = 0.0, 1e9
    for epoch in range(epochs):
        run_epoch(model)
        out = validate(model, loader, criterion)
        best_loss = out["loss"] if out["loss"] < best_loss else best_loss
        print(out["loss"], best_loss)
        if out["acc"] > best_acc:
            best_acc = out["acc"]
            torch.save(model.state_dict(), path)
""",
    "batches of one sample, and lists of what each sample has": """
import numpy as np
import torch
from torch.utils.data import DataLoader

from metrics import iou_of, psnr_of

@torch.no_grad()
def test(model, test_set, criterion):
    model.eval()
    test_loader = DataLoader(test_set, batch_size=1)
    ious, losses = [], []
    for images, masks in test_loader:
        output = model(images)
        loss = criterion(output, masks)
        losses.append(loss.item())
        for one, mask in zip(output, masks, strict=True):
            iou = iou_of(one, mask)
            ious.append(iou)
    print(np.mean(losses), np.mean(ious))
""",
    "a function called test that is given validation data": """
from checkpoints import save_checkpoint

def train(model, val_loader, epochs, run_epoch, test):
    best_acc = 0.0
    for epoch in range(epochs):
        run_epoch(model)
        test_loss, test_acc = test(val_loader, model)
        is_best = test_acc > best_acc
        best_acc = max(test_acc, best_acc)
        save_checkpoint(model.state_dict(), is_best)
""",
    "a teacher in evaluation mode, in a loop that trains": """
def distil(student, teacher, loader, optimizer, loss_of):
    teacher.eval()
    for x in loader:
        loss = loss_of(student(x), teacher(x).detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
""",
    "features of a network in evaluation mode, whose gradient is needed by the caller": """
class Perceptual:
    def __init__(self, vgg):
        self.vgg = vgg

    def features(self, x):
        self.vgg.eval()
        return self.vgg(x)

def fit(generator, perceptual, loader, optimizer):
    for x in loader:
        optimizer.zero_grad()
        (perceptual.features(generator(x)) - perceptual.features(x)).abs().mean().backward()
        optimizer.step()
""",
    "one batch a call, without graphs where it is called": """
import torch

class Engine:
    def __init__(self, model):
        self.model = model

    def predict(self, x):
        self.model.eval()
        return self.model(x)

def run(engine, batches):
    for x in batches:
        with torch.no_grad():
            print(engine.predict(x))
""",
    "a network that keeps no graphs of its own accord": """
import torch
from torch import nn

class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    @torch.no_grad()
    def forward(self, x):
        return self.layer(x)

def detect(images):
    detector = Detector()
    detector.eval()
    for image in images:
        print(detector(image))
""",
    "weights read from a file into a network that has no modes": """
import sys

import torch
from torch import nn

from images import read

net = nn.Conv2d(3, 3, 3)
net.load_state_dict(torch.load("net.pt", map_location="cpu", weights_only=True))
with torch.no_grad():
    net.eval()
    for name in sys.argv[1:]:
        print(net(read(name)).sum())
""",
    "a test that loads the best weights itself": """
import torch

def train(model, optimizer, loss_of, loaders, epochs, path):
    best_loss = float("inf")
    for epoch in range(epochs):
        model.train()
        for batch in loaders["train"]:
            optimizer.zero_grad()
            loss_of(model, batch).backward()
            optimizer.step()
        val_loss = evaluate(model, loss_of, loaders["val"])
        if val_loss < best_loss:
            best_loss = val_loss
            torch.save(model.state_dict(), path)
    test_loader = loaders["test"]
    test(model, loss_of, test_loader, path)

def test(model, loss_of, test_loader, path):
    model.load_state_dict(torch.load(path, map_location="cpu"))
    return evaluate(model, loss_of, test_loader)

def evaluate(model, loss_of, loader):
    model.eval()
    with torch.no_grad():
        return sum(loss_of(model, batch).item() * len(batch) for batch in loader)
""",
}
