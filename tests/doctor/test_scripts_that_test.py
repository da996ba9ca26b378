"""What is left over in a script that only tests, beside one that trains."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

SCRIPT = """
import torch
from project import Net, batches

def run(net):
    adam = torch.optim.Adam(net.parameters())
    plan = torch.optim.lr_scheduler.StepLR(adam, 9)
    for batch in batches:
{steps}
def main():
    torch.manual_seed(0)
    run(Net())

if __name__ == "__main__":
    main()
"""
TRAINS = """
        adam.zero_grad()
        net(batch).mean().backward()
        adam.step()
"""
SHOWS = "        print(net(batch))\n"


@pytest.mark.parametrize(("steps", "shown"), [(TRAINS, True), (SHOWS, False)])
def test_a_scheduler_is_left_over_where_nothing_trains(
    steps: str, shown: bool, tmp_path: Path
) -> None:
    train = SCRIPT.format(steps=f"{TRAINS}    plan.step()\n")
    (tmp_path / "train.py").write_text(train, encoding="utf-8")
    (tmp_path / "test.py").write_text(SCRIPT.format(steps=steps), encoding="utf-8")
    found = [one.file for one in examine(tmp_path).findings if one.rule == "TG417"]
    assert found == ["test.py"] * shown


TRAIN = """
import argparse
import torch
from project import Net, batches

def check(net):
    net.eval()
    return [net(batch).mean().item() for batch in batches]

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--eval", action="store_true")
    args = parser.parse_args()
    if args.eval:
        print(check(Net()))

if __name__ == "__main__":
    main()
"""
TEST = """
import argparse
from project import Net
from train import check

parser = argparse.ArgumentParser()
parser.add_argument("--eval", action="store_true", default=True)
parser.add_argument("--times", type=int, default=1)

def main():
    args = parser.parse_args()
    for _ in range(args.times{more}):
        print(check(Net()))

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(("more", "shown"), [(" + args.eval", True), ("", False)])
def test_a_method_of_the_name_of_a_flag_does_not_read_it(
    more: str, shown: bool, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "test.py").write_text(TEST.format(more=more), encoding="utf-8")
    found = [one.file for one in examine(tmp_path).findings if one.rule == "TG314"]
    assert found == ["test.py"] * shown
