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
]
CLEAN: dict[str, str] = {
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
}
