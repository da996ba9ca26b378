"""`torchgen verify`: the proofs of the extra `verify`, run on a copy of a project."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from .base.errors import UserError
from .base.git import fields, git_output
from .base.output import EXTRA
from .base.project import Project, package_of, read_project
from .base.staging import scratch_folder
from .extras import QUESTION
from .questions.questionnaire import Questionnaire
from .set_answers import recorded, template_of
from .template.render import render

EXTRA_NAME = "verify"
SETTINGS = {".py", ".toml", ".json", ".yaml", ".yml", ".cfg", ".ini"}  # anywhere in a project
LARGEST = 10_000_000  # bytes: a larger file is data
NO_CODE = {"build", "data", "dist", "env", "runs", "venv"}

# what the interpreter lacks, and where it finds the package
LOOK = """
import importlib.util, sys
names = [n for n in ("torch", "tyro", "pytest") if importlib.util.find_spec(n) is None]
print(", ".join(names) if sys.version_info >= (3, 11) else "Python 3.11")
print(importlib.util.find_spec(sys.argv[1]).origin)
"""


def verify(path: str, python: str | None, flags: Sequence[str]) -> int:
    """Prove the promises of the project at `path` on a copy of it.

    Returns 0 if all hold, 1 if one is broken, 2 if the flags of `train` are wrong. Raises
    `UserError` with exit code 2 if the proofs cannot be run at all.
    """
    try:
        project = read_project(path)
        interpreter = find_python(python, project.path)
        with scratch_folder(Path(tempfile.gettempdir())) as scratch:
            copy = scratch / "copy" / project.path.name
            copy_code(project, copy)
            add_proofs(project, copy, scratch)
            return prove(project, copy, interpreter, flags)
    except UserError as error:
        raise UserError(str(error), 2) from error


def find_python(given: str | None, project: Path) -> str:
    """The interpreter to use: the given one, that of the active environment or of `.venv`."""
    if given:
        found = shutil.which(given)
        if not found:
            raise UserError(f"--python {given} is not an interpreter")
        return str(Path(found).absolute())
    names = ("VIRTUAL_ENV", "CONDA_PREFIX")
    active = [Path(os.environ[name]) for name in names if os.environ.get(name)]
    for folder in (*active, project / ".venv"):
        for place in ("bin/python", "Scripts/python.exe", "python.exe"):
            file = Path(folder, place).absolute()
            if file.exists():
                return str(file)
    raise UserError(
        f"no environment is active and {project} has no .venv; activate one with the project's "
        "packages, or give --python FILE"
    )


def copy_code(project: Project, target: Path) -> None:
    """Copy a project's code, tests and settings: no data, no runs, no environment."""
    root, package = project.path, package_of(project.answers, project.path)
    listed = git_output(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is None:  # not in git
        names = [file.relative_to(root).as_posix() for file in walk(root)]
    else:
        names = fields(listed)
    for name in dict.fromkeys(names):
        file, top = root / name, name.split("/")[0]
        code = top in (package, "tests") or "/" not in name or file.suffix in SETTINGS
        if not code or top in NO_CODE or not file.is_file() or file.stat().st_size > LARGEST:
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target / name)


def walk(root: Path) -> list[Path]:
    """The files of a folder that is not in git, without hidden folders and environments."""
    found: list[Path] = []
    for folder, folders, files in os.walk(root):
        unwanted = {"__pycache__"} | (NO_CODE if Path(folder) == root else set())
        folders[:] = [
            name
            for name in folders
            if name[0] != "."
            and name not in unwanted
            and not Path(folder, name, "pyvenv.cfg").exists()
        ]
        found += [Path(folder, name) for name in files]
    return found


def add_proofs(project: Project, copy: Path, scratch: Path) -> None:
    """Write the files that only the extra `verify` of the project's version brings."""
    template = template_of(project, scratch)
    questionnaire = Questionnaire(template)
    answers = recorded(questionnaire, project.answers)
    others = [name for name in answers.get(QUESTION, []) if name != EXTRA_NAME]
    trees = []
    for number, chosen in enumerate((others, [*others, EXTRA_NAME])):
        trees.append(scratch / f"rendered-{number}" / project.path.name)
        trees[-1].parent.mkdir()
        try:
            render(template, trees[-1], {**answers, QUESTION: chosen}, project.stamp)
        except UserError as error:
            raise UserError(
                f"version {project.commit} of the template has no extra {EXTRA_NAME} ({error}); "
                "run torchgen update first"
            ) from error
    without, with_proofs = trees
    for file in with_proofs.rglob("*"):
        name = file.relative_to(with_proofs)
        if file.is_file() and not (without / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy / name)


def prove(project: Project, copy: Path, python: str, flags: Sequence[str]) -> int:
    """Run the proofs on the user's experiment, then the tests on the toy one."""
    package = package_of(project.answers, project.path)
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(copy), os.environ.get("PYTHONPATH")])),
        "PYTHONSAFEPATH": "1",  # the copy is imported, not what is in the current folder
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    check_python(python, package, copy, env)
    # relative paths, such as that of the data, are those of the project
    code = run([python, "-m", f"{package}.verify", *flags], project.path, env)
    if code not in (0, 1):
        return code
    print("\nOn the toy experiment (tests/machinery):", flush=True)
    options = ["-q", "-p", "no:cacheprovider", "--confcutdir=tests/machinery"]
    tests = run([python, "-m", "pytest", *options, "tests/machinery"], copy, env)
    broken = [
        name
        for name, failed in (("on your experiment", code), ("on the toy experiment", tests))
        if failed
    ]
    told = "all promises hold" if not broken else f"BROKEN {' and '.join(broken)}, see above"
    print(f"\n{project.path.name}: {told}", flush=True)
    return 1 if broken else 0


def check_python(python: str, package: str, copy: Path, env: Mapping[str, str]) -> None:
    """Raise `UserError` unless the interpreter has the packages and imports the copy."""
    command = [python, "-c", LOOK, package]
    try:
        done = subprocess.run(
            command, cwd=copy, env=env, capture_output=True, encoding="utf-8", check=False
        )
    except OSError as error:
        raise UserError(f"{python} cannot be run: {error.strerror}") from error
    lacks, _, origin = done.stdout.partition("\n")
    if done.returncode:
        raise UserError(f"{python} cannot find the package {package}: {done.stderr.strip()[-300:]}")
    if lacks:
        raise UserError(f"{python} lacks {lacks}: install the project with pip install -e {EXTRA}")
    if not Path(origin.strip()).resolve().is_relative_to(copy.resolve()):
        raise UserError(f"{python} imports {origin.strip()} in place of the copy {copy}")


def run(command: list[str], folder: Path, env: Mapping[str, str]) -> int:
    """Run a command to its end, and end all that it started if this one is interrupted."""
    process = subprocess.Popen(command, cwd=folder, env=env, start_new_session=True)
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                if sys.platform == "win32":
                    process.kill()
                else:
                    os.killpg(process.pid, signal.SIGKILL)
            process.wait()
