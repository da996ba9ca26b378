"""Code that no run comes to, as no caller gives what leads there, and code that a run may reach."""

HINTS: dict[str, tuple[str, str]] = {
    "a branch for a word that no caller passes": (
        "TG004",
        """
import torch

def make_norm(kind="instance"):
    if kind == "batch":
        return torch.nn.BatchNorm2d
    elif kind == "instance":
        return torch.nn.InstanceNorm2d
    elif kind == "switchable":
        return SwitchNorm2d  # <--
    raise ValueError(kind)

def make_net(width, norm="batch"):
    return torch.nn.Sequential(torch.nn.Conv2d(3, width, 1), make_norm(kind=norm)(width))

print(make_net(8), make_net(16, "instance"))
""",
    ),
    "a function that only a branch of another calls that nobody asks for": (
        "TG004",
        """
import torch

def fast(boxes, threshold, second=False):
    keep = boxes.max(0).values <= threshold
    if second:
        keep = keep * (boxes > self.second)  # <--
    return keep

def suppress(boxes, method="standard"):
    if method == "standard":
        return boxes.sort().values
    return fast(boxes, 0.4, second=True)

print(suppress(torch.ones(4)))
""",
    ),
    "an option that goes through functions and their further arguments": (
        "TG004",
        """
import torch

class Tokenizer:
    def encode(self, text, kind=None, **options):
        return self.encode_all([text], kind=kind, **options)

    def encode_all(self, texts, kind=None, pad=0):
        if kind == "tf" and has_tensorflow():  # <--
            return None
        return torch.tensor([[len(one), pad] for one in texts])

print(Tokenizer().encode("a"), Tokenizer().encode("b", pad=2))
""",
    ),
    "what a class does under a setting that no dict names": (
        "TG350",
        """
import torch
import torch.nn.functional as F

class Warp:
    def __call__(self, image, x, y):
        height, width = image.shape[-2:]
        grid = torch.stack((2 * x / (width - 1) - 1, 2 * y / (height - 1) - 1), dim=-1)
        return F.grid_sample(image, grid)  # <--

class Augment:
    def __init__(self, size, flip=True, pwc=False):
        self.size, self.flip = size, flip
        self.pwc = pwc

    def __call__(self, image, x, y):
        if self.pwc:
            image = Warp()(image, x, y)
        return image.flip(-1) if self.flip else image

def main(image, x, y, settings={"size": 8, "flip": False}):
    print(Augment(**settings)(image, x, y))

main(torch.ones(1, 1, 4, 4), torch.ones(1, 4, 4), torch.ones(1, 4, 4))
""",
    ),
}
PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG004",  # a flag may bring the word
        """
import argparse

import torch

def make_norm(kind="batch"):
    if kind == "switchable":
        return SwitchNorm2d  # <--
    return torch.nn.BatchNorm2d

parser = argparse.ArgumentParser()
parser.add_argument("--norm", default="batch")
print(make_norm(parser.parse_args().norm))
""",
    ),
    (
        "TG004",  # the default leads there
        """
def make_norm(kind="switchable"):
    if kind == "batch":
        return str
    return SwitchNorm2d  # <--

print(make_norm(), make_norm("batch"))
""",
    ),
    (
        "TG004",  # what is handed on may be called with anything
        """
from functools import partial

def step(batch, mode="train"):
    if mode == "val":
        return scores(batch)  # <--
    return batch

print(step(1), partial(step, mode="val")(2))
""",
    ),
    (
        "TG004",  # the parameter is given another value
        """
import os

def step(batch, mode="train"):
    mode = os.environ.get("MODE", mode)
    if mode == "val":
        return scores(batch)  # <--
    return batch

print(step(1))
""",
    ),
    (
        "TG004",  # a variable of the file, which is no parameter
        """
import os

debug = int(os.environ.get("DEBUG", 0))

def step(batch, **options):
    if debug == 1:
        return scores(batch, **options)  # <--
    return batch

def run(batch):
    if debug == 0:
        return step(batch)
    return shown(batch)  # <--

print(run(1))
""",
    ),
    (
        "TG004",  # an attribute that others set
        """
class Trainer:
    def __init__(self, debug=False):
        self.debug = debug

    def step(self, batch):
        if self.debug:
            return scores(batch)  # <--
        return batch

trainer = Trainer()
trainer.debug = input() == "debug"
print(trainer.step(1))
""",
    ),
    (
        "TG004",  # a default is computed where the function is defined
        """
def show(matrix, colours=palette("blue")):  # <--
    return matrix, colours

def report(matrix, plot=False):
    return show(matrix) if plot else matrix

print(report(1))
""",
    ),
    (
        "TG004",  # the other way round
        """
def step(batch, old=True, new=False):
    if not old or new:
        return batch
    return scores(batch)  # <--

print(step(1))
""",
    ),
]
CLEAN: dict[str, str] = {
    **{what: code for what, (_, code) in HINTS.items()},
    "names of Python 2, where the code asks which Python runs": """
import six
import torch

PY3 = six.PY3

def is_text(value, values):
    known = all(isinstance(one, str) or (six.PY2 and isinstance(one, unicode)) for one in values)
    return known and (isinstance(value, str) or (not PY3 and isinstance(value, basestring)))

def as_text(value):
    if PY3:
        return str(value)
    return unichr(value)

def as_number(value):
    return int(value) if PY3 else long(value)

def is_number(value):
    return isinstance(value, int) or not PY3 and isinstance(value, long)

print(is_text("a", ["b"]), as_text(torch.ones(1)), as_number("1"), is_number(1))
""",
}
