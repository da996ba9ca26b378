"""What readers called true but hardly worth a change, or wrong, in other words."""

PARSER = """
import argparse

import torch

def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--width", type=int, default=8)
"""
TRAINING = """
    return parser.parse_args()

def fit(args, loader, cross_entropy):
    torch.manual_seed(0)
    net = torch.nn.Linear(args.width, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=args.rate)
    for _ in range(args.rounds):
        for x, y in loader:
            optimizer.zero_grad()
            cross_entropy(net(x), y).backward()
            optimizer.step()

"""
HINTS: dict[str, tuple[str, str]] = {
    "several processes that somebody has to ask for": (
        "TG703",
        """
import argparse
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--nodes", default=1, type=int)
args = parser.parse_args()

def main(model, run_epoch):
    args.several = args.nodes > 1
    if args.several:
        dist.init_process_group("gloo", world_size=args.nodes)
        model = DistributedDataParallel(model)
    for epoch in range(9):
        run_epoch(model)
        torch.save({"epoch": epoch}, "last.pt")  # <--
""",
    ),
    "one process that goes on with its own training": (
        "TG610",
        """
import torch

class Runner:
    def __init__(self, net, rate):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = net.to(self.device)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=rate)

    def go_on(self, path):
        state = torch.load(path, weights_only=True)  # <--
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])
        return state["epoch"]
""",
    ),
    "weights of a model that is brought to the CPU first": (
        "TG610",
        """
import torch

def keep(net, path):
    net.eval()
    net.cpu()
    torch.save(net.state_dict(), path)
    if torch.cuda.is_available():
        net.cuda()

def use(net, path):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net.load_state_dict(torch.load(path, weights_only=True))  # <--
    return net.to(device).eval()
""",
    ),
    "the epochs of what the program does not have": (
        "TG418",
        PARSER
        + """
    parser.add_argument("--tuning-epochs", type=int, default=3, help="epochs of tuning")  # <--
"""
        + TRAINING,
    ),
    "a loss that nothing is said of": (
        "TG418",
        PARSER
        + """
    parser.add_argument("--loss", type=str, default="triplet")  # <--
"""
        + TRAINING,
    ),
    "epochs that follow from what the run computes": (
        "TG418",
        PARSER
        + """
    parser.add_argument("--epochs", type=int, default=90, help="how many epochs")  # <--
"""
        + TRAINING
        + """
def main(cost_of, loader, cross_entropy, small, large):
    args = options()
    least = cost_of(small)
    args.epochs = int(90 * cost_of(large) / least)
    for _ in range(args.epochs):
        fit(args, loader, cross_entropy)
""",
    ),
    "a flag of which a comment says that nothing uses it": (
        "TG418",
        PARSER
        + """
    parser.add_argument("--dropout", type=float, default=0.5, help="its rate")  # not used  # <--
"""
        + TRAINING,
    ),
    "a rate that only counts its plateau": (
        "TG615",
        """
import torch

def fit(net, optimizer, epochs, run_epoch):
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
    for epoch in range(epochs):
        loss = run_epoch(net)
        state = {"net": net.state_dict(), "optimizer": optimizer.state_dict()}
        state["scheduler"] = scheduler.state_dict()
        torch.save(state | {"epoch": epoch + 1}, f"{epoch}.pt")
        scheduler.step(loss)  # <--

def go_on(scheduler, path):
    scheduler.load_state_dict(torch.load(path, weights_only=True)["scheduler"])
""",
    ),
    "a generator that has a seed of its own": (
        "TG104",
        """
import torch

class Noise:
    def __init__(self, seed):
        self.source = torch.Generator(device="cpu")
        if seed:  # <--
            self.source.manual_seed(seed)
""",
    ),
    "a rate that the one scheduler of the program computes from the step": (
        "TG810",
        """
import torch

class Runner:
    def __init__(self, scheduler):
        self.scheduler = scheduler

    def run(self, step, log):
        for _ in range(9):
            step()
            log(self.scheduler.get_lr())  # <--
            self.scheduler.step()

def main(optimizer, step, log):
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9**epoch)
    Runner(rates).run(step, log)
""",
    ),
    "scores of one episode at a time": (
        "TG504",
        """
import torch
from torch.nn.functional import cross_entropy

from episodes import Episodes

@torch.no_grad()
def accuracy(net, val_loader, epoch):
    net.eval()
    val_acc = 0.0
    for images, labels in val_loader(epoch):
        acc = (net(images).argmax(1) == labels).float().mean()
        val_acc += acc.item()  # <--
    return val_acc / len(val_loader)

def fit(net, run_epoch, data):
    episodes = Episodes(data, batch_size=1)
    best_acc = 0.0
    for epoch in range(9):
        run_epoch(net)
        val_acc = accuracy(net, episodes, epoch)
        if val_acc > best_acc:
            best_acc = val_acc
            torch.save(net.state_dict(), "best.pt")
""",
    ),
    "a state that a script takes for the weights themselves": (
        "TG603",
        """
import torch
from torch import nn

def prune(net, path):
    state = torch.load(path, map_location="cpu", weights_only=True)
    net.load_state_dict(state)
    return net

def fit(model, run_epoch, path):
    model = nn.DataParallel(model)
    for epoch in range(9):
        run_epoch(model)
        torch.save({"epoch": epoch, "weights": model.state_dict()}, path)  # <--
""",
    ),
    "the scores of a game, of which the mean is taken": (
        "TG506",
        """
import torch

def watch(config, net, newest, play):
    best_test_score = 0.0
    while newest(net):
        test_score, _ = play(net, config.test_episodes)
        mean_score = test_score.mean()
        if mean_score >= best_test_score:  # <--
            best_test_score = mean_score
            torch.save(net.state_dict(), "best.pt")
""",
    ),
}

