"""Checkpoints, resumes, schedules and layers: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG320",
        """
import torch.nn as nn

class Pool(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def normed(self, x):
        norm = nn.BatchNorm1d(x.size(1)).to(x.device)  # <--
        return norm(x)

    def forward(self, x):
        return self.normed(x).mean(dim=1)
""",
    ),
    (
        "TG321",
        """
import torch

def total(parts, x):
    outputs = []
    for part in parts:
        outputs.append(part(x))
        return torch.stack(outputs).sum(0)  # <--
""",
    ),
    (
        "TG322",
        """
import torch

class Runner:
    def __init__(self, args):
        self.device = torch.device(args.device)

    def workers(self):
        return 4 if self.device != "cpu" else 0  # <--

def run(model, device):
    if device == "cuda":  # <--
        model.half()

def main(args, model):
    where = torch.device("cuda" if args.gpu else "cpu")
    run(model, where)
""",
    ),
    (
        "TG323",
        """
import torch.nn as nn
from torch.nn import init

class Words(nn.Module):
    def __init__(self, words, pad):
        super().__init__()
        self.table = nn.Embedding(words, 8, padding_idx=pad)
        self.reset()

    def reset(self):
        self.table.weight.data.uniform_(-0.1, 0.1)  # <--
        init.normal_(self.table.weight)  # <--
""",
    ),
    (
        "TG324",
        """
import torch

def dice(a, b):
    return 2 * (((a == 1) + (b == 1)) == 2).sum() / (a.sum() + b.sum())  # <--
""",
    ),
    (
        "TG325",
        """
from torch.nn import Conv1d

def gate(channels, width):
    return Conv1d(channels, channels, (1, width), dilation=2)  # <--
""",
    ),
    (
        "TG604",
        """
import torch

class Agent:
    def __init__(self, actor, critic, alpha):
        self.actor, self.critic, self.log_alpha = actor, critic, alpha
        self.actor_optim = torch.optim.Adam(self.actor.parameters())
        self.critic_optim = torch.optim.Adam(self.critic.parameters())
        self.alpha_optim = torch.optim.Adam([self.log_alpha])

    def learn(self):
        self.actor_optim.step()
        self.critic_optim.step()
        self.alpha_optim.step()

    def save(self, path):
        state = {
            "actor": self.actor.state_dict(),
            "critic": self.critic.state_dict(),
            "alpha": self.log_alpha,
            "actor_optim": self.actor_optim.state_dict(),
            "critic_optim": self.critic_optim.state_dict(),
        }
        torch.save(state, path)  # <--
""",
    ),
    (
        "TG604",
        """
import torch

class Supervisor:
    def __init__(self, model, **settings):
        self.model, self._settings = model, settings

    def keep(self, epoch, path):
        content = dict(self._settings)
        content["weights"] = self.model.state_dict()
        content["epoch"] = epoch
        torch.save(content, path)  # <--

    def train(self, batches, loss_of):
        optimizer = torch.optim.Adam(self.model.parameters())
        for batch in batches:
            optimizer.zero_grad()
            loss_of(self.model, batch).backward()
            optimizer.step()
""",
    ),
    (
        "TG608",
        """
import torch

def main(args, model, fit_one, score_of):
    if args.resume:
        model.load_state_dict(torch.load(args.resume, map_location="cpu", weights_only=True))
    best_score = 0.0
    for epoch in range(args.epochs):
        fit_one(model, epoch)
        score = score_of(model)
        if score > best_score:  # <--
            best_score = score
            torch.save(model.state_dict(), args.out)
""",
    ),
    (
        "TG611",
        """
import torch

def keep(net, number, path, **others):
    state = {"net": net.state_dict(), "epoch": number, **others}
    torch.save(state, path)

def save_last(net, number, optimizer, path):
    parts = {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": number}
    torch.save(parts, f"{path}-{number}")

def main(args, net, optimizer, fit_one):
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]  # <--
    for epoch in range(first, args.epochs):
        fit_one(net, optimizer, epoch)
        save_last(net, epoch, optimizer, path=args.out)
""",
    ),
    (
        "TG616",
        """
import torch
from torch import nn
from torch.nn import DataParallel

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

def train(args, weights_of):
    net = Net()
    optimizer = torch.optim.Adam([{"params": weights_of(net)}], lr=args.rate)
    if args.checkpoint:
        state = torch.load(args.checkpoint, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
    net = DataParallel(net).cuda()  # <--
    net.train()
    return net, optimizer
""",
    ),
    (
        "TG617",
        """
def finish(model, optimizer, score, best_score, epoch, saver):
    if score > best_score:
        saver.save_ckpt(
            {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch},
            is_best=True,
        )
    else:
        saver.save_ckpt(  # <--
            {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch},
            is_best=False,
        )
""",
    ),
    (
        "TG618",
        """
import torch

class Pretraining:
    def __init__(self, online, predictor, rate):
        self.online, self.predictor = online, predictor
        self.optimizer = torch.optim.SGD(
            list(self.online.parameters()) + list(self.predictor.parameters()), lr=rate
        )

    def keep(self, path):
        torch.save(  # <--
            {"online": self.online.state_dict(), "optimizer": self.optimizer.state_dict()}, path
        )
""",
    ),
    (
        "TG619",
        """
import os
import torch

class RunLog:
    def __init__(self, path):
        self.file = open(path, "w")  # <--

    def write(self, text):
        self.file.write(text)

def main(args, model, optimizer, train):
    log = RunLog(os.path.join(args.folder, "train.log"))
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
    for epoch in range(args.epochs):
        log.write(str(train(model, optimizer)))
""",
    ),
    (
        "TG620",
        """
import argparse
import os
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--save-to", default="runs/first")

def finish(model, name):
    args = parser.parse_args()
    target = os.path.join(args.save_to, name + ".pt")
    with open("states/" + name, "wb") as file:
        torch.save(model.state_dict(), file)  # <--
    torch.save(model.state_dict(), target)  # <--
    torch.save(model.state_dict(), "weights/%s.pt" % name)  # <--
""",
    ),
    (
        "TG604",
        """
import torch
from torch import nn

def fit(net, optimizer, loader, epochs, path, spread):
    if spread:
        net = nn.DataParallel(net)
    for epoch in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            net(batch).sum().backward()
            optimizer.step()
        if spread:
            weights = net.module.state_dict()
        else:
            weights = net.state_dict()
        torch.save({"weights": weights, "epoch": epoch}, f"{path}/{epoch}.pt")  # <--
""",
    ),
    (
        "TG604",
        """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--resume", action="store_true")
path = "last.pt" if parser.parse_args().resume else "first.pt"

def save(maker, judge, path):
    parts = {}
    parts["maker"] = maker.state_dict()
    parts["judge"] = judge.state_dict()
    torch.save(parts, path)  # <--

def fit(maker, judge, maker_optim, judge_optim, loader):
    for batch in loader:
        judge_optim.zero_grad()
        judge(maker(batch)).sum().backward()
        judge_optim.step()
        maker_optim.step()
""",
    ),
    (
        "TG622",
        """
import torch

def keep(parts, folder, number):
    torch.save(parts, f"{folder}/{number}.pt")

def main(args, net, optimizer, fit_one):
    first = 0
    if args.resume:
        last = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(last["net"])
        optimizer.load_state_dict(last["optim"])  # <--
        first = last["epoch"] + 1
    for epoch in range(first, args.epochs):
        fit_one(net, optimizer, epoch)
        parts = {"net": net.state_dict(), "optimizer": optimizer.state_dict()}
        parts["epoch"] = epoch
        keep(parts, args.out, epoch)
""",
    ),
    (
        "TG610",
        """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--cpu", action="store_true")

def fill(net, weights):
    own = net.state_dict()
    for name, tensor in weights.items():
        if name in own:
            own[name].copy_(tensor)

def main(net, path):
    args = parser.parse_args()
    fill(net, torch.load(path, weights_only=True))  # <--
    return net if args.cpu else net.cuda()
""",
    ),
    (
        "TG610",
        """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cpu", "cuda"])

class Runner:
    def __init__(self, net, options):
        self.place = options.device
        self.net = net.to(self.place)

    def load(self, path):
        self.net.load_state_dict(torch.load(path, weights_only=True))  # <--
""",
    ),
    (
        "TG603",
        """
import torch
from torch import nn

def keep(net, path):
    weights = net.state_dict()  # <--
    torch.save({"weights": weights}, path)

def made(width, spread):
    net = nn.Linear(width, 2)
    if spread:
        net = nn.DataParallel(net)
    return net, list(net.parameters())

def main(args, fit):
    net, values = made(args.width, args.spread)
    fit(net, values)
    keep(net, args.path)
""",
    ),
    (
        "TG620",
        """
import os
import torch

def ensure_folder(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)

def finish(net, number):
    torch.save(net.state_dict(), f"results/{number}.pt")  # <--
""",
    ),
    (  # a script that only makes images, with a switch for the GPU
        "TG610",
        """
import argparse

import torch
from torch import nn


class Painter(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, 3)

    def forward(self, noise):
        return self.layer(noise)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    parser.add_argument("--cuda", action="store_true")
    opt = parser.parse_args()
    painter, noise = Painter(8), torch.randn(1, 8)
    painter.load_state_dict(torch.load(opt.weights, weights_only=True))  # <--
    if opt.cuda:
        painter, noise = painter.cuda(), noise.cuda()
    print(painter(noise))
""",
    ),
]

CLEAN: dict[str, str] = {
    "the version of torch, which compares by its numbers": """
import torch

FAST = torch.__version__ >= "2.9"
""",
    "layers in forward that have nothing to train, or are made once": """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = None
        self.body = self._make(3)

    def _make(self, n):
        layer = nn.Linear(n, n)
        layer(torch.zeros(1, n))
        return layer

    def forward(self, x):
        x = nn.LayerNorm(x.shape[1:], elementwise_affine=False)(nn.ReLU()(x))
        if self.head is None:
            self.head = nn.Linear(x.shape[1], 2).to(x.device)
        fixed = nn.Conv2d(1, 1, 3, bias=False)
        fixed.weight = nn.Parameter(torch.ones(1, 1, 3, 3), requires_grad=False)
        return self.head(self.body(x)), fixed(x)
""",
    "a loop that returns the first that fits": """
import torch

def first(loader, layers, x):
    for batch in loader:
        return batch
    for layer in layers:
        x = layer(x)
        if x is None:
            continue
        return x
""",
    "devices compared with devices, and their names with texts": """
import torch

def run(model, device):
    if device == "cuda":
        model.half()

def main(args, model, name="cpu"):
    device = torch.device(args.device)
    if device.type == "cuda" or str(device) == "cpu" or device == torch.device("cpu"):
        run(model, "cuda")
    run(model, device)
    return name == "cpu"
""",
    "an embedding whose padding is set to zero again": """
from torch import nn

class Words(nn.Module):
    def __init__(self, words, pad):
        super().__init__()
        self.table = nn.Embedding(words, 8, padding_idx=pad)
        nn.init.normal_(self.table.weight)
        nn.init.constant_(self.table.weight[pad], 0)
        self.free = nn.Embedding(words, 8)
        nn.init.normal_(self.free.weight)
""",
    "another layer under the name that an embedding has elsewhere": """
from torch import nn

def embedding(words, pad):
    m = nn.Embedding(words, 8, padding_idx=pad)
    return m

def linear(n):
    m = nn.Linear(n, n)
    m.weight.data.normal_(0, 0.1)
    return m
""",
    "weights for another run, and a scheduler that is told where it is": """
import torch

def main(args, model, keep):
    last_epoch = -1
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        optimizer.load_state_dict(state["optimizer"])
        last_epoch = state["epoch"]
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30, 0.1, last_epoch - 1)
    for epoch in range(args.epochs):
        optimizer.step()
        scheduler.step()
        weights, moments = model.state_dict(), optimizer.state_dict()
        path = f"{epoch}.pt"
        torch.save({"model": model.state_dict(), "optimizer": moments, "epoch": epoch + 1}, path)
        torch.save({"model": model.state_dict(), "weights": weights, "epoch": 0}, f"x{epoch}.pt")
""",
    "sums of numbers, and of comparisons that are numbers": """
import torch

def count(a, b):
    return (((a == 1).int() + (b == 1).int()) == 2).sum(), ((a + b) == 2).sum()
""",
    "parameters of chosen modules, each once": """
import torch
from torch import nn

def weights(model):
    for layer in model.modules():
        if isinstance(layer, nn.Conv2d):
            for weight in layer.parameters():
                yield weight

def own(model):
    for layer in model.modules():
        for weight in layer.parameters(recurse=False):
            yield weight

def build(model):
    return torch.optim.SGD([{"params": weights(model)}, {"params": own(model.head)}], lr=0.1)
""",
    "a model that is on its device, or whose optimizer's state is moved too": """
import torch
from torch import nn

def one(args, device):
    model = nn.Linear(2, 2).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    state = torch.load(args.path, map_location="cpu", weights_only=True)
    optimizer.load_state_dict(state["optimizer"])
    model = model.to(device)
    return model.to(torch.float32), optimizer

def two(args, device):
    net = nn.Linear(2, 2)
    moments = torch.optim.Adam(net.parameters())
    moments.load_state_dict(torch.load(args.path, map_location="cpu", weights_only=True))
    net.cuda()
    for held in moments.state.values():
        for key, value in held.items():
            held[key] = value.cuda()
    return net, moments
""",
    "modules that are part of what is saved, or saved in a loop": """
import torch
from torch import nn

def fit(encoder, head, path):
    model = nn.Sequential(encoder, head)
    optimizer = torch.optim.Adam([*encoder.parameters(), *model.parameters()])
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, path)
""",
    "a log that is added to, or belongs to this run alone": """
