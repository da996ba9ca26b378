"""The loop by Lightning's Trainer: as it comes, or with `--bare` all that can be turned off."""

import time
from typing import Any

import torch
from lightning.pytorch import LightningModule, Trainer  # type: ignore[import-not-found]

from loops.parts import CLIP, READ_EVERY, Parts, Sums, loss_of


class Module(LightningModule):  # type: ignore[misc]
    """The project's model with the project's optimizer, in Lightning's form."""

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.parts, self.net, self.bare = parts, parts.model, parts.given.bare
        self.sums, self.began = Sums(), 0.0

    def configure_optimizers(self) -> torch.optim.Optimizer:
        optimizer: torch.optim.Optimizer = self.parts.optimizer
        return optimizer

    def on_train_epoch_start(self) -> None:
        self.began, self.sums = time.process_time(), Sums()
        self.parts.sampler.set_epoch(self.current_epoch)

    def training_step(self, batch: Any, number: int) -> torch.Tensor:
        images, labels = self.parts.unpack(batch)
        self.parts.adjust(self.global_step)
        logits = self.net(images)
        loss = loss_of(logits, labels)
        if self.bare:
            self.sums.add(loss, logits, labels)
            if (number + 1) % READ_EVERY == 0:
                self.sums.read()
        else:
            accuracy = (logits.argmax(dim=1) == labels).float().mean()
            values = {"loss": loss.detach(), "accuracy": accuracy}
            self.log_dict(values, on_step=True, on_epoch=True, batch_size=len(labels))
        return loss

    def on_train_epoch_end(self) -> None:
        self.parts.seconds.append(time.process_time() - self.began)
        loss = (
            self.sums.read()[0] if self.bare else float(self.trainer.callback_metrics["loss_epoch"])
        )
        self.parts.losses.append(loss)


def train(parts: Parts) -> None:
    """All epochs."""
    off = {"barebones": True} if parts.given.bare else {"log_every_n_steps": READ_EVERY}
    trainer = Trainer(
        accelerator="cpu",
        devices=1,
        max_epochs=parts.config.epochs,
        gradient_clip_val=CLIP,
        default_root_dir=parts.given.result.parent / "lightning",
        use_distributed_sampler=False,
        **off,
    )
    trainer.fit(Module(parts), parts.torch_loader())


if __name__ == "__main__":
    parts = Parts("bare")
    train(parts)
    parts.finish()
