"""The rules for names stand in copier.yml alone: torchgen and plain Copier refuse alike."""

import keyword
import re
import sys
import sysconfig
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from generator.conftest import ROOT, Torchgen, run, tree
from torchgen_cli.questions.question import Question
from torchgen_cli.questions.questionnaire import Questionnaire


@pytest.fixture(scope="module")
def questionnaire() -> Questionnaire:
    return Questionnaire(ROOT)


@pytest.fixture(scope="module")
def project_name(questionnaire: Questionnaire) -> Question:
    return next(q for q in questionnaire.questions if q.name == "project_name")


def imported_by_the_template() -> Iterator[str]:
    """Names in import statements, of its tests, and of distributions in its pyproject.toml."""
    tests = ROOT / "template/tests"
    for file in (*tests.glob("*.py*"), *tests.glob("*/*.py*")):  # pytest puts both folders in front
        yield file.name.split(".")[0]
    for file in (ROOT / "template").rglob("*.py*"):
        for found in re.finditer(
            r"^\s*(?:import|from) +(\w+)", file.read_text(encoding="utf-8"), re.MULTILINE
        ):
            if found[1] not in ("a", "the"):  # a sentence
                yield found[1].lower()
    for file in (ROOT / "template").glob("pyproject.toml*"):
        for found in re.finditer(r'"([\w-]+)>=', file.read_text(encoding="utf-8")):
            yield found[1].lower().replace("-", "_")


def named_by_pythons_library() -> Iterator[str]:
    """What the standard library's folder holds: more than `sys.stdlib_module_names` (`test`)."""
    for found in Path(sysconfig.get_path("stdlib")).iterdir():
        if found.suffix == ".py" or (found / "__init__.py").exists():
            yield found.stem


def brought_along(roots: Iterable[str]) -> Iterator[str]:
    """What those distributions and all that they require, as installed here, are imported as."""
    todo, required = [canonicalize_name(root) for root in roots], set()
    while todo:
        name = todo.pop()
        if name in required:
            continue
        required.add(name)
        with suppress(metadata.PackageNotFoundError):
            for requirement in map(Requirement, metadata.requires(name) or []):
                if not requirement.marker or requirement.marker.evaluate({"extra": ""}):
                    todo.append(canonicalize_name(requirement.name))
    for module, distributions in metadata.packages_distributions().items():
        if required.intersection(map(canonicalize_name, distributions)):
            yield module.lower()


def test_no_name_can_hide_something_that_the_project_imports(
    questionnaire: Questionnaire, project_name: Question
) -> None:
    imported = set(imported_by_the_template())
    taken = {
        *(word for word in keyword.kwlist if word.islower()),
        *sys.stdlib_module_names,
        *named_by_pythons_library(),
        *imported,
        *brought_along(imported),
        *("torch", "torchgen", "functorch", "tests", "con", "aux", "nul", "prn", "com1", "lpt9"),
    }
    assert {"numpy", "pil", "h5py", "lmdb", "tyro", "pillow", "test", "toys"} < taken
    assert {"absl", "google", "click", "requests"} < taken  # without them the loggers crash
    for name in sorted(name for name in taken if re.fullmatch("[a-z][a-z0-9_]*", name)):
        with_hyphens = name.replace("_", "-")
        wrong = questionnaire.complaint(project_name, with_hyphens, {})
        assert wrong.startswith(f"Try '{with_hyphens}-project': "), name


@pytest.mark.parametrize(
    "name",
    [
        "test-a-project",
        "tests-a",
        "a",
        "x1",
        "digits-2024",
        "a-b-c",
        "a" * 40,
        "pytorch",
        "match",
        "torch-project",
    ],
)
def test_good_names(questionnaire: Questionnaire, project_name: Question, name: str) -> None:
    assert questionnaire.complaint(project_name, name, {}) == ""


