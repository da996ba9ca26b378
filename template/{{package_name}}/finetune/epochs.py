"""What training does before each epoch: train what was frozen, once its time has come."""

import gc

from ..base import distributed
from ..engine.trainer import Trainer
from .layers import find


def unfreeze(trainer: Trainer) -> None:
    """From epoch --unfreeze-at on, train what was frozen. Call it before each epoch."""
    first = trainer.config.unfreeze_at
    if first is None or trainer.progress.epoch + 1 < first:
        return
    parameters, norms = find(trainer.model, trainer.config.freeze)
    if all(parameter.requires_grad for parameter in parameters):
        return
    for parameter in parameters:
        parameter.requires_grad_(True)
    for norm in norms:
        norm.train()
    # DDP shares the gradients of what it found when it was made; the old one must be gone by then
    trainer.wrapped = trainer.module
    gc.collect()
    trainer.wrapped = distributed.wrap(trainer.module, trainer.device, trainer.example)
