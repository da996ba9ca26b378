"""Faults as readers of public repositories found them, in other words, and clean counterparts.

A file per topic, each with `PLANTED` and `CLEAN`.
"""

from importlib import import_module
from pkgutil import iter_modules

TOPICS = [import_module(f"{__name__}.{file.name}") for file in iter_modules(__path__)]

PLANTED: list[tuple[str, str]] = [case for topic in TOPICS for case in topic.PLANTED]
CLEAN: dict[str, str] = {what: code for topic in TOPICS for what, code in topic.CLEAN.items()}
