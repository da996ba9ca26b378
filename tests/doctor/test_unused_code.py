"""What no program runs is a hint; what one may run is an error."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

TRAIN = """
import torch

import models

{top}

def run(args):
    model = {model}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in args.batches:
        optimizer.zero_grad()
        (model(x) - y).pow(2).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    run(torch.load("args.pt", weights_only=True))
"""
MODELS = """
import torch
from torch import nn


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return self.layer(x)

    def grown(self):
        return self.eval(), widened(self.layer)


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, width), nn.Linear(width, 2)).eval()

    def forward(self, x):
        return self.layers(x)


def build():
    return Deep()
"""


@pytest.mark.parametrize(
    ("top", "model", "shown"),
    [
        ("", "models.Plain()", set()),
        ("", "models.Plain().grown()", {"widened"}),
        ("from torch import nn", "models.Plain(); nn.grown(), torch.widened", set()),
        ("", "models.Deep()", {"width"}),
        ("", "models.build()", {"width"}),
        ("", "getattr(models, args.name)()", {"width"}),
        ("", "models.__dict__[args.name]()", {"width"}),
        ("from models import Deep", "eval(args.name)()", {"width"}),
        ("from models import *", "eval(args.name)()", {"width"}),
        ("from models import Deep", "eval('models.' + args.name)()", {"width"}),
        ("from models import Deep", "eval('torch.nn.' + args.name)()", set()),
        ("from models import Deep", "eval(f'torch.nn.{args.name}')()", set()),
        ("", "getattr(models.Plain(), args.name)()", set()),
        ("NAME = 'grown'", "getattr(models.Plain(), args.name)()", {"widened"}),
        ("NAME = 'GROWN'", "getattr(models.Plain(), args.name)()", {"widened"}),
        ("USE = '--name Deep'", "getattr(args.module, args.name)()", {"width"}),
        ("from models import Deep", "models.Plain()", set()),
        ("__all__ = ['Deep']", "models.Plain()", set()),
        ("NAMES = {'deep': models.Deep}", "models.Plain()", {"width"}),
        ("CHOICES = ['Deep']", "models.Plain()", set()),
        ("CHOICES = ['Deep']", "getattr(args.module, args.name)()", {"width"}),
        ("CHOICES = ['models.Deep']", "models.Plain()", {"width"}),
        ("", "eval(args.name + '(4)')", set()),
        ("from models import Deep", "eval(args.name + '(4)')", {"width"}),
        ("def unused():\n    return models.Deep()\n", "models.Plain()", set()),
        ("if False:\n    deep = models.Deep()\n", "models.Plain()", set()),
    ],
)
def test_a_name_that_is_missing_matters_where_a_program_comes_to_it(
    tmp_path: Path, top: str, model: str, shown: set[str]
) -> None:
    (tmp_path / "train.py").write_text(TRAIN.format(top=top, model=model), encoding="utf-8")
    (tmp_path / "models.py").write_text(MODELS, encoding="utf-8")
    found = examine(tmp_path, hints=True, select=("TG004",))
    assert {one.detail for one in found.findings} == {"widened", "width"}
    assert {one.detail for one in found.failures} == shown


LOG = """
class Base:
    def show(self):
        {body}

class Log(Base):
    def {name}(self, text=""):
        print(text)
