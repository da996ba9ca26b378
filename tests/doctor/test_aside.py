"""What is found beside the program, where it harms no run, is a hint."""

import json
from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

DATA = """
import numpy as np
from torch.utils.data import DataLoader, Dataset

class Images(Dataset):
    def __getitem__(self, i):
        return np.random.rand(3)

def load():
    return Images()

if __name__ == "__main__":
    for sample in DataLoader(Images(), num_workers=4):
        print(sample)
"""
TRAIN = """
from data import load

def step(model, optimizer, loss_of):
    for sample in load():
        optimizer.zero_grad()
        loss_of(model, sample).backward()
        optimizer.step()
"""
NET = """
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8), nn.Linear(8, 8)]

    def forward(self, x):
        return self.layers[1](self.layers[0](x))
"""


def found(folder: Path, files: dict[str, str], hints: bool = False) -> list[tuple[str, str]]:
    """(file, rule) of what is found."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return [(one.file, one.rule) for one in examine(folder, hints).findings]


def test_a_trial_with_a_made_up_image_is_a_hint(tmp_path: Path) -> None:
    """Also where it loads weights, but not where it trains."""
    net = "import torch\n\n\ndef build(width):\n    return torch.nn.Linear(width, 1)\n\n\n"
    trial = 'if __name__ == "__main__":\n    net = build(3, 4)\n'
    trial += '    net.load_state_dict(torch.load("n"))\n'
    made = "    x = torch.randn(4, 3, 32)\n"
    train = "from net import build\n\nbuild(3)(1).backward()\n"
    for more, shown in ((made, False), ("", True), (f"{made}    net(x).sum().backward()\n", True)):
        files = {"net.py": net + trial + more, "train.py": train}
        assert (("net.py", "TG005") in found(tmp_path, files)) is shown


def test_a_demonstration_of_what_others_import_is_a_hint(tmp_path: Path) -> None:
    files = {"data.py": DATA, "train.py": TRAIN, "README.md": "PyTorch 1.6"}
    assert found(tmp_path, files) == []
    assert ("data.py", "TG101") in found(tmp_path, files, hints=True)


def test_a_file_s_own_check_of_itself_is_a_demonstration(tmp_path: Path) -> None:
    check = (
        "\ndef test():\n    print(images.zero_grad())\n\nif __name__ == '__main__':\n    test()\n"
    )
    train = TRAIN + "\nstep(None, None, None)\n"
    files = {"data.py": DATA[: DATA.index("if __name__")] + check, "train.py": train}
    assert found(tmp_path, files) == []
    assert ("data.py", "TG004") in found(tmp_path, files, hints=True)
    files["data.py"] = files["data.py"].replace("test()", "main()")
    assert found(tmp_path, files) == [("data.py", "TG004")]


def test_a_program_that_others_import_is_no_demonstration(tmp_path: Path) -> None:
    runs = DATA.replace("        print(sample)", "        train(sample)")
    runs = "from project import train\n" + runs
    files = {"data.py": runs, "train.py": TRAIN, "README.md": "PyTorch 1.6"}
    assert found(tmp_path, files) == [("data.py", "TG101")]


@pytest.mark.parametrize(
    ("file", "text", "shown"),
    [
        ("train.py", TRAIN.replace("from data import load", "load = list"), False),
        ("train.py", "from net import Net\n" + TRAIN, True),
        ("train.py", "import importlib\nnet = importlib.import_module('net')\n" + TRAIN, True),
        ("setup.py", "from setuptools import setup\nsetup()\n", True),
        ("show.py", "print(1)\n", True),  # nothing trains: the file may be all there is
    ],
)
def test_a_file_that_nothing_uses_gives_hints(
    file: str, text: str, shown: bool, tmp_path: Path
) -> None:
    assert (("net.py", "TG301") in found(tmp_path, {"net.py": NET, file: text})) is shown


@pytest.mark.parametrize(
    ("folder", "train", "shown"),
    [
        ("old", TRAIN, False),
        ("legacy", TRAIN, False),
        ("older", TRAIN, True),
        ("old", "from old.net import Net\n" + TRAIN, True),
        ("old", "print(1)\n", True),  # all that trains lies in the folder
    ],
)
def test_a_folder_of_old_code_gives_hints(
    folder: str, train: str, shown: bool, tmp_path: Path
) -> None:
    files = {f"{folder}/net.py": NET, f"{folder}/train.py": f"from net import Net\n{TRAIN}"}
    assert ((f"{folder}/net.py", "TG301") in found(tmp_path, {**files, "train.py": train})) is shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("    return 1\n    {}", False),
        ("    for x in y:\n        continue\n        {}", False),
        ("    if y:\n        return 1\n    {}", True),
        ("    if False:\n        {}", False),
        ("    if 0:\n        pass\n    else:\n        {}", True),
    ],
)
def test_what_is_never_reached_gives_hints(text: str, shown: bool, tmp_path: Path) -> None:
    code = "import numpy as np\n\ndef f(y):\n" + text.format("return np.zeros(3, dtype=np.int)\n")
    assert (("f.py", "TG813") in found(tmp_path, {"f.py": code})) is shown


@pytest.mark.parametrize(("folder", "shown"), [("notebooks/", False), ("", True)])
def test_a_notebook_beside_the_program_gives_hints(
    folder: str, shown: bool, tmp_path: Path
) -> None:
    cell = {"cell_type": "code", "source": ["import numpy as np\n", "np.zeros(3, dtype=np.int)\n"]}
    files = {f"{folder}old.ipynb": json.dumps({"cells": [cell]}), "train.py": TRAIN}
    assert (f"{folder}old.ipynb" in dict(found(tmp_path, files))) is shown


@pytest.mark.parametrize(
    ("text", "other", "shown"),
    [
        ("import torch\nprint 'x'\n", "", True),
        ("import torch\nprint 'x'\n", "for i in xrange(3):\n    pass\n", False),
        ("#!/usr/bin/env python2\nimport torch\nprint 'x'\n", "", False),
        ("print 'x'\n", "", False),
        ("import tensorflow as tf\ndef f(:\n", "", False),
        ("import torch\nx.cuda(async=True)\n", "for i in xrange(3):\n    pass\n", True),
    ],
)
def test_a_file_for_python_2_is_a_hint(text: str, other: str, shown: bool, tmp_path: Path) -> None:
    files = {"old.py": text, "other.py": other or "import torch\n"}
    assert (("old.py", "TG001") in found(tmp_path, files)) is shown


@pytest.mark.parametrize(
    ("pin", "shown"),
    [
        ("scipy==1.7.3", False),  # which needs numpy before 1.23
        ("scipy==1.13.1", True),
        ("numpy==1.22.0", False),
        ("numpy>=1.18,<1.24", False),
        ("numpy~=1.19.0", False),
        ("NumPy=1.21", False),
        ("numpy>=1.20", True),
        ("numpy<2", True),
        ("numpy==1.26.4", True),
        ("opencv-numpy==1.0", True),
        ("open3d==0.9", False),  # whose wheels end at Python 3.7, and numpy's there at 1.21
        ("open3d==0.15.2", True),  # at Python 3.9
        ("open3d>=0.9", True),
        ("tensorflow==1.15.2", False),
        ("tensorflow-gpu<2", False),
        ("tensorflow==2.4.0", False),  # which asks for numpy 1.19
        ("tensorflow==2.7.0", True),
        ("tensorflow", True),
    ],
)
def test_a_pinned_numpy_has_its_old_names(pin: str, shown: bool, tmp_path: Path) -> None:
    files = {
        "train.py": "import numpy as np\nprint(np.zeros(3, dtype=np.int))\n",
        "requirements.txt": f"torch\n{pin}\n",
    }
    assert (("train.py", "TG813") in found(tmp_path, files)) is shown


@pytest.mark.parametrize(
    ("name", "end", "importing", "shown"),
    [
        ("tests/old.py", "print 'x'\n", "", False),
        ("tools/old.py", "print 'x'\n", "", True),
        ("old.py", 'if __name__ == "__main__":\n    # show(size)\n', "", False),
        ("old.py", 'if __name__ == "__main__":\n    # show(size)\n', "import old\n", True),
        ("old.py", "if size:\n    # show(size)\n", "", True),
    ],
)
def test_a_file_that_does_not_parse_matters_where_it_is_used(
    name: str, end: str, importing: str, shown: bool, tmp_path: Path
) -> None:
    files = {name: "import torch\n\nsize = 2\n" + end, "train.py": f"{importing}import torch\n"}
    assert ((name, "TG001") in found(tmp_path, files)) is shown


@pytest.mark.parametrize(
    ("taken", "given", "page", "shown"),
    [
        ("model, batches", "", "python net.py\n", False),
        ("model", "", "", False),
        ("model", "", "python net.py\n", True),
        ("model, batches", "1", "", True),
    ],
)
def test_a_start_that_gives_nothing_of_what_is_needed_is_a_hint(
    taken: str, given: str, page: str, shown: bool, tmp_path: Path
) -> None:
    step = f"def run({taken}):\n    model(1).backward()\n"
    start = f'\n\nif __name__ == "__main__":\n    run({given})\n'
    files = {"net.py": step + start, "train.py": "from net import run\n\nrun(1, 2)\n"}
    files["README.md"] = page
    assert (("net.py", "TG005") in found(tmp_path, files)) is shown
