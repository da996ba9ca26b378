"""The loop written with Accelerate, which wraps the model and the optimizer.

Not the loader: of one whose sampler asks for whole batches it would make one without the sampler.
"""

import sys

from accelerate import Accelerator  # type: ignore[import-not-found]

from loops.parts import CLIP, READ_EVERY, Parts, Sums, loss_of


def train(parts: Parts) -> None:
    """All epochs."""
    accelerator = Accelerator(cpu=True)
    model, optimizer = accelerator.prepare(parts.model, parts.optimizer)
    step = 0
    for epoch in parts.epochs():
        sums = Sums()
        for images, labels, _ in parts.batches():
            parts.adjust(step)
            step += 1
            logits = model(images)
            loss = loss_of(logits, labels)
            optimizer.zero_grad()
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), CLIP)
            optimizer.step()
            sums.add(loss, logits, labels)
            if step % READ_EVERY == 0:
                print(f"[{epoch}] {step}", *sums.read(), file=sys.stderr)
        parts.losses.append(sums.read()[0])


if __name__ == "__main__":
    parts = Parts()
    train(parts)
    parts.finish()
