"""Shell completion: commands, flags, choices and answers; each shell's script is its own."""

import os

import pytest

from .conftest import Torchgen


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("torchgen upd", ["update"]),
        ("torchgen new --par", ["--parallelism"]),
        ("torchgen new --amp b", ["bf16"]),
        ("torchgen set am", ["amp="]),
        ("torchgen set amp=", ["amp=off", "amp=bf16", "amp=fp16"]),
        ("torchgen explain data", ["data_format"]),
        ("torchgen explain amp f", ["fp16"]),
        ("torchgen update ", []),  # the shell then completes a path
    ],
)
def test_bash_completes(torchgen: Torchgen, typed: str, completed: list[str]) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    done = torchgen(env={**words, "_TORCHGEN_COMPLETE": "complete_bash"})
    assert (done.returncode, done.stdout.split()) == (0, completed), done.stderr


@pytest.mark.skipif(os.name == "nt", reason="shells of POSIX")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(torchgen: Torchgen, shell: str) -> None:
    named = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = torchgen("--show-completion", shell, env=named)
    assert done.returncode == 0, done.stderr
    assert f"_TORCHGEN_COMPLETE=complete_{shell}" in done.stdout
    if shell == "zsh":  # which loads the script when it first completes
        called = '[[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _torchgen_completion "$@"'
        assert called in done.stdout


def test_help_shows_the_page_of_a_command(torchgen: Torchgen) -> None:
    assert torchgen("help", "update").stdout == torchgen("update", "--help").stdout
    assert torchgen("help").stdout == torchgen("--help").stdout
    done = torchgen("help", "updat")
    assert (done.returncode, done.stderr) == (
        2,
        "error: No such command 'updat'; did you mean 'update'?\n",
    )
