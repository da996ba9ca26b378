"""A command in a pseudo-terminal of its own."""

import os
import select
import subprocess
import time
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
termios = pytest.importorskip("termios", reason="needs pseudo-terminals")


class Terminal:
    """A command in a pseudo-terminal of its own."""

    def __init__(
        self,
        command: tuple[str, ...],
        cwd: Path,
        env: dict[str, str],
        stdout: int | None = None,
        columns: int = 80,
    ) -> None:
        self.screen = ""
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (40, columns))
        self.process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=slave, stdout=stdout or slave, stderr=slave
        )
        os.close(slave)

    def wait_for(self, text: str, seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while text not in self.screen:
            assert time.monotonic() < end, f"no {text!r} in {self.screen!r}"
            self._read(0.1)

    def wait_for_prompt(self, after: str) -> None:
        """Wait for a text, and for the prompt that follows it: keys before it would be lost."""
        self.wait_for(after)
        end = time.monotonic() + 20
        while "\x1b[?2004h" not in self.screen.rpartition(after)[2]:
            assert time.monotonic() < end, f"no prompt after {after!r} in {self.screen!r}"
            self._read(0.1)

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def finish(self, seconds: float = 20) -> int:
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            self._read(0.05)
        while self._read(0.05):
            pass
        return self.process.wait(timeout=5)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other side is closed
            return False
        if b"\x1b[6n" in data:  # where is the cursor? asked by the prompts
            os.write(self._master, b"\x1b[1;1R")
        self.screen += data.decode(errors="replace")
        return bool(data)
