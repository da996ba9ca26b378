"""Modes, graphs and averages of evaluations."""
