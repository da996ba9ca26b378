"""Bad checkpoints, as `evaluate` and `train --resume` meet them."""

import hashlib
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from .bad import (
    BEST,
    EVALUATE,
    Bad,
    Spoil,
    cut,
    flip,
    make_folder,
    remove,
    replace,
)

LAST, PREVIOUS = "run/checkpoints/last.pt", "run/checkpoints/previous.pt"
State = dict[str, Any]


class Hostile:
    """Makes a folder called "ran" when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, ("ran",)


def saved(content: object) -> bytes:
    """A file as `torch.save` writes it."""
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()


def sealed(content: object) -> bytes:
    """The same with the checksum that a checkpoint has: whoever means harm can write one too."""
    archive = bytearray(saved(content))
    archive[-2:] = (71).to_bytes(2, "little")  # the length of the archive's comment
    return bytes(archive) + b"sha256:" + hashlib.sha256(archive).hexdigest().encode()


def changed(name: str, change: Callable[[State], object]) -> Spoil:
    """Change what a checkpoint holds, and give it the checksum of that."""

    def spoil(here: Path) -> None:
        state = torch.load(here / name, weights_only=True)
        change(state)
        (here / name).write_bytes(sealed(state))

    return spoil


def without(*keys: str) -> Callable[[State], object]:
    """Take out what stands below these keys."""

    def change(state: State) -> None:
        *outer, last = keys
        for key in outer:
            state = state[key]
        del state[last]

    return change


def set_to(value: object, *keys: str) -> Callable[[State], object]:
    """Put a value below these keys."""

    def change(state: State) -> None:
        *outer, last = keys
        for key in outer:
            state = state[key]
        state[last] = value

    return change


def reordered(state: State) -> None:
    """The optimizer's first two parameters in each other's place."""
    names = state["optimizer"]["param_groups"][0]["param_names"]
    names[0], names[1] = names[1], names[0]


HEAD = "model", "head.weight"
EVALUATED = [
    Bad("no checkpoint", remove(BEST), EVALUATE, (BEST, "No such file")),
    Bad("a folder", make_folder(BEST), EVALUATE, (BEST, "directory")),
    Bad("an empty file", replace(BEST, b""), EVALUATE, (BEST, "corrupt")),
    Bad("all but the last byte", cut(BEST, 0.99999), EVALUATE, (BEST, "corrupt")),
    Bad("a bit flipped in a weight", flip(BEST, 0.5), EVALUATE, (BEST, "corrupt")),
    Bad("a bit flipped in the checksum", flip(BEST, 0.9999), EVALUATE, (BEST, "corrupt")),
    Bad("a plain torch.save", replace(BEST, saved({"a": torch.ones(2)})), EVALUATE, (BEST,)),
    Bad("hostile", replace(BEST, saved(Hostile())), EVALUATE, (BEST,)),
    Bad(
        "hostile with a checksum", replace(BEST, sealed(Hostile())), EVALUATE, (BEST, "plain data")
    ),
    Bad("a list", replace(BEST, sealed([1, 2])), EVALUATE, (BEST, "not a checkpoint")),
    Bad("no model", changed(BEST, without("model")), EVALUATE, (BEST, "has no 'model'")),
    Bad("no config", changed(BEST, without("config")), EVALUATE, (BEST, "has no 'config'")),
    Bad(
        "another width",
        changed(BEST, set_to(16, "config", "width")),
        EVALUATE,
        ("another model", "stem"),
    ),
    Bad("a weight too few", changed(BEST, without(*HEAD)), EVALUATE, ("another model", HEAD[1])),
    Bad(
        "a number for a weight",
        changed(BEST, set_to(1.0, *HEAD)),
        EVALUATE,
        ("another model", HEAD[1]),
    ),
    Bad(
        "an unknown weight",
        changed(BEST, set_to(torch.ones(1), "model", "extra")),
        EVALUATE,
        ("another model", "extra"),
    ),
]
