"""Proof of this project's promises, for the code as it stands: `python -m PACKAGE.verify`."""
