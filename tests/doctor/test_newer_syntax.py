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


@pytest.mark.parametrize(("asked", "unsure"), [("python=3.6", True), ("python=3.10", False)])
def test_a_name_that_python_3_6_allows_is_a_hint_where_it_is_asked_for(
    asked: str, unsure: bool, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    code = "import torch\n\ndef copy(async, images):\n    return images\n"
    (tmp_path / "old.py").write_text(code, encoding="utf-8")
    (tmp_path / "Dockerfile").write_text(f"RUN conda install {asked}\n", encoding="utf-8")
    found = examine(tmp_path, hints=True).findings
    assert [one.unsure for one in found if one.rule == "TG001"] == [unsure]
