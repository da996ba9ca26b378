"""A process that has imported all that tests need, and is copied for each run of pytest.

To import torch takes seconds, to fork a process that has done so none. Jobs come as lines of JSON
on the standard input, and a line with the exit code answers each; None where time ran out.
"""

import contextlib
import importlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

IMPORTS = ("h5py", "lmdb", "PIL.Image", "pytest", "tqdm", "tyro")
IMPORTS += ("torch._dynamo", "torch.distributed", "torch.nn.parallel", "torch.utils.data")


def main() -> None:
    """Answer jobs until the input ends."""
    for name in IMPORTS:
        importlib.import_module(name)
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


def answer(job: dict[str, Any]) -> int | None:
    """Do a job in a copy of this process; returns its exit code."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(work(job))
        finally:
            os._exit(99)
    late = time.monotonic() + job["timeout"]
    code = None
    while code is None and time.monotonic() < late:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
        else:
            time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # with what it may have left
    if code is None:
        os.waitpid(pid, 0)
    return code


def work(job: dict[str, Any]) -> int:
    """Run pytest in a project, as `python -m pytest` does there."""
    import pytest
    from reporter import Reporter  # type: ignore[import-not-found]  # this file's neighbour

    os.setsid()
    folder = Path(job["folder"])
    os.chdir(folder)
    output = os.open(job["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.clear()
    os.environ.update(job["environment"])
    sys.path[0] = str(folder)
    sys.dont_write_bytecode = True
    reporter = Reporter(Path(job["report"]), folder / "tests")
    code = int(pytest.main(job["arguments"], plugins=[reporter]))
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    main()
