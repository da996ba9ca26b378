"""Settings come back from JSON as they were, or are refused by name."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from toy.base.values import from_plain, parse_interval, require, shown, to_plain
from toy.config import Config


@dataclasses.dataclass
class Settings:
    weights: Path
    logs: Path | None = None
    run_dir: str = "text, whatever its name"
    rate: float = 0.5
    count: int | None = None


@pytest.mark.parametrize(
    "settings",
    [
        Settings(Path("a/b")),
        Settings(Path("a"), Path("c.pt"), "x/y", 1.5, 3),
        Config(data_dir=Path("x"), run_dir=Path("y"), seed=3),
        Config(),
    ],
)
def test_settings_survive_json_with_their_types(settings: Any) -> None:
    plain = json.loads(json.dumps(to_plain(settings)))
    assert from_plain(type(settings), plain) == settings


def test_what_is_not_given_has_its_default() -> None:
    assert from_plain(Settings, {"weights": "a"}) == Settings(Path("a"))


def test_an_unknown_name_is_refused_and_the_nearest_named() -> None:
    with pytest.raises(TypeError, match=r"^unknown setting 'wieghts'; did you mean weights\?$"):
        from_plain(Settings, {"weights": "a", "wieghts": "b"})
    with pytest.raises(TypeError, match=r"^unknown setting 'qqq'$"):
        from_plain(Settings, {"weights": "a", "qqq": 1})


@pytest.mark.parametrize("values", [7, [], None, {"weights": "a", "rate": "fast"}])
def test_what_is_not_settings_is_refused(values: Any) -> None:
    with pytest.raises(TypeError, match=r"object of settings|rate is 'fast', not a number"):
        from_plain(Settings, values)


@pytest.mark.parametrize(
    ("text", "found"),
    [("500", (500, None)), ("30s", (None, 30)), ("10m", (None, 600)), ("2h", (None, 7200))],
)
def test_an_interval_counts_steps_seconds_minutes_or_hours(text: str, found: object) -> None:
    assert parse_interval(text) == found


@pytest.mark.parametrize("text", ["", "0", "0s", "-1", "1.5h", "2d", "h", "10 m", "10m5"])
def test_another_interval_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="--checkpoint-every takes steps"):
        parse_interval(text)


def test_a_value_out_of_bounds_is_answered_with_its_flag() -> None:
    require(True, "batch_size", "at least 1", 1)
    with pytest.raises(ValueError, match=r"^--batch-size must be at least 1, not 0$"):
        require(False, "batch_size", "at least 1", 0)


def test_small_and_large_numbers_are_shown_with_their_digits() -> None:
    usual = {0.0: "0.0000", 0.001: "0.0010", -2.34567: "-2.3457", 12345.6: "12345.6000"}
    others = {0.00054321: "5.432e-04", -3e-7: "-3.000e-07", 1.5e6: "1.500e+06"}
    for value, text in (usual | others).items():
        assert shown(value) == text
    assert (shown(float("nan")), shown(float("inf"))) == ("nan", "inf")
