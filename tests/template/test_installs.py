"""A rehearsed release: however two releases are installed, projects of the first reach the second.

There is no network, and no repository of the template any more.
"""

import json
import os
import shutil
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

from generator.conftest import Done, Torchgen, commit, run

from .checkouts import Git, add_a_fix, wheel
from .test_release import release, replace

Env = dict[str, str]
CUT = {"GIT_ALLOW_PROTOCOL": "file", "PIP_NO_INDEX": "1", "UV_OFFLINE": "1"}
NAME = "https://torchgen.invalid/torchgen-cli.git"


@pytest.fixture
def repository(clone: Path, git: Git, env: Env) -> Path:
    """A repository with two releases, 0.2.0 with one more file and a note on it."""
    (clone / "tests/matrix").mkdir(parents=True)
    (clone / "tests/matrix/golden.json").write_text('{"machine": {}, "numbers": {}}')
    (clone / "releases.json").write_text("[]\n")
    recipe = clone / "docs/recipes/fast"
    (recipe / "files/myproj").mkdir(parents=True)
    (recipe / "recipe.toml").write_text('summary = "Fast."\n')
    (recipe / "README.md").write_text("# Fast\n")
    (recipe / "files/myproj/fast.py").write_text("FAST = True\n")
    changelog = clone / "CHANGELOG.md"
    changelog.write_text("# Changelog\n\n## 0.1.0 (2026-12-01)\n\n- All of it.\n")
    commit(clone, git)
    assert release(clone, env, "v0.1.0", "--tag").returncode == 0
    replace(clone / "pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"')
    replace(changelog, "# Changelog\n", "# Changelog\n\n## 0.2.0 (2026-12-02)\n\n- A fix.\n")
    add_a_fix(clone, git)
    assert release(clone, env, "v0.2.0", "--tag").returncode == 0
    return clone


def from_wheel(repository: Path, tag: str, folder: Path, git: Git, env: Env) -> str:
    git(repository, "checkout", "--quiet", tag)
    build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    run(*build, cwd=repository, env=env)
    return str(next(folder.glob("*.whl")))


def from_sdist(repository: Path, tag: str, folder: Path, git: Git, env: Env) -> str:
    git(repository, "checkout", "--quiet", tag)
    build = (sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder))
    run(*build, cwd=repository, env=env)
    return str(next(folder.glob("*.tar.gz")))


def from_archive(repository: Path, tag: str, folder: Path, git: Git, _: Env) -> str:
    git(repository, "archive", "--prefix", f"torchgen-{tag}/", "-o", f"{folder}/{tag}.tar.gz", tag)
    return str(folder / f"{tag}.tar.gz")


def from_bare_clone(repository: Path, tag: str, folder: Path, git: Git, _: Env) -> str:
    git(folder, "clone", "--quiet", "--bare", str(repository), "bare.git")
    return f"git+{(folder / 'bare.git').as_uri()}@{tag}"


def from_folder(repository: Path, tag: str, folder: Path, git: Git, _: Env) -> str:
    git(folder, "clone", "--quiet", "--branch", tag, str(repository), "folder")
    return str(folder / "folder")