import torch

class RunLog:
    def __init__(self, path, resume=False):
        if resume:
            self.file = open(path, "a")
        else:
            self.file = open(path, "w")

def main(args, model, optimizer, train):
    log = RunLog(args.log, resume=args.resume)
    with open("log-of-settings.txt", "w") as settings:
        settings.write(str(args))
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
    for epoch in range(args.epochs):
        log.file.write(str(train(model, optimizer)))
""",
    "folders that are made, or that the user gives": """
import os
import torch

def main(args, model, name):
    folder = os.path.join("runs", name)
    os.makedirs(folder, exist_ok=True)
    torch.save(model.state_dict(), os.path.join(folder, "last.pt"))
    torch.save(model.state_dict(), f"runs/{name}/best.pt")
    torch.save(model.state_dict(), f"{args.out}/best.pt")
    torch.save(model.state_dict(), "final.pt")
""",
    "a program that ends where there is no GPU": """
import torch

def main(args, model):
    if not torch.cuda.is_available():
        raise SystemExit("needs a GPU")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.load_state_dict(torch.load(args.weights, weights_only=True))
    return model.to(device)
""",
    "a file that this process wrote by a helper": """
import torch

class EarlyStopping:
    def __init__(self, path):
        self.path = path

    def __call__(self, model):
        torch.save(model.state_dict(), self.path)

