"""The loop written with Lightning's Fabric: it places the batches, and wraps what is trained."""

import sys

from lightning.fabric import Fabric  # type: ignore[import-not-found]

from loops.parts import CLIP, READ_EVERY, Parts, Sums, loss_of


def train(parts: Parts) -> None:
    """All epochs."""
    fabric = Fabric(accelerator="cpu", devices=1)
    fabric.launch()
    model, optimizer = fabric.setup(parts.model, parts.optimizer)
    loader = fabric.setup_dataloaders(parts.torch_loader(), use_distributed_sampler=False)
    step = 0
    for epoch in parts.epochs():
        sums = Sums()
        for loaded in loader:
            images, labels = parts.unpack(loaded)
            parts.adjust(step)
            step += 1
            logits = model(images)
            loss = loss_of(logits, labels)
            optimizer.zero_grad()
            fabric.backward(loss)
            fabric.clip_gradients(model, optimizer, max_norm=CLIP)
            optimizer.step()
            sums.add(loss, logits, labels)
            if step % READ_EVERY == 0:
                print(f"[{epoch}] {step}", *sums.read(), file=sys.stderr)
        parts.losses.append(sums.read()[0])


if __name__ == "__main__":
    parts = Parts()
    train(parts)
    parts.finish()
