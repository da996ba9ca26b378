"""What newer libraries lack, refuse or return otherwise."""

PLANTED: list[tuple[str, str]] = [
    (  # from a module that is gone, by a name that is gone, and through an alias
        "TG813",
        """
import networkx as nx
import numpy as np
import torch
from PIL import Image
from sklearn.externals import joblib  # <--
from transformers.modeling_roberta import RobertaModel  # <--


def shrink(path, graph, side):
    image = Image.open(path).resize((side, side), Image.ANTIALIAS)  # <--
    edges = nx.to_numpy_matrix(graph)  # <--
    return np.asarray(image, dtype=np.float_), edges  # <--
""",
    ),
    (  # arguments that have to be named, that are gone, and that are missing
        "TG817",
        """
import librosa
import numpy as np
import torch
import yaml
from torch.optim import lr_scheduler


def bank(rate, bands):
    return librosa.filters.mel(rate, 1024, bands)  # <--


def read(path, table):
    with open(path) as file:
        options = yaml.load(file)  # <--
    return options, np.load(table, encoding="latin1").item()  # <--


def schedule(optimizer):
    return lr_scheduler.MultiStepLR(optimizer, [30, 60], verbose=False)  # <--


def spectrum(wave, window):
    return torch.stft(wave, 512, hop_length=128, window=window)  # <--
""",
    ),
    (  # methods that dicts and tables have lost
        "TG817",
        """
import pandas as pd
import torch


def totals(losses, path):
    table = pd.read_csv(path)
    for name, loss in losses.iteritems():  # <--
        table = table.append({"name": name, "loss": loss.item()}, ignore_index=True)  # <--
    return torch.tensor(table.as_matrix())  # <--
""",
    ),
    (  # names of numpy, matplotlib, albumentations and timm
        "TG813",
        """
import albumentations as A
import matplotlib.pyplot as plt
import numpy as np
import torch
from timm.models.layers.helpers import to_2tuple  # <--


def colors(count, image):
    sharp = A.IAASharpen()(image=image)["image"]  # <--
    table = plt.cm.get_cmap("hsv", count)  # <--
    return np.cast["float32"](table(range(count))), np.lib.pad(sharp, to_2tuple(2))  # <-- # <--
""",
    ),
    (  # arguments of pandas, scikit-learn, torchvision and torch
        "TG817",
        """
import pandas as pd
import torch
from sklearn.linear_model import LinearRegression
from sklearn.utils.class_weight import compute_class_weight
from torch.utils.data import Sampler
from torchvision.utils import save_image


class Order(Sampler):
    def __init__(self, data):
        super().__init__(data)  # <--
        self.data = data


def read(path, labels):
    table = pd.read_csv(path, delim_whitespace=True)  # <--
    weights = compute_class_weight("balanced", labels.unique(), labels)  # <--
    return LinearRegression(normalize=True).fit(table, labels), weights  # <--


def draw(images, path):
    save_image(images, path, normalize=True, range=(-1, 1))  # <--
    return Order(images)
""",
    ),
    (  # methods, attributes and texts of pandas, numpy and matplotlib
        "TG817",
        """
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

plt.style.use("seaborn-whitegrid")  # <--


def hours(path):
    table = pd.read_csv(path).fillna(method="ffill")  # <--
    table["week"] = table.date.dt.week  # <--
    table["name"] = table.name.str.split("_", 1)  # <--
    first = table.ix[0, 1]  # <--
    return table.resample("15T").mean().applymap(abs), first  # <-- # <--


def plot(values):
    figure = plt.figure()
    axes = figure.gca(projection="3d")  # <--
    axes.w_xaxis.set_visible(False)  # <--
    axes.hist(values, normed=True)  # <--
    figure.canvas.set_window_title("values")  # <--
    image = np.fromstring(figure.canvas.tostring_rgb(), dtype=np.uint8)  # <-- # <--
    return torch.from_numpy(image / image.ptp())  # <--
""",
    ),
    (  # a model that is made from a config, and one for a task
        "TG818",
        """
from torch import nn
from transformers import AutoModelForTokenClassification, RobertaModel


class Tagger(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.encoder = RobertaModel(config)

    def forward(self, words):
        states, first = self.encoder(words)  # <--
        return states


def train(batches, optimizer, name):
    tagger = AutoModelForTokenClassification.from_pretrained(name)
    for words, tags in batches:
        loss, scores = tagger(words, labels=tags)  # <--
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
""",
    ),
    (  # an environment that the agent keeps
        "TG819",
        """
import gymnasium as gym
import torch


class Agent:
    def __init__(self, name):
        self.env = gym.make(name)

    def act(self, state):
        return torch.randint(0, 2, (1,)).item()

    def walk(self, state):
        over = False
        while not over:
            after, gain, over, _ = self.env.step(self.act(state))  # <--
            state = after
""",
    ),
    (  # a mask that is widened before it is used, one that is made of bytes, one less a mask
        "TG820",
        """
import torch


def attend(scores, lengths, words):
    pad = words.eq(0)
    keep = 1 - pad  # <--
    mask = torch.zeros(scores.shape, dtype=torch.uint8)
    scores = scores.masked_fill_(mask.unsqueeze(1), -1e4)
    scores = scores.masked_fill(pad.byte().unsqueeze(1), -1e4)  # <--
    return scores.masked_select(mask), keep  # <--
""",
    ),
    (  # names of frameworks, of modules that moved, and of old tensors
        "TG813",
        """
import pytorch_lightning as pl
import torch
from datasets import load_metric  # <--
from pytorch_lightning.metrics import Accuracy  # <--
from pytorch_lightning.utilities.distributed import rank_zero_only  # <--
from scipy.sparse.linalg.eigen.arpack import eigsh  # <--
from sklearn.ensemble.forest import RandomForestClassifier  # <--
from torch._utils import _accumulate  # <--
from transformers.modeling_utils import Conv1D  # <--


def trainer(options):
    return pl.Trainer.from_argparse_args(options)  # <--


@rank_zero_only
def kinds(features):
    forest = RandomForestClassifier()
    return forest, eigsh(features), list(_accumulate([1, 2])), Conv1D(2, 2), load_metric("f1")
""",
    ),
    (  # hooks, metrics and arguments of frameworks
        "TG817",
        """
import gym
import lightgbm as lgb
import pytorch_lightning as pl
import torch
import torchmetrics
from skimage.filters import gaussian
from transformers import TrainingArguments
from xgboost import XGBClassifier


class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.accuracy = torchmetrics.Accuracy()  # <--

    def validation_epoch_end(self, outputs):  # <--
        self.log("loss", torch.stack(outputs).mean())


def fit(images, labels, data):
    pl.Trainer(gpus=1, max_epochs=3).fit(Classifier(), data)  # <--
    trees = XGBClassifier()
    trees.fit(gaussian(images, multichannel=True), labels, early_stopping_rounds=9)  # <-- # <--
    lgb.train({}, data, early_stopping_rounds=9)  # <--
    return TrainingArguments("runs", evaluation_strategy="epoch")  # <--


def play(policy):
    env = gym.make("CartPole-v1")
    env.seed(3)  # <--
    return policy(env.reset())
""",
    ),
    (  # methods of Pillow, gensim and networkx, and an argument that has to be named
        "TG817",
        """
import networkx as nx
import torch
from gensim.models import Word2Vec
from matplotlib.patches import Polygon
from PIL import Image, ImageDraw, ImageFont


def label(image, text, path):
    font = ImageFont.truetype(path)
    width, height = ImageDraw.Draw(image).textsize(text, font=font)  # <--
    return font.getsize(text), Polygon([(0, 0), (width, height)], True)  # <-- # <--


def words(lines, edges):
    graph = nx.Graph(edges)
    graph.remove_edges_from(graph.selfloop_edges())  # <--
    return torch.tensor([len(Word2Vec(lines).wv.vocab), len(graph)])  # <--
""",
    ),
    (  # a mask of bytes that goes through two layers by its name
        "TG820",
        """
import torch
from torch import nn


class Attention(nn.Module):
    def forward(self, scores, mask=None):
        if mask is not None:
            scores = scores.masked_fill(mask[:, None], -1e4)  # <--
        return scores.softmax(-1)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()

    def forward(self, scores, mask=None):
        return self.attention(scores, mask=mask)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Layer()

    def forward(self, scores):
        later = torch.triu(torch.ones_like(scores), 1).byte()[None]
        return self.layer(scores, mask=later)
""",
    ),
]
CLEAN: dict[str, str] = {
    "a name that only type checkers import": """
from typing import TYPE_CHECKING, Any
import torch

if TYPE_CHECKING:
    from torch.optim.optimizer import _params_t
else:
    _params_t = Any

def count(parameters: _params_t) -> int:
    return len(torch.optim.SGD(parameters, 0.1).param_groups)
""",
    "hooks, metrics and seeds that are taken": """
import gym
import pytorch_lightning as pl
import torch
import torchmetrics
from xgboost import XGBClassifier

class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.accuracy = torchmetrics.Accuracy(task="binary")

    def on_validation_epoch_end(self):
        self.log("accuracy", self.accuracy.compute())

class Summary:
    def validation_epoch_end(self, outputs):
        return torch.stack(outputs).mean()

def fit(table, labels, data):
    Summary().validation_epoch_end([torch.ones(1)])
    pl.Trainer(accelerator="gpu", devices=1, max_epochs=3).fit(Classifier(), data)
    return XGBClassifier(early_stopping_rounds=9).fit(table, labels)

def play(policy):
    env = gym.make("CartPole-v1")
    env.action_space.seed(3)
    return policy(env.reset(seed=3))
""",
    "sizes, words and masks of other objects": """
import os
import torch
from PIL import Image, ImageFont
from torch import nn

class Attention(nn.Module):
    def forward(self, scores, mask=None):
        return scores.masked_fill(mask[:, None], -1e4)

class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()

    def forward(self, scores, lengths):
        later = torch.triu(torch.ones_like(scores), 1).bool()
        return self.attention(scores, mask=later)

def read(path, field, count):
    words = field.vocab[:count]
    return Decoder(), words, os.path.getsize(path), ImageFont.load_default().getbbox("a")
""",
    "a model of transformers that gives tuples": """
from torch import nn
from transformers import BertModel

class Classifier(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.bert = BertModel.from_pretrained(name, return_dict=False)

    def forward(self, tokens):
        states, pooled = self.bert(tokens)
        return pooled
""",
    "a model of one's own that is called as one of transformers": """
import torch
from project import Encoder
from transformers import BertTokenizer

def encode(name, words):
    tokens = BertTokenizer.from_pretrained(name)(words)
    model = Encoder(name)
    states, pooled = model(tokens)
    return pooled
""",
    "a wrapper that turns five values into four": """
import gym
import torch

class Old(gym.Wrapper):
    def step(self, action):
        *rest, info = self.env.step(action)
        return rest[0], rest[1], rest[2] or rest[3], info

def play(policy):
    env = Old(gym.make("CartPole-v1"))
    state, reward, done, info = env.step(policy(torch.zeros(4)))
    return reward
""",
    "masks of bools, and numbers that are no masks": """
import torch

def attend(scores, words, mask):
    pad = words.eq(0).byte().bool()
    share = 1 - words.eq(0).float()
    mask = mask.byte()
    return scores.masked_fill(pad, -1e4) * share, scores.masked_fill(mask, 0)
""",
    "arguments that are named, and a loader of one's own": """
import librosa
import numpy as np
import torch
import yaml

def read(path, rate):
    with open(path) as file:
        options = yaml.load(file, Loader=yaml.SafeLoader)
    wave, _ = librosa.load(path, sr=rate)
    table = np.load(path, allow_pickle=True).item()
    return options, wave, table, np.load(path).mean().item()

def spectrum(wave):
    return torch.stft(torch.as_tensor(wave), 512, return_complex=True)
""",
    "methods of others that are called like those which dicts have lost": """
import six
import torch

def pairs(table, rows, row):
    rows.append(row)
    return list(six.iteritems(table)), torch.tensor(rows)
""",
    "names that an old library has, behind its version": """
import collections

import numpy as np
import torch

try:
    from collections import Iterable
except ImportError:
    from collections.abc import Iterable

def kind(values):
    if not hasattr(np, "float64"):
        return np.float
    return np.float64 if isinstance(values, Iterable) else torch.float64
""",
    "methods of other classes that are called like those which libraries have lost": """
import numpy as np
import pandas as pd
import torch
import matplotlib.pyplot as plt
from xml.etree import ElementTree

class Unmade(torch.utils.data.Sampler):
    def __init__(self, data):
        super().__init__(data)

class Log:
    def get_value(self, name, step):
        return self.values[name][step]

    def applymap(self, change):
        return [change(one) for one in self.values]

def read(log, tree, path, request):
    text = ElementTree.tostring(tree)
    words = "a b c".split(" ", 1)
    numbers = np.fromstring("1-2", dtype=int, sep="-")
    table = pd.read_csv(path).drop(columns="date").resample("1h").mean()
    months = pd.period_range("2020", periods=3, freq="M")
    log.applymap(abs)
    return text, words, np.ptp(numbers), table, months, log.get_value("loss", -1)

def plot(figure):
    plt.style.use("seaborn-v0_8-whitegrid")
    figure.canvas.manager.set_window_title("loss")
    figure.gca().hist([1, 2], density=True)
""",
    "arguments of a release that the code asks for": """
import albumentations as A
import numpy as np
import torch

def crop(size, values):
    new = tuple(map(int, A.__version__.split("."))) >= (2, 0)
    cut = A.RandomResizedCrop(size=(size, size)) if new else A.RandomResizedCrop(height=size)
    try:
        return cut, values.ptp()
    except AttributeError:
        return cut, np.ptp(values)
""",
}
