"""Names that one file has from another, and those that only the other one has."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

FIT = """
def fit(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for images in loader:
        optimizer.zero_grad()
        model(images).sum().backward()
        optimizer.step()

"""
RUN = "fit(torch.nn.Linear(2, 2), [torch.rand(2, 2)])\n"
KNOWN = {
    "given to all files by way of builtins": {
        "train.py": "import builtins\nimport torch\nimport tools\nbuiltins.log = print\n"
        f"{FIT}{RUN}tools.report(1)\n",
        "tools.py": "def report(loss):\n    log(loss)\n",
    },
    "of a file that makes its names": {
        "train.py": f"import torch\nfrom settings import *\n{FIT}"
        "fit(torch.nn.Linear(width, 2), [torch.rand(2, width)])\n",
        "settings.py": 'import json\nwith open("a.json") as file:\n'
        "    globals().update(json.load(file))\n",
    },
    "of a file in a package": {
        "train.py": f"import torch\nfrom nets import *\n{FIT}"
        "fit(small.net(), [torch.rand(2, 2)])\n",
        "nets/__init__.py": "from .small import *\n",
        "nets/small.py": "import torch\n\ndef net():\n    return torch.nn.Linear(2, 2)\n",
    },
    "given to a file that is imported": {
        "train.py": f"import torch\nimport tools\n{FIT}"
        f"tools.DEVICE = 'cpu'\n{RUN}tools.report(1)\n",
        "tools.py": "def report(loss):\n    print(loss.to(DEVICE))\n",
    },
    "of the file that executes this one": {
        "train.py": f"import torch\nwidth = 2\nexec(open('more.py').read())\n{FIT}{RUN}",
        "more.py": "rate = 0.1 * width\n",
    },
    "of Python 2, for which a project is": {
        "README.md": "Requirements: Python 2.7, PyTorch 0.3",
        "train.py": f"import torch\n{FIT}for k in xrange(2):\n    {RUN}",
    },
}


@pytest.mark.parametrize("what", KNOWN)
def test_a_name_may_come_from_another_file(what: str, tmp_path: Path) -> None:
    write(tmp_path, KNOWN[what])
    assert not [one for one in examine(tmp_path).findings if one.rule == "TG004"]


def test_what_a_file_defines_where_it_is_started_is_not_there_for_its_importers(
    tmp_path: Path,
) -> None:
    train = (
        f"import torch\n{FIT}def evaluate(model, images):\n    model.eval()\n"
        "    return model(images.to(device))\n\n"
        f"if __name__ == '__main__':\n    device = 'cpu'\n    {RUN}"
    )
    evaluation = (
        "import torch\nfrom train import evaluate\n\nif __name__ == '__main__':\n"
        "    print(evaluate(torch.nn.Linear(2, 2), torch.rand(2, 2)))\n"
    )
    write(tmp_path, {"train.py": train})
    assert not examine(tmp_path, select=("TG004",)).findings
    write(tmp_path, {"check.py": evaluation})
    found = examine(tmp_path, select=("TG004",)).findings
    assert [(one.file, one.detail, one.unsure) for one in found] == [("train.py", "device", False)]


def write(folder: Path, files: dict[str, str]) -> None:
    """Put these files into a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
