"""Handlers of every error, where one kind was meant."""

HINTS: dict[str, tuple[str, str]] = {
    "another sample in place of one that is named": (
        "TG221",
        """
from torch.utils.data import Dataset

class Images(Dataset):
    def __getitem__(self, index):
        try:
            item = self.load(index)
        except:  # <--
            print("cannot read", self.names[index])
            item = self.load(0)
        return item
""",
    ),
}

PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG220",
        """
class Endless:
    def __init__(self, loader):
        self.loader = loader
        self.batches = iter(loader)

    def draw(self):
        try:
            return next(self.batches)
        except Exception:  # <--
            self.batches = iter(self.loader)
            return next(self.batches)
""",
    ),
    (
        "TG221",
        """
import random

from torch.utils.data import Dataset

class Clips(Dataset):
    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        try:
            clip = self.decode(self.files[index])
        except Exception:  # <--
            return self.__getitem__(random.randrange(len(self)))
        return clip
""",
    ),
    (
        "TG520",
        """
import numpy as np

def evaluate(pairs, hausdorff, dice):
    found = []
    for prediction, mask in pairs:
        try:
            hd = hausdorff(prediction, mask)
        except:
            hd = 0.0  # <--
        found.append((dice(prediction, mask), hd))
    return np.mean(found, axis=0)
""",
    ),
]

CLEAN: dict[str, str] = {
    **{what: code for what, (_, code) in HINTS.items()},
    "a loader that begins anew at its end, or ends the run": """
def draw(batches, loader, log):
    try:
        return batches, next(batches)
    except StopIteration:
        batches = iter(loader)
        return batches, next(batches)

def draw_or_tell(batches, loader):
    try:
        return next(batches)
    except Exception as error:
        batches = iter(loader)
        raise RuntimeError("no batch") from error
""",
    "a sample that is read in another way, or not at all": """
from torch.utils.data import Dataset

class Images(Dataset):
    def __getitem__(self, index):
        try:
            image = self.images[index]
        except Exception:
            image = self.read_again(self.names[index])
        try:
            label = self.read(self.labels[index])
        except Exception:
            raise ValueError(self.names[index]) from None
        return image, label
""",
    "a distance that counts as the worst where it fails, and a sum that begins at 0": """
def score(pairs, surface):
    hd = 0
    for prediction, mask in pairs:
        try:
            hd95 = surface(prediction, mask)
        except Exception:
            hd95 = float("inf")
        hd += hd95
    return hd / len(pairs)
""",
}
