"""A process that has imported what commands import, and is forked for each of them.

    server.py FOLDER MODULE...

It imports the modules, says "ready", and serves `client.py` until its standard input ends; then it
removes the folder, which gives its address and holds what starts the client. A
command is a fork of it, with the arguments, the directory, the environment and the files that the
client hands over, in a session of its own. Nothing is patched: what comes after the fork is what
`python -m` does. Between the two stands a keeper, which tells the client how the command ended,
and kills it when the client is gone.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import runpy
import select
import shutil
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

# what a library cannot have read when it was imported; all else must be as in the server
FREE = {"HOME", "USERPROFILE", "COLUMNS", "PWD", "OLDPWD", "PYTHONPATH", "PYTHON_EXEC"}
FREE |= {"FAULTS_MARK"}
FREE |= {"RANK", "LOCAL_RANK", "ROLE_RANK", "GROUP_RANK", "ROLE_NAME", "MASTER_ADDR", "MASTER_PORT"}
FREE |= {"WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_WORLD_SIZE", "ROLE_WORLD_SIZE"}
FREE_PREFIXES = ("PYTEST_", "TORCHELASTIC_", "TORCH_NCCL_ASYNC_ERROR_HANDLING")
STARTED = dict(os.environ)  # importing adds to it
Request = dict[str, Any]


def bound(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that a command must have in common with its server."""
    return {
        name: value
        for name, value in environment.items()
        if name not in FREE and not name.startswith(FREE_PREFIXES)
    }


def entries(environment: Mapping[str, str]) -> list[str]:
    """The folders of PYTHONPATH."""
    return [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]


def starts_alike(environment: dict[str, str]) -> bool:
    """Whether a cold start with these variables would come to where the server is."""
    other = set(entries(environment)) ^ set(entries(STARTED))
    customized = any(Path(entry, "sitecustomize.py").exists() for entry in other)
    own, now = bound(STARTED), dict(os.environ)  # a fork hands on what importing has added
    asked = {k: v for k, v in bound(environment).items() if k in own or now.get(k) != v}
    return asked == own and not customized


def serve(folder: str, modules: list[str]) -> Request | None:
    """Serve until the input ends; in the fork of a command return what it is to do."""
    for name in modules:
        importlib.import_module(name)
    threads = len(os.listdir("/proc/self/task"))
    assert threads == 1, f"{threads} threads: a fork would copy one of them, and all of their locks"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(f"\0{folder}")
    listener.listen(64)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system clears the keepers away
    gc.collect()
    gc.freeze()  # to look for garbage among what forks share would copy it
    print("ready", flush=True)
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return keep(connection)
        connection.close()
    shutil.rmtree(folder, ignore_errors=True)
    return None


def keep(connection: socket.socket) -> Request:
    """Start a command and wait for its end; in its own process return what it is to do."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    message, files, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    request: Request = json.loads(message)
    if not starts_alike(request["environment"]):
        connection.send(b"0")
        os._exit(0)
    command = os.fork()
    if command == 0:
        connection.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
    for file in files:
        os.close(file)
    if command:
        wait_for(command, connection)
    return request


def wait_for(command: int, connection: socket.socket) -> NoReturn:
    """Tell the client the command's number, and how it ended."""
    connection.send(str(command).encode())
    ended = os.pidfd_open(command)
    watched: list[int | socket.socket] = [ended, connection]
    if ended not in select.select(watched, [], [])[0]:
        os.kill(command, signal.SIGKILL)  # as the client was
        os._exit(0)
    _, status = os.waitpid(command, 0)
    with contextlib.suppress(BrokenPipeError):  # both have ended
        connection.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def become(request: Request) -> None:
    """Take on what a start of Python would have given to this process."""
    os.setsid()
    os.chdir(request["directory"])
    environment = request["environment"]
    for name in STARTED.keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment)
    sys.path[: 1 + len(entries(STARTED))] = [os.getcwd(), *entries(environment)]
    sys.argv = ["-m", *request["arguments"]]
    sys.orig_argv = [sys.executable, *request["command"]]
    if "numpy" in sys.modules:  # it does not see a fork, as `random` does
        sys.modules["numpy"].random.seed()
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = reopened(number, name, request["unbuffered"])
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def reopened(number: int, name: str, unbuffered: bool) -> io.TextIOWrapper:
    """A standard stream as Python makes it: the server's knows what its own file could do."""
    old, raw = getattr(sys, name), io.FileIO(number, "w" if number else "r", closefd=False)
    raw.name = f"<{name}>"
    kind = io.BufferedWriter if number else io.BufferedReader
    return io.TextIOWrapper(
        raw if unbuffered and number else kind(raw),
        old.encoding,
        old.errors,
        line_buffering=not unbuffered and (number == 2 or raw.isatty()),
        write_through=unbuffered,
    )


if __name__ == "__main__":
    if request := serve(sys.argv[1], sys.argv[2:]):
        become(request)
        # from here, so that Python ends as it ends after `-m`
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
