"""`--run`, and how far a project is behind; the project's verify is a stand-in that says so fast.

What the real one finds on fresh projects and on broken ones is tested with the template.
"""

import json
from pathlib import Path

import pytest
from tests.generator.conftest import Torchgen

from torchgen_cli.template.source import origin, provenance

CERTIFICATE = {
    "holds": False,
    "checks": [
        {"check": "groups", "promise": "Each once.", "holds": False, "seen": "a norm decays"},
        {"check": "learns", "promise": "It learns.", "holds": True, "seen": "yes"},
    ],
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose verify prints what `says.txt` holds, and exits as `code.txt` says."""
    verify = tmp_path / "myproj" / "verify"
    verify.mkdir(parents=True)
    (tmp_path / "torch.py").touch()
    (tmp_path / "myproj" / "__init__.py").touch()
    (verify / "__init__.py").touch()
    (verify / "steps.py").write_text("\n\ndef groups(setup):\n    pass\n", encoding="utf-8")
    (verify / "__main__.py").write_text(
        "import sys\nassert sys.argv[1:] == ['--json']\n"
        "print(open('says.txt').read())\nsys.exit(open('error.txt').read() or 1)\n",
        encoding="utf-8",
    )
    (tmp_path / "says.txt").write_text(json.dumps(CERTIFICATE), encoding="utf-8")
    (tmp_path / "error.txt").touch()
    return tmp_path


def test_a_broken_promise_is_a_finding_at_its_check(project: Path, torchgen: Torchgen) -> None:
    done = torchgen("doctor", "--run")
    assert done.returncode == 1
    assert done.stdout.startswith(
        "TG901 error: a promise of the project is broken\n"
        "  myproj/verify/steps.py:3: groups: Each once. Seen: a norm decays\n  Remedy: "
    )
    assert done.stdout.endswith("\n1 error in 5 files\n")


def test_promises_that_hold_are_no_finding(project: Path, torchgen: Torchgen) -> None:
    held = {"holds": True, "checks": CERTIFICATE["checks"][1:]}
    (project / "says.txt").write_text(json.dumps(held), encoding="utf-8")
    done = torchgen("doctor", "--run")
    assert (done.returncode, done.stdout) == (0, "nothing found in 5 files\n")


def test_without_data_it_says_what_verify_said(project: Path, torchgen: Torchgen) -> None:
    (project / "says.txt").write_text("", encoding="utf-8")
    (project / "error.txt").write_text("error: data not found: run prepare", encoding="utf-8")
    done = torchgen("doctor", "--run")
    assert done.returncode == 1
    assert done.stdout == "nothing found in 5 files\n"  # the static part is told all the same
    assert done.stderr.splitlines()[-1] == (
        "error: --run: myproj.verify could not start: data not found: run prepare"
    )


def test_without_torch_it_says_which_python_has_none(project: Path, torchgen: Torchgen) -> None:
    (project / "torch.py").write_text("raise ImportError('no torch here')\n", encoding="utf-8")
    done = torchgen("doctor", "--run")
    assert done.returncode == 1
    assert "cannot import torch (ImportError: no torch here); install torchgen into" in done.stderr


def test_a_project_of_another_kind_cannot_be_run(tmp_path: Path, torchgen: Torchgen) -> None:
    (tmp_path / "train.py").touch()
    done = torchgen("doctor", "--run")
    assert done.returncode == 1
    assert "error: --run is for projects that torchgen wrote" in done.stderr


def answers(folder: Path, commit: str, source: str | None = None) -> None:
    """A project with no fault, made from a template (this one) at `commit`."""
    (folder / "train.py").touch()
    text = f"_src_path: {source or origin(provenance())[0]}\n_commit: {commit}\nlogger: none\n"
    (folder / ".copier-answers.yml").write_text(text, encoding="utf-8")


def test_a_project_of_an_older_template_is_told_how_to_update(
    tmp_path: Path, torchgen: Torchgen
) -> None:
    answers(tmp_path, "v0.0.1")
    found = provenance()
    ours = found.commit or f"v{found.version}"
    done = torchgen("doctor")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        f"template v0.0.1, this torchgen has {ours}: torchgen update",
        "nothing found in 1 file",
    ]
    noted = json.loads(torchgen("doctor", "--json").stdout)["notes"]
    assert noted == done.stdout.splitlines()[:1]


def test_a_project_of_a_newer_template_is_told_to_take_a_newer_torchgen(
    tmp_path: Path, torchgen: Torchgen
) -> None:
    answers(tmp_path, "v99.0.0")
    assert "v99.0.0, this torchgen has" in torchgen("doctor").stdout
    assert ": install a newer torchgen\n" in torchgen("doctor").stdout


def test_a_project_of_the_installed_template_is_told_nothing(
    tmp_path: Path, torchgen: Torchgen
) -> None:
    found = provenance()
    answers(tmp_path, found.commit or f"v{found.version}")
    assert torchgen("doctor").stdout == "nothing found in 1 file\n"


def test_a_project_of_a_fork_is_not_compared_with_this_torchgen(
    tmp_path: Path, torchgen: Torchgen
) -> None:
    answers(tmp_path, "v0.1.0+acme.1", "gh:acme/fork")
    assert torchgen("doctor").stdout.splitlines() == [
        "template v0.1.0+acme.1 of gh:acme/fork: torchgen update --check looks for a newer one",
        "nothing found in 1 file",
    ]