"""


@pytest.mark.parametrize(
    ("body", "call", "shown"),
    [
        ("pass", "args.any.grown()", {"widened"}),
        ("pass", "args.any.grown('text')", set()),  # Plain.grown takes none
        ("pass", "args.any.grown(*args)", {"widened"}),
        ("pass", "args.any.grown", {"widened"}),
        ("pass", "models.Plain.grown(args.any)", {"widened"}),
        ("pass", "Log().grown()", set()),
        ("pass", "args.log.grown()", set()),
        ("pass", "print(log := Log(), log.grown())", {"widened"}),  # no plain assignment
        ("pass\n    log = None", "args.log.grown()", {"widened"}),  # it may be that attribute
        ("self.grown()", "args.log.show()", set()),
        ("self.grown()\n    def __getattr__(self, name): pass", "args.log.show()", {"widened"}),
        ("self.any.grown()", "args.log.show()", {"widened"}),
        ("getattr(self, self.name)()", "args.log.show()", set()),
        ("getattr(self.any, self.name)()", "args.log.show()", set()),
        ("self.name = 'grown'; getattr(self.any, self.name)()", "args.log.show()", {"widened"}),
        ("pass\n\nWHICH = 'grown'\n", "getattr(args.any, WHICH)()", {"widened"}),
        ("pass\n\nWHICH = 'show'\n", "getattr(args.any, WHICH)()", set()),
        # a parameter that only has the name of a constant
        (
            "pass\n\ndef ask(it, WHICH):\n    return getattr(it, WHICH)()\n\nWHICH = 'show'\n",
            "ask(args.any, args.of['grown'])",
            {"widened"},
        ),
    ],
)
def test_a_method_is_run_where_the_object_may_be_of_its_class(
    tmp_path: Path, body: str, call: str, shown: set[str]
) -> None:
    top = LOG.format(body=body, name="grown") + "\nargs.log = Log()\n"
    train = TRAIN.format(top=top, model=f"models.Plain(); {call}")
    (tmp_path / "train.py").write_text(train, encoding="utf-8")
    (tmp_path / "models.py").write_text(MODELS, encoding="utf-8")
    assert {one.detail for one in examine(tmp_path, select=("TG004",)).failures} - {"args"} == shown


@pytest.mark.parametrize(
    ("beside", "content"),
    [
        ("setup.py", "from setuptools import setup\n\nsetup(name='nets', packages=['models'])\n"),
        ("check.py", "import models\n\nprint(models.Plain().grown(), models.Deep())\n"),
        ("tests/test_models.py", "import models\n\nmodels.Plain().grown()\nmodels.Deep()\n"),
        ("broken.py", "import models\n\nprint(models.Plain().grown(), models.Deep()\n"),
    ],
)
def test_other_programs_count_too(tmp_path: Path, beside: str, content: str) -> None:
    package = tmp_path / "models"
    package.mkdir()
    train = TRAIN.format(top="", model="models.Plain()")
    (tmp_path / "train.py").write_text(train, encoding="utf-8")
    (package / "__init__.py").write_text(MODELS, encoding="utf-8")
    (tmp_path / beside).parent.mkdir(exist_ok=True)
    (tmp_path / beside).write_text(content, encoding="utf-8")
    (tmp_path / "README.md").write_text("    pip install -U nets\n", encoding="utf-8")
    found = examine(tmp_path, select=("TG004",))
    assert "width" in {one.detail for one in found.failures}


@pytest.mark.parametrize("command", ["pip install -e .", "pip install nets-of-others", ""])
def test_a_package_that_no_page_has_others_install_is_for_its_own_programs(
    tmp_path: Path, command: str
) -> None:
    (tmp_path / "models").mkdir()
    train = TRAIN.format(top="", model="models.Plain()")
    (tmp_path / "train.py").write_text(train, encoding="utf-8")
    (tmp_path / "models" / "__init__.py").write_text(MODELS, encoding="utf-8")
    packaging = "from setuptools import setup\n\nsetup(name='nets', packages=['models'])\n"
    (tmp_path / "setup.py").write_text(packaging, encoding="utf-8")
    (tmp_path / "README.md").write_text(command, encoding="utf-8")
    assert examine(tmp_path, select=("TG004",)).failures == []


def test_one_of_several_imports_of_a_name_is_enough(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    top = (
        "def chosen(wide):\n    if wide:\n        from models.wide import Deep as Net\n"
        "    else:\n        from models.flat import Flat as Net\n    return Net()\n"
    )
    train = TRAIN.format(top=top, model="chosen(args.wide)")
    (tmp_path / "train.py").write_text(train, encoding="utf-8")
    (tmp_path / "models" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "models" / "wide.py").write_text(MODELS, encoding="utf-8")
    (tmp_path / "models" / "flat.py").write_text(MODELS.replace("Deep", "Flat"), encoding="utf-8")
    found = examine(tmp_path, select=("TG004",)).failures
    assert {(one.file, one.detail) for one in found} == {
        ("models/wide.py", "width"),
        ("models/flat.py", "width"),
    }


def test_what_is_taken_out_of_a_file_is_what_that_file_defines(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    top = "from models import flat as nets, wide"
    train = TRAIN.format(top=top, model="nets.Deep(); wide.Plain()")
    files = {"train.py": train, "models/__init__.py": ""}
    files |= {f"models/{name}.py": MODELS for name in ("flat", "wide")}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = examine(tmp_path, select=("TG004",)).failures
    assert {one.file for one in found} == {"models/flat.py"}


@pytest.mark.parametrize(("taken", "shown"), [("native", False), ("trial", True)])
def test_what_a_package_takes_of_compiled_code_may_have_any_arguments(
    taken: str, shown: bool, tmp_path: Path
) -> None:
    (tmp_path / "render").mkdir()
    (tmp_path / "show.py").write_text("import render\n\nrender.draw(1, 2)\n", encoding="utf-8")
    (tmp_path / "render" / "__init__.py").write_text(f"from render.{taken} import *\n", "utf-8")
    (tmp_path / "render" / "trial.py").write_text("def draw(mesh):\n    print(mesh)\n", "utf-8")
    assert bool(examine(tmp_path, select=("TG005",)).failures) is shown


HELPERS = """
from torch import nn


