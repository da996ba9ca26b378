"""Two hosts on this machine: network namespaces with names of their own, joined by a link."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

NAMES = ("n1", "n2")
ADDRESSES = {"n1": "10.77.0.1", "n2": "10.77.0.2"}


class Hosts:
    """`n1` and `n2`, which see each other and nothing else; needs root.

    As a context manager it takes them down again. Processes in them are the caller's to end.
    """

    def __init__(self) -> None:
        self._space = {name: f"tg{os.getpid()}{name}" for name in NAMES}

    def __enter__(self) -> Self:
        for space in self._space.values():
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "lo", "up")
            etc = Path("/etc/netns") / space
            etc.mkdir(parents=True)
            lines = [f"{address} {other}\n" for other, address in ADDRESSES.items()]
            (etc / "hosts").write_text("127.0.0.1 localhost\n" + "".join(lines), encoding="utf-8")
        ends = [f"v{os.getpid()}{name}" for name in NAMES]
        ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
        for end, (name, space) in zip(ends, self._space.items(), strict=True):
            ip("link", "set", end, "netns", space)
            ip("-n", space, "link", "set", end, "name", "eth0")
            ip("-n", space, "addr", "add", f"{ADDRESSES[name]}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
        return self

    def __exit__(self, *_: object) -> None:
        for space in self._space.values():
            subprocess.run(["ip", "netns", "del", space], check=False)
            (Path("/etc/netns") / space / "hosts").unlink(missing_ok=True)
            (Path("/etc/netns") / space).rmdir()

    def on(self, name: str, command: Sequence[object]) -> list[str]:
        """The command line that runs a command on a host, which knows its own name."""
        inside = ["sh", "-c", 'hostname "$0" && exec "$@"', name, *map(str, command)]
        return ["ip", "netns", "exec", self._space[name], "unshare", "--uts", *inside]

    def run(self, name: str, *command: object, env: Mapping[str, str] | None = None) -> str:
        """Run a command to its end; returns what it printed, fails with it."""
        done = subprocess.run(
            self.on(name, command), env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def link(self, name: str, state: str) -> None:
        """Set a host's end of the link `up` or `down`."""
        ip("-n", self._space[name], "link", "set", "eth0", state)


def ip(*words: str) -> None:
    """Change the network."""
    subprocess.run(["ip", *words], check=True)
