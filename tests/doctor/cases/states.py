"""Checkpoints, resumes, schedules and layers: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = []

CLEAN: dict[str, str] = {}
