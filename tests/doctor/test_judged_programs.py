"""What readers judged of programs in several files and folders."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

FLOW = """
import torch
from torch import nn

class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    {decorator}
    def likelihood(self, points):
        return self.layer(points).sum()
"""
REPORT = """
import torch

from nets.flow import Flow

def estimate(model, points):
    return model.likelihood(points).item()

def report(model, test_set):
    found = []
    for points in test_set:
        found.append(estimate(model, points))
    return found

def main(path, test_set):
    model = Flow()
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    model.eval()
    print(report(model, test_set))
"""
POOL = """
import random

import torch
from torch.utils.data import DataLoader
{seeding}

def fit(model, images, optimizer):
    for batch in DataLoader(images, batch_size=8):
        kept = random.random() > 0.5
        optimizer.zero_grad()
        model(batch, kept).mean().backward()
        optimizer.step()
"""
WORKERS = "import torch\n\ndef begin(seed):\n    torch.manual_seed(seed)\n"
WRAPPED = """
import torch

def train(net, path, run_epoch):
    if torch.cuda.device_count() > 1:
        net = torch.nn.DataParallel(net)
    run_epoch(net)
    torch.save(net.state_dict(), path)
    net.load_state_dict(torch.load(path, weights_only=True))

if __name__ == "__main__":
    train(torch.nn.Linear(2, 2), "wrapped.pt", print)
"""
BARE = """
import torch

def use(path):
    net = torch.nn.Linear(2, 2)
    {first}
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return net

if __name__ == "__main__":
    use("bare.pt")
"""


def found(folder: Path, files: dict[str, str], rule: str) -> list[str]:
    """The files in which a rule finds something, in a project of these files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return [one.file for one in examine(folder).findings if one.rule == rule]


@pytest.mark.parametrize(("decorator", "result"), [("@torch.no_grad()", 0), ("@torch.compile", 1)])
def test_a_method_of_a_network_in_another_folder_builds_no_graph(
    decorator: str, result: int, tmp_path: Path
) -> None:
    flow = FLOW.format(decorator=decorator)
    files = {"nets/__init__.py": "", "nets/flow.py": flow, "scripts/report.py": REPORT}
    assert found(tmp_path, files, "TG502") == ["scripts/report.py"] * result


@pytest.mark.parametrize(
    ("seeding", "result"), [("", 0), ("from lib.utils.data import begin\n\nbegin(1)", 1)]
)
def test_what_torch_has_of_a_name_is_no_file_of_the_project(
    seeding: str, result: int, tmp_path: Path
) -> None:
    files = {"train.py": POOL.format(seeding=seeding), "lib/utils/data.py": WORKERS}
    assert found(tmp_path, files, "TG112") == ["train.py"] * result


@pytest.mark.parametrize(
    ("first", "result"), [('torch.save(net.state_dict(), "bare.pt")', 0), ("net.eval()", 1)]
)
def test_a_script_that_saves_opens_what_it_saved(first: str, result: int, tmp_path: Path) -> None:
    files = {"train.py": WRAPPED, "use.py": BARE.format(first=first)}
    assert found(tmp_path, files, "TG603") == ["train.py"] * result
