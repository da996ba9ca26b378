"""The limit: the same arithmetic by the shortest loop that does it, and nothing else.

No metrics, no log, no progress, no look at signals, no check that the loss is finite. With `--kept`
it keeps the memory that it frees, as ours does.
"""

from typing import Any

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from loops.parts import CLIP, Parts, loss_of


def wrapped(parts: Parts) -> nn.Module:
    """The model as the variant wants it."""
    bare: nn.Module = parts.model
    if not parts.parallel:
        return bare
    options: dict[str, Any] = {"gradient_as_bucket_view": True, "forward_sync_buffers": False}
    return DistributedDataParallel(bare, **options)


def train(parts: Parts) -> None:
    """All epochs."""
    reader, augmentation = parts.trainer.reader, parts.trainer.train_loader.dataset.augmentation
    labels_of, optimizer = reader.targets, parts.optimizer
    model, autocast = wrapped(parts), parts.autocast()
    parameters = list(parts.model.parameters())
    scaler = torch.amp.GradScaler("cpu") if parts.amp == "fp16" else None
    step = 0
    for epoch in parts.epochs():
        for request in parts.sampler:
            indices = request.indices
            changes = augmentation.draw(indices, epoch, reader.shape)
            read = augmentation.apply(reader.read(indices), labels_of[indices], changes)
            images, labels = map(torch.from_numpy, read)
            parts.adjust(step)
            step += 1
            with autocast():
                logits = model(images)
            loss = loss_of(logits.float(), labels)
            optimizer.zero_grad()
            if scaler is None:
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(parameters, CLIP)
                optimizer.step()
            else:
                scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(parameters, CLIP)
                scaler.step(optimizer)
                scaler.update()


if __name__ == "__main__":
    parts = Parts("kept")
    if parts.given.kept:
        parts.module("base.memory").keep_freed()
    train(parts)
    parts.finish()
