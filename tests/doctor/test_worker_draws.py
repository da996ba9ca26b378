"""Which draws of worker processes are more than a hint."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

CODE = """
import argparse
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--num-threads", type=int, default=4)
args = parser.parse_args()
NONE = 0

class Noisy(Dataset):
    def __init__(self, images, augment=True):
        self.images = images
        self.augment = augment

    def __getitem__(self, index):
        image = self.images[index]
        {draw}
        return image

data = {data}
{made}
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images in loader:
    optimizer.zero_grad()
    model(images).sum().backward()
    optimizer.step()
"""
DRAW = "image = image + np.random.randn(2)"
LOADER = "loader = DataLoader(data, batch_size=8, num_workers={})"
SEEDER = "lambda k: np.random.seed(torch.initial_seed() % 2**32)"
OPTIONS = "options = {} \nloader = DataLoader(data, batch_size=8, **options)"


@pytest.mark.parametrize(
    ("change", "readme", "times"),
    [
        ({}, "PyTorch 1.6", 1),
        ({"made": LOADER.format("args.num_threads")}, "PyTorch 1.6", 1),
        ({"made": OPTIONS.format("dict(num_workers=4)")}, "PyTorch 1.6", 1),
        ({"made": LOADER.format("args.workers")}, "PyTorch 1.6", 1),
        # which has no workers
        ({"made": LOADER.format("NONE")}, "PyTorch 1.6", 0),
        ({"made": LOADER.format("0 if NONE else 0")}, "PyTorch 1.6", 0),
        # which seeds them further down, or elsewhere in the call
        ({"made": f"{LOADER.format(4)}\nloader.worker_init_fn = {SEEDER}"}, "PyTorch 1.6", 0),
        (
            {
                "made": f"seeder = {SEEDER}\nno = None\nloader = DataLoader(data, 8, True, no, no"
                ", 4, no, False, False, 0, seeder)"
            },
            "PyTorch 1.6",
            0,
        ),
        (
            {
                "made": OPTIONS.format("{'num_workers': 4}").replace(
                    "\n", f"\noptions['worker_init_fn'] = {SEEDER}\n"
                )
            },
            "PyTorch 1.6",
            0,
        ),
        # which draws nothing in a run, or only for want of a sample
        ({"draw": f"if False:\n            {DRAW}"}, "PyTorch 1.6", 0),
        (
            {"draw": f"if self.augment:\n            {DRAW}", "data": "Noisy([], augment=False)"},
            "PyTorch 1.6",
            0,
        ),
        (
            {"draw": "if image is None:\n            return self[np.random.randint(9)]"},
            "PyTorch 1.6",
            0,
        ),
        # which a newer torch runs as well
        ({}, "Works with PyTorch 1.5, 1.8 and 1.13.", 0),
        ({}, "2023: PyTorch 2.0 is supported.\n2018: first release, for PyTorch 0.4", 0),
    ],
)
def test_workers_that_draw_alike(
    change: dict[str, str], readme: str, times: int, tmp_path: Path
) -> None:
    parts = {"draw": DRAW, "data": "Noisy([])", "made": LOADER.format(4), **change}
    (tmp_path / "train.py").write_text(CODE.format(**parts), encoding="utf-8")
    (tmp_path / "README.md").write_text(readme, encoding="utf-8")
    found = [one for one in examine(tmp_path).findings if one.rule == "TG101"]
    assert len(found) == times
