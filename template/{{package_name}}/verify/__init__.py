"""Proof of this project's promises, for the code as it stands: `python -m PACKAGE.verify`.

Imports everything but the commands, which it runs. Open it to see what a verdict rests on.
"""
