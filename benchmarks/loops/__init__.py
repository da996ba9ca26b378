"""The training loops that benchmarks/loop.py compares, one per file."""
