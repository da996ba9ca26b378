"""What readers judged of several files: repeated flags, inner functions, a README."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

SCRIPT = """
import argparse
import torch
from project import loader, choose

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--smoothing", type=float, default=0.1, help="how far labels are smoothed")
args = parser.parse_args()
torch.manual_seed(0)
model = torch.nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
for x, y in loader:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y{more}).backward()
    optimizer.step()
"""
READS = ", label_smoothing=args.smoothing"


@pytest.mark.parametrize(
    ("more", "command", "shown"),
    [
        ("", "python first.py --lr 0.1", True),
        (READS, "python first.py --lr 0.1", False),  # a parser that was copied
        (READS, "python second.py --smoothing 0.2", False),
        (READS, "python first.py --smoothing 0.2", True),
    ],
)
def test_a_flag_that_another_script_reads_is_one_that_was_copied(
    more: str, command: str, shown: bool, tmp_path: Path
) -> None:
    (tmp_path / "first.py").write_text(SCRIPT.format(more=""), encoding="utf-8")
    (tmp_path / "second.py").write_text(SCRIPT.format(more=more), encoding="utf-8")
    (tmp_path / "README.md").write_text(f"    {command}\n", encoding="utf-8")
    found = [one.file for one in examine(tmp_path).findings if one.rule == "TG418"]
    assert ("first.py" in found) is shown


@pytest.mark.parametrize(("command", "shown"), [("--augment --lr 0.2", True), ("--lr 0.2", False)])
def test_a_switch_of_a_copied_parser_matters_where_a_command_has_it(
    command: str, shown: bool, tmp_path: Path
) -> None:
    plain = '"--smoothing", type=float, default=0.1, help="how far labels are smoothed"'
    switch = '"--augment", action="store_true", help="whether to augment the samples"'
    script = SCRIPT.replace(plain, switch)
    assert script != SCRIPT
    (tmp_path / "first.py").write_text(script.format(more=""), encoding="utf-8")
    reads = script.format(more=", label_smoothing=0.1 * args.augment")
    (tmp_path / "second.py").write_text(reads, encoding="utf-8")
    (tmp_path / "run.sh").write_text(f"python first.py {command}\n", encoding="utf-8")
    found = [one.file for one in examine(tmp_path).findings if one.rule == "TG418"]
    assert found == ["first.py"] * shown


STARTED = """
import argparse
import torch
from policy import make

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eval", action="store_true")
    args = vars(parser.parse_args())
    torch.manual_seed({seed})
    model, optimizer = make()
    if args["eval"]:
        print(model(torch.ones(3)))
    else:
        model(torch.ones(3)).sum().backward()
        optimizer.step()
"""
IMPORTED = """
import argparse
import torch

def make():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eval", action="store_true")
    args = parser.parse_args()
    model = torch.nn.Linear(3, 2)
    return model, torch.optim.SGD(model.parameters(), lr=args.lr)
"""


@pytest.mark.parametrize(("seed", "rules"), [('args["seed"]', set()), ("0", {"TG108"})])
def test_a_parser_may_know_flags_that_are_for_the_script_which_imports_it(
    seed: str, rules: set[str], tmp_path: Path
) -> None:
    (tmp_path / "run.py").write_text(STARTED.format(seed=seed), encoding="utf-8")
    (tmp_path / "policy.py").write_text("from networks import make\n", encoding="utf-8")
    (tmp_path / "networks.py").write_text(IMPORTED, encoding="utf-8")
    assert {one.rule for one in examine(tmp_path).findings} == rules


TRAINER = """
import torch

class Trainer:
    def __init__(self, net, data, rate):
        self.net, self.data = net, data
        self.optimizer = torch.optim.LBFGS(net.parameters(), lr=rate)

    def run(self):
        for x, y in self.data:
            def again():
                self.optimizer.zero_grad()
                loss = (self.net(x) - y).pow(2).mean()
                {step}
                return loss
            self.optimizer.step(again)
"""
PROGRAM = """
import os
import torch
from trainer import Trainer

def last_weights(folder):
    return torch.load(os.path.join(folder, "last.pt"), weights_only=True)

def main(data, folder, cuda):
    net = torch.nn.Linear(2, 1)
    net.load_state_dict(last_weights(folder))
    if cuda:
        net = net.cuda()
    Trainer(net, data, 0.1).run()

