"""Checkpoints in the shapes that programs have: planted faults, and clean code beside them."""

RUN = """
def fit(model, loader, loss_of, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
"""

PLANTED: list[tuple[str, str]] = [
    (  # by the number of the step, in a class
        "TG604",
        """
import argparse
import torch

class Solver:
    def __init__(self, config, net, loader):
        self.config, self.net, self.loader = config, net, loader
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def train(self, loss_of):
        start = 0
        if self.config.resume_iters:
            start = self.config.resume_iters
            path = f"{start}.pt"
            self.net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        for i in range(start, 10000):
            self.optimizer.zero_grad()
            loss_of(self.net, next(self.loader)).backward()
            self.optimizer.step()
            if (i + 1) % 1000 == 0:
                torch.save(self.net.state_dict(), f"{i + 1}.pt")  # <--

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume_iters", type=int, default=None)
    Solver(parser.parse_args(), torch.nn.Linear(2, 1), iter([])).train(lambda net, x: net(x).sum())
""",
    ),
    (  # saved by a function that is called `save_checkpoint`, and never read
        "TG604",
        RUN
        + """
import torch

def save_checkpoint(model, optimizer, epoch, path):
    moments = optimizer.state_dict()
    torch.save({"model": model.state_dict(), "optimizer": moments, "epoch": epoch}, path)

def save_all(model, optimizer, epoch, path):
    state = {"net": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    torch.save(state, path)  # <--

def load(model, path):
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["net"])
    return state["epoch"] + 1

def main(model, loader, loss_of, resume, epochs):
    optimizer = torch.optim.Adam(model.parameters())
    first = load(model, resume) if resume else 0
    for epoch in range(first, epochs):
        fit(model, loader, loss_of, optimizer)
        save_all(model, optimizer, epoch, f"{epoch}.pt")
""",
    ),
    (  # one of two optimizers, in a function
        "TG604",
        """
import torch

def main(maker, critic, loader, resume, epochs):
    opt_m = torch.optim.Adam(maker.parameters())
    opt_c = torch.optim.Adam(critic.parameters())
    first = 0
    if resume:
        state = torch.load(resume, map_location="cpu", weights_only=True)
        maker.load_state_dict(state["maker"])
        critic.load_state_dict(state["critic"])
        opt_m.load_state_dict(state["optimizer"])
        first = state["epoch"]
    for epoch in range(first, epochs):
        for batch in loader:
            opt_m.zero_grad()
            critic(maker(batch)).mean().backward()
            opt_m.step()
            opt_c.zero_grad()
            critic(batch).mean().backward()
            opt_c.step()
        torch.save({"optimizer": opt_m.state_dict(), "maker": maker.state_dict(),  # <--
                    "critic": critic.state_dict(), "epoch": epoch + 1}, f"{epoch}.pt")
""",
    ),
    (  # by a flag that the save is under
        "TG608",
        RUN
        + """
import torch

def main(model, loader, loss_of, score_of, resume, epochs):
    optimizer = torch.optim.Adam(model.parameters())
    first, best_score = 0, 0.0
    if resume:
        state = torch.load(resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
    for epoch in range(first, epochs):
        fit(model, loader, loss_of, optimizer)
        score = score_of(model)
        is_best = score > best_score  # <--
        best_score = max(score, best_score)
        if is_best:
            torch.save(model.state_dict(), "best.pt")
        moments = optimizer.state_dict()
        state = {"model": model.state_dict(), "optimizer": moments, "epoch": epoch + 1}
        torch.save(state, "last.pt")
""",
    ),
    (  # in a method that the loop calls
        "TG608",
        RUN
        + """
import torch

class Trainer:
    def __init__(self, model, resume):
        self.model = model
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.best_score = 0.0
        self.first = 0
        if resume:
            state = torch.load(resume, map_location="cpu", weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.first = state["epoch"]

    def validate(self, score_of, epoch):
        score = score_of(self.model)
        if score > self.best_score:  # <--
            self.best_score = score
            moments = self.optimizer.state_dict()
            parts = {"model": self.model.state_dict(), "optimizer": moments, "epoch": epoch + 1}
            torch.save(parts, "best.pt")

def main(model, loader, loss_of, score_of, resume, epochs):
    trainer = Trainer(model, resume)
    for epoch in range(trainer.first, epochs):
        fit(trainer.model, loader, loss_of, trainer.optimizer)
        trainer.validate(score_of, epoch)
""",
    ),
    (  # what a function gets from argparse
        "TG612",
        """
import argparse
import torch

def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--last", default="last.pt")
    return parser.parse_args()

def main(model):
    args = parse()
    torch.save({"model": model.state_dict(), "args": args}, args.last)
    return torch.load(args.last, map_location="cpu")["model"]  # <--
""",
    ),
    (  # what hydra gives
        "TG612",
        """
import hydra
import torch

@hydra.main(config_path="conf", config_name="config", version_base=None)
def main(cfg):
    model = torch.nn.Linear(2, 1)
    torch.save({"model": model.state_dict(), "cfg": cfg}, "last.pt")
    state = torch.load("last.pt", map_location="cpu")  # <--
    model.load_state_dict(state["model"])
""",
    ),
    (  # saved after the loop
        "TG613",
        RUN
        + """
import torch

def main(model, loader, loss_of, score_of, epochs):
    optimizer = torch.optim.Adam(model.parameters())
    best, weights = 0.0, None
    for _ in range(epochs):
        fit(model, loader, loss_of, optimizer)
        score = score_of(model)
        if score > best:
            best = score
            weights = model.state_dict()  # <--
    torch.save(weights, "best.pt")
""",
    ),
]

