"""Modules, losses and flags."""
