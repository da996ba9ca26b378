"""A command ends with one line and an exit code, whatever it meets; a file gives settings too."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from toy.base import cli
from toy.base.cli import Settings, explain, from_dict, parse, parse_interval, require, to_dict
from toy.base.errors import DataError, FlagError
from toys import environment

COMMAND = """
from toy.base import cli, errors

def main():
    {does}

cli.run(main)
"""
NO_MEMORY = "error: out of memory: try a smaller --batch-size, or more --accumulate\n"
ENDS: list[tuple[BaseException | int | None, int, str]] = [
    (None, 0, ""),
    (3, 3, ""),
    (FlagError("--lr is wrong"), 2, "error: --lr is wrong\n"),
    (DataError("no data"), 1, "error: no data\n"),
    (FileNotFoundError(2, "No such file", "a"), 1, "error: a: No such file\n"),
    (KeyboardInterrupt(), 130, ""),
    (MemoryError(), 1, NO_MEMORY),
    (torch.OutOfMemoryError("CUDA"), 1, NO_MEMORY),
]


@dataclass(frozen=True)
class Config(Settings):
    """Do it."""

    epochs: int = 20
    """How often."""
    lr: float = 0.5
    """How fast."""
    shuffle: bool = True
    """In which order."""
    where: Path | None = None
    """Where."""
    steps: tuple[int, ...] = (1, 2)
    """When."""
    config: Path | None = None
    """Settings."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "epochs", self.epochs >= 1, "at least 1")


