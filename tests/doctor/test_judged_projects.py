"""What only a project's other files, its pages and its packaging tell of a line."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

TRAINING = """
import torch

def fit(model, loader, loss_of):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
"""
OLD = "import numpy as np\nimport torch\n\n\n"


def found(folder: Path, files: dict[str, str]) -> list[tuple[str, str]]:
    """(file, rule) of what is found in a project of these files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return [(one.file, one.rule) for one in examine(folder).findings]


@pytest.mark.parametrize(
    ("code", "file", "text", "result"),
    [
        ("gym.wrappers.Monitor", "requirements.txt", "gym[atari,roms]==0.15.7\n", 0),
        ("gym.wrappers.Monitor", "requirements.txt", "gym[atari,roms]\n", 1),
        ("wandb.util.generate_id", "conda_environment_gpu.yaml", "  - wandb=0.13.3\n", 0),
        ("wandb.util.generate_id", "configuration.yaml", "  - wandb=0.13.3\n", 1),
        ("torch.gesv", "environment.yaml", "  - pytorch=1.0.0\n", 0),
        ("torch.gesv", "environment.yaml", "  - pytorch=1.13.0\n", 1),
        ("scipy.misc.imsave", "requirements.txt", "scipy==1.2.2\n", 0),
        ("scipy.misc.imsave", "requirements.txt", "scipy==1.3.0\n", 1),
        (
            "torchvision.datapoints",
            "README.md",
            "conda install pytorch cudatoolkit=10.1 -c pytorch\n",
            0,
        ),
        (
            "torchvision.datapoints",
            "README.md",
            "conda install pytorch=2.1 pytorch-cuda=12.1\n",
            1,
        ),
        ("torch.gesv", "README.md", "`torch.gesv` is gone since PyTorch 1.8.\n", 0),
        ("torch.gesv", "README.md", "It solves equations with torch.gesvd.\n", 1),
    ],
)
def test_a_name_is_gone_where_the_project_allows_and_expects_newer_releases(
    code: str, file: str, text: str, result: int, tmp_path: Path
) -> None:
    library = code.partition(".")[0]
    files = {file: text, "train.py": f"import {library}\n\nprint({code})\n"}
    gone = [("train.py", "TG813")] * result
    assert [one for one in found(tmp_path, files) if one[1] == "TG813"] == gone


@pytest.mark.parametrize(
    ("table", "result"),
    [("{}  # 'cups': Cups", []), ("{'cups': 'Cups'}", [("sets/cups.py", "TG813")])],
)
def test_a_file_that_names_itself_alone_is_not_used(
    table: str, result: list[tuple[str, str]], tmp_path: Path
) -> None:
    cups = f'{OLD}class Cups:\n    folder = "cups"\n    size = np.float(3)\n'
    files = {"train.py": f"SETS = {table}\n{TRAINING}", "sets/cups.py": cups}
    assert found(tmp_path, files) == result


COPY = """
import numpy as np

def padded(image, size):
    if np.alltrue(image.shape == size):
        raise ValueError("PADDED: nothing to do")
    return image
"""
BY_NAME = """
import importlib

import torch

{imports}

def fit(name, loader, loss_of):
    model = getattr(importlib.import_module("nets." + name), name)()
    {use}
    for batch in loader:
        loss_of(model, batch).backward()

def main(settings):
    fit(settings["name"], settings["loader"], settings["loss"])

if __name__ == "__main__":
    main(torch.load("settings.pt", weights_only=False))
"""


@pytest.mark.parametrize("use", ["", "print(padded(model.weight, 3))"])
def test_what_copies_of_a_function_say_of_themselves_calls_none(use: str, tmp_path: Path) -> None:
    code = BY_NAME.format(imports="from one import padded\nimport other", use=use)
    files = {"train.py": code, "one.py": COPY, "other.py": COPY}
    result = [("one.py", "TG813")] if use else []
    assert [one for one in found(tmp_path, files) if one[1] == "TG813"] == result


@pytest.mark.parametrize(
    ("more", "result"),
    [("", []), ('PREPARE = "place"\n', [("places.py", "TG813")])],
)
def test_a_branch_is_off_where_no_text_may_name_its_function(
    more: str, result: list[tuple[str, str]], tmp_path: Path
) -> None:
    places = """
import torch

def place(model, alike=False):
    if alike:
        torch.set_deterministic(True)
    return model.cuda()
"""
    code = BY_NAME.format(imports=f"from places import place\n{more}", use="place(model)")
    assert found(tmp_path, {"train.py": code, "places.py": places}) == result