def load(path, size):
    return path, size


class Plain(nn.Module):
    def forward(self, x):
        return x

    def restored(self):
        return load("plain.pt")


def build():
    return load("built.pt")
"""


@pytest.mark.parametrize(
    ("model", "beside", "shown"),
    [
        ("models.Plain()", "", set()),
        ("models.Plain().restored()", "", {14}),
        ("models.build()", "", {18}),
        ("getattr(models, args.name)()", "", set()),
        ("models.Plain()", "import models\n\nmodels.build()\n", {18}),
        ("models.Plain()", "from models import Plain\n\nPlain().restored()\n", {14}),
    ],
)
def test_wrong_arguments_matter_where_names_in_the_code_lead_to_the_call(
    model: str, beside: str, shown: set[int], tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(TRAIN.format(top="", model=model), encoding="utf-8")
    (tmp_path / "models.py").write_text(HELPERS, encoding="utf-8")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "check.py").write_text(beside, encoding="utf-8")
    found = examine(tmp_path, hints=True, select=("TG005",))
    assert {one.line for one in found.findings} == {14, 18}
    assert {one.line for one in found.failures} == shown


def test_what_a_later_definition_of_the_name_replaces_is_a_hint(tmp_path: Path) -> None:
    twice = MODELS.replace(
        "def build():", "def build():\n    return depth.eval()\n\n\ndef build():"
    )
    train = TRAIN.format(top="", model="models.build()")
    (tmp_path / "train.py").write_text(train, encoding="utf-8")
    (tmp_path / "models.py").write_text(twice, encoding="utf-8")
    assert {one.detail for one in examine(tmp_path, select=("TG004",)).failures} == {"width"}


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("def f():\n    aps = []\n    return aps\n\n\ndef g(x=1):\n    return x, aps\n", 7),
        ("def g(x=aps):\n    aps = [x]\n    return aps\n", 1),
        ("def f(aps):\n    return aps\n\n\nprint([x for x in aps if (lambda aps: aps)(x)])\n", 5),
    ],
)
def test_a_missing_name_is_shown_where_it_is_read(tmp_path: Path, code: str, line: int) -> None:
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    found = examine(tmp_path, select=("TG004",)).findings
    assert [(one.line, one.detail) for one in found] == [(line, "aps")]


def test_a_link_to_another_file_of_the_project_is_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print(aps)\n", encoding="utf-8")
    (tmp_path / "b.py").symlink_to("a.py")
    assert [one.file for one in examine(tmp_path).findings] == ["a.py"]


@pytest.mark.parametrize(("before", "unsure"), [("", True), ("model.eval(); ", False)])
def test_a_missing_name_is_a_hint_in_a_function_beside_training(
    before: str, unsure: bool, tmp_path: Path
) -> None:
    code = f"def report(model):\n    {before}print(model, path)\n\n\nreport(input())\n"
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    found = examine(tmp_path, hints=True, select=("TG004",)).findings
    assert [(one.detail, one.unsure) for one in found] == [("path", unsure)]
