"""Stands in for Python: has `-m MODULE` run by a fork of the server, and starts all else itself.

    client.py FOLDER-OF-THE-SERVER [python's own arguments]

What the server cannot run as a cold start would, or when there is no server, this process becomes
the cold start. Otherwise it waits, hands signals on, and ends as the command does.
"""

import json
import os
import select
import signal
import socket
import sys

HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def ask(folder: str, command: list[str]) -> tuple[socket.socket, int]:
    """Have the command started; returns its number too, 0 where the server refuses."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    unbuffered = command[0] == "-u"
    module, *arguments = command[1 + unbuffered :]
    request = {
        "command": command,
        "unbuffered": unbuffered,
        "module": module,
        "arguments": arguments,
        "directory": os.getcwd(),
        "environment": dict(os.environ),
    }
    try:
        connection.connect(f"\0{folder}")
        socket.send_fds(connection, [json.dumps(request).encode()], [0, 1, 2])
        return connection, int(connection.recv(100))
    except (ConnectionError, ValueError):  # it has ended, or ends just now
        return connection, 0


def wait(connection: socket.socket, number: int) -> None:
    """Stay as long as the command does, and end in the same way."""
    for name in HANDED_ON:
        signal.signal(name, lambda name, _: os.kill(number, name))
    parent = os.pidfd_open(os.getppid())
    if connection not in select.select([connection, parent], [], [])[0]:
        os._exit(1)  # nobody waits for it: the keeper ends the command
    code = int(connection.recv(100) or 99)
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    folder, *command = sys.argv[1:]
    if command[:1] == ["-m"] or command[:2] == ["-u", "-m"]:
        connection, number = ask(folder, command)
        if number:
            wait(connection, number)
    os.execv(sys.executable, [sys.executable, *command])
