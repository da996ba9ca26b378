"""Another answer, there and back again: the first project; edits stay, or a conflict says so."""

import random
import shutil
from itertools import permutations
from pathlib import Path

import pytest

from edits.test_how_to import EDITS, OF_THE_LOSS, apply
from generator.conftest import write_tiny_template
from matrix.answers import SETS, Answers, name_of, questions, unasked, with_choices
from matrix.sizes import HOOKLESS

from .world import World, contents, kinds, replace

FAR_APART: list[Answers] = [
    {"parallelism": "single", "amp": "off", "data_format": "imagefolder", "logger": "tensorboard"},
    {"parallelism": "ddp", "amp": "bf16", "data_format": "hdf5", "logger": "none"},
    {"parallelism": "single", "amp": "fp16", "data_format": "lmdb", "logger": "mlflow"},
]
ONE_QUESTION = [
    (answers, {**answers, question: choice})
    for answers in FAR_APART
    for question, choices in questions().items()
    for choice in choices
    if choice != answers[question]
]
ONE_QUESTION += [
    (FAR_APART[1] | {name: choices[0]}, FAR_APART[1] | {name: choice})
    for name, choices in unasked().items()
    for choice in choices[1:]
]
chosen = random.Random(20)
PAIRS = [tuple(chosen.sample(SETS, 2)) for _ in range(20)]
OFTEN = 6  # of the pairs
HOOKING = [n for n in with_choices()["extras"]["choices"].values() if n not in HOOKLESS]


def words(answers: Answers) -> list[str]:
    return [f"{question}={answer}" for question, answer in answers.items()]


def flags(answers: Answers) -> list[str]:
    return [f"--{name.replace('_', '-')}={answer}" for name, answer in answers.items()]


def there_and_back(world: World, folder: Path, first: Answers, second: Answers) -> None:
    """Both changes, each compared with the project that is written with those answers."""
    project = folder / "proj"
    new = ("--defaults", "--json")
    for name, answers in (("a", first), ("b", second)):
        (folder / name).mkdir()
        done = world.torchgen("new", f"{name}/proj", *new, *flags(answers), cwd=folder)
        assert done.returncode == 0, done.stderr
    shutil.copytree(folder / "a/proj", project)
    for target, answers in (("b", second), ("a", first)):
        # the questions that change, and no others
        given = dict(answers.items() - (second if target == "a" else first).items())
        code, report = world.report("set", *words(given), cwd=project)
        assert (code, report["conflicts"]) == (0, [])
        assert set(report["answers"]) == set(given)
        assert contents(project) == contents(folder / target / "proj")
        world.commit(project)


def test_there_and_back(world: World, tmp_path: Path) -> None:
    there_and_back(world, tmp_path, FAR_APART[0], FAR_APART[1])


@pytest.mark.updates
@pytest.mark.parametrize(
    ("first", "second"),
    [
        *ONE_QUESTION,
        *PAIRS[:OFTEN],
        *(pytest.param(*pair, marks=pytest.mark.scheduled) for pair in PAIRS[OFTEN:]),
    ],
    ids=name_of,
)
def test_there_and_back_again(
    world: World, tmp_path: Path, first: Answers, second: Answers
) -> None:
    there_and_back(world, tmp_path, first, second)


@pytest.mark.updates
@pytest.mark.scheduled
@pytest.mark.parametrize(("one", "other"), [*permutations(HOOKING, 2)])
def test_two_extras_come_and_go_in_each_order(
    world: World, tmp_path: Path, one: str, other: str
) -> None:
    project = world.new(tmp_path / "proj", "--extras", "none")
    found = [contents(project)]
    words = ("add", one), ("add", other), ("remove", one), ("remove", other), ("add", other)
    for arguments in words:
        code, report = world.report(*arguments, cwd=project)
        assert (code, report["conflicts"]) == (0, [])
        world.commit(project)
        found.append(contents(project))
    assert found[4] == found[0]
    assert found[5] == found[3]


@pytest.mark.updates
@pytest.mark.parametrize("title", EDITS)
def test_extras_come_and_go_beside_an_edit(world: World, tmp_path: Path, title: str) -> None:
    project = world.new(tmp_path / "my-scans", "--extras", "none")
    apply(project, EDITS[title])
    world.commit(project)
    before = contents(project)
    extras = [n for n in HOOKING if n != "imbalance" or title not in OF_THE_LOSS]
    for command in ("add", "remove"):
        code, report = world.report(command, *extras, cwd=project)
        assert (code, report["conflicts"]) == (0, [])
        world.commit(project)
    assert contents(project) == before


@pytest.mark.updates
@pytest.mark.parametrize("title", OF_THE_LOSS)
def test_an_edit_of_what_an_extra_replaces_is_a_conflict(
    world: World, tmp_path: Path, title: str
) -> None:
    project = world.new(tmp_path / "my-scans", "--extras", "none")
    apply(project, EDITS[title])
    world.commit(project)
    edited = [line for line in EDITS[title].splitlines() if line.startswith("+ ")]
    code, report = world.report("add", "imbalance", cwd=project)
    assert (code, report["conflicts"]) == (3, ["my_scans/task.py"])
    text = "".join(path.read_text("utf-8") for path in sorted(project.rglob("*.py")))
    assert all(line[1:] in text for line in edited)


def test_what_it_is_already_changes_nothing(world: World, project: Path) -> None:
    code, report = world.report("set", "amp=off", "logger=tensorboard", cwd=project)
    said = "already amp=off, logger=tensorboard; nothing was changed"
    assert (code, report["message"], report["up_to_date"]) == (0, said, True)
    assert world.git(project, "status", "--porcelain") == ""


