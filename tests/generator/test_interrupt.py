"""The wizard in a terminal; a signal at any stage: one line, 128 + n, nothing left."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import ROOT, tree
from .terminal import Terminal

COMMAND = (sys.executable, "-m", "torchgen_cli", "new", "deep/down/my proj")
PROMPTS = [
    "What does it do, in one line?",
    "How many processes train together?",
    "Train in mixed precision?",
    "How are the images stored?",
    "Which experiment tracker?",
    "Which extras?",
    "Write the project to",
]
Spawn = Callable[..., Terminal]


@pytest.fixture
def spawn(tmp_path: Path, env: dict[str, str]) -> Iterator[Spawn]:
    terminals: list[Terminal] = []

    def start(
        *arguments: str,
        path: str | None = COMMAND[-1],
        stdout: int | None = None,
        columns: int = 80,
    ) -> Terminal:
        terminal_env = {**env, "TERM": "xterm", "NO_COLOR": "1"}
        command = (*COMMAND[:-1], *([path] if path else []), *arguments)
        terminals.append(Terminal(command, tmp_path, terminal_env, stdout, columns))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.close()


def test_the_wizard_asks_what_no_flag_answered(spawn: Spawn, tmp_path: Path) -> None:
    terminal = spawn("--amp", "fp16", "--data-format", "lmdb")
    asked = [prompt for prompt in PROMPTS if "precision" not in prompt and "stored" not in prompt]
    down, enter = "\x1b[B", "\r"
    marked = down + " " + down + " " + enter  # besides what is suggested
    pressed = ("\t {{ x }}" + enter, down + enter, enter, marked, enter)
    for prompt, keys in zip(asked, pressed, strict=True):
        terminal.wait_for(prompt)
        terminal.press(keys)
    assert terminal.finish() == 0, terminal.screen
    assert "Train in mixed precision?" not in terminal.screen
    assert "What is the project called?" not in terminal.screen  # the path says it
    assert "ddp     one process per GPU" in terminal.screen  # the advice stands beside the choice
    assert "1/4  What does it do" in terminal.screen and "3/4  Which exp" in terminal.screen
    shown = [line.split(maxsplit=1) for line in terminal.screen.splitlines()]
    answers = dict(pair for pair in shown if len(pair) == 2)
    assert answers["project_name"] == "my-proj"
    assert answers["description"] == "An image classifier in PyTorch {{ x }}"
    assert [answers[k] for k in ("parallelism", "amp", "data_format")] == ["ddp", "fp16", "lmdb"]
    assert answers["extras"] == "report,verify,export"
    assert "torchrun --nproc-per-node 2 -m my_proj.train" in terminal.screen
    assert (tmp_path / "deep/down/my proj/.git").exists()


def test_a_look_at_the_end_lets_change_any_answer(spawn: Spawn, tmp_path: Path) -> None:
    terminal = spawn("--description", "d", "--parallelism", "single", "--data-format", "lmdb")
    for prompt in PROMPTS[2], PROMPTS[4], PROMPTS[5]:
        terminal.wait_for(prompt)
        terminal.press("\r")
    terminal.wait_for(PROMPTS[-1])
    terminal.press("\x1b[B\r")  # the name, first below "Write it"
    terminal.wait_for("What is the project called?")
    terminal.press("Torch 2\r")  # in place of what is suggested
    terminal.wait_for_prompt("Try 'torch-2': a-z, 0-9 and single hyphens, a letter first.")
    terminal.press("\x15torch\r")  # Ctrl-U clears the line
    terminal.wait_for_prompt("is the name of a package")
    terminal.press("-lightning\r")
    terminal.wait_for("project_name  torch-lightning")
    terminal.press("\r")
    assert terminal.finish() == 0, terminal.screen
    assert (tmp_path / "deep/down/my proj/torch_lightning/train.py").exists()


def test_escape_goes_back_and_the_path_is_asked_where_none_is_given(
    spawn: Spawn, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    terminal = spawn("--logger", "none", path=None, columns=200)
    terminal.wait_for("1/6  Where shall the project go?")
    terminal.press("full\r")
    terminal.wait_for_prompt("full is not empty")
    terminal.press("\x15mine\r")
    for prompt, keys in (
        ("2/6", "\r"),
        ("3/6", "\x1b[B\r"),
        ("4/6", "\x1b"),
        ("3/6  How many processes train together?", "\r"),  # what was chosen is suggested
        ("4/6", "\r"),
        ("5/6", " \r"),
        ("6/6", "\x1b"),
        ("5/6", "\r"),
        ("6/6", " \r"),
        (PROMPTS[-1], "\r"),
    ):
        terminal.wait_for(prompt)
        terminal.screen = ""
        terminal.press(keys)
    assert terminal.finish() == 0, terminal.screen
    record = (tmp_path / "mine/.copier-answers.yml").read_text()
    assert "parallelism: ddp\n" in record and "project_name: mine\n" in record


@pytest.mark.parametrize("columns", [40, 200])
def test_nothing_is_cut_off_in_narrow_and_wide_terminals(spawn: Spawn, columns: int) -> None:
    terminal = spawn(columns=columns)
    for number in range(1, 5):
        terminal.wait_for(f"{number}/6")
        terminal.press("\r")
    terminal.wait_for("fewest")
    drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.screen)
    words = " ".join(drawn.split())
    assert "an SQLite file, or your MLflow server. Take it to compare many runs" in words
    assert "Enter takes what is suggested, Tab edits it, Esc goes back, Ctrl-C quits" in words


def test_with_json_the_questions_go_to_stderr(tmp_path: Path, spawn: Spawn) -> None:
    with (tmp_path / "out.json").open("wb") as file:
        terminal = spawn("--json", "--dry-run", stdout=file.fileno())
    for prompt in PROMPTS:
        terminal.wait_for(prompt)
        terminal.press("\r")
    assert terminal.finish() == 0
    assert json.loads((tmp_path / "out.json").read_bytes())["answers"]["project_name"] == "my-proj"


@pytest.mark.parametrize("stage", range(len(PROMPTS)))
def test_ctrl_c_at_each_question_leaves_nothing(spawn: Spawn, tmp_path: Path, stage: int) -> None:
    terminal = spawn()
    for prompt in PROMPTS[:stage]:
        terminal.wait_for(prompt)
        terminal.press("\r")
    terminal.wait_for(PROMPTS[stage])
    terminal.press("\x03")
    assert terminal.finish() == 130
    assert terminal.screen.rstrip().endswith("interrupted; nothing was written")
    assert "Traceback" not in terminal.screen
    assert tree(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_at_a_question_leaves_nothing(
    spawn: Spawn, tmp_path: Path, number: signal.Signals
) -> None:
    terminal = spawn()
    terminal.wait_for(PROMPTS[0])
    time.sleep(0.1)
    terminal.process.send_signal(number)
    assert terminal.finish() == 128 + number
    assert terminal.screen.rstrip().endswith("interrupted; nothing was written")
    assert tree(tmp_path) == []


def test_the_end_of_the_input_at_a_question_is_a_refusal(spawn: Spawn, tmp_path: Path) -> None:
    terminal = spawn()
    terminal.wait_for(PROMPTS[0])
    terminal.press("\x15\x04")  # Ctrl-D on an empty line
    assert terminal.finish() == 1
    assert terminal.screen.rstrip().endswith(
        "error: the input ended at a question; answer with flags, or use --defaults"
    )
    assert tree(tmp_path) == []


STAGES = {
    "the scratch folder": "deep/down/.torchgen-*",
    "rendering": "deep/down/.torchgen-*/new/my proj/*",
    "git": "deep/down/.torchgen-*/new/my proj/.git",
}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("stage", STAGES)
def test_a_signal_while_it_is_written_leaves_nothing(
    tmp_path: Path, env: dict[str, str], stage: str, number: signal.Signals
) -> None:
    process = subprocess.Popen(
        (*COMMAND, "--defaults"),
        cwd=tmp_path,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    while process.poll() is None and not any(tmp_path.glob(STAGES[stage])):
        pass
    os.killpg(process.pid, number)  # as a terminal does: git gets it as well
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert errors.splitlines()[-1] == "interrupted; nothing was written"
    assert "Traceback" not in errors
    assert tree(tmp_path) == []


def test_a_signal_in_a_finalizer_is_neither_shown_nor_lost(env: dict[str, str]) -> None:
    script = """if True:
        import signal
        from torchgen_cli.base import signals
        class Finished:
            def __del__(self):
                signal.raise_signal(signal.SIGINT)
        class Broken:
            def __del__(self):
                raise OSError("shown")
        signals.install()
        Broken()
        Finished()
        print("went on")
        signals.check()
    """
    command = (sys.executable, "-c", script)
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stdout == "went on\n"
    assert done.stderr.count("OSError: shown") == 1
    assert done.stderr.count("Exception ignored") == 1
    assert done.stderr.rstrip().splitlines()[-1].startswith("torchgen_cli.base.errors.Interrupted")


def test_a_signal_while_a_source_is_cloned_leaves_nothing(
    tmp_path: Path, env: dict[str, str], template: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        (*COMMAND, "--defaults", "--source", str(template)),
        cwd=tmp_path,
        env={**env, "TMPDIR": str(scratch)},
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and not any(scratch.glob(".torchgen-*/template.git")):
        pass
    process.send_signal(signal.SIGTERM)  # to us alone: a git that we started lives on a little
    assert process.wait(timeout=20) == 143
    assert sorted(path.name for path in tmp_path.iterdir()) == [scratch.name, template.name]
    assert tree(scratch) == []


def test_an_existing_folder_stays_when_interrupted(tmp_path: Path, env: dict[str, str]) -> None:
    here = tmp_path / "deep" / "down" / "my proj"
    here.mkdir(parents=True)
    process = subprocess.Popen(
        (*COMMAND[:-1], "."), cwd=here, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and not any(here.glob(".torchgen-*/new/my proj/*")):
        pass
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 143
    assert tree(tmp_path) == ["deep", "deep/down", "deep/down/my proj"]


def test_the_checkout_is_never_written_to(tmp_path: Path, env: dict[str, str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in (ROOT / "generator").rglob("*")}
    subprocess.run((*COMMAND, "--defaults"), cwd=tmp_path, env=env, check=True, timeout=60)
    assert {path: path.stat().st_mtime_ns for path in (ROOT / "generator").rglob("*")} == before
