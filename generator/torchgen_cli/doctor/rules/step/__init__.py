"""Gradients, steps and schedules."""
