"""What torchgen refuses: one line that says what and what to do, the exit code, nothing written."""

import json
import os
import sys
from pathlib import Path

import pytest
import typer
import yaml

from torchgen_cli.cli import app, in_words

from .conftest import ROOT, Torchgen, run, tree

EXTRAS = ", ".join(
    yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))["extras"]["choices"].values()
)
BAD_COMMAND_LINES = [
    (["version"], "No such command 'version'; did you mean '--version'?"),
    (["new", "x", "--par", "ddp"], "No such option: --par; did you mean '--parallelism'?"),
    (["nwe", "x"], "No such command 'nwe'; did you mean 'new'?"),
    (["new"], "PATH is missing; give a new folder, as in: torchgen new myproj"),
    (["new", ""], "PATH is empty; give a folder, or . for this one"),
    (
        ["new", "x\x1b[31m/y"],
        "PATH 'x\\x1b[31m/y' has control characters; give a folder without them",
    ),
    (
        ["new", "two\nlines"],
        "PATH 'two\\nlines' has control characters; give a folder without them",
    ),
    (["new", "x", "y"], "Got unexpected extra argument(s) (y)"),
    (["new", "x", "--amp"], "Option '--amp' requires an argument."),
    (
        ["new", "x", "--amp", "bf15"],
        "--amp: 'bf15' is not one of off, bf16, fp16; did you mean 'bf16'?",
    ),
    (
        ["new", "x", "--parallelism", "DDP"],
        "--parallelism: 'DDP' is not one of single, ddp, fsdp; did you mean 'ddp'?",
    ),
    (
        ["new", "x", "--logger", "🙂"],
        "--logger: '🙂' is not one of tensorboard, wandb, mlflow, trackio, none",
    ),
    (
        ["new", "x", "--extras", "look,swep"],
        f"--extras: 'swep' is not one of {EXTRAS}; did you mean 'sweep'?",
    ),
    (
        ["new", "x", "--extras", "none,look"],
        f"--extras: 'none' is not one of {EXTRAS}",
    ),
    (
        ["new", "x", "--extras", "sweep", "--extras", "LOOK"],
        f"--extras: 'LOOK' is not one of {EXTRAS}; did you mean 'look'?",
    ),
    (["add"], "Missing argument 'EXTRA ...'."),
    (["extra"], "No such command 'extra'; did you mean 'extras'?"),
    (
        ["new", "x", "--project-name", "My Proj"],
        "--project-name: Try 'my-proj': a-z, 0-9 and single hyphens, a letter first.",
    ),
    (
        ["new", "x", "--project-name", "proj\n"],
        "--project-name: Try 'proj': a-z, 0-9 and single hyphens, a letter first.",
    ),
    (
        ["new", "x", "--project-name", "Größe"],
        "--project-name: Use a-z, 0-9 and single hyphens, a letter first. Did you mean 'grosse'?",
    ),
    (
        ["new", "x", "--project-name", "a" * 41],
        "--project-name: At most 40 characters, please; these are 41.",
    ),
    (
        ["new", "x", "--project-name", "lambda"],
        "--project-name: Try 'lambda-project': 'lambda' is the name of a keyword of Python.",
    ),
    (
        ["new", "torch"],
        "the project_name from PATH is 'torch': Try 'torch-project': 'torch' is the name of a "
        "package that the project uses. Choose another PATH, or give --project-name.",
    ),
    (
        ["new", "x", "--description", "two\nlines"],
        "--description: One line of printable characters, please: no line breaks or control "
        "characters.",
    ),
    (
        ["new", "x", "--description", "\x1b[31mred"],
        "--description: One line of printable characters, please: no line breaks or control "
        "characters.",
    ),
    (
        ["new", "x", "--description", " "],
        "--description: One line, please: an empty description says nothing.",
    ),
    (
        ["new", "x", "--answers", "nowhere.yml"],
        "cannot read the answers file nowhere.yml: No such file or directory",
    ),
    (
        ["new", "x", "--source", "nowhere"],
        "--source nowhere does not exist; give the folder or URL of a git repository",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_COMMAND_LINES)
def test_a_bad_command_line_is_one_line_and_exit_code_2(
    torchgen: Torchgen, tmp_path: Path, arguments: list[str], message: str
) -> None:
    done = torchgen(*arguments)
    assert (done.returncode, done.stderr, done.stdout) == (2, f"error: {message}\n", "")
    assert tree(tmp_path) == []


def test_a_typo_in_each_flag_is_answered_with_the_flag(torchgen: Torchgen) -> None:
    page = torchgen("new", "--help").stdout.partition("Examples:")[0]
    flags = [word for word in page.split() if word.startswith("--")]
    assert len(flags) == 16, flags
    for flag in flags:
        typo = flag[:-2] + flag[-1]
        with pytest.raises(typer.TyperException) as refusal:
            app(["new", "x", typo], standalone_mode=False)
        assert refusal.value.exit_code == 2
        assert in_words(refusal.value) == f"No such option: {typo}; did you mean '{flag}'?"


BAD_FILES = [
    (
        "a.yml",
        "ampp: off\n",
        "no question is called 'ampp'; did you mean 'amp'? (the questions: project_name, "
        "description, parallelism, amp, data_format, logger, extras, launcher)",
    ),
    ("a.yml", "amp: on\n", "amp: 'on' is not one of off, bf16, fp16"),
    ("a.yml", "amp: off\namp: bf16\n", "amp is answered twice; remove one"),
    ("a.yml", "- amp\n", "expected lines of the form `question: answer`"),
    ("a.yml", "amp: [off]\n", "line 1: expected `question: answer`, with text as the answer"),
    (
        "a.yml",
        "description:\n",
        "description: One line, please: an empty description says nothing.",
    ),
    (
        "a.yml",
        'description: "a\\nb"\n',
        "description: One line of printable characters, please: no line breaks or control "
        "characters.",
    ),
    (
        "a.yml",
        "package_name: x\n",
        "no question is called 'package_name'; did you mean 'project_name'? (the questions: "
        "project_name, description, parallelism, amp, data_format, logger, extras, launcher)",
    ),
    (
        "a.yml",
        "extras: [serve, loo]\n",
        f"extras: 'loo' is not one of {EXTRAS}; did you mean 'look'?",
    ),
    (
        "a.yml",
        "extras: [[serve]]\n",
        "line 1: expected `question: answer`, with text as the answer",
    ),
    (
        "a.toml",
        "extras = [1]\n",
        'extras: the answer must be a quoted string, as in extras = "..."',
    ),
    ("a.toml", 'amp = ["off"]\n', 'amp: the answer must be a quoted string, as in amp = "..."'),
    ("a.toml", "amp = false\n", 'amp: the answer must be a quoted string, as in amp = "..."'),
    (
        "a.toml",
        'project_name = "json"\n',
        "project_name: Try 'json-project': 'json' is the name of a module of Python's standard "
        "library.",
    ),
]


@pytest.mark.parametrize(("name", "text", "message"), BAD_FILES)
def test_a_bad_answers_file_is_one_line_and_exit_code_1(
    torchgen: Torchgen, tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = torchgen("new", "x", "--answers", name)
    assert (done.returncode, done.stderr) == (1, f"error: {name}: {message}\n")
    assert tree(tmp_path) == [name]


@pytest.mark.parametrize(
    ("name", "content"), [("a.yml", b"amp: {"), ("a.toml", b"amp = "), ("a.yml", b"\xff\xfe")]
)
def test_an_answers_file_that_cannot_be_parsed_is_one_line(
    torchgen: Torchgen, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    done = torchgen("new", "x", "--answers", name)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {name}: ")
    assert done.stderr.count("\n") == 1


def test_a_folder_with_something_in_it_is_refused(torchgen: Torchgen, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "notes.txt").touch()
    done = torchgen("new", "x")
    assert (done.returncode, done.stderr) == (
        1,
        f"error: {tmp_path / 'x'} is not empty (notes.txt); give a folder that is empty or does "
        f"not exist yet, such as {tmp_path / 'x'}-2\n",
    )
    assert tree(tmp_path) == ["x", "x/notes.txt"]


@pytest.mark.parametrize(("path", "file"), [("x", "x"), ("x/y/z", "x")])
def test_a_file_in_the_way_is_refused(
    torchgen: Torchgen, tmp_path: Path, path: str, file: str
) -> None:
    (tmp_path / file).touch()
    done = torchgen("new", path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {tmp_path / file} is a file")
    assert done.stderr.count("\n") == 1
    assert tree(tmp_path) == [file]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that root cannot write")
def test_a_folder_that_cannot_be_written_is_refused(torchgen: Torchgen) -> None:
    done = torchgen("new", "/proc/x/y")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: cannot write to /proc")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_read_only_parent_is_refused(torchgen: Torchgen, tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    done = torchgen("new", "x")
    tmp_path.chmod(0o755)
    assert (done.returncode, done.stderr) == (
        1,
        f"error: cannot write to {tmp_path}; give a folder that you can write to\n",
    )


def test_with_json_an_error_is_one_object_on_stderr(torchgen: Torchgen) -> None:
    for arguments in (["--ampp", "off"], ["--amp", "bf15"], ["--amp", "fp61"]):
        done = torchgen("new", "x", "--json", *arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        told = json.loads(done.stderr)
        assert (told["exit_code"], "did you mean" in told["error"].lower()) == (2, True)


def test_a_source_without_a_repository_is_refused(torchgen: Torchgen, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    done = torchgen("new", "x", "--source", "plain")
    assert (done.returncode, done.stderr) == (
        2,
        "error: --source plain is not the top folder of a git repository; run git init there\n",
    )


def test_a_source_that_cannot_be_fetched_is_one_line(torchgen: Torchgen, tmp_path: Path) -> None:
    done = torchgen("new", "x", "--source", "https://torchgen.invalid/fork.git")
    assert done.returncode == 1
    reached = "error: cannot reach the template's repository https://torchgen.invalid/fork.git ("
    assert done.stderr.startswith(reached)
    assert done.stderr.count("\n") == 1
    assert tree(tmp_path) == []


def test_a_source_that_wants_to_run_commands_is_refused(
    torchgen: Torchgen, template: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    with (template / "copier.yml").open("a", encoding="utf-8") as file:
        file.write("\n_tasks: [touch ran]\n")
    run("git", "commit", "-qam", "tasks", cwd=template, env=env)
    done = torchgen("new", "x", "--source", str(template))
    assert done.returncode == 1
    assert "tasks" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [template.name]


def test_a_source_that_lacks_a_question_is_refused_with_its_name(
    torchgen: Torchgen, template: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    config = (template / "copier.yml").read_text(encoding="utf-8")
    start, end = config.index("data_format:\n"), config.index("logger:\n")
    (template / "copier.yml").write_text(config[:start] + config[end:], encoding="utf-8")
    run("git", "commit", "-qam", "no formats", cwd=template, env=env)
    done = torchgen("new", "x", "--source", str(template), "--data-format", "lmdb")
    assert done.returncode == 2
    assert done.stderr.startswith("error: No such option: --data-format")
    (tmp_path / "a.yml").write_text("data_format: lmdb\n", encoding="utf-8")
    done = torchgen("new", "x", "--source", str(template), "--answers", "a.yml")
    assert (done.returncode, done.stderr) == (
        1,
        "error: a.yml: no question is called 'data_format' (the questions: project_name, "
        "description, parallelism, amp, logger, extras, launcher)\n",
    )
    assert not (tmp_path / "x").exists()


def test_the_python_module_is_the_command(env: dict[str, str], tmp_path: Path) -> None:
    done = run(sys.executable, "-m", "torchgen_cli", "--version", cwd=tmp_path, env=env)
    assert done.stdout == "0.1.0\n"
