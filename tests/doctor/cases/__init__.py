"""Faults as readers of public repositories found them, in other words, and clean counterparts."""

from . import (
    assorted,
    evaluation,
    flags,
    loops,
    losses,
    names,
    newer,
    precision,
    processes,
    resumes,
    rounds,
    states,
    without_effect,
    workers,
)

TOPICS = (
    assorted,
    evaluation,
    flags,
    loops,
    losses,
    names,
    newer,
    precision,
    processes,
    resumes,
    rounds,
    states,
    without_effect,
    workers,
)

PLANTED: list[tuple[str, str]] = [case for topic in TOPICS for case in topic.PLANTED]
CLEAN: dict[str, str] = {what: code for topic in TOPICS for what, code in topic.CLEAN.items()}
