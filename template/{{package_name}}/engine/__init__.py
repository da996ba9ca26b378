"""A run: the training step, its state, checkpoints, the run's folder, the log, replayed steps.

Imports `data`, `base` and the experiment: `config`, `model`, `task`, `augment`, `optim`. Open it to
change how training works.
"""