def test_it_needs_no_repository_when_the_version_is_the_installed_one(
    world: World, tmp_path: Path
) -> None:
    # a generator in a clone that is gone afterwards would be too easy: no git can be reached at all
    done = world.torchgen("new", "proj", "--defaults", cwd=tmp_path)
    assert done.returncode == 0
    offline = {"GIT_ALLOW_PROTOCOL": "none"}  # also refuses to clone from a folder
    done = world.torchgen("set", "amp=bf16", "proj", cwd=tmp_path, env=offline)
    assert done.returncode == 0, done.stderr
    config = (tmp_path / "proj/proj/config.py").read_text(encoding="utf-8")
    assert '    amp: Literal["off", "bf16", "fp16"] = "bf16"\n' in config
    done = world.torchgen("update", "proj", cwd=tmp_path, env=offline)
    assert (done.returncode, done.stderr[:30]) == (1, "error: there are uncommitted c")


def test_an_older_project_changes_within_its_own_version(world: World, project: Path) -> None:
    code, report = world.report("set", "parallelism=ddp", cwd=project)
    assert code == 0
    assert report["template"]["old"] == report["template"]["new"] == "v0.1.0"
    assert kinds(report)["proj/base/distributed.py"] == "changed"
    assert "proj/fresh.py" not in kinds(report)
    assert "_commit: v0.1.0\n" in (project / ".copier-answers.yml").read_text(encoding="utf-8")


def test_an_edit_in_a_file_that_the_answer_removes_is_kept(world: World, project: Path) -> None:
    assert world.report("set", "launcher=slurm", cwd=project)[0] == 0
    with (project / "slurm/submit").open("a", encoding="utf-8") as file:
        file.write("\n# mine\n")
    world.commit(project)
    code, report = world.report("set", "launcher=local", cwd=project)
    assert (code, report["conflicts"]) == (3, ["slurm/submit"])
    assert (project / "slurm/submit").read_text(encoding="utf-8").endswith("# mine\n")
    assert kinds(report)["slurm/train.sbatch"] == "removed"


def test_an_edit_of_a_file_that_the_answer_replaces_is_a_conflict(
    world: World, project: Path
) -> None:
    tracker = project / "proj/engine/tracker.py"
    tracker.write_text(tracker.read_text("utf-8").replace("def log(", "def log_it("), "utf-8")
    world.commit(project)
    code, report = world.report("set", "logger=none", cwd=project)
    assert (code, report["conflicts"]) == (3, ["proj/engine/tracker.py"])
    assert "def log_it(" in tracker.read_text(encoding="utf-8")


def test_edits_beside_and_inside_blocks(world: World, project: Path) -> None:
    loop = project / "proj/loop.py"
    replace(loop, "import torch\n", "import json  # mine, above\n\nimport torch\n")
    world.commit(project)
    code, _ = world.report("set", "logger=none", cwd=project)
    text = loop.read_text(encoding="utf-8")
    assert (code, "# mine, above" in text, "torch.no_grad()" in text) == (0, True, False)
    world.git(project, "checkout", "HEAD", "--", ".")
    replace(loop, "        trainer.save()\n", "        trainer.save()  # mine, inside\n")
    world.commit(project)
    code, report = world.report("set", "logger=none", cwd=project)
    text = loop.read_text(encoding="utf-8")
    assert (code, report["conflicts"]) == (3, ["proj/loop.py"])
    assert "# mine, above" in text and "# mine, inside" in text and "<<<<<<<" in text


def test_another_name_takes_the_edits_along(world: World, project: Path) -> None:
    replace(project / "proj/model.py", "import torch\n", "import torch  # mine\n")
    (project / "proj/own.py").write_text("from proj import model\n", encoding="utf-8")
    world.commit(project)
    code, report = world.report("set", "project_name=new-name", cwd=project)
    assert code == 0
    assert not (project / "proj").exists()
    assert "# mine" in (project / "new_name/model.py").read_text(encoding="utf-8")
    assert (project / "new_name/own.py").exists()
    assert "update imports of the old name" in report["notes"][0]
    world.commit(project)
    code, _ = world.report("set", "project-name=proj", cwd=project)
    assert code == 0
    assert "# mine" in (project / "proj/model.py").read_text(encoding="utf-8")


def test_several_words_and_a_path(world: World, project: Path) -> None:
    done = world.torchgen(
        "set", "amp=fp16", "description=a = b", "proj", "--dry-run", cwd=project.parent
    )
    assert done.returncode == 0, done.stderr
    assert "amp  off -> fp16\ndescription  An image classifier in PyTorch -> a = b\n" in done.stdout
    assert "nothing was written" in done.stdout
    assert world.git(project, "status", "--porcelain") == ""


def test_a_fork_that_does_not_know_the_stamp(world: World, tmp_path: Path) -> None:
    fork = write_tiny_template(tmp_path / "fork")
    answers = fork / "template/{{_copier_conf.answers_file}}.jinja"
    answers.write_text("# ours\n{{ _copier_answers|to_nice_yaml -}}\n", encoding="utf-8")
    world.git(fork, "init", "--quiet", "-b", "main")
    world.commit(fork, tag="v1.0.0")
    done = world.torchgen("new", "proj", "--defaults", "--source", str(fork), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    code, report = world.report("set", "amp=bf16", "proj", cwd=tmp_path)
    assert (code, kinds(report)) == (
        0,
        {".copier-answers.yml": "changed", "proj/train.py": "changed"},
    )
    record = (tmp_path / "proj/.copier-answers.yml").read_text(encoding="utf-8")
    assert record.startswith("# ours\n_commit: v1.0.0\n")
