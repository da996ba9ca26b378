"""Calls and settings that do nothing: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (  # by methods, and by functions of a module with another name
        "TG336",
        """
import torch
import torch.nn.functional as nnf

class Memory(torch.nn.Module):
    def write(self, keys, mask):
        nnf.normalize(keys, dim=1)  # <--
        keys.masked_fill(mask, 0)  # <--
        self.table.detach()  # <--
        self.table = self.table + keys.mean(0)

def evaluate(model, loader, device, score):
    weights = torch.tensor([1.0, 4.0])
    weights.to(device)  # <--
    for i, (images, labels) in enumerate(loader):
        images.cuda()  # <--
        score(model(images), labels, weights)
""",
    ),
    (  # set in a config, and kept by the object that is given it
        "TG337",
        """
from yacs.config import CfgNode as CN

_C = CN()
_C.TEST = CN()
_C.TEST.NORM = "yes"
_C.TEST.RANK = "off"

class Evaluator:
    def __init__(self, queries, norm=True):
        self.queries = queries
        self.norm = norm

    def compute(self, features):
        if self.norm:  # <--
            features = features / features.norm(dim=1, keepdim=True)
        return features

def evaluate(cfg, features, rank):
    found = Evaluator(10, norm=cfg.TEST.NORM).compute(features)
    return rank(found) if cfg.TEST.RANK and len(found) else found  # <--
""",
    ),
]
CLEAN: dict[str, str] = {
    "words in settings that are compared, or made a truth": """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--warmup", default="no")
parser.add_argument("--shuffle", default="on")
parser.add_argument("--pretrain", default="false", type=lambda text: text == "true")
args = parser.parse_args()
args.shuffle = args.shuffle == "on"

def start(model):
    if args.warmup and args.warmup != "no":
        model.warm()
    if args.shuffle:
        model.shuffle()
    return model if args.pretrain else None
""",
    "calls whose result is thrown away, and that do something": """
import time
import torch
import torch.nn.functional as F

def start(net, criterion, device, loader, x, out, stream):
    net.to(device)
    criterion.cuda()
    F.relu(x, inplace=True)
    torch.clamp(x, 0, 1, out=out)
    x.clamp_(0, 1)
    stream.view()
    torch.zeros(1).cuda()
    for graph in loader:
        graph.to(device)
    try:
        x.view(4, 4)
    except RuntimeError:
        return False
    return True

def speed(x):
    start = time.time()
    for _ in range(100):
        torch.cat([x, x])
    return time.time() - start
""",
}
