"""What is computed once for each node, file or project, and forgotten with the project."""

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_forget: list[Callable[[], None]] = []


def kept(function: Callable[P, T]) -> Callable[P, T]:
    """Remember the results of a function, whose arguments are hashable, up to 10,000 of them."""
    remembering: Any = lru_cache(maxsize=10_000)(function)
    _forget.append(remembering.cache_clear)
    return update_wrapper(remembering, function)


def forget() -> None:
    """Let go of all results, and so of the projects that they are about."""
    for clear in _forget:
        clear()
