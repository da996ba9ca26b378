"""A run's folder: who may use it, and what it holds besides the checkpoints."""

import dataclasses
import json
import os
import platform
import re
import subprocess
import sys
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import IO, Any

import torch

from ..base import cli
from ..base.errors import CheckpointError, FlagError
from ..base.files import lock, write_atomic
from ..config import MAY_CHANGE, Config
from ..data.info import DatasetInfo

ROOT = Path(__file__).resolve().parents[2]
_locks: list[IO[bytes]] = []  # held until the process ends, however it ends


def parse() -> Config:
    """The flags; at a resume, the run's own settings are the defaults."""
    config = cli.parse(Config)
    saved = (config.run_dir or Path()) / "config.json"
    return cli.parse(Config, saved) if config.resume and saved.exists() else config


def read_json(path: Path) -> dict[str, Any]:
    """The content of a file of the run; empty if there is none."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError) as error:
        raise CheckpointError(f"{path} cannot be read, restore or remove it: {error}") from error


def open_run_dir(config: Config) -> Path:
    """Create and lock the run's folder.

    Raises FlagError if it is in use, or holds a run that is not to be resumed.
    """
    run_dir = config.run_dir or Path("runs") / datetime.now().strftime("%Y-%m-%d_%H-%M-%S_%f")
    if (run_dir / "config.json").exists() and not config.resume:
        raise FlagError(f"--run-dir {run_dir} holds a run; use another folder, or add --resume")
    try:
        (run_dir / "checkpoints").mkdir(parents=True, exist_ok=True)
        _locks.append(lock(run_dir / "lock"))
    except BlockingIOError as error:
        raise FlagError(f"--run-dir {run_dir} is in use by another process") from error
    except OSError as error:
        if not ((run_dir / "lock").is_file() and (run_dir / "checkpoints").is_dir()):
            reason = f"{error.strerror}: {error.filename}"
            raise FlagError(f"--run-dir {run_dir} cannot be used: {reason}") from error
        print(f"warning: no lock ({error.strerror}): start no second run in {run_dir}")
    return run_dir


def check_resumable(state: dict[str, Any], config: Config, info: DatasetInfo) -> list[str]:
    """Refuse to resume with other settings or other data; returns warnings."""
    # a setting that is newer than the checkpoint had its default
    now, saved = cli.to_dict(config), cli.to_dict(Config()) | state["config"]
    changed = [
        f"--{name.replace('_', '-')} {value} (the run has {saved[name]})"
        for name, value in now.items()
        if (name not in MAY_CHANGE and value != saved[name])
        or (name == "epochs" and value < saved[name])
    ]
    if changed:
        raise FlagError(f"{config.run_dir} cannot be resumed with {', '.join(changed)}")
    before, found = state["dataset"], cli.to_dict(info)
    if differs := [name for name in found if found[name] != before.get(name)]:
        raise CheckpointError(
            f"{config.data_dir} is not the data of {config.run_dir}: its {differs[0]} differs; "
            "give the right --data-dir, or start a new run"
        )
    warnings = []
    if unknown := [name for name in saved if name not in now]:
        warnings.append(f"ignored settings that the code no longer has: {', '.join(unknown)}")
    if config.epochs > saved["epochs"]:
        warnings.append(
            f"--epochs {config.epochs} in place of {saved['epochs']} raises the learning rate "
            "again; --init-from starts a new run from these weights"
        )
    return warnings


def write_metadata(run_dir: Path, config: Config, info: DatasetInfo, device: torch.device) -> None:
    """Write config.json and environment.json. A resume keeps the earlier environments."""
    before = read_json(run_dir / "environment.json")
    earlier = [*before.pop("earlier", []), before] if before else []
    environment = describe(device) | {"data_fingerprint": info.fingerprint, "earlier": earlier}
    settings = cli.to_dict(dataclasses.replace(config, run_dir=run_dir, device=str(device)))
    for name, content in (("environment.json", environment), ("config.json", settings)):
        write_atomic(run_dir / name, (json.dumps(content, indent=2) + "\n").encode())


def describe(device: torch.device) -> dict[str, Any]:
    """What a run is made with: command, code, versions and hardware."""
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