def by_pip(what: str, folder: Path, env: Env) -> Path:
    """Into a virtual environment with nothing but what torchgen needs."""
    venv = folder / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", str(venv), cwd=folder, env=env)
    scripts = venv / ("Scripts" if os.name == "nt" else "bin")
    base = {"base": str(venv), "platbase": str(venv)}
    site = Path(sysconfig.get_path("purelib", "venv", vars=base))
    (site / "needs.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = (sys.executable, "-m", "pip", "--python", str(next(scripts.glob("python*"))), "install")
    flags = ("--no-deps", "--no-build-isolation", "--quiet")
    run(*pip, *flags, what, cwd=folder, env=env)
    return scripts / "torchgen"


def by_uv(what: str, folder: Path, env: Env) -> Path:
    """As a tool; what torchgen needs is from an index."""
    places = {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
    uv = (sys.executable, "-m", "uv", "tool", "install", "--quiet", what)
    run(*uv, cwd=folder, env={**env, **places})
    return folder / "bin" / "torchgen"


def by_pipx(what: str, folder: Path, env: Env) -> Path:
    places = {"PIPX_HOME": str(folder / "pipx"), "PIPX_BIN_DIR": str(folder / "bin")}
    pipx = (sys.executable, "-m", "pipx", "install", "--quiet", what)
    run(*pipx, cwd=folder, env={**env, **places})
    return folder / "bin" / "torchgen"


WAYS = {
    "wheel": (from_wheel, by_pip),
    "sdist": (from_sdist, by_pip),
    "archive": (from_archive, by_pip),
    "bare clone": (from_bare_clone, by_pip),
    "folder": (from_folder, by_pip),
    "uv tool": (from_wheel, by_uv),
    "pipx": (from_wheel, by_pipx),
}
OFTEN = ("wheel", "bare clone")  # from an index, and from git


@pytest.mark.parametrize(
    "way", [pytest.param(w, marks=[pytest.mark.scheduled] * (w not in OFTEN)) for w in WAYS]
)
def test_a_project_of_one_release_reaches_the_next(
    way: str, repository: Path, git: Git, env: Env, tmp_path: Path
) -> None:
    fetch, install = WAYS[way]
    del env["PYTHONPATH"]
    programs = {}
    network = {k: v for k, v in os.environ.items() if k.startswith(("PIP_", "UV_", "HTTP"))}
    cut = CUT if install is by_pip else network
    for tag in ("v0.1.0", "v0.2.0"):
        folder = tmp_path / tag
        folder.mkdir()
        what = fetch(repository, tag, folder, git, env)
        programs[tag] = install(what, folder, {**env, **cut})
        for left in (*folder.glob("*.git"), *folder.glob("folder")):
            shutil.rmtree(left)
    shutil.rmtree(repository)
    project = tmp_path / "proj"

    def torchgen(tag: str, *arguments: str) -> Done:
        return run(str(programs[tag]), *arguments, cwd=tmp_path, env={**env, **CUT}, check=False)

    done = torchgen("v0.1.0", "new", "proj", "--defaults")
    assert (done.returncode, done.stderr) == (0, "")
    done = torchgen("v0.1.0", "new", "other", "--defaults", "--recipe", "fast")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "other/other/fast.py").read_text() == "FAST = True\n"
    record = yaml.safe_load((project / ".copier-answers.yml").read_text())
    assert (record["_src_path"], record["_commit"]) == (NAME, "v0.1.0")
    assert str(tmp_path) not in (project / ".copier-answers.yml").read_text()
    done = torchgen("v0.1.0", "update", "proj")
    assert (done.returncode, done.stdout[:18]) == (0, "up to date: v0.1.0"), done.stderr
    (project / "proj/train.py").write_text('AMP = "off"\nMINE = 1\n')
    commit(project, git)

    shutil.rmtree(tmp_path / "other")
    rows = json.loads(torchgen("v0.2.0", "status", "--json").stdout)
    assert [(row["latest"], row["behind"], row["problems"]) for row in rows] == [("v0.2.0", 1, [])]
    news = torchgen("v0.2.0", "update", "proj", "--check")
    assert (news.returncode, "A fix." in news.stdout) == (4, True), news.stderr
    done = torchgen("v0.2.0", "set", "amp=bf16", "proj")  # at the project's own, older version
    assert done.returncode == 3, done.stderr  # both changed the neighbouring line
    git(project, "checkout", "--quiet", "--force", "HEAD")
    done = torchgen("v0.2.0", "update", "proj")
    assert (done.returncode, done.stderr) == (0, "")
    assert (project / "FIX.md").read_text() == "fixed\n"
    assert "MINE = 1\n" in (project / "proj/train.py").read_text()
    (project / ".copier-answers.yml").unlink()
    commit(project, git)
    done = torchgen("v0.2.0", "adopt", "proj")
    assert done.returncode == 0, done.stderr
    again = yaml.safe_load((project / ".copier-answers.yml").read_text())
    assert (again["_src_path"], again["_commit"]) == (NAME, "v0.2.0")


def test_a_version_between_releases_is_known_where_it_was_installed_from(
    torchgen: Torchgen, clone: Path, git: Git, env: Env
) -> None:
    """`pip install FOLDER` of a checkout: pip notes the folder, which may have moved on."""
    del env["PYTHONPATH"]
    program = by_pip(str(clone), clone.parent, {**env, **CUT})
    for arguments in (("new", "proj", "-y"), ("update", "proj")):
        done = run(str(program), *arguments, cwd=clone.parent, env={**env, **CUT})
    assert done.stdout.startswith("up to date: ")
    add_a_fix(clone, git)
    shutil.rmtree(clone.parent / "venv")
    program = by_pip(str(clone), clone.parent, {**env, **CUT})
    run(str(program), "update", "proj", cwd=clone.parent, env={**env, **CUT})
    assert (clone.parent / "proj/FIX.md").exists()


def test_an_unknown_version_is_refused_with_what_to_do(
    torchgen: Torchgen, clone: Path, git: Git, env: Env
) -> None:
    shutil.rmtree(clone / ".git")  # as unpacked from an archive of no release
    installed = wheel(clone, env)
    torchgen("new", "proj", "--defaults", env=installed)
    record = yaml.safe_load((clone.parent / "proj/.copier-answers.yml").read_text())
    made_from = record["_commit"]
    assert made_from.startswith("v0.1.0+")
    (clone / "template/FIX.md").write_text("fixed\n")
    shutil.rmtree(clone.parent / "site")
    shutil.rmtree(clone / "dist")
    installed = wheel(clone, env)
    done = torchgen("update", "proj", env=installed)
    assert (done.returncode, done.stderr) == (
        1,
        f"error: torchgen 0.1.0 does not know the template's version {made_from}, which the "
        "project records: install a newer torchgen, or give the template's repository with "
        "--source\n",
    )


def test_an_address_that_cannot_be_reached_is_no_obstacle_to_known_releases(
    torchgen: Torchgen, repository: Path, git: Git, env: Env
) -> None:
    git(repository, "switch", "--quiet", "main")
    installed = wheel(repository, env)
    address = {"TORCHGEN_SOURCE": "https://git.example.org/torchgen.git", **CUT}
    torchgen("new", "proj", "-y", env={**installed, **address})
    project = repository.parent / "proj"
    record = project / ".copier-answers.yml"
    assert "_src_path: https://git.example.org/torchgen.git\n" in record.read_text()
    shutil.rmtree(repository)
    done = torchgen("update", "proj", env={**installed, **address})
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(
        "note: cannot reach the template's repository https://git.example.org/torchgen.git ("
    )
    assert done.stderr.endswith("using the releases that came with torchgen 0.2.0\n")