PLANTED: list[tuple[str, str]] = [
    *HINTS.values(),
    (
        "TG703",
        """
import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def main(args, model, run_epoch):
    args.nodes = int(os.environ["WORLD_SIZE"])
    args.several = args.nodes > 1
    if args.several:
        dist.init_process_group("gloo", world_size=args.nodes)
        model = DistributedDataParallel(model)
    for epoch in range(9):
        run_epoch(model)
        torch.save({"epoch": epoch}, "last.pt")  # <--
""",
    ),
    (
        "TG610",
        """
import torch

def keep(net, path):
    net.cpu()
    print(sum(one.sum() for one in net.parameters()))
    if torch.cuda.is_available():
        net.cuda()
    torch.save(net.state_dict(), path)

def use(net, path):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net.load_state_dict(torch.load(path, weights_only=True))  # <--
    return net.to(device).eval()
""",
    ),
    (
        "TG418",
        PARSER
        + """
    parser.add_argument("--warmup-epochs", type=int, default=5, help="epochs of warm-up")  # <--
    parser.add_argument("--loss", type=str, default="focal", help="which loss")  # <--
"""
        + TRAINING,
    ),
    (
        "TG315",
        """
import torch.nn.functional as F
from torch import nn

class Distilling(nn.Module):
    def __init__(self):
        super().__init__()
        self.divergence = nn.KLDivLoss()  # <--

    def forward(self, heat, student, teacher):
        soft = F.log_softmax(student / heat, dim=1)
        return self.divergence(soft, F.softmax(teacher / heat, dim=1)) * heat * heat
""",
    ),
    (
        "TG604",
        """
import argparse
import torch

class Features(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 8)

def main(loader, loss_of):
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", default="")
    args = parser.parse_args()
    net = Features()
    if args.resume:
        net.load_state_dict(torch.load(args.resume, map_location="cpu", weights_only=True))
    torch.manual_seed(0)
    optimizer = torch.optim.Adam(net.parameters())
    for batch in loader:
        optimizer.zero_grad()
        loss_of(net, batch).backward()
        optimizer.step()
    torch.save(net.state_dict(), "last.pt")  # <--
""",
    ),
    (
        "TG104",
        """
import torch

def start(seed):
    if seed:  # <--
        torch.manual_seed(seed)
""",
    ),
    (
        "TG603",
        """
import torch
from torch import nn

def prune(net, path):
    state = torch.load(path, map_location="cpu", weights_only=True)
    net.load_state_dict(state["weights"])
    return net

def fit(model, run_epoch, path):
    model = nn.DataParallel(model)
    for epoch in range(9):
        run_epoch(model)
        torch.save({"epoch": epoch, "weights": model.state_dict()}, path)  # <--
""",
    ),
]

CLEAN: dict[str, str] = {
    "a divergence that is multiplied by the number of classes": """
import torch.nn.functional as F
from torch import nn

class Distilling(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.divergence = nn.KLDivLoss()
        self.num_classes = num_classes

    def forward(self, weight, student, teacher):
        soft = F.log_softmax(student, dim=1)
        return weight * self.divergence(soft, F.softmax(teacher, dim=1)) * self.num_classes
""",
    "weights that are converted, beside a run that may be resumed": """
import argparse
import torch

class Features(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 8)

def convert(arrays, path):
    features = Features()
    for target, source in zip(features.parameters(), arrays):
        target.data[:] = source
    torch.save(features.state_dict(), path)

def main(net, loader, loss_of):
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", default="")
    args = parser.parse_args()
    if args.resume:
        net.load_state_dict(torch.load(args.resume, map_location="cpu", weights_only=True))
    torch.manual_seed(0)
    optimizer = torch.optim.Adam(net.parameters())
    for batch in loader:
        optimizer.zero_grad()
        loss_of(net, batch).backward()
        optimizer.step()
""",
    **{what: code for what, (_, code) in HINTS.items()},
    "a method that saves, with `torch.save` in it, and a guard at its call": """
import os
import torch
from torch.nn.parallel import DistributedDataParallel

class Runner:
    def __init__(self, model, rank, folder):
        torch.distributed.init_process_group("nccl")
        self.model, self.folder = DistributedDataParallel(model), folder

    def save(self, epoch):
        torch.save({"epoch": epoch}, os.path.join(self.folder, f"{epoch}.pt"))

def main(model, rank, folder, run_epoch):
    runner = Runner(model, rank, folder)
    for epoch in range(9):
        run_epoch(runner.model)
        if rank == 0:
            runner.save(epoch)
""",
    "a data set that brings back its counts": """
import torch

class Replay(torch.utils.data.Dataset):
    def __init__(self, folder):
        self.folder, self.lengths = folder, []
        self.device = "cuda" if torch.cuda.is_available() else "cpu"

    def load_state_dict(self, state):
        self.lengths = state["lengths"]

    def go_on(self):
        self.load_state_dict(torch.load(self.folder / "counts.pt", weights_only=True))
""",
}
