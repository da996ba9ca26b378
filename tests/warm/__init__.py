"""Python that has imported torch already: a server for each environment, started when needed.

A command's first two seconds, five where it imports the compiler, are the import of torch. On Linux
`python_for` gives an executable that leaves them out; see `server.py` for how. What a test says of
starting, of signals or of the environment itself is tried with Python's own executable instead.
"""

import atexit
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .server import bound, entries

HERE = Path(__file__).parent
# what the commands of a project import when they start, and what most of them come to; but for
# MLflow and W&B, which look at their environment
IMPORTS: tuple[str, ...] = (
    "numpy",
    "PIL.Image",
    "h5py",
    "lmdb",
    "simplejpeg",
    "tqdm",
    "tyro",
    "torch",
)
IMPORTS += ("torch.distributed.run", "torch.nn.parallel", "torch.utils.data", "torch._dynamo")
GENERATOR = ("copier", "jinja2", "jinja2_ansible_filters", "packaging.version", "typer", "yaml")
Key = tuple[tuple[str, ...], frozenset[tuple[str, str]]]
servers: dict[Key, Path] = {}


def python_for(environment: Mapping[str, str], modules: tuple[str, ...] = IMPORTS) -> str:
    """An executable that does with `-m MODULE` what Python does, in this environment.

    torchrun starts its ranks by it too, where the environment names it as PYTHON_EXEC.
    """
    if sys.platform != "linux":
        return sys.executable
    fixed = bound(environment) | {"PYTHONPATH": ":".join(customized(environment))}
    key = (modules, frozenset(fixed.items()))
    if key not in servers:
        servers[key] = start(fixed, modules)
    return str(servers[key])


def customized(environment: Mapping[str, str]) -> list[str]:
    """The folders of PYTHONPATH that change how Python starts."""
    return [e for e in entries(environment) if Path(e, "sitecustomize.py").exists()]


def start(environment: dict[str, str], modules: tuple[str, ...]) -> Path:
    """Start a server, which ends with this process; returns the executable that asks it."""
    folder = tempfile.mkdtemp(prefix="warm-")
    python = Path(folder, "python")
    line = shlex.join([sys.executable, "-IS", str(HERE / "client.py"), folder])
    python.write_text(f'#!/bin/sh\nexec {line} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, HERE / "server.py", folder, *modules],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the commands
    )
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == b"ready\n", "the server did not start"
    atexit.register(process.wait)
    atexit.register(process.stdin.close)  # which ends it: the last registered is the first to run
    return python
