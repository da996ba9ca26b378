"""Search for good settings with Optuna: `python -m <package>.sweep DIR --vary lr=1e-4..1e-1`."""
