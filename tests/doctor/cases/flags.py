"""Command-line flags and other settings: planted faults, and code that has none."""

PLANTED: list[tuple[str, str]] = []

CLEAN: dict[str, str] = {}
