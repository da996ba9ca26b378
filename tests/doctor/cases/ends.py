"""Ends of runs: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = [
    (
        "TG614",  # flags, a helper that saves, and a bar: epoch 95 of 0 to 99 is the last
        """
import argparse

import torch
from tqdm import tqdm

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=100)
parser.add_argument("--save-every", type=int, default=5)


def keep(net, path):
    torch.save(net.state_dict(), path)


def run_epoch(net, adam, batches):
    for batch in batches:
        adam.zero_grad()
        net(batch).sum().backward()
        adam.step()


def main(net, adam, batches):
    args = parser.parse_args()
    for epoch in tqdm(range(args.epochs)):
        run_epoch(net, adam, batches)
        if epoch > 0 and not epoch % args.save_every:
            keep(net, f"{epoch}.pth")  # <--
    print("done")
""",
    ),
    (
        "TG614",  # steps; what is saved before the loop does not help
        """
import torch


def fit(net, adam, stream, steps=10_000, every=3000):
    torch.save(net.state_dict(), "first.pt")
    for step in range(1, steps + 1):
        adam.zero_grad()
        net(next(stream)).sum().backward()
        adam.step()
        if step % every == 0:
            torch.save(net.state_dict(), "last.pt")  # <--
""",
    ),
]

LOOP = """
import torch


def fit(net, adam, batches, score_of, epochs=100):
    best = 0.0
    for epoch in range(epochs):
        for batch in batches:
            adam.zero_grad()
            net(batch).sum().backward()
            adam.step()
"""
CLEAN: dict[str, str] = {
    "the last epoch is asked for": f"""{LOOP}
        if epoch % 10 == 0 or epoch == epochs - 1:
            torch.save(net.state_dict(), "last.pt")
""",
    "saved after the loop": f"""{LOOP}
        if epoch % 10 == 0:
            torch.save(net.state_dict(), "last.pt")
    torch.save(net.state_dict(), "last.pt")
""",
    "saved by the caller of the loop": f"""{LOOP}
        if epoch % 10 == 0:
            torch.save(net.state_dict(), "last.pt")


def main(net, adam, batches, score_of):
    fit(net, adam, batches, score_of)
    torch.save(net.state_dict(), "last.pt")
""",
    "epochs whose number fits": f"""{LOOP}
        if epoch % 10 == 9:
            torch.save(net.state_dict(), "last.pt")
""",
    "a number of epochs by the callers": f"""{LOOP}
        if epoch % 10 == 0:
            torch.save(net.state_dict(), "last.pt")


def main(net, adam, batches, score_of):
    fit(net, adam, batches, score_of, 101)
""",
    "the best epoch is kept beside every tenth": f"""{LOOP}
        score = score_of(net)
        if score > best:
            best = score
            torch.save(net.state_dict(), "best.pt")
        if epoch % 10 == 0:
            torch.save(net.state_dict(), "last.pt")
""",
}
