"""Evaluation, and the averages that it reports: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = []

CLEAN: dict[str, str] = {}
