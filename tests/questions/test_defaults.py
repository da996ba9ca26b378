"""Flags go before `--answers`, that before the team's file, that before the user's own."""

import json
import sys
from pathlib import Path

import pytest

from generator.conftest import Torchgen
from template.checkouts import Git
from template.conftest import Repository

DEFAULTS = {
    "project_name": "x",
    "description": "An image classifier in PyTorch",
    "parallelism": "single",
    "amp": "off",
    "data_format": "imagefolder",
    "logger": "tensorboard",
    "extras": ["report"],
}


@pytest.fixture
def own_file(env: dict[str, str]) -> Path:
    """The user's own answers, on this platform."""
    if sys.platform == "darwin":
        config = Path(env["HOME"]) / "Library" / "Application Support"
    else:
        config = Path(env["XDG_CONFIG_HOME"])
    file = config / "torchgen" / "answers.yml"
    file.parent.mkdir(parents=True)
    return file


@pytest.fixture
def standards(tmp_path: Path, git: Git) -> Repository:
    """A team's repository with an answers file."""
    repository = Repository(tmp_path / "standards", git)
    (repository.path / "torchgen").mkdir(parents=True)
    file = repository.path / "torchgen" / "answers.toml"
    file.write_text('logger = "mlflow"\namp = "bf16"\n', encoding="utf-8")
    repository("init", "--quiet", "-b", "main")
    repository.commit()
    return repository


def test_each_goes_before_the_next(torchgen: Torchgen, tmp_path: Path, own_file: Path) -> None:
    own = "description: of mine\nlogger: none\namp: fp16\ndata_format: hdf5\nparallelism: ddp\n"
    own_file.write_text(own, encoding="utf-8")
    (tmp_path / "team.yml").write_text(
        "logger: wandb\namp: bf16\ndata_format: lmdb\n", encoding="utf-8"
    )
    (tmp_path / "a.yml").write_text("amp: off\ndata_format: hdf5\n", encoding="utf-8")
    flags = ("--answers", "a.yml", "--data-format", "imagefolder")
    done = torchgen("new", "x", *flags, env={"TORCHGEN_ANSWERS": str(tmp_path / "team.yml")})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        f"""
  project_name  x
  description   of mine  (from {own_file})
  parallelism   ddp  (from {own_file})
  amp           off  (from a.yml)
  data_format   imagefolder
  logger        wandb  (from {tmp_path / "team.yml"})
"""
    )


def test_without_any_the_templates_defaults_hold(torchgen: Torchgen) -> None:
    done = torchgen("new", "x", "--json", env={"TORCHGEN_ANSWERS": ""})
    assert json.loads(done.stdout)["answers"] == DEFAULTS


def test_a_file_in_a_git_repository(torchgen: Torchgen, standards: Repository) -> None:
    team = {"TORCHGEN_ANSWERS": f"{standards.path}#torchgen/answers.toml"}
    done = torchgen("new", "x", "--amp", "fp16", env=team)
    assert done.returncode == 0, done.stderr
    assert "  amp           fp16\n" in done.stdout
    assert f"  logger        mlflow  (from {standards.path}#torchgen/answers.toml)\n" in done.stdout
    done = torchgen("new", "y", "--answers", "standards#torchgen/answers.toml", "--json")
    answers = json.loads(done.stdout)["answers"]
    assert answers == {**DEFAULTS, "project_name": "y", "logger": "mlflow", "amp": "bf16"}


def test_a_password_in_its_address_is_used_but_not_shown(
    torchgen: Torchgen, standards: Repository
) -> None:
    url = "https://ada:secret@git.example.org/standards.git"
    mirror = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{standards.path}.insteadOf",
        "GIT_CONFIG_VALUE_0": url,
    }
    done = torchgen("new", "x", "--answers", f"{url}#torchgen/answers.toml", env=mirror)
    assert done.returncode == 0, done.stderr
    shown = "mlflow  (from https://git.example.org/standards.git#torchgen/answers.toml)\n"
    assert shown in done.stdout
    gone = {**mirror, "GIT_CONFIG_KEY_0": f"url.{standards.path}-gone.insteadOf"}
    done = torchgen("new", "y", "--answers", f"{url}#torchgen/answers.toml", env=gone)
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot reach https://git.example.org/standards.git ")
    assert "secret" not in done.stderr


def test_what_is_wrong_with_a_file_is_said_with_its_name(
    torchgen: Torchgen, tmp_path: Path, own_file: Path, standards: Repository
) -> None:
    own_file.write_text("loger: none\n", encoding="utf-8")
    done = torchgen("new", "x")
    assert done.returncode == 1
    question = "no question is called 'loger'; did you mean 'logger'?"
    assert done.stderr.startswith(f"error: {own_file}: {question}")
    own_file.write_text("logger: nothing\n", encoding="utf-8")
    choices = "logger: 'nothing' is not one of tensorboard, wandb, mlflow, trackio, none"
    assert torchgen("new", "x").stderr.startswith(f"error: {own_file}: {choices}")
    for team, message in (
        ("nowhere.yml", "cannot read the answers file nowhere.yml: No such file or directory\n"),
        ("standards#no.yml", f"{standards.path} has no file no.yml ("),
        ("nowhere#no.yml", f"cannot reach {tmp_path / 'nowhere'} for the answers in no.yml ("),
    ):
        done = torchgen("new", "x", env={"TORCHGEN_ANSWERS": team})
        assert done.returncode == 1
        assert done.stderr.startswith(f"error: TORCHGEN_ANSWERS: {message}")
        assert done.stderr.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_what_a_flag_outdoes_is_not_judged(torchgen: Torchgen, own_file: Path) -> None:
    own_file.write_text("logger: nothing\n", encoding="utf-8")
    done = torchgen("new", "x", "--logger", "none")
    assert done.returncode == 0, done.stderr


def test_a_teams_file_may_answer_what_is_not_asked(
    fork: Repository, torchgen: Torchgen, tmp_path: Path
) -> None:
    (tmp_path / "team.yml").write_text("partner: blue\ngpus: 8\n", encoding="utf-8")
    team = {"TORCHGEN_ANSWERS": str(tmp_path / "team.yml")}
    done = torchgen("new", "x", "--source", "fork", "--json", env=team)
    assert (done.returncode, done.stderr) == (0, "")
    answers = json.loads(done.stdout)["answers"]
    assert answers["gpus"] == 8
    assert "partner" not in answers
    done = torchgen("new", "y", "--source", "fork", "--shared", "yes", "--json", env=team)
    assert json.loads(done.stdout)["answers"]["partner"] == "blue"
