"""A training command that is watched: what it shows is found, and not a bit of it changes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from tests.generator.conftest import ROOT, Torchgen

from torchgen_cli.base.errors import UserError
from torchgen_cli.doctor.observe import observe

SCRIPT = """
import random, sys, torch
import numpy as np
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler
class Noise(list):
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
if __name__ == "__main__":
    torch.manual_seed(0), random.seed(0), np.random.seed(0)
    net = Net()
    net.idle.requires_grad_(IDLE)
    parameters = list(OWNER.parameters())
    vectors = {"params": [p for p in parameters if p.ndim == 1], "weight_decay": DECAY}
    matrices = {"params": [p for p in parameters if p.ndim > 1]}
    sgd = torch.optim.SGD([vectors, matrices], lr=1e-2, weight_decay=0.1)
    share = DistributedSampler(range(23), num_replicas=2, rank=0)  # padded, in training
    loader = DataLoader(Noise([0] * 24), 4, num_workers=2, worker_init_fn=seed, sampler=share)
    held = DataLoader(Noise([0] * 24), sampler=DistributedSampler(range(HELD), 2, 0))
    for epoch in range(EPOCHS):
        net.train(TRAIN or epoch == 0)
        for x, y in loader:
            sgd.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            sgd.step()
            print(end=".", file=open("steps", "a"))
        net.train(not EVAL)
        with torch.set_grad_enabled(GRAD):
            for x, _ in held:
                net(x.repeat(2, 1))
    draws = random.random(), np.random.rand(), torch.get_rng_state()
    torch.save([net.state_dict(), *draws], sys.argv[1])
    raise SystemExit(hidden)
"""
FINE = {"SEED": "torch.initial_seed() % 2**32", "IDLE": "False", "DECAY": "0.0", "OWNER": "net"}
FINE |= {"EPOCHS": "2", "TRAIN": "True", "EVAL": "True", "GRAD": "False", "HELD": "6"}
SIX = {"SEED": "0", "IDLE": "True", "DECAY": "0.1", "TRAIN": "False", "EVAL": "False", "HELD": "5"}
OF_SIX = """
TG911 idle.bias, idle.weight: sgd.step()
TG912 body.1.bias, body.1.weight, body.2.bias: sgd.step()
TG913 numpy, workers 0, 1: sgd.step()
TG914 Net: net(x.repeat(2, 1))
TG915 Net: nn.functional.cross_entropy(net(x), y).backward()
TG916 5 samples on 2 processes: for x, _ in held:
"""
SOUND = """
import sys, torch
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss
from torch.optim.swa_utils import AveragedModel, update_bn
def net(size=2):
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, size))
def step(model, loss):
    optimizers[model].zero_grad(), loss.backward(), optimizers[model].step()
torch.manual_seed(0), torch.set_num_threads(1)
data = [(torch.randn(8, 4), torch.randint(2, (8,))) for _ in range(4)]
maker, critic, teacher, student, robust = net(4), net(1), net().eval(), net(), net()
tuned = nn.Sequential(net(4).requires_grad_(False), nn.Linear(4, 2))
models = maker, critic, student, robust, tuned
optimizers = {model: torch.optim.SGD(model.parameters(), lr=0.1) for model in models}
for x, y in data * 2:
    fake = maker(x)
    step(critic, critic(x).mean() - critic(fake.detach()).mean())
    step(maker, critic(fake).mean())
    step(tuned, cross_entropy(tuned(x), y))
    robust.eval()
    attacked = x.clone().requires_grad_()
    [cross_entropy(robust(attacked), y).backward() for _ in range(2)]
    robust.train()
    step(robust, cross_entropy(robust(x + 0.1 * attacked.grad.sign()), y))
for i, (x, _) in enumerate(data * 2):
    mse_loss(student(x), teacher(x).detach()).backward()
    if i % 2:
        optimizers[student].step(), optimizers[student].zero_grad()
averaged = AveragedModel(student)
update_bn([x for x, _ in data], averaged)
with torch.no_grad():
    [model.eval()(x) for model in (averaged, *models) for x, _ in data]
torch.save([model.state_dict() for model in models], sys.argv[1])
"""
ALIVE = """
import subprocess, sys, time
if len(sys.argv) == 1:
    subprocess.Popen([sys.executable, __file__, "child"])
while True:
    print(file=open("alive", "a"))
    time.sleep(0.1)
