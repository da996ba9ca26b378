"""What only the files of a project together tell."""

import json
from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine
from torchgen_cli.doctor.rule import Severity

TRAIN = """
import argparse

import torch

import loaders


def run():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--shuffle", action="store_true", help="mix the samples")
    args = parser.parse_args()
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for x, y in {make}:
        optimizer.zero_grad()
        (model(x) - y).pow(2).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    run()
"""
LOADERS = """
import argparse

from torch.utils.data import DataLoader


def make(args):
    return DataLoader(range(8), shuffle=args.shuffle)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--shuffle", action="store_true")
    print(len(make(parser.parse_args())))
"""
NOISE = """
import numpy as np
import torch


def train(model, loader, optimizer, loss_of):
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch + np.random.rand()).backward()
        optimizer.step()
"""
SEEDED = """
import torch
{more}
torch.manual_seed(3)
"""


def found(folder: Path, files: dict[str, str]) -> list[tuple[str, str]]:
    """(file, rule) of what is found in a project of these files."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [(one.file, one.rule) for one in examine(folder).findings]


@pytest.mark.parametrize(
    ("make", "result"),
    [("loaders.make(args)", []), ("loaders.DataLoader(range(8))", [("train.py", "TG418")])],
)
def test_a_file_that_parses_flags_of_its_own_may_be_given_those_of_another(
    make: str, result: list[tuple[str, str]], tmp_path: Path
) -> None:
    files = {"train.py": TRAIN.format(make=make), "loaders.py": LOADERS}
    assert found(tmp_path, files) == result


@pytest.mark.parametrize(
    ("more", "result"),
    [("", []), ("from noise import train", [("noise.py", "TG112")])],
)
def test_a_seed_is_for_the_programs_that_import_it(
    more: str, result: list[tuple[str, str]], tmp_path: Path
) -> None:
    files = {"noise.py": NOISE, "demo.py": SEEDED.format(more=more)}
    assert found(tmp_path, files) == result


@pytest.mark.parametrize(
    ("device", "result"),
    [("torch.cuda.is_available()", [("train.py", "TG709")]), ("'cuda'", [])],
)
def test_a_file_that_asks_for_a_gpu_as_soon_as_it_is_imported(
    device: str, result: list[tuple[str, str]], tmp_path: Path
) -> None:
    setting = 'def main(gpu):\n    os.environ["CUDA_VISIBLE_DEVICES"] = gpu\n    print(device)\n'
    files = {
        "config.py": f"import torch\n\ndevice = {device}\n",
        "train.py": f"import os\n\nfrom config import device\n\n\n{setting}",
    }
    assert found(tmp_path, files) == result


def test_a_scheduler_of_another_script_is_no_part_of_the_run(tmp_path: Path) -> None:
    script = """
import hydra
import torch

@hydra.main(config_path="config")
def main(args):
    net = torch.nn.Linear(8, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    {scheduler}
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"] + 1
    for epoch in range(first, 90):
        optimizer.step()
        {step}
        moments = optimizer.state_dict()
        torch.save({{"net": net.state_dict(), "optimizer": moments, "epoch": epoch}}, "last.pt.new")

if __name__ == "__main__":
    main()
"""
    step_wise = "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)"
    texts = {
        "classify.py": script.format(scheduler=step_wise, step="scheduler.step()"),
        "segment.py": script.format(scheduler="", step=""),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = [(one.file, one.detail) for one in examine(tmp_path).findings if one.rule == "TG604"]
    assert found == [("classify.py", "without the scheduler")]


def test_one_seed_of_all_processes_is_seen_where_another_file_wraps_the_model(
    tmp_path: Path,
) -> None:
    train = """
import torch
import torch.distributed as dist
from engine import fit
from seeds import fix_seed

def main(cfg, rank):
    fix_seed(cfg.number)
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl")
    fit(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.2)), rank)
"""
    engine = """
from torch.nn.parallel import DistributedDataParallel

def fit(net, rank):
    return DistributedDataParallel(net.cuda(), device_ids=[rank])
"""
    seeds = "import torch\n\ndef fix_seed(number):\n    torch.manual_seed(number)\n"
    files = {"train.py": train, "engine.py": engine, "seeds.py": seeds}
    assert found(tmp_path, files) == []
    shared = examine(tmp_path, select=("TG705",)).findings
    assert [one.file for one in shared] == ["train.py"]


@pytest.mark.parametrize(("flag", "count"), [("patience", 0), ("stop", 1)])
def test_a_flag_that_another_file_reads_has_to_be_declared(
    flag: str, count: int, tmp_path: Path
) -> None:
    main = """
