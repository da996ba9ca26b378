"""Imports of files and names that the project does not have, and what a program that stops does."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

HELPERS = """
import torch


def accuracy(scores, labels):
    return (scores.argmax(1) == labels).float().mean()
"""
TRAIN = """
import torch

{imports}

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in torch.load("data.pt", weights_only=True):
    optimizer.zero_grad()
    (model(x) - y).pow(2).mean().backward()
    optimizer.step()
"""


def examined(
    folder: Path, files: dict[str, str], hints: bool = False
) -> list[tuple[str, str, int, str]]:
    """(file, rule, line, detail) of what is found in a project of these files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    findings = examine(folder, hints, select=("TG007", "TG004") if hints else ()).findings
    return [(one.file, one.rule, one.line, one.detail) for one in findings]


@pytest.mark.parametrize(
    ("imports", "detail"),
    [
        ("from net.losses.focal import Focal", "net/losses/focal.py"),
        ("import net.losses.focal", "net/losses/focal.py"),
        ("from net.blocks.attention import Attention", "net/blocks.py"),
        ("from net.losses import focal", "`focal` in net/losses/__init__.py"),
        ("from helpers import accuracy, top_five", "`top_five` in helpers.py"),
        ("from net import Wide", "`Wide` in net/__init__.py"),
        ("from plain.layers import Layer, Missing", "`Missing` in plain/layers.py"),
        ("from plain.other import Layer", "plain/other.py"),
        ("from plain import other", "plain/other.py"),
        ("from helper import accuracy", "helper.py"),
        ("from Helpers import accuracy", "Helpers.py"),
        # what is there
        ("from net.losses.plain import *", ""),
        ("from net import Net, losses, deep", ""),
        ("from plain import layers", ""),
        ("from open_ended import anything", ""),
        # what may come from elsewhere
        ("from net.fast import scan", ""),
        ("from net.described import weights", ""),
        ("from net.left_out import weights", ""),
        ("from net.cloned import weights", ""),
        ("from datasets import load_dataset", ""),
        ("from gym import spaces", ""),
        ("from net.broken import anything", ""),
        ("from empty.model import Model", ""),
        ("from helper import weights", ""),
        ("from helping import accuracy", ""),
        ("from logging import FileLogger", ""),
    ],
)
def test_an_import_is_found_where_nothing_may_bring_what_it_asks_for(
    imports: str, detail: str, tmp_path: Path
) -> None:
    for folder in ("empty", "net/deep"):
        (tmp_path / folder).mkdir(parents=True)
    files = {
        "train.py": TRAIN.format(imports=imports),
        "helpers.py": HELPERS,
        "net/__init__.py": "from .losses.plain import *\n",
        "net/losses/__init__.py": "",
        "net/losses/plain.py": "from torch.nn import Linear as Net\n",
        "net/fast.pyx": "",
        "net/broken.py": "def (",
        "net/use.py": "from plain.layers import Layer\n",
        "plain/layers.py": "from torch.nn import Linear as Layer\n",
        "open_ended.py": "def __getattr__(name):\n    return name\n",
        "datasets/images.py": "size = 8\n",
        "logging/__init__.py": "",
        "gym/task.py": "size = 8\n",
        "requirements.txt": "torch\ndatasets>=2\n",
        "README.md": "Copy described.py into net/.",
        ".gitignore": "left_out.py\n",
        ".gitmodules": "[submodule]\n    path = net/cloned\n",
    }
    found = [one for one in examined(tmp_path, files) if one[1] == "TG007"]
    assert found == ([("train.py", "TG007", 4, detail)] if detail else [])


def test_what_a_program_does_that_cannot_start_is_a_hint(tmp_path: Path) -> None:
    load = "import torch\n\n\ndef weights(path):\n    return torch.load(path + ending).eval()\n"
    score = "from old import weights\nfrom helpers import top_five\n\nprint(weights('a.pt'))\n"
    files = {
        "train.py": TRAIN.format(imports="from helpers import accuracy"),
        "helpers.py": HELPERS,
        "score.py": score,
        "old.py": load,
        "again.py": "import torch\n\nimport score\n\nprint(score, torch.ones(size))\n",
    }
    stopped = ("score.py", "TG007", 2, "`top_five` in helpers.py")
    assert examined(tmp_path, files) == [stopped]
    found = [one[:3] for one in examined(tmp_path, files, hints=True)]
    assert found == [("again.py", "TG004", 5), ("old.py", "TG004", 5), stopped[:3]]
    # which starts, and uses all of that
    files["helpers.py"] += "\n\ntop_five = accuracy\n"
    found = [one[:3] for one in examined(tmp_path, files)]
    assert found == [("again.py", "TG004", 5), ("old.py", "TG004", 5)]


def test_a_file_that_no_program_imports_stops_none(tmp_path: Path) -> None:
    other = "from torch import nn\n\nfrom net.focal import Focal\n\nclass Loss(Focal):\n    pass\n"
    files = {
        "train.py": TRAIN.format(imports="from net.blocks import Block"),
        "net/__init__.py": "",
        "net/blocks.py": "from torch.nn import Linear as Block\n",
        "net/loss.py": other,
    }
    assert examined(tmp_path, files) == []
    files["train.py"] = TRAIN.format(imports="from net.loss import Loss")
    assert [one[:3] for one in examined(tmp_path, files)] == [("net/loss.py", "TG007", 3)]
