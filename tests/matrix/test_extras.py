"""Projects with all extras: every module can be imported, every command runs, and runs train."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from edits.test_how_to import differences, result

from .answers import EXTRAS, PAIR, Answers, folder_of, name_of, with_extras
from .commands import Project, environment
from .renderings import PACKAGE
from .training import Start, check_evaluation, check_prediction, copy_of, train

pytestmark = pytest.mark.smoke

ALL = [with_extras(answers, *EXTRAS) for answers in PAIR]
IMPORT_ALL = f"""
import importlib, pkgutil, {PACKAGE}
for found in pkgutil.walk_packages({PACKAGE}.__path__, "{PACKAGE}."):
    importlib.import_module(found.name)
    print(found.name)
"""
# what each extra's command is run with, after a run in `run`; each leaves exit code 0
SMALL = ("--batch-size", "16", "--num-workers", "0", "--width", "8", "--device", "cpu")
SWEPT = ("epochs=1", "width=8", "batch_size=16", "num_workers=0")
COMMANDS: dict[str, tuple[str, ...]] = {
    "report": ("run",),
    "verify": SMALL,
    "export": ("run", "--samples", "8"),
    "sweep": ("study", "--vary", "lr=1e-3,1e-2", "--trials", "1", "--set", *SWEPT),
    "look": ("layers", "run"),
    "perf": ("step", "--steps", "2", *SMALL),
    "check-data": (),
}
# flags of the extras that change a run, each in use
HOOKED: dict[str, tuple[str, ...]] = {
    "finetune": ("--freeze", "stem", "--unfreeze-at=2", "--head-lr=2", "--layer-decay=0.8"),
    "augmentations": ("--mixup=0.5", "--cutmix=1", "--erasing=0.3", "--color=0.3"),
    "imbalance": ("--loss=focal", "--class-weights", "--balance"),
    "schedules": ("--schedule=onecycle", "--swa-from=2"),
}
KILLED = [
    *((with_extras(PAIR[0], extra), flags) for extra, flags in HOOKED.items()),
    *((answers, tuple(flag for flags in HOOKED.values() for flag in flags)) for answers in ALL[:2]),
]


def has_command(tree: Path, extra: str) -> bool:
    return any((tree / PACKAGE / folder_of(extra)).glob("__main__.py"))


@pytest.mark.parametrize("answers", [with_extras(PAIR[0], extra) for extra in EXTRAS], ids=name_of)
def test_each_module_of_an_extra_can_be_imported_without_the_others(
    extra_trees: Mapping[str, Path], answers: Answers, tmp_path: Path
) -> None:
    tree = extra_trees[name_of(answers)]
    project = Project(copy_of(tree, tmp_path), environment(tmp_path / "home"))
    imported = project.python("-c", IMPORT_ALL).split()
    assert len(imported) == len(list((tree / PACKAGE).rglob("*.py"))) - 1  # the package itself


@pytest.mark.parametrize("answers", ALL[:2], ids=name_of)
def test_with_all_extras_a_run_trains_and_each_command_does_its_work(
    extra_trees: Mapping[str, Path], images: Path, answers: Answers, tmp_path: Path
) -> None:
    tree = extra_trees[name_of(answers)]
    project = Project(copy_of(tree, tmp_path), environment(tmp_path / "home"), timeout=400)
    start = Start("cpu", 2 if answers["parallelism"] != "single" else 0)
    project.run("prepare", "--source", images)
    records = train(project, answers, start)
    check_evaluation(project, records, start)
    check_prediction(project, images)
    # the other commands are one process, whatever trains
    chosen = EXTRAS if answers is ALL[0] else ("report", "verify")
    for extra in chosen:
        if has_command(tree, extra):
            assert project.run(folder_of(extra), "--help")
            if extra != "serve":  # which its own tests start and stop
                project.run(folder_of(extra), *COMMANDS[extra])


@pytest.mark.parametrize("answers", ALL[:2], ids=name_of)
def test_extras_that_are_there_and_not_used_change_no_number(
    trees: Mapping[str, Path],
    extra_trees: Mapping[str, Path],
    images: Path,
    answers: Answers,
    tmp_path: Path,
) -> None:
    plain = {name: choice for name, choice in answers.items() if name != "extras"}
    found = []
    for tree in (trees[name_of(plain)], extra_trees[name_of(answers)]):
        project = Project(
            copy_of(tree, tmp_path / str(len(found))), environment(tmp_path / "home"), timeout=300
        )
        project.run("prepare", "--source", images)
        project.run("train", "--run-dir", "run", "--epochs", "1", *SMALL)
        lines = (project.folder / "run/metrics.jsonl").read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        found.append([{k: v for k, v in r.items() if "per_second" not in k} for r in records])
    assert found[0] == found[1]


@pytest.mark.parametrize(("answers", "flags"), KILLED, ids=[name_of(a) for a, _ in KILLED])
def test_a_killed_run_that_uses_extras_resumes_to_the_same_bits(
    extra_trees: Mapping[str, Path],
    images: Path,
    answers: Answers,
    flags: tuple[str, ...],
    tmp_path: Path,
) -> None:
    project = Project(
        copy_of(extra_trees[name_of(answers)], tmp_path), environment(tmp_path / "home")
    )
    processes = 0 if answers["parallelism"] == "single" else 2
    project.run("prepare", "--source", images)
    given = ("--epochs", "4", "--checkpoint-every", "2", *SMALL, *flags, "--run-dir")
    project.run("train", *given, "whole", processes=processes)

    launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    command = [sys.executable, *(launcher if processes else []), "-m", f"{PACKAGE}.train"]
    process = subprocess.Popen(
        [*command, *given, "killed"],
        cwd=project.folder,
        env=project.environment,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    last = project.folder / "killed/checkpoints/last.pt"
    while not last.exists() and process.poll() is None:
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert torch.load(last, weights_only=True)["progress"]["step"] < 12
    project.run("train", *given, "killed", "--resume", processes=processes)
    found: list[Any] = [result(project.folder / name) for name in ("whole", "killed")]
    assert found[0][0] == found[1][0]
    assert differences(found[0][1], found[1][1]) == []
