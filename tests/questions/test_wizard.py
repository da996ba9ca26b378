"""In a terminal: the fork's questions are asked, and the team's answers are what is suggested."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("pty", reason="needs pseudo-terminals")

from generator.terminal import Terminal
from template.conftest import Repository

DOWN, ENTER = "\x1b[B", "\r"


@pytest.fixture
def wizard(tmp_path: Path, env: dict[str, str]) -> Iterator[Callable[..., Terminal]]:
    """Starts `torchgen new proj ...` in a terminal."""
    started = []

    def start(*arguments: str, **more: str) -> Terminal:
        command = (sys.executable, "-m", "torchgen_cli", "new", "proj", *arguments)
        terminal_env = {**env, "TERM": "xterm", "NO_COLOR": "1", **more}
        started.append(Terminal(command, tmp_path, terminal_env))
        return started[-1]

    yield start
    for terminal in started:
        terminal.close()


def test_the_wizard_asks_the_forks_questions(
    wizard: Callable[..., Terminal], fork: Repository, tmp_path: Path
) -> None:
    fork.ask("\nowner:\n  type: str\n")
    fork.commit("v0.1.0+acme.2")
    ours = ("--project-name", "p", "--description", "d", "--parallelism", "single", "--amp", "off")
    terminal = wizard(
        "--source", "fork", *ours, "--data-format", "lmdb", "--logger", "none", "--extras", "none"
    )
    for prompt, keys in (
        ("Where is the data?", ENTER),
        ("How many GPUs per run?", "20" + ENTER),  # in place of the suggested 2
        ("shared", "\x1b[A" + ENTER),  # no is suggested
        ("partner", ENTER),
        ("owner", ENTER),
        ("An answer is needed", "vision" + ENTER),
        ("Write the project to", ENTER),
    ):
        terminal.wait_for(prompt)
        terminal.press(keys)
    assert terminal.finish() == 0, terminal.screen
    team = (tmp_path / "proj" / "TEAM.md").read_text(encoding="utf-8")
    assert team == "p reads s3://p on 20 GPUs.\nShared with green.\n"
    record = (tmp_path / "proj" / ".copier-answers.yml").read_text(encoding="utf-8")
    assert "owner: vision\n" in record


def test_the_teams_answers_are_suggested(wizard: Callable[..., Terminal], tmp_path: Path) -> None:
    team = tmp_path / "team.yml"
    answers = "description: Ours\namp: bf16\nlogger: mlflow\nextras: [look, sweep]\n"
    team.write_text(answers, encoding="utf-8")
    given = ("--project-name", "p", "--parallelism", "single", "--data-format", "lmdb")
    terminal = wizard(*given, TORCHGEN_ANSWERS=str(team))
    for prompt, keys in (
        ("What does it do, in one line?", "\t too" + ENTER),  # Tab: to edit it
        ("Train in mixed precision?", ENTER),
        ("Which experiment tracker?", DOWN + DOWN + ENTER),
        ("Which extras?", ENTER),  # the team's are marked
        ("Write the project to", ENTER),
    ):
        terminal.wait_for(prompt)
        terminal.press(keys)
    assert terminal.finish() == 0, terminal.screen
    screen = terminal.screen.replace("\r\n", "\n")
    assert "  description   Ours too\n" in screen
    assert f"  amp           bf16  (from {team})\n" in screen
    assert "  logger        none\n" in screen
    assert f"  extras        sweep,look  (from {team})\n" in screen


def test_space_marks_any_number_of_choices_and_takes_them_back(
    wizard: Callable[..., Terminal], tmp_path: Path
) -> None:
    given = ("--description", "d", "--parallelism", "single", "--amp", "off")
    terminal = wizard(*given, "--data-format", "lmdb", "--logger", "none")
    terminal.wait_for("Which extras?")
    terminal.wait_for("what the model is, what it sees and what it learned")  # each with its advice
    terminal.press(" " + DOWN + " " + DOWN + " " + ENTER)  # the first is marked at the start
    terminal.wait_for("extras        verify,export")
    terminal.screen = ""
    terminal.press("\x1b")
    terminal.wait_for("Which extras?")
    terminal.press(DOWN + " " + ENTER)
    terminal.wait_for("extras        export")
    terminal.press(ENTER)
    assert terminal.finish() == 0, terminal.screen
    record = (tmp_path / "proj" / ".copier-answers.yml").read_text(encoding="utf-8")
    assert "extras:\n- export\n" in record


def test_a_list_given_by_a_flag_is_not_asked(wizard: Callable[..., Terminal]) -> None:
    terminal = wizard("--extras", "sweep", "--description", "d", "--parallelism", "single")
    terminal.wait_for("1/3  Train in mixed precision?")
    for number in (1, 2, 3):
        terminal.wait_for(f"{number}/3")
        terminal.press(ENTER)
    terminal.wait_for("extras        sweep")
    assert "Which extras?" not in terminal.screen


def test_escape_takes_the_answer_off_the_screen(wizard: Callable[..., Terminal]) -> None:
    terminal = wizard("--project-name", "p", "--data-format", "lmdb", "--logger", "none")
    terminal.wait_for("What does it do")
    terminal.press(ENTER)
    terminal.wait_for("How many processes")
    terminal.press(DOWN + ENTER)
    terminal.wait_for("Train in mixed precision?")
    assert "How many processes train together? ddp" in terminal.screen
    terminal.screen = ""
    terminal.press("\x1b")
    terminal.wait_for("How many processes train together?")
    erased = "\x1b[A\x1b[J"  # a row up, and what is below
    assert erased in terminal.screen.partition("How many processes train together?")[0]
    terminal.press("\x03")
    assert terminal.finish() == 130


def test_nothing_is_wider_than_the_terminal(wizard: Callable[..., Terminal]) -> None:
    terminal = wizard("--project-name", "p")
    for prompt in ("What does it do", "processes", "precision?", "stored?", "tracker?", "extras?"):
        terminal.wait_for(prompt)
        terminal.press(ENTER)
    terminal.wait_for("Write the project to")
    terminal.press(ENTER)
    assert terminal.finish() == 0, terminal.screen
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.screen).replace("\r", "\n")
    own = [line for line in plain.splitlines() if "warning: " not in line and "/" not in line]
    assert [line for line in own if len(line) > 80] == []
