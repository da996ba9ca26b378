"""A run's folder: who may use it, and what stands in it beside the checkpoints."""

import dataclasses
import json
import sys
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import torch

from .config import MAY_CHANGE_ON_RESUME, Config, Plain, from_plain, to_plain
from .data import Facts
from .environment import describe
from .errors import CheckpointError, FlagError
from .files import write_atomic

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_locks: list[IO[bytes]] = []  # held until the process ends, however it ends


def settings_of(run_dir: Path) -> Config | None:
    """The settings that a run was started with; None where there is no run."""
    path = run_dir / "config.json"
    try:
        return from_plain(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from error


def choose_run_dir(config: Config) -> Path:
    """The run's folder; raises FlagError when it holds a run and --resume is not given."""
    run_dir = config.run_dir or Path("runs") / datetime.now().strftime("%Y-%m-%d_%H-%M-%S_%f")
    if (run_dir / "config.json").exists() and not config.resume:
        raise FlagError(
            f"--run-dir {run_dir} holds a run already; take another folder, or --resume to go on"
        )
    return run_dir


def claim(run_dir: Path) -> None:
    """Make the run's folder and keep other processes out of it; raises FlagError where one is."""
    try:
        (run_dir / "checkpoints").mkdir(parents=True, exist_ok=True)
        _lock(run_dir / "lock", run_dir)
    except OSError as error:
        raise FlagError(
            f"--run-dir {run_dir} cannot be used ({error.filename}: {error.strerror}); "
            "take another folder"
        ) from None


def _lock(path: Path, run_dir: Path) -> None:
    """Lock by the kernel: it ends with the process, and is not inherited by forked workers."""
    file = path.open("wb")
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise FlagError(
            f"--run-dir {run_dir} is in use by another process; wait for it or take another folder"
        ) from None
    _locks.append(file)


def check_resumable(state: dict[str, Any], config: Config, facts: Facts, run_dir: Path) -> None:
    """Refuse to go on with other settings or other data than the run began with."""
    saved, now = state["config"], to_plain(config)
    changed = [
        f"--{name.replace('_', '-')} {now[name]} (the run has {saved.get(name, 'no such setting')})"
        for name in now
        if name not in MAY_CHANGE_ON_RESUME and now[name] != saved.get(name)
    ]
    if changed:
        raise FlagError(f"{run_dir} cannot go on with other settings: {', '.join(changed)}")
    if config.epochs < saved["epochs"]:
        raise FlagError(
            f"{run_dir} was planned for {saved['epochs']} epochs; --epochs {config.epochs} is fewer"
        )
    for name, value in facts.to_plain().items():
        if value != state["facts"][name]:
            raise CheckpointError(
                f"{config.data_dir} is not the data that {run_dir} began with: its {name} differs; "
                "give the right --data-dir, or start a new run"
            )


def write_receipts(run_dir: Path, config: Config, facts: Facts, device: torch.device) -> Plain:
    """Write `config.json` and `environment.json`; returns the resolved settings.

    A resume adds its environment and keeps those before it under "earlier".
    """
    resolved = to_plain(dataclasses.replace(config, run_dir=run_dir, device=str(device)))
    path = run_dir / "environment.json"
    environment = describe(facts.fingerprint, device)
    if path.exists():
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
            environment["earlier"] = [*before.pop("earlier", []), before]
        except (ValueError, TypeError, AttributeError) as error:
            raise CheckpointError(f"{path} cannot be read, mend or remove it: {error}") from error
    for name, content in ((path.name, environment), ("config.json", resolved)):
        write_atomic(run_dir / name, (json.dumps(content, indent=2) + "\n").encode())
    return resolved