@pytest.mark.parametrize(
    "name",
    [
        "",
        "-",
        "-a",
        "a-",
        "a--b",
        "1a",
        "A",
        "a_b",
        "a.b",
        "a b",
        "ä",
        "a\n",
        "\na",
        "a\x00",
        "a/b",
    ],
)
def test_bad_names(questionnaire: Questionnaire, project_name: Question, name: str) -> None:
    wrong = questionnaire.complaint(project_name, name, {})
    assert wrong.endswith("a-z, 0-9 and single hyphens, a letter first.")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("My Proj", "my-proj"),
        ("_a__b_", "a-b"),
        ("2024_x", "x"),
        ("Torch", "torch-project"),
        ("a.b\n", "a-b"),
    ],
)
def test_a_bad_name_is_answered_with_the_nearest_right_one_first(
    questionnaire: Questionnaire, project_name: Question, name: str, nearest: str
) -> None:
    assert questionnaire.complaint(project_name, nearest, {}) == ""
    wrong = questionnaire.complaint(project_name, name, {})
    assert wrong.startswith(f"Try '{nearest}': a-z, 0-9"), wrong


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("myproj", "myproj"),
        ("My Proj", "my-proj"),
        ("Größe 3 (Zoë's)", "grosse-3-zoe-s"),
        ("Gro\u0308\u00dfe", "grosse"),  # as macOS spells it
        ("Œuvre Łódź Ægir", "oeuvre-lodz-aegir"),
        ("2024_xray--scans_", "xray-scans"),
        ("123", "myproj"),
        ("写真", "myproj"),
        ("...", "myproj"),
        ("a\nb", "a-b"),
        ("", "myproj"),
    ],
)
def test_the_folder_gives_the_name(
    questionnaire: Questionnaire, project_name: Question, folder: str, name: str
) -> None:
    assert questionnaire.default(project_name, {"_folder_name": folder}) == name


def test_each_accented_letter_has_its_plain_one(
    questionnaire: Questionnaire, project_name: Question
) -> None:
    by_hand = {"đ": "d", "ð": "d", "ħ": "h", "\u0131": "i", "ł": "l", "ŋ": "n", "ø": "o", "ŧ": "t"}
    for letter in map(chr, range(0xE0, 0x17F)):
        plain = by_hand.get(letter.lower(), unicodedata.normalize("NFD", letter.lower())[0])
        if re.fullmatch("[a-z]", plain):
            got = questionnaire.default(project_name, {"_folder_name": f"x{letter}y"})
            assert got == f"x{plain}y", letter


def test_torchgen_is_said_to_be_what_it_is(
    questionnaire: Questionnaire, project_name: Question
) -> None:
    assert questionnaire.complaint(project_name, "torchgen", {}) == (
        "Try 'torchgen-project': 'torchgen' is the name of a package that comes with those that "
        "the project uses."
    )


def test_plain_copier_folds_and_refuses_the_same(tmp_path: Path, env: dict[str, str]) -> None:
    copier = (sys.executable, "-m", "copier", "copy", "--defaults", "--quiet")
    template = tmp_path / "plain"
    template.mkdir()
    (template / "copier.yml").write_bytes((ROOT / "copier.yml").read_bytes())
    (template / "template").mkdir()
    (template / "template" / "name.txt.jinja").write_text("{{ project_name }}", encoding="utf-8")
    run(*copier, "plain", "out/Größe 3", cwd=tmp_path, env=env)
    assert (tmp_path / "out/Größe 3/name.txt").read_text(encoding="utf-8") == "grosse-3"
    (tmp_path / "out2").mkdir()
    for bad, message in (
        ("project_name=torch", "'torch' is the name of a package that the project uses"),
        ("project_name=Torch", "Try 'torch-project': a-z, 0-9 and single hyphens"),
        ("project_name=größe", "Use a-z, 0-9 and single hyphens, a letter first."),
        ("description=a\nb", "One line of printable characters"),
        ("amp=bf15", "'bf15' is not in ['off', 'bf16', 'fp16']"),
    ):
        done = run(*copier, "-d", bad, "plain", "out2/x", cwd=tmp_path, env=env, check=False)
        assert done.returncode != 0
        assert message in done.stderr
        assert tree(tmp_path / "out2") == []


def test_a_long_name_from_the_folder_is_refused_with_a_way_out(torchgen: Torchgen) -> None:
    name = "a" * 41
    done = torchgen("new", name)
    assert (done.returncode, done.stderr) == (
        2,
        f"error: the project_name from PATH is '{name}': At most 40 characters, please; these are "
        "41. Choose another PATH, or give --project-name.\n",
    )
