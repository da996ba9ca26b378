"""A run's folder has one owner at a time, and a run keeps its settings, its data and its record."""

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toy.base.cli import to_dict
from toy.base.errors import CheckpointError, FlagError
from toy.config import MAY_CHANGE, Config
from toy.data.info import DatasetInfo
from toy.engine import run
from toy.engine.run import check_resumable, open_run_dir, write_metadata
from toys import CPU, SETTINGS, environment, leave_run, train_here

INFO = DatasetInfo(["a", "b"], [9, 11], (8, 6, 3), "uint8", 20, [1.0] * 3, [4.0] * 3, "f" * 64)

# takes the folder, starts a child, as data workers are, and lives until it is killed
OWNER = """
import multiprocessing, sys, time
from pathlib import Path
from toy.config import Config
from toy.engine.trained import load_trained
from toy.engine.run import open_run_dir

if __name__ == "__main__":
    open_run_dir(Config(run_dir=Path(sys.argv[1])))
    fork = "fork" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if fork else None)
    context.Process(target=time.sleep, args=(5,)).start()
    print("taken", flush=True)
    time.sleep(20)
"""


@pytest.fixture(autouse=True)
def free() -> Any:
    yield
    leave_run()


@pytest.mark.slow
def test_a_folder_belongs_to_one_process_and_is_free_once_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "owner.py"
    script.write_text(OWNER)
    line = [sys.executable, str(script), str(tmp_path / "run")]
    with subprocess.Popen(line, env=environment(), stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline().strip() == b"taken"
        with pytest.raises(FlagError, match="is in use by another process"):
            open_run_dir(Config(run_dir=tmp_path / "run"))
        owner.kill()
    open_run_dir(Config(run_dir=tmp_path / "run"))


def test_a_file_system_without_locks_is_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_locks(path: Path) -> None:
        path.touch()
        raise OSError(37, "No locks available")

    monkeypatch.setattr(run, "lock", no_locks)
    assert open_run_dir(Config(run_dir=tmp_path)) == tmp_path
    assert capsys.readouterr().out.startswith("warning: no lock (No locks available)")


def test_a_folder_that_holds_a_run_is_taken_only_to_resume(tmp_path: Path) -> None:
    config = Config(run_dir=tmp_path)
    assert open_run_dir(config) == tmp_path
    leave_run()
    (tmp_path / "config.json").touch()
    with pytest.raises(FlagError, match="holds a run; use another folder"):
        open_run_dir(config)
    assert open_run_dir(dataclasses.replace(config, resume=True)) == tmp_path


def test_by_default_a_run_has_a_new_folder_in_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = open_run_dir(Config())
    assert folder.parent == Path("runs") and (folder / "checkpoints").is_dir()


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FlagError, match="file cannot be used: Not a directory"):
        open_run_dir(Config(run_dir=tmp_path / "file"))


def begun(**settings: Any) -> dict[str, Any]:
    """What a checkpoint keeps of a run with these settings."""
    return {"config": to_dict(Config(**SETTINGS | settings)), "dataset": to_dict(INFO)}


def test_settings_that_change_the_numbers_of_a_run_are_fixed_for_it() -> None:
    fixed = {"batch_size", "accumulate", "clip_norm", "ema_decay", "seed", "deterministic", "amp"}
    assert not MAY_CHANGE & (fixed | {"max_samples", "max_steps", "image_size", "lr"})


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Config)])
def test_a_resume_refuses_each_other_setting_by_name(name: str) -> None:
    saved, config = begun(), Config(**SETTINGS)
    assert check_resumable(saved, config, INFO) == []
    saved["config"][name] = 1 if name == "epochs" else "another"
    if name in MAY_CHANGE:
        check_resumable(saved, config, INFO)
    else:
        flag = f"--{name.replace('_', '-')} {to_dict(config)[name]} (the run has another)"
        with pytest.raises(FlagError, match=re.escape(flag)):
            check_resumable(saved, config, INFO)


def test_a_setting_newer_than_the_checkpoint_had_its_default() -> None:
    saved = begun()
    del saved["config"]["seed"]
    check_resumable(saved, Config(**SETTINGS), INFO)
    with pytest.raises(FlagError, match=r"--seed 3 \(the run has 0\)"):
        check_resumable(saved, Config(**SETTINGS, seed=3), INFO)


def test_a_setting_that_the_code_no_longer_has_is_ignored_with_one_line(
    toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = begun()
    saved["config"] |= {"old": 1, "older": 2}
    assert check_resumable(saved, Config(**SETTINGS), INFO) == [
        "ignored settings that the code no longer has: old, older"
    ]
    train_here(toy_data, tmp_path / "run", epochs=1)
    path = tmp_path / "run" / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"old": 1}))
    assert train_here(toy_data, tmp_path / "run", epochs=2, resume=True) == 0


def test_epochs_go_up_alone_and_say_what_that_does() -> None:
    with pytest.raises(FlagError, match=r"--epochs 1 \(the run has 2\)"):
        check_resumable(begun(), Config(**SETTINGS | {"epochs": 1}), INFO)
    (warning,) = check_resumable(begun(), Config(**SETTINGS | {"epochs": 3}), INFO)
    assert "raises the learning rate again" in warning


@pytest.mark.parametrize(
    ("name", "value"),
    [("classes", ["a", "c"]), ("samples", 21), ("mean", [0.5] * 3), ("fingerprint", "e" * 64)],
)
def test_a_resume_refuses_other_data(name: str, value: Any) -> None:
    info = dataclasses.replace(INFO, **{name: value})
    with pytest.raises(CheckpointError, match=f"is not the data of .* its {name} differs"):
        check_resumable(begun(), Config(**SETTINGS), info)


def test_config_json_gives_the_settings_of_the_run(tmp_path: Path) -> None:
    config = Config(run_dir=tmp_path, clip_norm=0.25, max_samples=9)
    write_metadata(tmp_path, config, INFO, CPU)
    saved = json.loads((tmp_path / "config.json").read_text())
    assert saved == to_dict(dataclasses.replace(config, device="cpu"))


def test_a_resume_takes_the_settings_of_the_run(toy_data: Path, tmp_path: Path) -> None:
    train_here(toy_data, tmp_path / "run", clip_norm=0.25, max_samples=16)
    arguments = ["--run-dir", str(tmp_path / "run"), "--resume", "--epochs", "3"]
    given, sys.argv = sys.argv, ["train", *arguments]
    try:
        config = run.parse()
    finally:
        sys.argv = given
    assert (config.clip_norm, config.max_samples, config.epochs) == (0.25, 16, 3)
    assert (config.data_dir, config.device) == (toy_data, "auto")


@pytest.mark.parametrize("text", ["{", "7", '{"epochs": "many"}'])
def test_damaged_settings_are_refused(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text(text)
    arguments = ["train", "--run-dir", str(tmp_path), "--resume"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises((FlagError, SystemExit)):
        run.parse()


def test_the_environment_of_each_start_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "describe", lambda device: {"git_dirty": True})
    for letter in "abcd":
        info = dataclasses.replace(INFO, fingerprint=letter)
        write_metadata(tmp_path, Config(**SETTINGS), info, CPU)
    newest = json.loads((tmp_path / "environment.json").read_text())
    starts = [*newest["earlier"], newest]
    assert [start["data_fingerprint"] for start in starts] == ["a", "b", "c", "d"]
