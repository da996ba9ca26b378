"""What a run was made with, for environment.json."""

import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[2]


def describe(device: torch.device) -> dict[str, Any]:
    """Command, code, versions and hardware."""
    cuda = device.type == "cuda"
    commit, status = git("rev-parse", "HEAD"), git("status", "--porcelain", "--untracked=normal")
    return {
        "command": sys.argv,
        "git_commit": None if commit is None else commit.decode().strip(),
        "git_dirty": None if status is None else bool(status),
        "template_version": template_version(),
        "python": platform.python_version(),
        "packages": read_packages(),
        "platform": platform.platform(),
        "hostname": platform.node(),
        "cpu": platform.processor() or platform.machine(),
        "cpu_count": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "device": str(device),
        "device_name": torch.cuda.get_device_name(device) if cuda else None,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version() if cuda else None,
    }


def git(*arguments: str) -> bytes | None:
    """The output of git about this project; None if git fails."""
    environment = {n: v for n, v in os.environ.items() if not n.startswith("GIT_")}
    line = ["git", "-C", str(ROOT), "--no-optional-locks", "-c", "core.safecrlf=false", *arguments]
    try:
        return subprocess.run(line, env=environment, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


def template_version() -> str | None:
    """The version of the template, from the project's answers file."""
    file = ROOT / ".copier-answers.yml"
    answers = file.read_text(encoding="utf-8") if file.is_file() else ""
    found = re.search(r"^_commit:\s*['\"]?([^\s'\"]+)", answers, re.MULTILINE)
    return found[1] if found else None


def read_packages() -> dict[str, str | None]:
    """The installed packages and their versions; None for metadata that cannot be read."""
    packages: dict[str, str | None] = {}
    for found in metadata.distributions():
        try:
            packages[found.metadata["Name"]] = found.version
        except Exception:
            packages[str(getattr(found, "_path", found))] = None
    return dict(sorted((name, version) for name, version in packages.items() if name))
