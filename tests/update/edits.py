"""What users do to a project, and what a careful person would make of it and of the fix."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .world import BLOCK_AFTER, BLOCK_BEFORE, FIX_AFTER, FIX_BEFORE, MOVED, World, replace

CONFLICT = "conflict"


@dataclass(frozen=True)
class Edit:
    """An edit of the project `proj`, and what must hold after the update."""

    name: str
    make: Callable[[Path, World], None]
    lines: tuple[str, ...] = ()
    """What the user wrote: in the tree afterwards, whatever happens."""
    conflicts: tuple[str, ...] = ()
    """The files in conflict, and no others."""
    holds: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """File -> what it must contain."""
    gone: tuple[str, ...] = ()
    """Files that must not be there."""
    kept: tuple[str, ...] = ()
    """Files of which it must be said that the template's change is left out."""


TRAIN = "proj/loop.py"
FIXED = {TRAIN: (FIX_AFTER, BLOCK_AFTER)}


def _change(project: Path, _: World) -> None:
    replace(project / "proj/model.py", "import torch\n", "import torch  # my favourite\n")


def _add(project: Path, _: World) -> None:
    (project / "proj/my öwn file.py").write_text("MINE = 1\n", encoding="utf-8")
    (project / "notes").mkdir()
    (project / "notes/today.md").write_text("It works.\n", encoding="utf-8")


def _delete(project: Path, _: World) -> None:
    (project / "AGENTS.md").unlink()


def _delete_what_changes(project: Path, _: World) -> None:
    (project / TRAIN).unlink()


def _rename(project: Path, world: World) -> None:
    world.git(project, "mv", TRAIN, "proj/start.py")
    replace(project / "proj/start.py", "= Headroom()\n", "= Headroom()  # mine, in it\n")


def _reformat(project: Path, _: World) -> None:
    file = project / TRAIN
    lines = file.read_text(encoding="utf-8").splitlines()
    halved = (" " * ((len(line) - len(line.lstrip())) // 2) + line.lstrip() for line in lines)
    file.write_text("\n".join(halved) + "\n", encoding="utf-8")


def _fix_already(project: Path, _: World) -> None:
    replace(project / TRAIN, FIX_BEFORE, FIX_AFTER)


def _beside(project: Path, _: World) -> None:
    replace(project / TRAIN, f"{FIX_BEFORE} #", f"MY_LIMIT = 7\n\n{FIX_BEFORE} #")


def _same_line(project: Path, _: World) -> None:
    replace(project / TRAIN, FIX_BEFORE, "READ_EVERY = 99 ")


def _in_block(project: Path, _: World) -> None:
    replace(project / TRAIN, BLOCK_BEFORE, "        # mine, inside the block\n" + BLOCK_BEFORE)


def _near_block(project: Path, _: World) -> None:
    replace(
        project / TRAIN,
        "        trainer.totals = Totals()\n",
        "        trainer.totals = Totals()  # mine, near the block\n",
    )


def _binary(project: Path, _: World) -> None:
    (project / "proj/logo.bin").write_bytes(b"\0mine\0")


def _crlf(project: Path, _: World) -> None:
    file = project / TRAIN
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))


def _renamed_package(project: Path, world: World) -> None:
    world.git(project, "mv", "proj", "other")
    (project / "other/own.py").write_text("MINE = 2\n", encoding="utf-8")


def _into_src(project: Path, world: World) -> None:
    (project / "src").mkdir()
    world.git(project, "mv", "proj", "src/proj")
    replace(project / "src/proj/model.py", "import torch\n", "import torch  # mine\n")


def _dropped(project: Path, _: World) -> None:
    replace(project / "proj/retired.py", "OLD_7 = 7\n", "OLD_7 = 7\nMINE = 7\n")


def _dropped_and_renamed(project: Path, world: World) -> None:
    world.git(project, "mv", "proj/retired.py", "proj/mine.py")


def _moved(project: Path, _: World) -> None:
    replace(project / "proj/moved.py", "    return 4\n", "    return 44  # mine\n")


def _same_name(project: Path, _: World) -> None:
    (project / "proj/fresh.py").write_text("FRESH = 'mine'\n", encoding="utf-8")


def _executable(project: Path, _: World) -> None:
    os.chmod(project / TRAIN, 0o755)


def _link(project: Path, _: World) -> None:
    (project / "latest").symlink_to(TRAIN)


def _replaced(project: Path, _: World) -> None:
    (project / "proj/model.py").write_text("MODEL = 'all mine'\n", encoding="utf-8")
    shutil.rmtree(project / "proj/engine")


EDITS = [
    Edit("none", lambda *_: None, holds={**FIXED, "proj/arrived.py": (MOVED,)}),
    Edit("change", _change, ("import torch  # my favourite",), holds=FIXED),
    Edit("add", _add, ("MINE = 1", "It works."), holds=FIXED),
    Edit("delete", _delete, holds=FIXED, gone=("AGENTS.md",)),
    Edit("delete what changes", _delete_what_changes, gone=(TRAIN,), kept=(TRAIN,)),
    Edit(
        "rename",
        _rename,
        ("headroom = Headroom()  # mine, in it",),
        holds={"proj/start.py": (FIX_AFTER, BLOCK_AFTER)},
        gone=(TRAIN,),
    ),
    Edit("reformat", _reformat, (f"\n    {BLOCK_BEFORE.strip()}\n",), conflicts=(TRAIN,)),
    Edit("the same fix already", _fix_already, (FIX_AFTER,), holds=FIXED),
    Edit("beside the fix", _beside, ("MY_LIMIT = 7",), conflicts=(TRAIN,)),
    Edit("the same line", _same_line, ("READ_EVERY = 99 ",), conflicts=(TRAIN,)),
    Edit("beside it in a block", _in_block, ("# mine, inside the block",), conflicts=(TRAIN,)),
    Edit("near a block", _near_block, ("# mine, near the block",), holds=FIXED),
    Edit("binary", _binary, ("\0mine\0",), conflicts=("proj/logo.bin",), holds=FIXED),
    Edit("crlf", _crlf, (FIX_AFTER,), holds={TRAIN: (FIX_AFTER, BLOCK_AFTER[:-1] + "\r\n")}),
    Edit(
        "renamed package",
        _renamed_package,
        ("MINE = 2",),
        holds={"other/loop.py": (FIX_AFTER, BLOCK_AFTER), "other/fresh.py": ("FRESH = True",)},
        gone=("proj",),
    ),
    Edit(
        "package into src",
        _into_src,
        ("import torch  # mine",),
        holds={"src/proj/loop.py": (FIX_AFTER, BLOCK_AFTER), "src/proj/fresh.py": ("FRESH",)},
        gone=("proj",),
    ),
    Edit("dropped", _dropped, ("MINE = 7",), conflicts=("proj/retired.py",), holds=FIXED),
    Edit(
        "dropped and renamed",
        _dropped_and_renamed,
        ("OLD_7 = 7",),
        conflicts=("proj/mine.py",),
        holds=FIXED,
    ),
    Edit(
        "moved",
        _moved,
        ("    return 44  # mine",),
        holds={**FIXED, "proj/arrived.py": ("return 44  # mine",)},
        gone=("proj/moved.py",),
    ),
    Edit(
        "a file of the same name", _same_name, ("FRESH = 'mine'",), ("proj/fresh.py",), holds=FIXED
    ),
    Edit("executable", _executable, holds=FIXED),
    Edit("a link", _link, holds={"latest": (FIX_AFTER,)}),
    Edit("replaced", _replaced, ("MODEL = 'all mine'",), holds=FIXED, gone=("proj/engine",)),
]
