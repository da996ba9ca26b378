"""docs/tutorial.md: its commands, run in their order, do what it says."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
# commands are indented or fenced; what makes the environment is a console's
BLOCK = re.compile(r"^```(\w[\w-]*)\n(.*?)^```$|((?:^    [^\n]+\n)+)", re.MULTILINE | re.DOTALL)
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "VIRTUAL_ENV": sys.prefix} | {
    f"GIT_{who}_{what}": "you@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


def blocks() -> Iterator[tuple[str, str]]:
    """Kind and content of each block."""
    for kind, fenced, indented in BLOCK.findall(TEXT):
        yield (kind, fenced) if kind else ("sh", re.sub("^    ", "", indented, flags=re.MULTILINE))


def run(folder: Path, *line: str, given: str = "") -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        line,
        check=False,
        cwd=folder,
        env=os.environ | ENVIRONMENT | {"PATH": path},
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=600,
    )
    assert done.returncode == 0, f"{given or line}\n{done.stdout}"
    return done.stdout


def stopped_in_the_third_epoch(folder: Path, command: str) -> str:
    """Run a command, and press Ctrl-C in its third epoch; returns all that it printed."""
    line = [sys.executable, *command.split()[1:]]
    said = ""
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        for text in process.stdout:
            said += text
            if text.startswith("epoch 2/"):
                process.send_signal(signal.SIGINT)
    assert process.returncode == 128 + signal.SIGINT, said
    return said


@pytest.mark.smoke
def test_the_tutorial_can_be_followed_word_for_word(tmp_path: Path) -> None:
    project, said = tmp_path, []
    for kind, content in blocks():
        if kind == "sh":
            said.append(run(project, "bash", "-euo", "pipefail", given=content))
        elif kind == "python":
            run(project, sys.executable, "-", given=content)
        elif kind == "diff":
            run(project, "git", "apply", "-", given=content)
        elif kind == "ctrl-c":
            said.append(stopped_in_the_third_epoch(project, content))
        else:
            assert kind == "console" and content.startswith("cd scans\n")
            project = tmp_path / "scans"
    whole = "".join(said)
    assert "promises hold for this code" in whole
    assert "stopped by SIGINT" in whole and "resumes after step" in whole
    lines = (project / "runs/long/metrics.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2 * 30 and json.loads(lines[-1])["accuracy"] > 0.9
    for page in ("first/report.html", "second/report.html", "long/report.html", "comparison.html"):
        assert (project / "runs" / page).stat().st_size > 50_000, page
    assert "nn.GELU()" in (project / "scans/model.py").read_text(encoding="utf-8")
    ranks = (project / "scans/base/distributed.py").read_text(encoding="utf-8")
    assert "init_process_group" in ranks and "2 processes" in whole
    assert len((project / "runs/two/metrics.jsonl").read_text().splitlines()) == 2 * 2
