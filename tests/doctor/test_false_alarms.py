"""Nothing is found where nothing is wrong: in tricky snippets, and in what torchgen writes."""

from pathlib import Path

import pytest
from tests.matrix.answers import COVER, SETS, name_of

import torchgen_cli
from torchgen_cli.doctor.examine import examine

from . import cases
from .clean import CLEAN

SETUP = "from setuptools import setup\n\nsetup(install_requires=[{}])\n"
SNIPPETS = {**CLEAN, **cases.CLEAN}


@pytest.mark.parametrize("what", SNIPPETS)
def test_a_clean_snippet_has_no_finding(what: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SNIPPETS[what], encoding="utf-8")
    compile(SNIPPETS[what], what, "exec")
    assert examine(tmp_path).findings == []


def test_a_class_of_the_same_name_elsewhere_is_another(tmp_path: Path) -> None:
    head = "import numpy as np\nfrom torch.utils.data import Dataset\n\n\nclass Images(Dataset):\n"
    sample = "    def __getitem__(self, i):\n        return self.images[i]{draw}\n"
    use = "from torch.utils.data import DataLoader\nfrom datasets import *\n\n"
    for folder, draw in (("one", " + np.random.rand()"), ("other", "")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "datasets.py").write_text(head + sample.format(draw=draw), "utf-8")
        text = use + "loader = DataLoader(Images(), num_workers=4)\n"
        (tmp_path / folder / "train.py").write_text(text, encoding="utf-8")
    (tmp_path / "README.md").write_text("PyTorch 1.6", encoding="utf-8")
    found = [(one.file, one.rule) for one in examine(tmp_path).findings]
    assert found == [("one/train.py", "TG101")]


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("setup.py", SETUP.format('"torch>=2.6"'), 0),
        ("setup.py", SETUP.format('"torch>=1.4", "torchvision>=0.20"'), 1),
        ("requirements.txt", "numpy\ntorch==2.7.1+cu126\n", 0),
        ("requirements.txt", "torch\ntorchaudio==2.7.1\n", 1),
        ("pyproject.toml", '[project]\ndependencies = ["torch >= 2.6, < 3"]\n', 0),
        ("environment.yml", "dependencies:\n  - pytorch>=1.10\n", 1),
        # which knows no `weights_only`
        ("environment.yml", "dependencies:\n  - pytorch=1.10\n", 0),
        ("install/requirements.txt", "torch == 1.7.0\n", 0),
        ("conda_list.txt", "@EXPLICIT\nhttps://repo/linux-64/pytorch-0.4.1-py36_0.tar.bz2\n", 0),
        ("requirements.txt", "https://host/whl/cu90/torch-1.0.1.post2-cp36-linux.whl\n", 0),
        ("setup_env.sh", "pip install http://host/whl/torch-0.2.0.post3-cp35-linux.whl\n", 0),
        ("train.sh", "python train.py --pretrained weights/torch-0.2.0.pt\n", 1),
    ],
)
def test_the_torch_that_a_project_asks_for_counts(
    file: str, text: str, found: int, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text("import torch\ntorch.load('a')\n", encoding="utf-8")
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text, encoding="utf-8")
    assert len(examine(tmp_path, hints=True).findings) == found


# where each two choices meet; a scheduled run takes the others
@pytest.mark.parametrize(
    "name",
    [pytest.param(name_of(a), marks=[] if a in COVER else pytest.mark.scheduled) for a in SETS],
)
def test_a_generated_project_has_no_finding_and_no_hint(
    name: str,
    trees: dict[str, Path],
) -> None:
    result = examine(trees[name], hints=True)
    assert result.files > 40
    assert result.findings == []


@pytest.mark.parametrize(
    ("file", "pin", "found"),
    [
        ("requirements.txt", "scipy==0.18.1", 0),
        ("requirements.txt", "scipy 0.18.1", 0),
        ("requirements.txt", "scipy>=0.18", 1),
        ("pixi.toml", '[dependencies]\nscipy = "==1.1.0"', 0),
        ("paper/environment.yaml", "dependencies:\n  - scipy=1.1", 0),
        ("pyproject.toml", 'scipy = "^1.0.1"', 0),
        ("pyproject.toml", 'scipy = "^1.9"', 1),
    ],
)
def test_the_scipy_that_a_project_is_pinned_to_counts(
    file: str, pin: str, found: int, tmp_path: Path
) -> None:
    text = "import torch\nfrom scipy.misc import imsave\n\nimsave('a.png', torch.ones(2))\n"
    (tmp_path / "show.py").write_text(text, encoding="utf-8")
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(f"{pin}\n", encoding="utf-8")
    assert len(examine(tmp_path).findings) == found


@pytest.mark.parametrize(
    ("readme", "found"),
    [
        ("Needs torch.", 0),
        ("Needs PyTorch 1.9.", 0),
        ("- PyTorch (1.6+)", 0),
        ("- PyTorch >= 1.4.0", 0),
        ("- PyTorch 1.4 or newer", 0),
        ("- PyTorch >= 1.4.0, < 1.9", 1),
        ("- PyTorch version: 1.2", 1),
    ],
)
def test_the_torch_that_a_readme_names_counts(readme: str, found: int, tmp_path: Path) -> None:
    text = SNIPPETS["draws of workers of a program that seeds all there is"]
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    (tmp_path / "README.md").write_text(readme, encoding="utf-8")
    assert len(examine(tmp_path).findings) == found


NOISY = """
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __getitem__(self, index):
        order = np.arange(len(self.points[index]))
        {draw}
        return self.points[index][order]


class Files(Dataset):
    def __getitem__(self, index):
        return self.files[index]


def load(name):
    if name == "points":
        data = Points()
        return DataLoader(data, num_workers={workers})
    data = Files()
    return DataLoader(data, num_workers=4)


load("files")
load("points")
"""
NUMBER = "order = order + np.random.randint(2)"


@pytest.mark.parametrize(
    ("torch", "draw", "workers", "lines"),
    [
        ("torch==1.4.0", NUMBER, "4", [21]),
        ("torch~=1.7.0", NUMBER, "4", [21]),
        ("pytorch<1.9", "order = np.random.permutation(order)[:9]", "4", [21]),
        # which the newest fits
        ("torch>=1.0.0", NUMBER, "4", []),
        ("torch==1.4.0", "np.random.shuffle(order)", "4", []),
        ("torch==1.4.0", NUMBER, "config.workers", []),
    ],
)
def test_workers_that_draw_alike_are_more_than_a_hint_with_an_old_torch_alone(
    torch: str, draw: str, workers: str, lines: list[int], tmp_path: Path
) -> None:
    code = NOISY.format(draw=draw, workers=workers)
    (tmp_path / "train.py").write_text(code, encoding="utf-8")
    (tmp_path / "requirements.txt").write_text(f"{torch}\n", encoding="utf-8")
    (tmp_path / "config.yaml").write_text("workers: 0\n", encoding="utf-8")
    assert [one.line for one in examine(tmp_path).findings if one.rule == "TG101"] == lines


def test_nothing_is_found_in_the_code_of_the_command_itself() -> None:
    assert examine(Path(torchgen_cli.__file__).parent).findings == []
