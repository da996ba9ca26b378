"""Machines that are not ready for a run end with one line that says why, and soon."""

import copy
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from toy.base.errors import FlagError, UserError
from toy.preflight import PreflightConfig, check, complaint, describe, listens


@pytest.fixture
def port() -> int:
    """A port that is free."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def silent() -> Iterator[int]:
    """A port at which something listens that says nothing."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield int(listening.getsockname()[1])


def said(config: PreflightConfig) -> str:
    """The line that a machine ends with; empty where all is well."""
    try:
        check(config)
    except UserError as error:
        return str(error)
    return ""


def test_machines_that_are_alike_find_each_other(port: int, tmp_path: Path) -> None:
    config = PreflightConfig(f"localhost:{port}", "3", 30, tmp_path / "runs/a", tmp_path)
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(said, [config] * 3)) == ["", "", ""]
    assert list((tmp_path / "runs/a").iterdir()) == []


def test_one_of_several_that_start_together_gets_the_port() -> None:
    with ThreadPoolExecutor(3) as pool:
        for _ in range(100):
            with ExitStack() as stack:
                port = stack.enter_context(socket.create_server(("", 0))).getsockname()[1]
                stack.close()
                tried = [stack.enter_context(socket.socket()) for _ in range(3)]
                assert sorted(pool.map(listens, tried, [port] * 3)) == [False, False, True]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ""),
        ({"torch": "2.0"}, "a has torch 2.1, b 2.0: install the same"),
        ({"Python": "3.9"}, "a has Python 3.11, b 3.9: install the same"),
        ({"code": {"x.py": "1", "y.py": "2"}}, "y.py is not the same on a and b"),
        ({"code": {}}, "x.py is not the same on a and b"),
        ({"nnodes": "3"}, "--nnodes is 2 on a and 3 on b"),
        ({"lacks": "/data"}, "b has no folder /data"),
        ({"shares": False}, "--run-dir runs/a is not shared: b does not see what a writes"),
    ],
)
def test_what_differs_is_named(changes: dict[str, Any], expected: str) -> None:
    config = PreflightConfig("a:1", "2", run_dir=Path("runs/a"))
    first = {"host": "a", "torch": "2.1", "Python": "3.11", "code": {"x.py": "1"}}
    first |= {"lacks": "", "shares": True, "nnodes": "2"}
    other = copy.deepcopy(first) | {"host": "b"} | changes
    found = complaint([first, other], config)
    assert found.startswith(expected) and bool(found) == bool(expected)


def test_each_file_of_the_code_is_compared(tmp_path: Path) -> None:
    found = describe(PreflightConfig("a:1", data_dir=tmp_path / "none"), tmp_path)
    assert "toy/preflight.py" in found["code"] and "toy/model.py" in found["code"]
    assert found["lacks"] == str(tmp_path / "none") and found["shares"]


def test_a_machine_that_does_not_come_is_counted(port: int) -> None:
    found = said(PreflightConfig(f"localhost:{port}", "2", 0.2))
    assert found.startswith(f"only 1 of 2 machines came to localhost:{port} within 0.2 s: ")


def test_an_address_that_nobody_has_is_refused() -> None:
    found = said(PreflightConfig("no.such.host.invalid:29400", "2", 0.2))
    assert "knows no address of no.such.host.invalid: " in found


def test_another_program_at_the_port_is_refused(
    silent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toy.preflight.SILENCE", 0.5)
    found = said(PreflightConfig(f"localhost:{silent}", "2", 1))
    assert found == (
        f"another program listens at localhost:{silent}: take another port; "
        "where it is the torchrun of this run, give torchrun again without this check"
    )
    assert said(PreflightConfig(f"localhost:{silent}", "1:2", 1)) == ""  # torchrun, at work


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"endpoint": "n1"}, "the endpoint must be HOST:PORT, not n1"),
        ({"endpoint": "n1:99999"}, "the endpoint must be HOST:PORT, not n1:99999"),
        ({"nnodes": "0"}, "--nnodes must be a number or MIN:MAX, not 0"),
        ({"nnodes": "3:2"}, "--nnodes must be a number or MIN:MAX, not 3:2"),
        ({"wait": 0}, "--wait must be above 0, not 0"),
    ],
)
def test_a_wrong_flag_says_what_it_takes(values: dict[str, Any], why: str) -> None:
    with pytest.raises(FlagError) as refusal:
        PreflightConfig(**{"endpoint": "n1:1", **values})
    assert str(refusal.value) == why