def main(args, model, fit):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    stopping = EarlyStopping(args.path)
    fit(model.to(device), stopping)
    model.load_state_dict(torch.load(args.path, weights_only=True))
""",
    "an epoch that a helper moves on": """
import torch

def save_last(net, number, optimizer, path):
    parts = {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": number + 1}
    torch.save(parts, f"{path}-{number}")

def main(args, net, optimizer, fit_one):
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
    for epoch in range(first, args.epochs):
        fit_one(net, optimizer, epoch)
        save_last(net, epoch, optimizer, path=args.out)
""",
    "the best weights of all epochs, kept to the end": """
import torch

def fit(net, optimizer, loader, epochs, score, path):
    best, best_weights, last_weights = 0.0, None, None
    for epoch in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            net(batch).sum().backward()
            optimizer.step()
        last_weights = net.state_dict()
    torch.save({"weights": last_weights, "epoch": epochs}, path)
""",
    "keys that a resume asks for before it reads them, and those of other people's files": """
import torch

def keep(net, optimizer, epoch, path):
    parts = {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    torch.save(parts, path)

def resume(net, optimizer, path):
    last = torch.load(path, map_location="cpu", weights_only=True)
    net.load_state_dict(last["net"])
    optimizer.load_state_dict(last["optimizer"])
    best = last["best"] if "best" in last else 0.0
    return last["epoch"] + 1, best

def pretrained(net, path):
    given = torch.load(path, map_location="cpu", weights_only=True)
    net.load_state_dict({**given["net"], **given["ema"]})

def resume_more(net, optimizer, averages, path):
    last = torch.load(path, map_location="cpu", weights_only=True)
    net.load_state_dict(last["net"])
    optimizer.load_state_dict(last["optimizer"])
    if averages is not None:
        averages.load_state_dict(last["averages"])
    return last["epoch"] + 1
""",
    "a helper that is given the bare model": """
import torch
from torch import nn

def keep(net, path):
    weights = net.state_dict()
    torch.save({"weights": weights}, path)

def main(args, net, fit):
    spread = nn.DataParallel(net)
    fit(spread)
    keep(net, args.path)
""",
    "weights for a model that moves its input to a GPU anyhow": """
import torch
from torch import nn


class Painter(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, 3)

    def forward(self, noise):
        return self.layer(noise.cuda())


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    painter = Painter(8).to(device)
    painter.load_state_dict(torch.load("out/%d.pt" % 3, weights_only=True))
    print(painter(torch.randn(1, 8)))
""",
}
