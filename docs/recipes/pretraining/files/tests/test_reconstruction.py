"""Hidden parts of images are learned without labels, and the weights serve a classifier."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from myproj.engine import checkpoint
from myproj.engine.metrics import eval_mode
from myproj.engine.trainer import Trainer

New = Callable[..., Trainer]


def test_what_is_hidden_is_not_seen_and_all_that_counts(new_trainer: New) -> None:
    model = new_trainer(objective="reconstruct", hidden=0.25).model.eval()
    hidden = model.hide(1)
    assert hidden.float().mean() == 0.25
    images = torch.randint(0, 256, (1, 24, 24, 3), dtype=torch.uint8)
    seen = []
    model.stem.register_forward_hook(lambda module, inputs, output: seen.append(inputs[0]))
    errors = model(images)
    assert not (seen[0] * hidden).any() and seen[0].any()
    model.upscale.register_forward_hook(lambda *_: model.normalize(images))  # a perfect answer
    assert errors > 0 and model(images) == 0


def test_training_hides_other_parts_in_each_step_and_evaluation_the_same(new_trainer: New) -> None:
    model = new_trainer(objective="reconstruct").model
    assert (model.hide(2)[0] != model.hide(2)[1]).any()
    with eval_mode(model):
        assert torch.equal(model.hide(2), model.hide(2))


def test_hidden_parts_are_learned_without_labels(new_trainer: New) -> None:
    trainer = new_trainer(objective="reconstruct", epochs=10)
    before = trainer.evaluate()
    assert before.keys() == {"loss"}
    for _ in range(10):
        for batch in trainer.batches():
            trainer.step(batch._replace(targets=torch.zeros_like(batch.targets)))
        trainer.read()
        trainer.complete_epoch(0.0)
    assert trainer.evaluate()["loss"] < 0.9 * before["loss"]


def test_the_weights_serve_a_classifier(new_trainer: New, tmp_path: Path) -> None:
    trainer = new_trainer(objective="reconstruct", seed=1)
    checkpoint.save(tmp_path, trainer.state_dict(), best=False)
    classifier = new_trainer()
    said = classifier.load_initial(tmp_path / "last.pt")
    assert "new: head.weight, head.bias" in said
    for name, tensor in trainer.model.state_dict().items():
        if not name.startswith("head."):
            np.testing.assert_array_equal(classifier.model.state_dict()[name], tensor)
