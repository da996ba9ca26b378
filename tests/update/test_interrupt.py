"""A signal at any stage of an update or a set: the project is as before, and nothing is left."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .world import World, all_files, contents

STAGES = ["", "old-template", "new-template", "old/proj/README.md", "new/proj/README.md", "merge"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("stage", STAGES)
def test_interrupted(world: World, project: Path, stage: str, number: signal.Signals) -> None:
    before, names = contents(project), all_files(project)
    command = (sys.executable, "-m", "torchgen_cli", "update")
    # with pytest in its environment: listing the tests leaves time to be interrupted at the end
    env = {**world.env, "VIRTUAL_ENV": sys.prefix}
    process = subprocess.Popen(
        command,
        cwd=project,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    end = time.monotonic() + 60
    while not list((project / ".git").glob(f".torchgen-*/{stage}")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.002)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (128 + number, "interrupted; nothing was written\n")
    assert (contents(project), all_files(project)) == (before, names)
    assert world.git(project, "status", "--porcelain") == ""
