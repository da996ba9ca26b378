"""Draws the README's pictures from the real programs: `make pictures`.

`first-run.svg` is a recording of a terminal: the wizard, the demo data, a run. What is typed goes
to a shell in a pseudo-terminal, a terminal emulator (pyte) keeps its screen, and each change
becomes a frame. `report.png` is the report of that run, as Chromium shows it where there is one.
"""

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import time
from html import escape
from itertools import pairwise
from pathlib import Path

import pyte

HERE = Path(__file__).resolve().parent
COLUMNS, ROWS = 102, 30
WIDTH, HEIGHT, SIZE, EDGE = 8.43, 19, 14, 16  # of a character, its font, and the edge, in pixels
LONGEST, LAST = 1.5, 6.0  # seconds that a frame stays, and the last one
COLOURS = {
    "default": "#d0d7de", "black": "#484f58", "brightblack": "#8b949e",
    "red": "#ff7b72", "green": "#7ee787", "brown": "#e3b341", "blue": "#79c0ff",
    "magenta": "#d2a8ff", "cyan": "#76e3ea", "white": "#f0f6fc",
}  # fmt: skip

Frame = tuple[str, ...]  # the rows of a screen, as SVG


def take_terminal() -> None:
    """Make standard input the terminal of a new session, as a shell with jobs needs it."""
    os.close(os.open(os.ttyname(0), os.O_RDWR))


class Shell:
    """A shell in a terminal, whose screens are kept with the time at which they came."""

    def __init__(self, folder: Path) -> None:
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.stream = pyte.ByteStream(self.screen)
        self.frames: list[tuple[float, Frame]] = []
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (ROWS, COLUMNS))
        self.screen.write_process_input = lambda text: os.write(self.master, text.encode())
        (folder / ".gitconfig").write_text("[user]\nname = You\nemail = you@example.com\n")
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {"PATH": path, "HOME": str(folder), "TERM": "xterm-256color", "PS1": "$ "}
        environment |= {"LANG": "C.UTF-8", "MPLCONFIGDIR": str(folder / "matplotlib")}
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            cwd=folder,
            env=environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=take_terminal,  # noqa: PLW1509 (this process has one thread)
        )
        os.close(slave)

    def watch(self, seconds: float, until: str = "") -> None:
        """Keep what the screen shows for so long, or until a text is on it."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.master], [], [], min(left, 0.04))[0]:
                self.stream.feed(os.read(self.master, 65536))
                continue  # a change is over when nothing follows
            frame = tuple(drawn(self.screen, row) for row in range(ROWS))
            if not self.frames or self.frames[-1][1] != frame:
                self.frames.append((time.monotonic(), frame))
            if until and any(until in line for line in self.screen.display):
                return
        if until:
            raise SystemExit(f"no {until!r} on the screen:\n" + "\n".join(self.screen.display))

    def type(self, keys: str, until: str = "", pause: float = 0.6) -> None:
        """Type as a person does, and wait for what follows."""
        for key in keys:
            os.write(self.master, key.encode())
            self.watch(0.05)
        self.press("\r", until, pause)

    def press(self, keys: str, until: str = "", pause: float = 0.6) -> None:
        """Send keys at once."""
        os.write(self.master, keys.encode())
        self.watch(300 if until else 0.3, until)
        self.watch(pause)


def drawn(screen: pyte.Screen, row: int) -> str:
    """A row of the screen as SVG: a piece for each run of equal looks."""
    pieces: list[tuple[tuple[str, bool], int, str]] = []
    for column in range(COLUMNS):
        char = screen.buffer[row][column]
        here = (screen.cursor.y, screen.cursor.x) == (row, column) and not screen.cursor.hidden
        text = "█" if here else char.data
        look = (COLOURS.get(char.fg, f"#{char.fg}"), char.bold)
        if pieces and pieces[-1][0] == look:
            pieces[-1] = (look, pieces[-1][1], pieces[-1][2] + text)
        else:
            pieces.append((look, column, text))
    return "".join(
        f'<tspan x="{column * WIDTH:g}" fill="{fill}" font-weight="{"bold" if bold else "normal"}">'
        f"{escape(text.rstrip())}</tspan>"
        for (fill, bold), column, text in pieces
        if text.strip()
    )


def film(frames: list[tuple[float, Frame]]) -> str:
    """The frames side by side, moved past a window by CSS; each row is written down once."""
    times = [when for when, _ in frames]
    stays = [min(b - a, LONGEST) for a, b in pairwise(times)] + [LAST]
    distinct = dict.fromkeys(row for _, frame in frames for row in frame)
    rows = {row: f"r{number}" for number, row in enumerate(distinct)}
    wide, high = COLUMNS * WIDTH + 2 * EDGE, ROWS * HEIGHT + 2 * EDGE
    steps, now = [], 0.0
    for number, stay in enumerate(stays):
        steps.append(f"{100 * now / sum(stays):.2f}%{{transform:translateX({-number * wide:g}px)}}")
        now += stay
    texts = (f'<text id="{name}">{row}</text>' for row, name in rows.items() if row)
    uses = (
        f'<use href="#{rows[row]}" x="{number * wide:g}" y="{(place + 1) * HEIGHT:g}"/>'
        for number, (_, frame) in enumerate(frames)
        for place, row in enumerate(frame)
        if row
    )
    style = (
        f"text{{font:{SIZE}px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
        f"white-space:pre}}.film{{animation:film {sum(stays):.1f}s step-end infinite}}"
        f"@keyframes film{{{''.join(steps)}}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}">\n'
        f"<title>torchgen new, and the first run of what it wrote</title><style>{style}</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n'
        f"<defs>{''.join(texts)}</defs>\n"
        f'<g transform="translate({EDGE} {EDGE - 4})">\n'
        f'<g class="film">{"".join(uses)}</g>\n</g>\n</svg>\n'
    )


def first_run(shell: Shell) -> None:
    """What a newcomer types, in an environment where everything is installed."""
    shell.watch(5, "$")
    shell.type("torchgen new digits", "1/6", 1.0)
    for question in ("2/6", "3/6", "4/6", "5/6", "6/6", "Write it"):
        shell.press("\r", question, 0.8)
    shell.press("\r", "cd digits", 2.5)
    shell.type("clear; cd digits")
    shell.type("python -m digits.prepare --demo", "images", 1.5)
    shell.type("python -m digits.train --epochs 8 --run-dir runs/first", "done:", 1.0)


def photograph(page: Path, picture: Path) -> None:
    """Let Chromium draw the top of a page."""
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-background-networking --hide-scrollbars"
    )
    size = ("--window-size=1180,1500", f"--screenshot={picture}")
    with tempfile.TemporaryDirectory() as profile:
        line = ["chromium", *flags.split(), f"--user-data-dir={profile}", *size, page.as_uri()]
        subprocess.run(line, check=True, stderr=subprocess.DEVNULL)


def main() -> None:
    folder = Path("/tmp/demo")  # which the recording shows
    folder.mkdir()
    try:
        shell = Shell(folder)
        first_run(shell)
        (HERE / "first-run.svg").write_text(film(shell.frames), encoding="utf-8")
        print(f"first-run.svg: {len(shell.frames)} frames")
        if shutil.which("chromium"):
            photograph(folder / "digits/runs/first/report.html", HERE / "report.png")
        else:
            print("report.png is as it was: Chromium is not installed")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