"""


def watch(
    call: Torchgen, folder: Path, text: str = SCRIPT, code: str = "0", **choices: str
) -> tuple[list[str], str]:
    """What is found beside the code itself, and what is printed to the standard error."""
    for name, value in (FINE | choices).items():
        text = text.replace(name, value)
    (folder / "train.py").write_text(text, encoding="utf-8")
    (folder / "sitecustomize.py").write_text(f"import builtins\nbuiltins.hidden = {code}", "utf-8")
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT / "generator"), str(folder)])}
    command = ("--run", "--", sys.executable, "train.py", "watched.pt")
    done = call("doctor", "--select", "TG91", "--json", *command, env=paths)
    lines, rows = text.splitlines(), json.loads(done.stdout)["findings"]
    found = [f"{row['rule']} {row['detail']}: {lines[row['line'] - 1].strip()}" for row in rows]
    return sorted(found), done.stderr


@pytest.mark.parametrize(
    ("choices", "found"),
    [
        (SIX, OF_SIX),
        ({"SEED": "worker"}, "TG913 numpy, worker 0 in 2 epochs: sgd.step()"),
        ({"GRAD": "True"}, "TG917 Net: net(x.repeat(2, 1))"),
        ({"GRAD": "True", "EVAL": "False"}, "TG914 Net: net(x.repeat(2, 1))"),
        ({"OWNER": "net.body[2]"}, "TG918 body.0.weight, body.1.bias, body.1.weight: sgd.step()"),
        ({"OWNER": "Net()"}, "TG911 those of a model never seen: sgd.step()"),
    ],
)
def test_what_a_command_shows_is_found_where_it_happens(
    choices: dict[str, str], found: str, tmp_path: Path, torchgen: Torchgen
) -> None:
    assert watch(torchgen, tmp_path, **choices)[0] == found.strip().split("\n")


@pytest.mark.parametrize("text", [SCRIPT, SOUND])
def test_a_sound_command_shows_nothing_and_keeps_its_bits(
    text: str, tmp_path: Path, torchgen: Torchgen
) -> None:
    assert watch(torchgen, tmp_path, text)[0] == []
    env = os.environ | {"PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "train.py", "alone.pt"], cwd=tmp_path, env=env, check=True)
    saved = [torch.load(tmp_path / f"{n}.pt", weights_only=False) for n in ("watched", "alone")]
    torch.testing.assert_close(*saved, rtol=0, atol=0)


def test_a_command_is_ended_after_fifty_steps(tmp_path: Path, torchgen: Torchgen) -> None:
    assert watch(torchgen, tmp_path, EPOCHS="99")[0] == []
    assert len((tmp_path / "steps").read_text()) == 49


@pytest.mark.parametrize(("grad", "last"), [("True", ""), ("False", "; nothing was found")])
def test_a_command_that_fails_says_so_beside_what_was_found(
    grad: str, last: str, tmp_path: Path, torchgen: Torchgen
) -> None:
    found, said = watch(torchgen, tmp_path, code="3", GRAD=grad)
    assert (len(found), f"ended with exit code 3, after 6 steps{last}" in said) == (not last, True)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["no-such-command"], "no-such-command: No such file or directory"),
        ([sys.executable, "-c", "exit(3)"], "torch was never imported .* ended with exit code 3;"),
        ([sys.executable, "-c", "import torch"], "torch was imported, .* exit code 0; give a"),
    ],
)
def test_a_command_that_does_not_train_is_told(command: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        observe(command, Path())


def test_ctrl_c_and_the_limit_end_all_processes(tmp_path: Path, env: dict[str, str]) -> None:
    alive = tmp_path / "alive"
    (tmp_path / "train.py").write_text(ALIVE, encoding="utf-8")
    command = [sys.executable, "-m", "torchgen_cli", "doctor", "--run", "--", sys.executable]
    doctor = subprocess.Popen([*command, "train.py"], cwd=tmp_path, env=env)
    while not alive.exists():
        time.sleep(0.1)
    doctor.send_signal(signal.SIGINT)
    assert doctor.wait(60) == 130
    with pytest.raises(UserError, match=r"no optimizer .* stopped after 0.05 minutes without a"):
        observe([sys.executable, "train.py"], tmp_path, patience=3)
    size = alive.stat().st_size
    time.sleep(1)
    assert alive.stat().st_size == size
