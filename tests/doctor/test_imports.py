"""Names that one file of a project has from another."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

DATA = """
from torch.utils.data import DataLoader, Dataset

from helpers.sound import *


class Clips(Dataset):
    def __getitem__(self, index):
        return self.clips[index]


def collate(batch):
    return [clip[np.random.randint(0, 9) :] for clip in batch]


loader = DataLoader(Clips(), collate_fn=collate, num_workers=2)
"""


def found(folder: Path, helper: str) -> list[str]:
    """The rules that are broken where a helper's names are imported with a star."""
    (folder / "helpers").mkdir()
    (folder / "helpers" / "sound.py").write_text(helper, encoding="utf-8")
    (folder / "data.py").write_text(DATA, encoding="utf-8")
    (folder / "README.md").write_text("PyTorch 1.6", encoding="utf-8")
    return [one.rule for one in examine(folder).findings]


def test_a_star_brings_the_names_of_packages(tmp_path: Path) -> None:
    assert found(tmp_path, "import numpy as np\n") == ["TG101"]


def test_a_star_brings_what_a_file_lists_alone(tmp_path: Path) -> None:
    assert found(tmp_path, 'import numpy as np\n\n__all__ = ["load"]\n') == []


@pytest.mark.parametrize(("brought", "missing"), [("", ["viz"]), ("from .shown import viz", [])])
def test_a_star_of_a_package_brings_what_its_own_file_has(
    brought: str, missing: list[str], tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "__init__.py").write_text(f"{brought}\nwidth = 4\n", encoding="utf-8")
    (tmp_path / "data" / "shown.py").write_text("viz = width = 1\n", encoding="utf-8")
    main = "from data import *\n\nprint(width, viz)\n"
    (tmp_path / "main.py").write_text(main, encoding="utf-8")
    assert [one.detail for one in examine(tmp_path, select=("TG004",)).findings] == missing


MODEL = """
def train_epoch(model, loader, loss_of):
    model.scheduler.step()
    for batch in loader:
        model.optimizer.zero_grad()
        loss_of(model, batch).backward()
        model.optimizer.step()
"""
MAIN = """
from torch.optim.lr_scheduler import StepLR

from model import *


def fit(model, loader, loss_of, epochs):
    model.scheduler = StepLR(model.optimizer, 30)
    for epoch in range(epochs):
        train_epoch(model, loader, loss_of)
"""


def test_a_star_brings_the_functions_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "main.py").write_text(MAIN, encoding="utf-8")
    assert [one.rule for one in examine(tmp_path).findings] == ["TG409"]


UTILS = """
import torch


def save(model):
    return model.state_dict()


@torch.no_grad()
def validate(model, loader):
    correct = 0
    for images, labels in loader:
        correct += (model(images).argmax(1) == labels).sum()
    return correct


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = torch.nn.Dropout(0.5)

    def forward(self, images):
        return self.dropout(images)
"""


def test_a_function_that_nothing_names_gives_hints(tmp_path: Path) -> None:
    (tmp_path / "utils.py").write_text(UTILS, encoding="utf-8")
    for call, expected in (("save(Net())", []), ("validate(Net(), [])", ["TG501"])):
        name = call.partition("(")[0]
        text = f"from utils import Net, {name}\n\nprint({call})\n"
        (tmp_path / "main.py").write_text(text, encoding="utf-8")
        assert [one.rule for one in examine(tmp_path).findings] == expected


ENGINE = """
class Engine:
    def __init__(self, parser):
        parser.add_argument("--name", default="run")
        self.args = parser.parse_args()
        print(self.args.name)

    def size(self):
        return self.args.batch_size
"""
PROGRAM = """
import argparse

import torch

from engine import Engine


def main(model, batches):
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--batch_size", type=int, default=8, help="samples of a step")
    engine = Engine({given})
    args = parser.parse_args()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    main(torch.nn.Linear(2, 2), [torch.ones(2, 2)])
"""


@pytest.mark.parametrize(("given", "count"), [("parser", 0), ("None", 1)])
def test_a_parser_is_read_where_it_is_handed_to(given: str, count: int, tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE, encoding="utf-8")
    (tmp_path / "train.py").write_text(PROGRAM.replace("{given}", given), encoding="utf-8")
    assert [one.rule for one in examine(tmp_path).findings] == ["TG418"] * count
