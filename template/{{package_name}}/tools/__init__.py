"""Commands beyond the daily ones, each `python -m` by its name.

They may import all but the other commands. Open one to see what it does, or to add your own.
"""
