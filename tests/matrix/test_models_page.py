"""The models of docs/models.md: ten lines each, and they train where their library is there."""

import importlib.util
import re
from pathlib import Path

import pytest

from .answers import ROOT, SETS, name_of
from .commands import Project, environment
from .renderings import PACKAGE
from .training import copy_of

PAGE = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
SNIPPETS = dict(re.findall(r"^## (timm|torchvision)\n.*?```python\n(.*?)```", PAGE, re.M | re.S))


@pytest.mark.parametrize("library", ["timm", "torchvision"])
def test_a_model_takes_ten_lines(library: str) -> None:
    code = [line for line in SNIPPETS[library].splitlines() if line.strip()]
    assert len(code) <= 10
    compile(SNIPPETS[library], library, "exec")


@pytest.mark.smoke
@pytest.mark.parametrize("library", ["timm", "torchvision"])
def test_a_model_of_a_library_trains_and_holds_the_promises(
    library: str, trees: dict[str, Path], images: Path, tmp_path: Path
) -> None:
    if not imports(library):
        pytest.skip(f"{library} does not import here")
    folder = copy_of(trees[name_of(SETS[0])], tmp_path)
    put_into(folder / PACKAGE / "model.py", SNIPPETS[library])
    project = Project(folder, environment(tmp_path / "home") | {"PYTHONPATH": ""}, warm=False)
    project.run("prepare", "--source", images)
    flags = ("--image-size", "32", "--batch-size", "16", "--device", "cpu", "--epochs", "1")
    said = project.run("train", *flags, "--run-dir", "runs/first")
    assert "warning" not in said
    assert "11,178,051 parameters" in said
    first = ("--init-from", "runs/first", "--freeze", "1.conv1", "1.layer1")
    said = project.run("train", *flags, *first, "--run-dir", "runs/second")
    assert "11,178,051 of 11,178,051 parameters, of runs/first" in said
    project.run("verify", *flags[:-2])


def imports(library: str) -> bool:
    """Whether the library imports, beside this torch."""
    if importlib.util.find_spec(library) is None:
        return False
    try:
        importlib.import_module(library)
    except Exception:  # torchvision's operators may be missing
        return False
    return True


def put_into(model: Path, snippet: str) -> None:
    """Replace all behind the class Normalize, and add the import."""
    text = model.read_text(encoding="utf-8")
    head, _, rest = snippet.partition("\n\n\n")
    kept = text[: text.index("class Block(")].replace(
        "import torch\n", f"{head}\nimport torch\n", 1
    )
    model.write_text(kept + rest, encoding="utf-8")