import argparse

from fit import fit

parser = argparse.ArgumentParser()
parser.add_argument("--patience", type=int, default=3)

if __name__ == "__main__":
    args = parser.parse_args()
    fit(args, range(9))
"""
    fit = f"import torch\n\ndef fit(args, losses):\n    return list(losses)[-args.{flag}:]\n"
    assert found(tmp_path, {"main.py": main, "fit.py": fit}) == [("fit.py", "TG006")] * count


def test_a_wrapper_of_the_optimizer_may_set_gradients_to_zero(tmp_path: Path) -> None:
    files = {
        "optim.py": """
import torch

class Optimizer:
    def __init__(self, weights):
        self.inner = torch.optim.Adam(weights)

    def before(self):
        self.inner.{zero}()

    def step(self):
        self.inner.step()
""",
        "solver.py": """
from optim import Optimizer

class Solver:
    def __init__(self, model):
        self.optimizer = Optimizer(model.parameters())

    def follow(self, loss):
        loss.backward()
        self.optimizer.step()
""",
        "train.py": """
from solver import Solver

class Trainer(Solver):
    def fit(self, model, batches):
        for x in batches:
            self.optimizer.before()
            self.follow(model(x).mean())
""",
    }
    zeroed = {name: text.replace("{zero}", "zero_grad") for name, text in files.items()}
    assert found(tmp_path, zeroed) == []
    kept = {name: text.replace("{zero}", "state_dict") for name, text in files.items()}
    assert ("solver.py", "TG401") in found(tmp_path, kept)


def test_each_program_is_asked_what_the_steps_of_its_environment_give(tmp_path: Path) -> None:
    play = """
import gym
import torch

def play(policy):
    env = gym.make("CartPole-v1")
    state, _ = env.reset()
    {values} = env.step(policy(torch.tensor(state)))
    return reward

if __name__ == "__main__":
    print(play(torch.argmax))
"""
    new = play.replace("{values}", "state, reward, terminated, truncated, _")
    old = play.replace("{values}", "state, reward, done, _")
    assert found(tmp_path, {"new.py": new, "old.py": old}) == [("old.py", "TG819")]


def test_a_class_that_a_package_shows_by_another_s_name_is_that_other_one(tmp_path: Path) -> None:
    files = {
        "main.py": "from nets import Net\n\nprint(Net())\n",
        "nets/__init__.py": "from nets.serving import Detector as Net\n",
        "nets/model.py": "class Net:\n    def __init__(self, width):\n        pass\n",
        "nets/serving.py": "class Detector:\n    def __init__(self, path=''):\n        pass\n",
    }
    (tmp_path / "nets").mkdir()
    assert found(tmp_path, files) == []


def test_a_function_that_is_imported_from_two_files_may_be_either(tmp_path: Path) -> None:
    one = "def show(rows):\n    return len(rows)\n"
    other = "def show():\n    return 0\n"
    main = """
def first(rows):
    from one import show

    return show(rows)

def second():
    from other import show

    return show()
"""
    assert found(tmp_path, {"main.py": main, "one.py": one, "other.py": other}) == []


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("README.md", "Run `python train.py --start_epoch 4`.", 1),
        ("README.md", "Run `python train.py --start_epoch 0`.", 0),  # which is its default
        ("README.md", "Run `python other.py --start_epoch 4`.", 0),
        ("scripts/train.sh", "python train.py \\\n  --start-epoch 4\n", 1),
        ("README.md", "Run `python train.py --start-epoch-of-all 4`.", 0),
    ],
)
def test_a_flag_without_effect_is_shown_where_something_gives_it(
    file: str, text: str, found: int, tmp_path: Path
) -> None:
    code = """
import argparse

import torch

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--start-epoch", type=int, default=0)
    args = parser.parse_args()
    model = torch.nn.Linear(args.width, 2)
    model(torch.ones(1, args.width)).sum().backward()
"""
    (tmp_path / "train.py").write_text(code, encoding="utf-8")
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text, encoding="utf-8")
    assert [one.rule for one in examine(tmp_path).findings] == ["TG418"] * found


RUN = """
import argparse

