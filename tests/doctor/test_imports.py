"""Names that one file of a project has from another."""

from pathlib import Path

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
    return [one.rule for one in examine(folder).findings]


def test_a_star_brings_the_names_of_packages(tmp_path: Path) -> None:
    assert found(tmp_path, "import numpy as np\n") == ["TG101"]


def test_a_star_brings_what_a_file_lists_alone(tmp_path: Path) -> None:
    assert found(tmp_path, 'import numpy as np\n\n__all__ = ["load"]\n') == []