PRUNE = """
import argparse

from nets import Net

parser = argparse.ArgumentParser()
parser.add_argument("--weights", default="")
args = parser.parse_args()
print(Net(), args.weights, args.resume)
"""
NETS = "{imports}\n\n\nclass Net:\n    pass\n"
MAIN = """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--resume", default="")
print(parser.parse_args().resume)
"""


@pytest.mark.parametrize("imports", ["", "import main"])
def test_a_script_imports_the_nearest_file_of_a_name(imports: str, tmp_path: Path) -> None:
    files = {
        "one/prune.py": PRUNE,
        "one/nets.py": NETS.format(imports=imports),
        "other/nets.py": NETS.format(imports="import main"),
        "one/main.py": MAIN,
        "other/main.py": MAIN,
    }
    result = [] if imports else [("one/prune.py", "TG006")]
    assert found(tmp_path, files) == result


def test_a_flag_is_tested_by_the_script_that_parses_it(tmp_path: Path) -> None:
    script = """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--plot", default=True, help="draw the rate")
parser.add_argument("--rate", type=float, default=0.1)
args = parser.parse_args()
print(args.rate)
"""
    files = {"one.py": script, "other.py": f"{script}if args.plot:\n    print('drawn')\n"}
    assert found(tmp_path, files) == [("other.py", "TG310")]


@pytest.mark.parametrize(
    ("page", "result"),
    [("python link.py --joined 0\n", []), ("python link.py\n", [("link.py", "TG347")])],
)
def test_a_flag_without_a_default_starts_where_the_commands_give_it(
    page: str, result: list[tuple[str, str]], tmp_path: Path
) -> None:
    script = """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--joined", type=int, default="")
args = parser.parse_args()
print(args.joined + 1)
"""
    assert found(tmp_path, {"link.py": script, "README.md": page}) == result


RESUMED = """
import os

import torch

from names import {maker}

def fit(model, optimizer, run_epoch, epochs, folder, resume):
    name = {maker}()
    start = 0
    if resume:
        state = torch.load(resume, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"] + 1
    log = open(os.path.join(folder, name + ".log"), "w")
    for epoch in range(start, epochs):
        log.write(f"{{epoch}},{{run_epoch(model, optimizer)}}\\n")
        state = {{"model": model.state_dict(), "optimizer": optimizer.state_dict()}}
        torch.save({{**state, "epoch": epoch}}, os.path.join(folder, name + ".pt"))
"""
NAMES = """
import os
import time

def of_now():
    return time.strftime("%Y-%m-%d-%H-%M")

def of_folder():
    return os.path.basename(os.getcwd())
"""


@pytest.mark.parametrize(
    ("maker", "result"), [("of_now", []), ("of_folder", [("train.py", "TG619")])]
)
def test_a_log_has_another_name_where_a_helper_makes_it_of_the_time(
    maker: str, result: list[tuple[str, str]], tmp_path: Path
) -> None:
    files = {"train.py": RESUMED.format(maker=maker), "names.py": NAMES}
    assert [one for one in found(tmp_path, files) if one[1] == "TG619"] == result


SEEDED = """
import argparse

import torch


def main(weights, loader):
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--width", type=int, default=8)
    args = parser.parse_args()
    net = torch.nn.Linear(args.width, 2)
    net.load_state_dict(weights)
    return [net(x) for x in loader]


if __name__ == "__main__":
    main(*torch.load("prepared.pt", weights_only=False))
"""
ON_GPU = """
import torch

from steps import fit


def main(net, loader, optimizer, loss_of):
    torch.cuda.manual_seed(3)
    return fit(net, loader, loss_of)


if __name__ == "__main__":
    main(*torch.load("prepared.pt", weights_only=False))
"""


@pytest.mark.parametrize(
    ("file", "text", "result"),
    [
        ("infer.py", SEEDED, []),
        ("start.py", SEEDED, [("start.py", "TG108")]),
        ("test.py", ON_GPU, []),
        ("start.py", ON_GPU, [("start.py", "TG111")]),
    ],
)
def test_a_seed_matters_where_a_program_trains_or_starts_from_chance(
    file: str, text: str, result: list[tuple[str, str]], tmp_path: Path
) -> None:
    assert found(tmp_path, {file: text, "steps.py": TRAINING}) == result


GRID = """
import torch


def warp(image, flow, size):
    grid = 2.0 * flow / max(size - 1, 1) - 1.0
    return torch.nn.functional.grid_sample(image, grid)
"""


