"""Evaluations that draw, or that compute graphs behind a `no_grad`: planted, and clean."""

FIT = """
def fit(model, train_epoch, score_of, train_set, val_set, epochs):
    best_score = 0.0
    for epoch in range(epochs):
        train_epoch(model, train_set)
        score = score_of(model, val_set)
        if score > best_score:
            best_score = score
            torch.save(model.state_dict(), "best.pt")
"""
CLOUDS = """
import random

import numpy as np
import torch
from torch.utils.data import Dataset


class Clouds(Dataset):
    def __init__(self, root, points, split="train", color=False):
        self.clouds = sorted(root.glob(split))
        self.points = points
        self.color = color
        self.split = split

    def __getitem__(self, index):
        cloud = self.clouds[index]
        {draw}
        return cloud
"""
MAKE = """
def make(root):
    train_set = Clouds(root, 2048, "train")
    {target} = Clouds(root, 2048, "test"){mark}
    return train_set, {target}
"""
SLICES = """
import random

import torch
from torch.utils.data import Dataset
from torchvision import transforms


class Turned:
    def __init__(self, size, train=True):
        self.size = size
        self.train = train

    def __call__(self, image):
        if {test}:
            image = image.flip(0)
        return image


class Slices(Dataset):
    def __init__(self, root, split, transform):
        self.images = sorted(root.glob(split))
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(self.images[index])


def make(root):
    train_set = Slices(root, "train", transforms.Compose([Turned(224)]))
    val_set = Slices(root, "val", transforms.Compose([Turned(224, False)])){mark}
    return train_set, val_set
"""
SPLIT = """
import torch
from torch.utils.data import random_split
from torchvision import transforms
from torchvision.datasets import ImageFolder


def make(root):
    whole = ImageFolder(root, transforms.Compose([{transform}, transforms.ToTensor()]))
    generator = torch.Generator().manual_seed(0)
    train_set, val_set = random_split(whole, [0.9, 0.1], generator=generator){mark}
    {then}
    return train_set, val_set
"""
NARROW = """
import torch
from torch.autograd import Variable


def validate(loader, model, criterion):
    model.eval()
    total = 0.0
    for images, labels in loader:
        with torch.no_grad():
            images = Variable(images)
        scores = model(images){mark}
        total += {kept}.item()
    return total / len(loader)


def run(loader, model, criterion):
    print(validate(loader, model, criterion))
"""
SHOWN, HIDDEN = "  # <--", ""
CHOICE = "cloud = cloud[np.random.choice(len(cloud), self.points)]"

PLANTED: list[tuple[str, str]] = [
    (
        "TG510",
        CLOUDS.format(draw=CHOICE) + MAKE.format(target="test_set", mark=SHOWN) + FIT,
    ),
    (  # under a setting that both have, and by a helper
        "TG510",
        CLOUDS.format(draw="cloud = self.shifted(cloud) if self.color else cloud")
        + """
    def shifted(self, cloud):
        return cloud + random.uniform(-0.1, 0.1)
"""
        + MAKE.format(target="held_out", mark=SHOWN)
        + FIT,
    ),
    ("TG510", SLICES.format(test="random.random() > 0.5", mark=SHOWN) + FIT),
    (
        "TG510",
        SPLIT.format(transform="transforms.RandomCrop(32)", mark=SHOWN, then="") + FIT,
    ),
    ("TG502", NARROW.format(mark=SHOWN, kept="criterion(scores, labels)")),
]
CLEAN: dict[str, str] = {
    "points that only the training draws": CLOUDS.format(
        draw=f'if self.split == "train":\n            {CHOICE}'
    )
    + MAKE.format(target="test_set", mark=HIDDEN)
    + FIT,
    "points that are drawn after the evaluation has left": CLOUDS.format(
        draw=f'if self.split != "train":\n            return cloud\n        {CHOICE}'
    )
    + MAKE.format(target="test_set", mark=HIDDEN)
    + FIT,
    "points of clouds for which a seed is set": CLOUDS.format(
        draw=f'if self.split == "test":\n            np.random.seed(index)\n        {CHOICE}'
    )
    + MAKE.format(target="test_set", mark=HIDDEN)
    + FIT,
    "random clouds of an evaluation by which nothing is chosen": CLOUDS.format(draw=CHOICE)
    + MAKE.format(target="test_set", mark=HIDDEN),
    "votes of several draws": CLOUDS.format(draw=CHOICE)
    + MAKE.format(target="test_set", mark=HIDDEN)
    + FIT
    + """
def vote(model, test_set, votes):
    return sum(model(cloud) for _ in range(votes) for cloud in test_set)
""",
    "a caption of several": CLOUDS.format(draw="caption = random.choice(self.captions[index])")
    + MAKE.format(target="test_set", mark=HIDDEN)
    + FIT,
    "a transform that draws for the training alone": SLICES.format(
        test="self.train and random.random() > 0.5", mark=HIDDEN
    )
    + FIT,
    "a part of the data with transforms of its own": SPLIT.format(
        transform="transforms.RandomCrop(32)",
        mark=HIDDEN,
        then="val_set.dataset = ImageFolder(root, transforms.ToTensor())",
    )
    + FIT,
    "a part of data without chance": SPLIT.format(
        transform="transforms.CenterCrop(32)", mark=HIDDEN, then=""
    )
    + FIT,
    "a `no_grad` for the input of a network whose gradients are used": NARROW.format(
        mark=HIDDEN, kept="torch.autograd.grad(scores.sum(), model.first)[0].sum()"
    ),
}
