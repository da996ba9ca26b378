"""A training command that is watched: what it shows is found, and not a bit of it changes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.generator.conftest import Torchgen

SCRIPT = """
import random, sys
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Noise(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        return torch.tensor(np.random.rand(4), dtype=torch.float32), i % 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8, bias=False), nn.BatchNorm1d(8), nn.Linear(8, 2))
        self.idle = nn.Linear(4, 4)

    def forward(self, x):
        return self.body(x)


def seed(worker):
    np.random.seed(SEED)


def main(path):
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    net = Net()
    net.idle.requires_grad_(IDLE)
    vectors = [p for p in net.parameters() if p.ndim == 1]
    matrices = [p for p in net.parameters() if p.ndim > 1]
    groups = [{"params": vectors, "weight_decay": DECAY}, {"params": matrices}]
    optimizer = torch.optim.SGD(groups, lr=1e-2, weight_decay=0.1)
    share = DistributedSampler(range(23), num_replicas=2, rank=0)  # padded, in training
    loader = DataLoader(Noise(), batch_size=4, num_workers=2, worker_init_fn=seed, sampler=share)
    held = DataLoader(Noise(), sampler=DistributedSampler(range(HELD), num_replicas=2, rank=0))
    teacher = nn.Linear(4, 2)
    for epoch in range(2):
        net.train(TRAIN or epoch == 0)
        for x, y in loader:
            optimizer.zero_grad()
            with torch.no_grad():
                teacher(x)
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        net.train(not EVAL)
        with torch.no_grad():
            for x, _ in held:
                net(x.repeat(2, 1))
    state = {"model": net.state_dict(), "draws": [random.random(), np.random.rand()]}
    torch.save(state | {"torch": torch.get_rng_state()}, path)


if __name__ == "__main__":
    main(sys.argv[1])
"""
FAULTY = {
    **{"SEED": "0", "IDLE": "True", "DECAY": "0.1"},
    **{"TRAIN": "False", "EVAL": "False", "HELD": "5"},
}
FINE = {
    **{"SEED": "torch.initial_seed() % 2**32", "IDLE": "False", "DECAY": "0.0"},
    **{"TRAIN": "True", "EVAL": "True", "HELD": "6"},
}


def write(folder: Path, choices: dict[str, str]) -> None:
    """The script with these choices."""
    text = SCRIPT
    for name, value in choices.items():
        text = text.replace(name, value)
    (folder / "train.py").write_text(text, encoding="utf-8")


def watch(torchgen: Torchgen, *command: str) -> dict[str, Any]:
    """What is found beside the code itself."""
    asked = ("doctor", "--select", "TG9", "--json", "--run", "--", sys.executable, *command)
    found: dict[str, Any] = json.loads(torchgen(*asked).stdout)
    return found


def test_what_a_command_shows_is_found_where_it_happens(tmp_path: Path, torchgen: Torchgen) -> None:
    write(tmp_path, FAULTY)
    lines = (tmp_path / "train.py").read_text(encoding="utf-8").splitlines()
    found = {
        one["rule"]: (lines[one["line"] - 1].strip(), one["detail"])
        for one in watch(torchgen, "train.py", "a.pt")["findings"]
    }
    step = "optimizer.step()"
    assert found == {
        "TG911": (step, "idle.bias, idle.weight"),
        "TG912": (step, "body.1.bias, body.1.weight, body.2.bias, idle.bias"),
        "TG913": (step, "numpy, workers 0, 1"),
        "TG914": ("net(x.repeat(2, 1))", "Net"),
        "TG915": ("nn.functional.cross_entropy(net(x), y).backward()", "Net"),
        "TG916": ("for x, _ in held:", "5 samples on 2 processes"),
    }


def test_a_sound_command_shows_nothing_and_keeps_its_bits(
    tmp_path: Path, torchgen: Torchgen
) -> None:
    import torch

    write(tmp_path, FINE)
    assert watch(torchgen, "train.py", "watched.pt")["findings"] == []
    subprocess.run([sys.executable, "train.py", "alone.pt"], cwd=tmp_path, check=True)
    one, other = (
        torch.load(tmp_path / f"{name}.pt", weights_only=False) for name in ("watched", "alone")
    )
    torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_seeds_that_are_the_same_in_each_epoch_are_found(
    tmp_path: Path, torchgen: Torchgen
) -> None:
    write(tmp_path, FINE | {"SEED": "worker"})
    (one,) = watch(torchgen, "train.py", "a.pt")["findings"]
    assert (one["rule"], one["detail"]) == ("TG913", "numpy, worker 0 in 2 epochs")


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["no-such-command"], 2, "error: --run: no-such-command: No such file or directory"),
        ([sys.executable, "-c", "exit(3)"], 1, "no optimizer of torch stepped; "),
    ],
)
def test_a_command_that_does_not_train_is_one_line(
    command: list[str], code: int, said: str, tmp_path: Path, torchgen: Torchgen
) -> None:
    (tmp_path / "a.py").touch()
    done = torchgen("doctor", "--run", "--", *command)
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, said in last, last.startswith("error: ")) == (code, True, True)