@pytest.mark.parametrize(
    ("pin", "result"), [("torch==0.4.1", []), ("torch==1.6.0", [("warp.py", "TG350")])]
)
def test_a_grid_of_centres_fails_where_torch_has_another_default(
    pin: str, result: list[tuple[str, str]], tmp_path: Path
) -> None:
    assert found(tmp_path, {"warp.py": GRID, "requirements.txt": f"{pin}\n"}) == result


SCORES = """
{importing}
import torch

distance = {name}(net="vgg")
print(distance(torch.zeros(1, 3, 64, 64), torch.ones(1, 3, 64, 64)))
"""


@pytest.mark.parametrize(
    ("importing", "name"), [("import lpips", "lpips.LPIPS"), ("from lpips import LPIPS", "LPIPS")]
)
@pytest.mark.parametrize(
    ("needs", "result"), [("torch\nlpips\n", []), ("torch\n", [("score.py", "TG005")])]
)
def test_an_import_of_a_library_brings_no_copy_of_it(
    needs: str, result: list[tuple[str, str]], importing: str, name: str, tmp_path: Path
) -> None:
    copy = (
        "import torch\n\n\nclass LPIPS:\n    def __init__(self, kind):\n        self.kind = kind\n"
    )
    files = {"requirements.txt": needs, "copied/lpips.py": copy}
    files["score.py"] = SCORES.format(importing=importing, name=name)
    assert found(tmp_path, files) == result


def test_a_relative_import_is_of_no_library(tmp_path: Path) -> None:
    steps = "def step(model):\n    return model(1)\n"
    use = "import torch\n\nfrom .steps import step\n\nstep(torch.nn.Linear(1, 1), 2)\n"
    files = {"requirements.txt": "torch\nnumpy\n", "net/__init__.py": "", "net/steps.py": steps}
    assert found(tmp_path, {**files, "net/train.py": use}) == [("net/train.py", "TG005")]


LACKING = """
def main(args):
    fit(*args)


if __name__ == "__main__":
    main()
"""
LATER = """
if __name__ == "__main__":
    fit(**vars(parsed()))
    train(never_defined)


def parsed():
    return {}
"""


@pytest.mark.parametrize("block", [LATER, LACKING])
def test_a_block_of_an_imported_file_that_cannot_run_is_left_over(
    block: str, tmp_path: Path
) -> None:
    start = "import torch\n\nfrom steps import fit\n\nfit(*torch.hub.load('a/b', 'c'))\n"
    assert found(tmp_path, {"main.py": start, "steps.py": f"{TRAINING}\n\n{block}"}) == []


WRAPPED = """
import torch

from weights import load, save


class Runner:
    def __init__(self, net):
        self.net = {net}

    def run(self, path, loader, loss_of):
        load(self.net, path)
        optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        for x, y in loader:
            optimizer.zero_grad()
            loss_of(self.net(x), y).backward()
            optimizer.step()
        save(self.net, path)


Runner(torch.nn.Linear(3, 2)).run(*torch.hub.load("a/b", "c"))
"""
WEIGHTS = """
import torch


def save(net, path):
    torch.save({"net": net.state_dict()}, path)


def load(net, path):
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True)["net"])
"""


def test_weights_go_back_into_a_model_that_is_always_wrapped(tmp_path: Path) -> None:
    runner = WRAPPED.format(net="torch.nn.DataParallel(net).cuda()")
    assert found(tmp_path, {"runner.py": runner, "weights.py": WEIGHTS}) == []


PAIRS = """
from collections import OrderedDict

import torch


def save(net, path):
    state = net.state_dict()
    weights = OrderedDict([[name, tensor{moved}] for name, tensor in state.items()])
    torch.save(weights, path)


def load(net, path):
    net.load_state_dict(torch.load(path, weights_only=True))
"""
ANYWHERE = """
import torch

from weights import load

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def test(net, loader, path):
    load(net, path)
    net.to(device).eval()
    with torch.no_grad():
        return [net(x.to(device)) for x in loader]


if __name__ == "__main__":
    print(test(*torch.hub.load("a/b", "c")))
"""


@pytest.mark.parametrize(
    ("moved", "result"), [(".cpu()", []), (".half()", [("weights.py", "TG610")])]
)
def test_weights_that_are_saved_from_the_cpu_open_anywhere(
    moved: str, result: list[tuple[str, str]], tmp_path: Path
) -> None:
    files = {"weights.py": PAIRS.format(moved=moved), "score.py": ANYWHERE}
    files["train.py"] = f"from weights import save\n{TRAINING}    save(model.cuda(), 'w.pt')\n"
    assert found(tmp_path, files) == result
