"""What a run was made with: the receipt that lets someone make it again."""

import functools
import hashlib
import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

PACKAGE_ROOT = Path(__file__).resolve().parents[1]
ROOT = PACKAGE_ROOT.parent


def describe(fingerprint: str, device: torch.device) -> dict[str, Any]:
    """Commit, versions, hardware and data, as plain values for `environment.json`."""
    return {
        "command": sys.argv,
        "git_commit": _git("rev-parse", "HEAD"),
        "code_fingerprint": _code_fingerprint(),
        "git_dirty": None if (status := _git("status", "--porcelain")) is None else bool(status),
        "template_version": _template_version(),
        "data_fingerprint": fingerprint,
        "python": platform.python_version(),
        "packages": _packages(),
        "platform": platform.platform(),
        "hostname": platform.node(),
        "cpu": platform.processor() or platform.machine(),
        "cpu_count": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "device": str(device),
        "device_name": torch.cuda.get_device_name(device) if device.type == "cuda" else None,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version() if device.type == "cuda" else None,
    }


def _git(*arguments: str) -> str | None:
    """What git answers about this project; None without git or a repository."""
    try:
        answer = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()


def _code_fingerprint() -> str:
    """Another one for each state of the package's code, committed or not."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE_ROOT.rglob("*.py")):
        name = path.relative_to(PACKAGE_ROOT).as_posix()
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _template_version() -> str | None:
    """The version of the template that this project is at, from its answers file."""
    try:
        answers = (ROOT / ".copier-answers.yml").read_text(encoding="utf-8")
    except OSError:
        return None
    match = re.search(r"^_commit:\s*(\S+)", answers, re.MULTILINE)
    return match[1].strip("'\"") if match else None


@functools.cache
def _packages() -> dict[str, str]:
    """Every installed distribution and its version."""
    each = (d.metadata for d in metadata.distributions())  # which is read anew at each access
    found = {facts["Name"]: facts["Version"] for facts in each if facts["Name"]}
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))
