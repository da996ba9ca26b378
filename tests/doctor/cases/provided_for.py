"""Names and calls that libraries refuse, and what programs do that provide for it."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG817",
        """
import cv2
import gym
import h5py
import pandas as pd
import torch
from scipy import interpolate

def rows(folder, results):
    table = pd.DataFrame(columns=["name"])
    for one in results:
        table = table.append(pd.DataFrame([one]))  # <--
    _, contours, _ = cv2.findContours(table, cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)  # <--
    with h5py.File(folder) as file:
        labels = file["train"]["labels"].value  # <--
    return torch.tensor(labels), contours, interpolate.interp2d(labels, labels, labels)  # <--

env = gym.make("CartPole-v1")
env.reset()
frame = env.render(mode="rgb_array")  # <--
print(torch.tensor(rows("a", [])[0]).symeig())  # <--
""",
    ),
    (
        "TG813",
        """
import imp  # <--
import pkg_resources  # <--

import numpy as np
import torch

print(torch.tensor(np.NAN))  # <--
print(imp.load_source("a", "a.py"), pkg_resources.parse_version("1.0"))
""",
    ),
]
CLEAN: dict[str, str] = {
    "names that the program gives to a library itself": """
import collections
import collections.abc

import numpy as np
import torch
from PIL import Image

np.int = int
Image.ANTIALIAS = Image.LANCZOS
for kind in ("Mapping", "Sequence"):
    setattr(collections, kind, getattr(collections.abc, kind))
load = np.load
np.load = lambda *given: load(*given, allow_pickle=True)

def read(image, size):
    found = np.load("a.npy").item()
    small = image.resize(size, Image.ANTIALIAS)
    return torch.tensor(np.int(small)), isinstance(found, collections.Mapping)
""",
    "an older name, where the newer one is refused": """
import inspect

import matplotlib.pyplot as plt
import numpy as np
import PIL
import torch
from PIL import Image

NEW = int(PIL.__version__.split(".")[0]) >= 10

def shown(values, optimizer):
    plot = torch.optim.lr_scheduler.ReduceLROnPlateau
    if "verbose" in inspect.signature(plot).parameters:
        print(torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, verbose=True))
    figure = plt.figure()
    try:
        axes = figure.gca(projection="3d")
    except Exception:
        axes = figure.add_subplot(projection="3d")
    try:
        values = values.astype(np.float)
    except AttributeError:
        values = values.astype(float)
    axes.plot(values)

def eigenvalues(x):
    if hasattr(torch.linalg, "eigh"):
        return torch.linalg.eigh(x)
    return torch.symeig(x, eigenvectors=True)

def smaller(image, size):
    if NEW:
        return image.resize(size, Image.LANCZOS)
    return image.resize(size, Image.ANTIALIAS)
""",
    "a variable that is called like a library, and lists of contours": """
import pandas as pd
import torch
from ruamel.yaml import YAML

yaml = YAML(typ="safe")
config = yaml.load(open("a.yaml"))
index = pd.Index([1])
index = index.append(pd.Index([2]))
print(torch.ones(config["n"]), index)
""",
}
