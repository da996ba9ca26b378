"""Draws of data workers, and seeds: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = []

CLEAN: dict[str, str] = {}