RESUMED = """
import torch

def main(model, loader, loss_of, score_of, resume, epochs):
    optimizer = torch.optim.Adam(model.parameters())
    first, best = 0, 0.0
    if resume:
        state = torch.load(resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
"""

CLEAN: dict[str, str] = {
    "states that are saved one by one": RUN
    + """
import argparse
import os
import torch

def save(folder, model, optimizer, epoch):
    torch.save({"model": model.state_dict(), "epoch": epoch}, os.path.join(folder, "model.pt"))
    for name, part in (("moments", optimizer),):
        torch.save(part.state_dict(), os.path.join(folder, f"{name}.pt"))

def load(folder, model, optimizer):
    path = os.path.join(folder, "model.pt")
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    for name, part in (("moments", optimizer),):
        path = os.path.join(folder, f"{name}.pt")
        part.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return state["epoch"] + 1

def main(model, loader, loss_of):
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    os.makedirs("out", exist_ok=True)
    optimizer = torch.optim.Adam(model.parameters())
    first = load("out", model, optimizer) if args.resume else 0
    for epoch in range(first, 90):
        fit(model, loader, loss_of, optimizer)
        save("out", model, optimizer, epoch)
""",
    "an epoch that is only told": RUN
    + """
import torch

def main(model, loader, loss_of, weights):
    if weights:
        state = torch.load(weights, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        number = state["epoch"]
        print("weights of epoch", number, state["epoch"])
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(90):
        fit(model, loader, loss_of, optimizer)
        torch.save({"model": model.state_dict(), "epoch": epoch}, "last.pt")
""",
    "the best weights beside a whole checkpoint": RUN
    + RESUMED
    + """        best = state["best"]
    for epoch in range(first, epochs):
        fit(model, loader, loss_of, optimizer)
        score = score_of(model)
        if score > best:
            best = score
            torch.save({"model": model.state_dict(), "epoch": epoch}, "best.pt")
        parts = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "best": best}
        torch.save({**parts, "epoch": epoch + 1}, "last.pt")
""",
    "a best score that an inner function brings back": RUN
    + """
import torch

def main(model, loader, loss_of, score_of, resume, epochs):
    optimizer = torch.optim.Adam(model.parameters())
    first, best = 0, 0.0

    def restore():
        nonlocal first, best
        state = torch.load(resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first, best = state["epoch"], state["best"]

    if resume:
        restore()
    for epoch in range(first, epochs):
        fit(model, loader, loss_of, optimizer)
        score = score_of(model)
        if score > best:
            best = score
            torch.save(model.state_dict(), "best.pt")
        parts = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "best": best}
        torch.save({**parts, "epoch": epoch + 1}, "last.pt")
""",
    "a file for each best epoch": RUN
    + RESUMED
    + """    for epoch in range(first, epochs):
        fit(model, loader, loss_of, optimizer)
        score = score_of(model)
        if score > best:
            best = score
            moments = optimizer.state_dict()
            parts = {"model": model.state_dict(), "optimizer": moments, "epoch": epoch + 1}
            torch.save(parts, f"best-{epoch}.pt")
""",
    "options that are given as a dict": """
import argparse
import torch

def keep(model, args):
    torch.save({"model": model.state_dict(), "args": args}, "last.pt")

def main(model):
    args = argparse.ArgumentParser().parse_args()
    keep(model, vars(args))
    return torch.load("last.pt", map_location="cpu")["model"]
""",
    "a load for an old torch": """
import argparse
import torch

def main(model):
    args = argparse.ArgumentParser().parse_args()
    torch.save({"model": model.state_dict(), "args": args}, "last.pt")
    try:
        return torch.load("last.pt", map_location="cpu", weights_only=False)["model"]
    except TypeError:
        return torch.load("last.pt", map_location="cpu")["model"]
""",
    "another function for the load": """
import functools
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.load = functools.partial(torch.load, map_location=device)

def resume(model, path):
    model.load_state_dict(torch.load(path, weights_only=True))
    return model.to(device)
""",
    "the last weights of a loop that ends": RUN
    + """
import torch

def main(model, loader, loss_of, score_of):
    optimizer = torch.optim.Adam(model.parameters())
    weights = model.state_dict()
    for _ in range(90):
        fit(model, loader, loss_of, optimizer)
        if score_of(model) > 0.9:
            weights = model.state_dict()
            break
    torch.save(weights, "best.pt")
""",
    "a counter that is added to another": """
import torch

def main(args, model, optimizer, loader, train_step):
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
    step, before = 0, first * len(loader)
    total = args.epochs * len(loader)
    for _ in range(first, args.epochs):
        for batch in loader:
            for group in optimizer.param_groups:
                group["lr"] = args.lr * (1 - (before + step) / total) ** 0.9
            train_step(model, optimizer, batch)
            step += 1
""",
    "a rate that is set before the scheduler is made": """
import torch

def resume(optimizer, state, rate):
    optimizer.load_state_dict(state["optimizer"])
    for group in optimizer.param_groups:
        group["lr"] = rate
    return torch.optim.lr_scheduler.StepLR(optimizer, 30)
""",
    "a model that was saved in an earlier branch": RUN
    + """
import torch

def main(model, loader, loss_of, gpus):
    if len(gpus) > 1:
        model = torch.nn.DataParallel(model)
    optimizer = torch.optim.Adam(model.parameters())
    single = not isinstance(model, torch.nn.DataParallel)
    for epoch in range(90):
        fit(model, loader, loss_of, optimizer)
        if single:
            torch.save(model.state_dict(), f"{epoch}.pt")
            continue
        torch.save(model.module.state_dict(), f"{epoch}.pt")
""",
    "a scheduler that is moved on after its state was loaded": RUN
    + """
import torch

def main(model, loader, loss_of, resume):
    optimizer = torch.optim.Adam(model.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    first = 0
    if resume:
        state = torch.load(resume, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        scheduler.load_state_dict(state["scheduler"])
        first = state["epoch"]
        scheduler.step()
    for epoch in range(first, 90):
        fit(model, loader, loss_of, optimizer)
        states = {"optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}
        torch.save({**states, "model": model.state_dict(), "epoch": epoch + 1}, f"{epoch}.pt")
        scheduler.step()
""",
}