import torch
from torchvision import transforms


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument({flag})
    args = parser.parse_args()
    for key, value in vars(args).items():
        print(key, type(value))
    change = transforms.RandomHorizontalFlip()
    model = torch.nn.Linear(args.width, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(change(torch.ones(1, args.width))).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("flag", "detail"),
    [
        ('"--momentum", type=float, default=0.5', "--momentum, while line 17 has `SGD(...)`"),
        ('"--optimizer", default="adam"', "--optimizer, while line 17 has `SGD(...)`"),
        ('"--no_flip", action="store_true"', "--no_flip, while line 15 has"),
        ('"-evaluate", action="store_true"', "-evaluate, but the run trains anyway"),
        ('"--resume", default=""', "--resume, but nothing is loaded from it"),
        ('"--warmup", type=int, default=5, help="epochs of warm-up"', "--warmup"),
        ('"--warmup", type=int, default=5', ""),
        ('"--adam_beta1", type=float, default=0.9', ""),
        ('"--model", default="linear"', ""),
        ('"--optimizer", default="sgd", help="only supports sgd"', ""),
    ],
)
def test_a_flag_that_nothing_reads_is_shown_where_the_run_does_otherwise(
    flag: str, detail: str, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(RUN.format(flag=flag), encoding="utf-8")
    shown = [one.detail for one in examine(tmp_path).findings if one.rule == "TG418"]
    assert len(shown) == bool(detail)
    assert all(one.startswith(detail) for one in shown)


@pytest.mark.parametrize(
    ("use", "shown"), [("from logger import Logger", True), ("from logging import Logger", False)]
)
def test_a_name_that_is_gone_is_shown_in_what_a_program_for_torch_imports(
    use: str, shown: bool, tmp_path: Path
) -> None:
    files = {
        "train.py": f"import torch\n{use}\n\nprint(Logger('runs'), torch.ones(2))\n",
        "logger.py": "import tensorflow as tf\n\n\ndef Logger(path):\n"
        "    return tf.summary.FileWriter(path)\n",
    }
    assert (("logger.py", "TG813") in found(tmp_path, files)) is shown


RESUME = """
import argparse
import os
import torch


def main(net, loader, loss_of):
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", {default})
    args = parser.parse_args()
    optimizer = torch.optim.AdamW(net.parameters())
    torch.manual_seed(0)
    if os.path.isfile(args.resume):
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
{otherwise}
    for batch in loader:
        optimizer.zero_grad()
        loss_of(net, batch).backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("default", "otherwise", "shown"),
    [
        ('default=""', "", True),
        ('default="last.pt"', "", False),
        ('default=""', '    else:\n        print("no checkpoint found")', False),
    ],
)
def test_a_run_that_begins_anew_without_a_word_is_shown(
    default: str, otherwise: str, shown: bool, tmp_path: Path
) -> None:
    files = {"train.py": RESUME.format(default=default, otherwise=otherwise)}
    assert (("train.py", "TG623") in found(tmp_path, files)) is shown


WHOLE = """
import argparse
import torch
from nets import {name} as Network

class Solver:
    def __init__(self, config):
        self.__dict__.update({{}}, **config)
        self.model = Network(self.width)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--dropout", type=float, default=0.5, help="rate of the dropout")
    args = parser.parse_args()
    Solver(vars(args)).model(torch.ones(1)).sum().backward()
"""


@pytest.mark.parametrize(
    ("more", "result"),
    [("", [("train.py", "TG418")]), ("        self.rate = options['dropout']\n", [])],
)
def test_flags_that_the_projects_own_code_takes_as_a_whole_are_read_by_their_names(
    more: str, result: list[tuple[str, str]], tmp_path: Path
) -> None:
    net = f"import torch\n\nclass Net(torch.nn.Module):\n    def __init__(self, options):\n{more}"
    files = {"train.py": WHOLE.format(name="Net"), "nets.py": f"{net}        self.o = options\n"}
    assert [one for one in found(tmp_path, files) if one[1] == "TG418"] == result


def test_a_place_in_a_notebook_is_told_by_its_cell(tmp_path: Path) -> None:
    cells = [
        "import os\n\nimport torch",
        "print(1)\nprint(torch.cuda.is_available())",
        'os.environ["CUDA_VISIBLE_DEVICES"] = "1"',
    ]
    notebook = {"cells": [{"cell_type": "code", "source": [cell]} for cell in cells]}
    (tmp_path / "show.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (found,) = [one for one in examine(tmp_path, hints=True).findings if one.rule == "TG709"]
    assert (found.cell, found.line, found.detail) == (3, 1, "after line 2 of cell 2")
    assert found.severity is Severity.HINT


def test_two_faults_of_one_line_are_one_place(tmp_path: Path) -> None:
    code = """
import torch.nn.functional as F

def loss(model, args, x, y, z):
    name = args.name is "first" or args.name is "last"
    both = F.cross_entropy(F.softmax(model(x)), z) + F.cross_entropy(F.softmax(model(y)), z)
    return name, both
"""
    (tmp_path / "train.py").write_text(code, encoding="utf-8")
    found = [one.rule for one in examine(tmp_path).findings]
    assert found.count("TG304") == found.count("TG335") == 1


@pytest.mark.parametrize(
    ("command", "names", "shown"),
    [
        ("python -m torch.distributed.launch --nproc_per_node 2 train.py", '"--local_rank"', True),
        (
            "python -m torch.distributed.launch \\\n  --nproc_per_node 2 \\\n  ./train.py",
            '"--local_rank"',
            True,
        ),
        ("python -m torch.distributed.launch --use_env train.py", '"--local_rank"', False),
        ("python -m torch.distributed.launch other.py", '"--local_rank"', False),
        ("torchrun train.py", '"--local_rank"', False),
        ("python -m torch.distributed.launch train.py", '"--local_rank", "--local-rank"', False),
    ],
)
def test_a_flag_that_the_launcher_of_a_page_spells_otherwise_is_refused(
    tmp_path: Path, command: str, names: str, shown: bool
) -> None:
    (tmp_path / "README.md").write_text(f"Training:\n\n    {command}\n", encoding="utf-8")
    (tmp_path / "train.py").write_text(
        f"import argparse\nimport torch\nparser = argparse.ArgumentParser()\n"
        f"parser.add_argument({names}, type=int)\nargs = parser.parse_args()\n",
        encoding="utf-8",
    )
    assert bool(examine(tmp_path, select=("TG809",)).failures) is shown


@pytest.mark.parametrize(
    ("seed", "shown"),
    [("np.random.get_state()[1][0] + worker", True), ("torch.initial_seed() % 2**32", False)],
)
def test_a_function_for_workers_is_found_in_the_file_that_defines_it(
    tmp_path: Path, seed: str, shown: bool
) -> None:
    (tmp_path / "tools").mkdir()
    for name in ("tools/workers.py", "old.py"):
        (tmp_path / name).write_text(
            "import numpy as np\nimport torch\n\n\ndef start(worker):\n"
            f"    np.random.seed({seed if name != 'old.py' else 0})\n",
            encoding="utf-8",
        )
    (tmp_path / "train.py").write_text(
        "import numpy as np\nfrom torch.utils.data import DataLoader, Dataset\n\n"
        "from tools.workers import *\n\n\nclass Points(Dataset):\n"
        "    def __getitem__(self, index):\n        return self.points[index] + np.random.rand()\n"
        "\n\ndef load(points):\n"
        "    return DataLoader(Points(points), num_workers=2, worker_init_fn=start)\n",
        encoding="utf-8",
    )
    assert bool(examine(tmp_path, select=("TG103",)).failures) is shown


@pytest.mark.parametrize(
    ("folder", "shown"),
    [("./data/street/test", True), ("./data/val", False), ("test_1/val", False)],
)
def test_a_configuration_that_gives_the_test_for_validation_is_found(
    tmp_path: Path, folder: str, shown: bool
) -> None:
    text = f"TRAIN_DIR: './data/street/train'\n  VAL_DIR: '{folder}'    # validation\n"
    (tmp_path / "training.yml").write_text(text, encoding="utf-8")
    (tmp_path / "train.py").write_text(
        "import torch\nfrom config import Config\n\noptions = Config('training.yml')\n\n\n"
        "def fit(model, train_epoch, measure):\n    best_score = 0\n    for epoch in range(9):\n"
        "        train_epoch(model)\n        score = measure(model, options.TRAINING.VAL_DIR)\n"
        "        if score > best_score:\n            best_score = score\n"
        "            torch.save(model.state_dict(), 'best.pth')\n",
        encoding="utf-8",
    )
    assert bool(examine(tmp_path, select=("TG215",)).failures) is shown


SAVED_NOW_AND_THEN = """
import torch
import yaml


def train(model, optimizer, loss_of, batches):
    options = yaml.safe_load(open("options.yaml"))
    for epoch in range(options["epochs"]):
        for batch in batches:
            loss_of(model, batch).backward()
            optimizer.step()
        if epoch % 10 == 0:
            torch.save(model.state_dict(), "last.pt")
"""


@pytest.mark.parametrize(
    ("epochs", "told"),
    [
        ("300", "nothing saves the last 9 of the 300 passes of the loop"),
        ("3e2", "nothing saves the last 9 of the 300 passes of the loop"),
        *((text, "") for text in ("_", "1__0", "1e999", "many", "0", "-1")),
    ],
)
def test_passes_are_counted_by_the_numbers_that_a_configuration_gives(
    epochs: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(SAVED_NOW_AND_THEN, encoding="utf-8")
    (tmp_path / "options.yaml").write_text(f"epochs: {epochs}\n", encoding="utf-8")
    found = examine(tmp_path, hints=True, select=("TG614",))
    assert [one.detail for one in found.findings] == [told]
    assert [one.severity is Severity.HINT for one in found.findings] == [not told]


def test_passes_are_counted_by_the_flags_of_the_program_itself(tmp_path: Path) -> None:
    parser = "import argparse\n\nparser = argparse.ArgumentParser()\n"
    parser += 'parser.add_argument("--epochs", type=int, default={})\n'
    code = SAVED_NOW_AND_THEN.replace("import torch", f"import torch\n{parser.format(400)}", 1)
    code = code.replace('options["epochs"]', "parser.parse_args().epochs")
    (tmp_path / "train.py").write_text(f"{code}\n\nimport nets\n", encoding="utf-8")
    (tmp_path / "test.py").write_text(f"{parser.format(100)}import nets\n", encoding="utf-8")
    (tmp_path / "nets.py").write_text("import torch\n", encoding="utf-8")
    found = examine(tmp_path, select=("TG614",)).findings
    assert [one.detail for one in found] == [
        "nothing saves the last 9 of the 400 passes of the loop"
    ]


@pytest.mark.parametrize(
    ("file", "text", "shown"),
    [
        ("Dockerfile", "RUN pip install \\\n    numpy==1.23.5 pillow\n", False),
        ("README.md", "    pip install numpy==1.23.5\n", False),
        ("README.md", "It was tested with numpy 1.23.5.\n", False),
        ("README.md", "It was tested with numpy 1.23.5 and numpy 2.1.\n", True),
        ("README.md", "- numpy >= 1.19\n", True),
        ("README.md", "- Python 3.6, [PyTorch](https://pytorch.org) (version 1.2)\n", False),
        ("README.md", "- PyTorch 0.4.1\n", False),
        ("INSTALL.md", "- PyTorch == 1.3.0\n", False),
        ("README.md", "- PyTorch 0.4.1 (or higher)\n", True),
        ("README.md", "- PyTorch 0.4.1; since 2020 also PyTorch v1.2+\n", True),
        ("README.md", "- Python 3.6+\n", True),
        ("README.md", "- ipython 3.6\n", True),
        ("conda_env.yml", "dependencies:\n  - pip:\n    - numpy==1.23.5\n", False),
        ("nets_env_cuda113.yaml", "dependencies:\n  - numpy=1.23.5=py38h_0\n", False),
        ("requirements.txt", "numpy[extra]==1.23.5\n", False),
        ("Pipfile", '[packages]\nnumpy = "==1.19.5"\n', False),
        ("uv.lock", '[[package]]\nname = "numpy"\nversion = "1.23.5"\n', False),
        ("uv.lock", '[[package]]\nname = "numpy"\nversion = "2.1.0"\n', True),
        ("Pipfile.lock", '{"default": {"numpy": {"hashes": [], "version": "==1.23.5"}}}', True),
    ],
)
def test_the_numpy_that_a_project_is_made_for_counts(
    file: str, text: str, shown: bool, tmp_path: Path
) -> None:
    code = "import numpy as np\nimport torch\n\nprint(torch.ones(2).numpy().astype(np.float))\n"
    (tmp_path / "train.py").write_text(code, encoding="utf-8")
    if file == "uv.lock":
        (tmp_path / "README.md").write_text("    uv run train.py\n", encoding="utf-8")
    (tmp_path / file).write_text(text, encoding="utf-8")
    assert [one.rule for one in examine(tmp_path).findings] == ["TG813"] * shown


def test_a_name_that_another_file_gives_to_a_library_is_there(tmp_path: Path) -> None:
    code = "import numpy as np\nimport torch\n\nprint(torch.ones(2).numpy().astype(np.float))\n"
    (tmp_path / "train.py").write_text(code, encoding="utf-8")
    (tmp_path / "shim.py").write_text("import numpy as np\n\nnp.float = float\n", encoding="utf-8")
    assert examine(tmp_path).findings == []