if __name__ == "__main__":
    torch.manual_seed(0)
    main([], "runs", torch.cuda.is_available())
"""


@pytest.mark.parametrize(("step", "shown"), [("loss.backward()", False), ("print(loss)", True)])
def test_a_program_may_train_in_a_function_within_a_method(
    step: str, shown: bool, tmp_path: Path
) -> None:
    (tmp_path / "trainer.py").write_text(TRAINER.format(step=step), encoding="utf-8")
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    assert ("TG610" in {one.rule for one in examine(tmp_path).findings}) is shown


TESTER = """
import torch

def tested(net, test_loader{times}):
    net.eval()
    with torch.no_grad():
        return [net(one).mean().item() for one in test_loader]
"""
CHOOSING = """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from tester import tested

class Clouds(Dataset):
    def __init__(self, points):
        self.points = points

    def __len__(self):
        return len(self.points)

    def __getitem__(self, index):
        return self.points[index] + np.random.randn(3)

def main(net, points, train_epoch):
    train_set = Clouds(points)
    test_set = Clouds(points)
    test_loader = DataLoader(test_set, batch_size=1)
    best_acc = 0.0
    for epoch in range(9):
        train_epoch(net, train_set)
        val_acc = np.mean(tested(net, test_loader))
        if val_acc > best_acc:
            best_acc = val_acc
            torch.save(net.state_dict(), "best.pt")
"""


@pytest.mark.parametrize(("times", "shown"), [(", num_votes=9", False), (", device='cpu'", True)])
def test_a_vote_is_over_draws_by_intention(times: str, shown: bool, tmp_path: Path) -> None:
    (tmp_path / "tester.py").write_text(TESTER.format(times=times), encoding="utf-8")
    (tmp_path / "train.py").write_text(CHOOSING, encoding="utf-8")
    assert ("TG510" in {one.rule for one in examine(tmp_path).findings}) is shown


@pytest.mark.parametrize(("workers", "shown"), [(1, False), (4, True)])
def test_one_worker_draws_what_no_other_does(workers: int, shown: bool, tmp_path: Path) -> None:
    code = f"""
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Noisy(Dataset):
    def __getitem__(self, index):
        return self.images[index] + np.random.randn(32, 32)

loader = DataLoader(Noisy(), batch_size=8, num_workers={workers})
"""
    (tmp_path / "train.py").write_text(code, encoding="utf-8")
    (tmp_path / "README.md").write_text("PyTorch 1.6", encoding="utf-8")
    assert ("TG101" in {one.rule for one in examine(tmp_path).findings}) is shown


SAVER = """
import torch

def keep(net, optimizer, step, path):
    state = {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
    torch.save(state, f"{path}/{step}.pt")

def go_on(net, optimizer, path):
    state = torch.load(path, map_location="cpu", weights_only=True)
    net.load_state_dict(state["net"])
    optimizer.load_state_dict(state["optimizer"])
    return state["step"]
"""
LOOP = """
from saver import keep

def run(net, optimizer, scheduler, step, losses, path):
    for loss in losses:
        optimizer.zero_grad()
        loss(net).backward()
        optimizer.step()
        scheduler.step()
        step += 1
        keep(net, optimizer, step, path)
"""
RESUMED = """
import torch
from loop import run
from saver import go_on

def main(net, losses, path):
    torch.manual_seed(0)
    optimizer = torch.optim.AdamW(net.parameters())
    step = go_on(net, optimizer, path)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 9{place})
    run(net, optimizer, scheduler, step, losses, "runs")

if __name__ == "__main__":
    main(torch.nn.Linear(2, 1), [], "last.pt")
"""


@pytest.mark.parametrize(("place", "shown"), [(", last_epoch=step - 1", False), ("", True)])
def test_a_script_may_tell_its_scheduler_where_it_was(
    place: str, shown: bool, tmp_path: Path
) -> None:
    (tmp_path / "saver.py").write_text(SAVER, encoding="utf-8")
    (tmp_path / "loop.py").write_text(LOOP, encoding="utf-8")
    (tmp_path / "train.py").write_text(RESUMED.format(place=place), encoding="utf-8")
    assert ("TG604" in {one.rule for one in examine(tmp_path).findings}) is shown
