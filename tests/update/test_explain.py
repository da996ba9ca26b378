"""What a question means, and a diff that leads from one choice to the other."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from matrix.answers import questions, with_choices

from .world import World, contents

EXTRAS = ", ".join(with_choices()["extras"]["choices"].values())
CHOICES = [(name, choices[0], choice) for name, choices in questions().items()
           for choice in choices[1:]]  # fmt: skip


def test_the_meaning_of_a_question(world: World, tmp_path: Path) -> None:
    done = world.torchgen("explain", "data-format", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("--data-format             How are the images stored?\n")
    assert "  hdf5                    decoded pixels in one HDF5 file per split." in done.stdout
    done = world.torchgen("explain", "amp", "--json", cwd=tmp_path)
    facts = json.loads(done.stdout)
    assert (facts["question"], facts["default"]) == ("amp", "off")
    assert list(facts["choices"]) == questions()["amp"]


@pytest.mark.parametrize(("question", "first", "second"), CHOICES)
def test_the_diff_turns_the_one_project_into_the_other(
    world: World, tmp_path: Path, question: str, first: str, second: str
) -> None:
    flag = "--" + question.replace("_", "-")
    for name, choice in (("a", first), ("b", second)):
        (tmp_path / name).mkdir()
        new = ("new", f"{name}/myproj", "--defaults", "--no-git", flag, choice)
        assert world.torchgen(*new, cwd=tmp_path).returncode == 0
    done = world.torchgen("explain", question, first, second, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    patched = tmp_path / "a/myproj"
    apply = ("git", "apply", "--whitespace=nowarn", "-")
    subprocess.run(apply, cwd=patched, input=done.stdout.encode(), env=dict(world.env), check=True)
    record = ".copier-answers.yml"
    shutil.copy(tmp_path / "b/myproj" / record, patched / record)
    assert contents(patched) == contents(tmp_path / "b/myproj")


def test_the_lines_of_each_file_are_counted_the_codes_first(world: World, tmp_path: Path) -> None:
    command = ("explain", "parallelism", "single", "ddp")
    diff = world.torchgen(*command, cwd=tmp_path).stdout.splitlines()
    rows = world.torchgen(*command, "--stat", cwd=tmp_path).stdout.splitlines()
    names = [line.removeprefix("+++ b/") for line in diff if line.startswith("+++ ")]
    assert [row.split()[0] for row in rows[:-1]] == names
    assert names[:2] == ["myproj/base/distributed.py", "myproj/preflight.py"]
    counts = [sum(int(row.split()[column]) for row in rows[:-1]) for column in (1, 2)]
    lines = [line for line in diff if line[:4] not in ("+++ ", "--- ")]
    assert counts == [sum(line[0] == "+" for line in lines), -sum(line[0] == "-" for line in lines)]


def test_with_the_other_answers_of_a_project(world: World, project: Path) -> None:
    world.report("set", "logger=mlflow", cwd=project)
    command = ("explain", "data_format", "imagefolder", "lmdb", "--json")
    own = json.loads(world.torchgen(*command, "--answers", ".", cwd=project).stdout)
    assert "mlflow" in own["diff"]["pyproject.toml"]
    assert "proj/data/reader.py" in own["diff"]
    default = json.loads(world.torchgen(*command, cwd=project).stdout)
    assert (own["from"], own["to"]) == ("imagefolder", "lmdb")
    assert "mlflow" not in default["diff"]["pyproject.toml"]
    assert "myproj/data/reader.py" in default["diff"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lgger"], "no question is called 'lgger'; did you mean 'logger'? (the questions: "
         "project_name, description, parallelism, amp, data_format, logger, extras, launcher)"),
        (["extras", "none", "srve"],
         f"extras: 'srve' is not one of {EXTRAS}; did you mean 'serve'?"),
        (["amp", "off", "bf61"], "amp: 'bf61' is not one of off, bf16, fp16; did you mean 'bf16'?"),
        (["amp", "off"], "give two choices to compare, or none"),
        (["amp", "off", "bf16", "fp16"], "give two choices to compare, or none"),
    ],
)  # fmt: skip
def test_refusals(world: World, tmp_path: Path, words: list[str], message: str) -> None:
    done = world.torchgen("explain", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {message}\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
def test_in_a_terminal_it_is_coloured_and_paged(world: World, tmp_path: Path) -> None:
    from generator.terminal import Terminal

    command = (sys.executable, "-m", "torchgen_cli", "explain", "amp", "off", "bf16", "--diff")
    pager = {"PAGER": "sed 's/^/PAGED /'", "TERM": "xterm"}
    screens = []
    for settings in ({}, {"NO_COLOR": "1"}):
        env = {k: v for k, v in world.env.items() if k != "NO_COLOR"}
        terminal = Terminal(command, tmp_path, {**env, **pager, **settings})
        assert terminal.finish() == 0, terminal.screen
        screens.append(terminal.screen)
        terminal.close()
    coloured, plain = screens
    assert "PAGED \x1b[32m+    amp: Literal[" in coloured
    assert "PAGED +    amp: Literal[" in plain
    assert "\x1b[3" not in plain