def run(does: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run a command whose main function does this, in a process of its own."""
    line = [sys.executable, "-c", COMMAND.format(does=does)]
    return subprocess.run(line, **{"env": environment(), "encoding": "utf-8"} | options)


def parse_flags(monkeypatch: pytest.MonkeyPatch, *words: object) -> Config:
    monkeypatch.setattr(sys, "argv", ["command", *map(str, words)])
    return parse(Config)


@pytest.mark.parametrize(("end", "code", "said"), ENDS)
def test_a_command_ends_with_its_code_and_at_most_one_line(
    end: BaseException | int | None,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def main() -> int | None:
        if isinstance(end, BaseException):
            raise end
        return end

    monkeypatch.setattr(os, "_exit", sys.exit)  # by which a rank leaves
    with pytest.raises(SystemExit) as caught:
        cli.run(main)
    assert (caught.value.code, *capsys.readouterr()) == (code, "", said)


def test_a_bug_is_shown_with_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError):
        cli.run(lambda: 1 // 0)


@pytest.mark.slow
def test_a_character_that_the_terminal_lacks_is_escaped() -> None:
    ascii_only = environment() | {"PYTHONIOENCODING": "ascii"}
    done = run("print(chr(183))", env=ascii_only, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, "\\xb7\n")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_output_that_nobody_reads_is_no_failure() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as closed:
        done = run("print('much')", stdout=closed, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, "")
    line = [sys.executable, "-c", COMMAND.format(does="print('much')")]
    shell = subprocess.run(["sh", "-c", '"$@" >&- 2>&-', "sh", *line], env=environment())
    assert shell.returncode == 0


def test_what_the_system_did_is_explained_and_a_bug_is_not() -> None:
    assert explain(OSError(28, "No space left on device", "a.jsonl")) == (
        "a.jsonl: No space left on device"
    )
    assert explain(OSError(28, "No space left on device")).endswith("No space left on device")
    died = RuntimeError("DataLoader worker (pid 7) is killed by signal: Killed.\nmore")
    assert explain(died).startswith("DataLoader worker (pid 7) is killed by signal: Killed. It may")
    assert explain(ValueError("no batch")) == ""


@pytest.mark.parametrize(
    ("text", "value"), [("500", (500, 0)), ("10m", (0, 600)), ("1.5h", (0, 5400)), ("30s", (0, 30))]
)
def test_intervals_are_steps_or_a_time(text: str, value: tuple[int, float]) -> None:
    assert parse_interval(text) == value


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "m", "10d", "infs", "nans"])
def test_other_intervals_are_refused(text: str) -> None:
    with pytest.raises(FlagError, match="--checkpoint-every must be like 500, 30s"):
        parse_interval(text)


def test_settings_survive_being_written_down() -> None:
    config = Config(where=Path("a") / "b", steps=(3,), epochs=2)
    assert from_dict(Config, json.loads(json.dumps(to_dict(config)))) == config
    assert from_dict(Config, {"gone": 1}) == Config()


def test_flags_go_before_the_file_and_the_file_before_the_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('epochs = 3\nlr = -1.0\nshuffle = false\nsteps = [4, 5]\nwhere = "x"\n')
    wanted = Config(3, -1.0, False, Path("x"), (4, 5), file)
    assert parse_flags(monkeypatch, "--config", file) == wanted
    assert parse_flags(monkeypatch, f"--config={file}", "--epochs", 4, "--shuffle").epochs == 4
    monkeypatch.setattr(sys, "argv", ["command", "--config", str(file)])
    (tmp_path / "config.json").write_text('{"epochs": 9, "lr": 7.0}')
    file.write_text("epochs = 3\n")
    found = parse(Config, tmp_path / "config.json")
    assert (found.epochs, found.lr) == (3, 7.0)


def test_config_json_of_a_run_is_taken_without_what_belongs_to_that_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.json"
    others = {"device": "cuda:7", "run_dir": "a", "gone": 1}
    file.write_text(json.dumps(to_dict(Config(epochs=3)) | others))
    assert parse_flags(monkeypatch, "--config", file) == Config(epochs=3, config=file)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.toml", "epoch = 3", "there is no setting epoch; did you mean epochs?"),
        ("a.toml", "[train]\nepochs = 3", "there is no setting train"),
        ("a.toml", "epochs = ", "cannot be read: Invalid value"),
        ("a.json", "[1]", "cannot be read: "),
        ("a.toml", "epochs = 0", "--epochs must be at least 1, not 0"),
        ("absent.toml", None, "cannot be read: [Errno 2] No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_clearly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str | None, said: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(FlagError) as caught:
        parse_flags(monkeypatch, "--config", tmp_path / name)
    assert said in str(caught.value)


def test_a_wrong_type_in_a_file_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.toml").write_text('epochs = "many"')
    with pytest.raises(SystemExit) as caught:
        parse_flags(monkeypatch, "--config", tmp_path / "a.toml")
    said = capsys.readouterr().err
    assert caught.value.code == 2 and "invalid literal for int() with base 10: 'many'" in said
    assert said.endswith(f"with {tmp_path / 'a.toml'}: --epochs=many\n")
    with pytest.raises(SystemExit):
        parse_flags(monkeypatch, "--epochs", "many")
    assert "with None" not in capsys.readouterr().err


def test_help_lists_the_flags(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_flags(monkeypatch, "--help")
    assert caught.value.code == 0 and "--shuffle" in capsys.readouterr().out


def test_a_setting_without_dashes_is_told_its_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FlagError, match=r"lr=0.1 is not a flag; did you mean --lr 0.1\?"):
        parse_flags(monkeypatch, "lr=0.1")


def test_of_several_ranks_one_speaks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    naps: list[float] = []
    monkeypatch.setattr(cli.distributed, "RANK", 1)
    monkeypatch.setattr(cli.time, "sleep", naps.append)
    with pytest.raises(SystemExit):
        parse_flags(monkeypatch, "--epochs", "many")
    out, err = capsys.readouterr()
    assert (out, err, len(naps)) == ("", "", 1)


def test_the_commands_of_the_project_are_listed() -> None:
    line = [sys.executable, "-m", "toy"]
    said = subprocess.check_output(line, env=environment(), text=True)
    names = [each.split()[2] for each in said.splitlines()]
    for name in ("toy.evaluate", "toy.predict", "toy.prepare", "toy.train", "toy.verify"):
        assert name in names, said
    assert not {"toy.config", "toy.engine", "toy.__main__"} & set(names)
    assert all(len(each.split()) > 3 for each in said.splitlines())


def test_a_file_that_is_run_as_a_script_says_what_to_type() -> None:
    import toy.train

    line = [sys.executable, str(toy.train.__file__)]
    done = subprocess.run(line, env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "python -m" in done.stderr and ".train" in done.stderr
