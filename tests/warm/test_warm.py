"""A command that is run by a fork of the server does what a cold start of it does."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faults.runs import RunFolder, assert_same_run
from matrix.answers import EACH, PAIR, Answers, name_of
from matrix.commands import Project, environment
from matrix.conftest import images, shared, trees
from matrix.training import copy_of

from . import start

__all__ = ["images", "shared", "trees"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all starts are cold")

Done = subprocess.CompletedProcess[str]

PROBE = """
import json, multiprocessing, os, signal, sys, threading
import numpy as np
found = {
    "argv": sys.argv, "orig_argv": sys.orig_argv[1:], "path": sys.path, "flags": list(sys.flags),
    "name": __name__, "spec": __spec__.name, "main": sys.modules["__main__"].__spec__.name,
    "directory": os.getcwd(), "environment": dict(os.environ), "stdin": sys.stdin.read(),
    "streams": [[s.name, s.encoding, s.errors, s.line_buffering, s.write_through, s.seekable()]
                for s in (sys.stdin, sys.stdout, sys.stderr)],
    "signals": [str(signal.getsignal(n)) for n in sorted(signal.valid_signals())],
    "masked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "threads": threading.active_count(), "parent": str(multiprocessing.parent_process()),
    "files": sorted(os.listdir("/proc/self/fd"))[:3],
}
differs = {"draw": np.random.random(), "pid": os.getpid(), "warm": sys.argv[1] in sys.modules}
json.dump([found, differs], sys.stdout)
print("said", file=sys.stderr)
"""
ENDS = {
    "well": "pass",
    "a code": "sys.exit(3)",
    "a text": "sys.exit('it is wrong')",
    "at once": "os._exit(7)",
    "an interrupt": "raise KeyboardInterrupt",
    "SIGTERM": "os.kill(os.getpid(), signal.SIGTERM)",
    "SIGKILL": "os.kill(os.getpid(), signal.SIGKILL)",
    "an error": "1 / 0",
}
SLEEP = """
import os, signal, sys, time
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(5))
print(os.getpid(), flush=True)
time.sleep(60)
"""


@pytest.fixture
def own(tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path / "home")


@pytest.fixture
def warm(own: dict[str, str]) -> str:
    """A server that has imported little, so that it starts soon."""
    return str(start(own, ("numpy", "sqlite3")))


def module(folder: Path, text: str) -> Path:
    (folder / "probe.py").write_text(f"import os, signal, sys\n{text}", encoding="utf-8")
    return folder


def run(*line: str, folder: Path, env: dict[str, str], typed: str = "") -> Done:
    return subprocess.run(
        line, cwd=folder, env=env, input=typed, capture_output=True, encoding="utf-8", check=False
    )


def running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def gone(pid: int) -> bool:
    """Whether a process ends within seconds."""
    late = time.monotonic() + 10
    while running(pid) and time.monotonic() < late:
        time.sleep(0.02)
    return not running(pid)


@pytest.mark.parametrize("flags", [["-m"], ["-u", "-m"]])
def test_it_starts_with_all_that_python_gives(
    flags: list[str], warm: str, own: dict[str, str], tmp_path: Path
) -> None:
    module(tmp_path, PROBE)
    found, differs = [], []
    for python in (sys.executable, warm, warm):
        variables = own | {"HOME": str(tmp_path), "RANK": "1"}
        line = [python, *flags, "probe", "sqlite3", "--flag=ä b", ""]
        done = run(*line, folder=tmp_path, env=variables, typed="typed")
        assert (done.returncode, done.stderr) == (0, "said\n")
        same, other = json.loads(done.stdout)
        for name in ("PWD", "OLDPWD"):  # of the shell that starts the client
            same["environment"].pop(name, None)
        found.append(same)
        differs.append(other)
    for name, value in found[0].items():
        assert found[1][name] == found[2][name] == value, name
    assert [other["warm"] for other in differs] == [False, True, True]
    assert len({other["draw"] for other in differs}) == len({o["pid"] for o in differs}) == 3


@pytest.mark.parametrize("end", ENDS)
def test_it_ends_as_python_does(end: str, warm: str, own: dict[str, str], tmp_path: Path) -> None:
    module(tmp_path, f"print('begun'); print('x' * 100000)\n{ENDS[end]}")
    ends = []
    for python in (sys.executable, warm):
        done = run(python, "-m", "probe", folder=tmp_path, env=own)
        ends.append((done.returncode, done.stdout, done.stderr.splitlines()[-1:]))
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGUSR1, 5), (signal.SIGTERM, -15), (signal.SIGKILL, -9)]
)
def test_a_signal_reaches_the_command(
    number: signal.Signals, code: int, warm: str, own: dict[str, str], tmp_path: Path
) -> None:
    module(tmp_path, SLEEP)
    line, out = [warm, "-m", "probe"], subprocess.PIPE
    with subprocess.Popen(line, cwd=tmp_path, env=own, stdout=out) as process:
        assert process.stdout is not None
        command = int(process.stdout.readline())
        assert running(command) and command != process.pid
        process.send_signal(number)
        assert process.wait(10) == code
        assert gone(command)


@pytest.mark.parametrize(
    ("command", "more"),
    [
        (["-m", "probe", "sqlite3"], {"OMP_NUM_THREADS": "3"}),
        (["-m", "probe", "sqlite3"], {"PYTHONDONTWRITEBYTECODE": "1"}),
        (["probe.py", "sqlite3"], {}),
    ],
)
def test_what_would_start_otherwise_starts_cold(
    command: list[str], more: dict[str, str], warm: str, own: dict[str, str], tmp_path: Path
) -> None:
    text = "import json; print(json.dumps([sys.argv[1] in sys.modules, dict(os.environ)]))"
    module(tmp_path, text)
    done = run(warm, *command, folder=tmp_path, env=own | more)
    is_warm, variables = json.loads(done.stdout)
    assert not is_warm and more.items() <= variables.items()


def test_another_sitecustomize_starts_cold(warm: str, own: dict[str, str], tmp_path: Path) -> None:
    module(tmp_path, "print(os.custom)")
    (tmp_path / "sitecustomize.py").write_text("import os\nos.custom = 'mine'\n", encoding="utf-8")
    done = run(warm, "-m", "probe", folder=tmp_path, env=own | {"PYTHONPATH": str(tmp_path)})
    assert done.stdout == "mine\n", done.stderr


def test_without_a_server_it_starts_cold(warm: str, own: dict[str, str], tmp_path: Path) -> None:
    shutil.move(warm, gone := tmp_path / "python")  # so that it asks a server that is not there
    gone.write_text(gone.read_text().replace(str(Path(warm).parent), "nowhere"))
    done = run(str(gone), "-m", "this", folder=tmp_path, env=own)
    assert "Beautiful" in done.stdout, done.stderr


def test_a_server_ends_with_its_owner_however_that_ends(tmp_path: Path) -> None:
    text = "from warm import start; import time; print(start({}, ()), flush=True); time.sleep(60)"
    command, out = [sys.executable, "-c", text], subprocess.PIPE
    with subprocess.Popen(command, cwd=Path(__file__).parents[1], stdout=out) as owner:
        assert owner.stdout is not None
        python = Path(owner.stdout.readline().decode().strip())
        children = Path(f"/proc/{owner.pid}/task/{owner.pid}/children").read_text().split()
        (server,) = map(int, children)
        owner.kill()
        owner.wait()
        assert gone(server) and not python.parent.exists()


COMMANDS: list[tuple[tuple[str, ...], int]] = [
    # prepare and train come first; each line with its exit code
    (("evaluate", "run/checkpoints/last.pt", "--json", "--device", "cpu"), 0),
    (("predict", "run/checkpoints/best.pt", "one.png", "--json", "--device", "cpu"), 0),
    (("train", "--batch-size", "16", "--run-dir", "run", "--no-resume"), 2),
    (("train", "--epochen", "2"), 2),
]
OFTEN = (PAIR[0],)  # by one process; by torchrun in make test-all
CLOCK = re.compile(r"[\d.,]+ samples/s", re.MULTILINE)  # what depends on the time


@pytest.mark.smoke
@pytest.mark.parametrize(
    "answers",
    [pytest.param(a, marks=[] if a in OFTEN else pytest.mark.scheduled) for a in EACH],
    ids=map(name_of, EACH),
)
def test_a_project_gives_the_same_bits_and_says_the_same(
    answers: Answers, trees: dict[str, Path], images: Path, tmp_path: Path
) -> None:
    said, runs = [], []
    for warm in (True, False):
        folder = tmp_path / str(warm)
        tree = copy_of(trees[name_of(answers)], folder)
        (tree / "one.png").write_bytes((images / "val/square/00.png").read_bytes())
        project = Project(tree, environment(folder / "home"), warm=warm)
        lines = [project.run("prepare", "--source", images)]
        processes = 2 if answers["parallelism"] != "single" else 0
        flags = ("--run-dir", "run", "--epochs", "2", "--batch-size", "16", "--dropout", "0.1")
        lines.append(project.run("train", *flags, "--device", "cpu", processes=processes))
        lines += [project.run(*command, exits=code) for command, code in COMMANDS]
        said.append([CLOCK.sub("T", line) for line in lines])
        runs.append(RunFolder(tree / "run"))
    assert said[0] == said[1]
    assert_same_run(*runs)
