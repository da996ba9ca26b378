"""A file of settings stands for the flags that it names, and a message says where it is wrong."""

import json
import sys
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from toy.base import cli
from toy.base.flags import described, part_of, read, view_of
from toy.base.settings import Ends
from toy.base.values import to_plain
from toy.config import Config


def parse(*flags: object) -> Config:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["train", *map(str, flags)])
        return cli.parse(Config)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", "epochs = 3\nclip-norm = 0.5\nreport = false\nrun_dir = 'runs/a'\n"),
        ("a.yaml", "epochs: 3\nclip-norm: 5e-1\nreport: no\nrun_dir: runs/a\n"),
        ("a.json", '{"epochs": 3, "clip_norm": 0.5, "report": false, "max_steps": null}'),
    ],
)
def test_a_file_is_read_as_its_flags(tmp_path: Path, name: str, text: str) -> None:
    if name == "a.yaml":
        pytest.importorskip("yaml")
    path = tmp_path / name
    path.write_text(text)
    config = parse("--config", path)
    assert (config.epochs, config.clip_norm, config.report) == (3, 0.5, False)
    assert config.run_dir == (None if path.suffix == ".json" else Path("runs/a"))
    assert parse(f"--config={path}", "--epochs", 4, "--report").epochs == 4
    assert parse("--report", "--config", path).report  # a flag goes before a file, wherever it is


def test_the_settings_of_a_run_are_a_file_for_the_next(tmp_path: Path) -> None:
    made = Config(run_dir=Path("runs/a"), device="cuda:1", epochs=3, seed=9, cache="memory")
    (tmp_path / "config.json").write_text(json.dumps(to_plain(made)))
    config = parse("--config", tmp_path / "config.json", "--seed", 1)
    assert (config.epochs, config.cache, config.seed) == (3, "memory", 1)
    assert (config.run_dir, config.device) == (None, "auto")  # which are of that run alone


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("epoch = 3", "{path}: unknown flag --epoch; did you mean --epochs?"),
        ("epochs = 'many'", "{path}: --epochs: invalid literal for int() with base 10: 'many'"),
        ("epochs = 0", "--epochs must be at least 1, not 0"),
        ("[optimizer]\nlr = 1", "--config {path}: optimizer is a table; settings have no sections"),
        ("epochs", "--config {path} is not valid: "),
    ],
)
def test_a_wrong_file_is_one_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(SystemExit, match="2"):
        parse("--config", path)
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("error: " + said.format(path=path))


def test_a_file_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse("--config", "none.toml")
    assert capsys.readouterr().err.startswith(
        "error: --config none.toml cannot be read: No such file or directory"
    )


def test_a_setting_may_have_the_name_of_a_group() -> None:
    @dataclass(frozen=True)
    class More(Config):
        ends: int = 1
        """A setting of one's own."""

    assert read(More, ["--ends", "3", "--max-steps", "7"], None, None)["ends"] == 3


def test_each_group_of_settings_has_a_place_and_each_setting_a_line_in_the_help() -> None:
    view = view_of(Config, None)
    assert {"Run", "Ends", "Machine"} < set(view.__dataclass_fields__)
    for kind in Config.__mro__:
        own = vars(kind).get("__annotations__", {})
        assert own.keys() == described(kind).keys() if own else True, kind
    assert described(Ends)["max_hours"].startswith("Hours after which")


@dataclass(frozen=True)
class Later(Ends):
    """Ends that come later."""

    max_steps: int | None = 9
    """Steps, as this class has them."""


def test_a_setting_that_is_defined_again_is_a_flag_once_with_the_new_words_and_value() -> None:
    found = read(Later, ["--patience", "2"], "train", None)
    assert found == {"max_steps": 9, "patience": 2, "max_hours": None}
    assert "max_steps" not in {field.name for field in fields(part_of(Later, Ends, None))}
