"""Files that a newer Python parses, or that are filled in before anything does."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

TRAIN = "import torch\n\nmodel = torch.nn.Linear(2, 2)\nmodel(torch.rand(2, 2)).sum().backward()\n"


@pytest.mark.parametrize(
    "code",
    [
        'names = {\'a\': 1}\nprint(f"{names["a"]}")\n',
        "type Batch = list[int]\n",
        "def first[T](items: list[T]) -> T:\n    return items[0]\n",
        "class Box[T]:\n    pass\n",
        "from {{ cookiecutter.package }} import net\n",
    ],
)
def test_what_a_newer_python_parses_is_a_hint_at_most(code: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "newer.py").write_text(f"import torch\n{code}", encoding="utf-8")
    assert examine(tmp_path).findings == []


@pytest.mark.parametrize(
    "code",
    ["<<<<<<< HEAD\nwidth = 1\n=======\nwidth = 2\n>>>>>>> other\n", "print((1)\nwidth = 2\n"],
)
def test_what_no_python_parses_is_an_error(code: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "broken.py").write_text(f"import torch\n{code}", encoding="utf-8")
    assert [one.rule for one in examine(tmp_path).findings] == ["TG001"]
